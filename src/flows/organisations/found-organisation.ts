import { ApiError } from "../../kernel/errors.ts";
import { newId } from "../../kernel/ids.ts";
import type { OrganisationCreateBody } from "../../modules/organisations/schema.ts";
import type { Organisation } from "../../modules/organisations/types.ts";
import type { StaffUser } from "../../platform/identity.ts";
import { realTime } from "../context.ts";
import { membershipsOfUser } from "../members/memberships.ts";
import type { Services } from "../services.ts";
import { openOrganisation } from "./create-organisation.ts";

/** As `org create` without `--trial-days`. */
const TRIAL_DAYS = 30;
/** That one person may own. */
const OWNED_MAX = 10;

/**
 * Creates an organisation whose owner is who asks for it, on trial with everything that the demonstration shows (decision 584). Throws 400 for
 * an invalid slug, 409 for a taken one, 403 `plan_limit` for who owns ten.
 */
export async function foundOrganisation(
  services: Pick<Services, "db" | "secrets">,
  founder: StaffUser,
  { name, slug, sandbox }: OrganisationCreateBody,
  origin: { ip: string; requestId: string },
): Promise<Organisation> {
  const owned = (await membershipsOfUser(services, founder.id)).filter(({ member }) => member.role === "owner");
  if (owned.length >= OWNED_MAX)
    throw new ApiError(
      "plan_limit",
      403,
      `You own ${owned.length} organisations already. Ask the operator of this service for another.`,
    );
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
  );
}
