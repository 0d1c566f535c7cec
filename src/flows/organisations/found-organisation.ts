import { ApiError } from "../../kernel/errors.ts";
import { newId } from "../../kernel/ids.ts";
import { countOwned } from "../../modules/members/store.ts";
import type { OrganisationCreateBody } from "../../modules/organisations/schema.ts";
import type { Organisation } from "../../modules/organisations/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { StaffUser } from "../../platform/identity.ts";
import { lockUses } from "../../platform/rate-windows.ts";
import { realTime } from "../context.ts";
import type { Services } from "../services.ts";
import { openOrganisation } from "./create-organisation.ts";

/** As `org create` without `--trial-days`. */
const TRIAL_DAYS = 30;
/** That one person may own. */
const OWNED_MAX = 10;

/** The scope under which the organisations that somebody tries to make are counted. Its row is also their lock (decision 519). */
export const foundingsOf = (userId: string): string => `found:${userId}`;

/**
 * Creates an organisation whose owner is who asks for it, on trial with everything that the demonstration shows (decision 584). Throws 400 for
 * an invalid slug, 409 for a taken one, 403 `plan_limit` for who owns ten. What they try was counted under `foundingsOf`.
 */
export async function foundOrganisation(
  services: Pick<Services, "db" | "secrets">,
  founder: StaffUser,
  { name, slug, sandbox }: OrganisationCreateBody,
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
      plan: "business",
      sandbox,
      trialDays: TRIAL_DAYS,
      owner: founder,
      ownerId: actor.id,
    },
    (tx) => requireOwnable(tx, founder.id),
  );
}

/** Throws 403 for who owns more than ten with the one that is being made. Two at once are counted one after the other. */
async function requireOwnable(tx: Tx, userId: string): Promise<void> {
  await lockUses(tx, foundingsOf(userId));
  if ((await countOwned(tx, userId)) <= OWNED_MAX) return;
  throw new ApiError(
    "plan_limit",
    403,
    `You own ${OWNED_MAX} organisations already. Ask the operator of this service for another.`,
  );
}
