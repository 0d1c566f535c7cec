import { ApiError, invalid } from "../../kernel/errors.ts";
import { newId, type OrganisationId } from "../../kernel/ids.ts";
import type { PlanName } from "../../kernel/plans.ts";
import { addSeconds, DAY_SECONDS, type Instant } from "../../kernel/time.ts";
import { hashApiKey, newApiKey } from "../../modules/api-keys/rules.ts";
import { insertApiKey } from "../../modules/api-keys/store.ts";
import { recordAudit } from "../../modules/audit-log/store.ts";
import { insertMember } from "../../modules/members/store.ts";
import { insertOrganisation } from "../../modules/organisations/store.ts";
import type { Organisation } from "../../modules/organisations/types.ts";
import { organisationView } from "../../modules/organisations/view.ts";
import type { Tx } from "../../platform/database.ts";
import { violatedUnique } from "../../platform/faults.ts";
import type { StaffUser } from "../../platform/identity.ts";
import { skipLockOrder } from "../../platform/locks.ts";
import type { Actor } from "../context.ts";
import type { Services } from "../services.ts";
import { newLinkKey } from "./link-key.ts";

/** What `org create` gives (interface 12.1). */
export interface NewOrganisation {
  readonly id: OrganisationId;
  readonly slug: string;
  readonly name: string;
  readonly plan: PlanName;
  readonly sandbox: boolean;
  readonly trialDays: number;
  /** The first owner; the user exists. */
  readonly owner: StaffUser;
  /** The API key, when an interrupted creation is repeated; else a new one is made. */
  readonly apiKey?: string;
}

const SLUG = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Why a text cannot be a slug, which is part of URLs and of mail addresses; null when it can. */
export const slugFault = (slug: string): string | null =>
  SLUG.test(slug)
    ? null
    : "A slug is 1 to 63 lower-case letters, digits and hyphens, and begins and ends with a letter or a digit.";

/** The error 409 for a slug that another organisation has. */
export const slugTaken = (slug: string): ApiError =>
  new ApiError("invalid_request", 409, `Another organisation has the slug ${slug}. Choose another.`);

/**
 * Creates an organisation with its owner and an API key without extra permissions, on trial by its own clock. `setUp` adds more in
 * the same transaction. Throws 400 for an invalid slug and 409 (`slugTaken`), also when another call took the slug at the same
 * time.
 */
export async function createOrganisation(
  services: Pick<Services, "db" | "secrets">,
  who: { actor: Actor; now: Instant },
  order: NewOrganisation,
  setUp: (tx: Tx, organisation: Organisation) => Promise<void> = async () => {},
): Promise<{ organisation: Organisation; apiKey: string }> {
  const fault = slugFault(order.slug);
  if (fault) throw invalid(fault);
  try {
    return await services.db.transaction(order.id, async (tx) => {
      const organisation = insertNew(tx, services, who, order);
      const { id: userId, email, name } = order.owner;
      await insertMember(tx, { id: newId("mem"), userId, email, name, role: "owner", createdAt: who.now });
      const { key, prefix, secretHash } = order.apiKey === undefined ? newApiKey() : hashApiKey(order.apiKey);
      const apiKey = {
        id: newId("key"),
        prefix,
        name: "First key",
        permissions: [],
        createdAt: who.now,
        revokedAt: null,
      };
      insertApiKey(tx, apiKey, secretHash);
      await setUp(tx, organisation);
      return { organisation, apiKey: key };
    });
  } catch (error) {
    throw violatedUnique(error) === "organisations_slug_key" ? slugTaken(order.slug) : error;
  }
}

function insertNew(
  tx: Tx,
  services: Pick<Services, "secrets">,
  who: { actor: Actor; now: Instant },
  { id, slug, name, plan, sandbox, trialDays }: NewOrganisation,
): Organisation {
  const organisation: Organisation = {
    id,
    slug,
    name,
    plan,
    state: "trial",
    trialEndsAt: addSeconds(who.now, trialDays * DAY_SECONDS),
    sandbox,
    clockAt: null,
    limits: {},
    rateLimit: null,
    tokenKeySealed: newLinkKey(services.secrets, id),
    createdAt: who.now,
  };
  insertOrganisation(tx, organisation);
  skipLockOrder(tx);
  const after = organisationView(organisation, who.now);
  recordAudit(tx, { ...who, requestId: null, action: "org create", subject: id, before: null, after });
  return organisation;
}
