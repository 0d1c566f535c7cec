import { locking } from "../../domain/locks.ts";
import { ApiError } from "../../kernel/errors.ts";
import { countOwned } from "../../modules/members/store.ts";
import type { OrganisationCreateBody } from "../../modules/organisations/schema.ts";
import type { Organisation } from "../../modules/organisations/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { StaffUser } from "../../platform/identity.ts";
import { newId } from "../../platform/new-id.ts";
import { lockUses } from "../../platform/rate-windows.ts";
import { contextFor, realTime } from "../context.ts";
import type { Services } from "../services.ts";
import { openOrganisation } from "./create-organisation.ts";
import { changeSettings } from "./settings.ts";

/**
 * On a service that is run for others, whoever signs in may create organisations, so each is on trial until the
 * operator ends the trial. On one's own server nothing is limited.
 */
const TRIAL = { plan: "business", trialDays: 30 } as const;
const OWN = { plan: "enterprise", trialDays: null } as const;
/** The largest number of organisations that one person may own. */
const OWNED_MAX = 10;

/** The scope under which a person's attempts to create organisations are counted. Its row also serves as their lock. */
export const ownCreationsScope = (userId: string): string => `found:${userId}`;

/**
 * Creates an organisation that its creator owns, with every feature of the demonstration; on trial where the service is
 * run for others (interface 11.1, PLANS). Throws 400 for an
 * invalid slug, 409 for a taken one, 403 `plan_limit` for a person who owns ten. The attempt was counted under
 * `ownCreationsScope`.
 */
export async function createOwnOrganisation(
  services: Services,
  founder: StaffUser,
  { name, slug, sandbox, vatRegistered }: OrganisationCreateBody,
  origin: { ip: string; requestId: string },
): Promise<Organisation> {
  const actor = { kind: "member", id: newId("mem"), name: founder.name || founder.email, ip: origin.ip } as const;
  return openOrganisation(
    services,
    { actor, now: realTime(), requestId: origin.requestId, action: "POST /organisations" },
    {
      id: newId("org"),
      slug,
      name,
      sandbox,
      ...(services.plans ? TRIAL : OWN),
      owner: founder,
      ownerId: actor.id,
    },
    async (tx, organisation) => {
      await requireOwnable(tx, founder.id);
      // Whoever says that it charges VAT means that its prices include it.
      const vat = { vatRegistered, paymentsIncludeVat: vatRegistered };
      await changeSettings(tx, contextFor(services, organisation, actor), vat);
    },
  );
}

/**
 * Throws 403 for a person who owns more than ten, including the one that is being created. Two simultaneous creations
 * are counted one after the other.
 */
async function requireOwnable(tx: Tx, userId: string): Promise<void> {
  await lockUses(locking(tx, "tries"), ownCreationsScope(userId));
  if ((await countOwned(tx, userId)) <= OWNED_MAX) return;
  throw new ApiError(
    "plan_limit",
    403,
    `You own ${OWNED_MAX} organisations already. Ask the operator of this service for another.`,
  );
}
