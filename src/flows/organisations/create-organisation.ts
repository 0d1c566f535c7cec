import { skipLockOrder } from "../../domain/locks.ts";
import { ApiError, invalidField } from "../../kernel/errors.ts";
import type { MemberId, OrganisationId } from "../../kernel/ids.ts";
import type { PlanName } from "../../kernel/plans.ts";
import { addSeconds, DAY_SECONDS, type Instant } from "../../kernel/time.ts";
import { hashApiKey, newApiKey, UNLIMITED } from "../../modules/api-keys/rules.ts";
import { insertApiKey } from "../../modules/api-keys/store.ts";
import { recordAudit } from "../../modules/audit-log/store.ts";
import { insertMember } from "../../modules/members/store.ts";
import { slugFault } from "../../modules/organisations/rules.ts";
import { insertOrganisation } from "../../modules/organisations/store.ts";
import type { Organisation } from "../../modules/organisations/types.ts";
import { organisationView } from "../../modules/organisations/view.ts";
import type { Tx } from "../../platform/database.ts";
import { violatedUnique } from "../../platform/faults.ts";
import type { StaffUser } from "../../platform/identity.ts";
import { newId } from "../../platform/new-id.ts";
import type { Actor } from "../context.ts";
import type { Services } from "../services.ts";
import { expectTrialEnd } from "./expect-trial-end.ts";
import { newLinkKey } from "./link-key.ts";

/**
 * The data of a new organisation, from `org create` (interface 12.1) or from staff in their browser (interface 14.1).
 */
export interface NewOrganisation {
  readonly id: OrganisationId;
  readonly slug: string;
  readonly name: string;
  readonly plan: PlanName;
  readonly sandbox: boolean;
  /** Null makes it active at once. */
  readonly trialDays: number | null;
  /** The first owner; the user exists. */
  readonly owner: StaffUser;
  /** The id of the owner's membership, if the caller has already chosen it. */
  readonly ownerId?: MemberId;
}

/** The error 409 for a slug that is taken. */
export const slugTaken = (slug: string): ApiError =>
  new ApiError("invalid_request", 409, `Another organisation has the slug ${slug}. Choose another.`);

/**
 * Creates an organisation with its owner and an API key without extra permissions. `setUp` adds more in
 * the same transaction. Throws as `openOrganisation`.
 */
export async function createOrganisation(
  services: Pick<Services, "db" | "secrets">,
  who: OrganisationCreation,
  order: NewOrganisation & {
    /** The API key of an interrupted creation that is repeated; else a new one is made. */
    readonly apiKey?: string;
  },
  setUp: (tx: Tx, organisation: Organisation) => Promise<void> = async () => {},
): Promise<{ organisation: Organisation; apiKey: string }> {
  const { key, prefix, secretHash } = order.apiKey === undefined ? newApiKey() : hashApiKey(order.apiKey);
  const organisation = await openOrganisation(services, who, order, async (tx, made) => {
    const facts = { id: newId("key"), prefix, name: "First key", permissions: [], createdAt: who.now };
    insertApiKey(tx, { ...UNLIMITED, ...facts }, secretHash);
    await setUp(tx, made);
  });
  return { organisation, apiKey: key };
}

/** The creator of an organisation, the time, and the action's name in the audit log. */
export interface OrganisationCreation {
  readonly actor: Actor;
  readonly now: Instant;
  readonly requestId?: string;
  readonly action?: string;
}

/**
 * Creates an organisation with its owner. `setUp` adds more in the same transaction. Throws 400 for an invalid slug
 * and 409 (`slugTaken`), also when another call took the slug at the same time.
 */
export async function openOrganisation(
  services: Pick<Services, "db" | "secrets">,
  who: OrganisationCreation,
  order: NewOrganisation,
  setUp: (tx: Tx, organisation: Organisation) => Promise<void> = async () => {},
): Promise<Organisation> {
  const fault = slugFault(order.slug);
  if (fault) throw invalidField(["slug"], fault);
  try {
    return await services.db.transaction(order.id, async (tx) => {
      const organisation = insertNew(tx, services, who, order);
      const { id: userId, email, name } = order.owner;
      await insertMember(tx, {
        id: order.ownerId ?? newId("mem"),
        userId,
        email,
        name,
        role: "owner",
        createdAt: who.now,
      });
      await setUp(tx, organisation);
      return organisation;
    });
  } catch (error) {
    throw violatedUnique(error) === "organisations_slug_key" ? slugTaken(order.slug) : error;
  }
}

function insertNew(
  tx: Tx,
  services: Pick<Services, "secrets">,
  who: OrganisationCreation,
  { id, slug, name, plan, sandbox, trialDays }: NewOrganisation,
): Organisation {
  const organisation: Organisation = {
    id,
    slug,
    name,
    plan,
    state: trialDays === null ? "active" : "trial",
    trialEndsAt: trialDays === null ? null : addSeconds(who.now, trialDays * DAY_SECONDS),
    sandbox,
    clockAt: null,
    limits: {},
    rateLimit: null,
    tokenKeySealed: newLinkKey(services.secrets, id),
    createdAt: who.now,
  };
  insertOrganisation(tx, organisation);
  skipLockOrder(tx);
  expectTrialEnd(tx, organisation, who.now);
  const after = organisationView(organisation, who.now);
  const { actor, now, requestId = null, action = "org create" } = who;
  recordAudit(tx, { actor, now, requestId, action, subject: id, before: null, after });
  return organisation;
}
