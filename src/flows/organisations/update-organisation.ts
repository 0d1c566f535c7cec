import { invalid, notFound } from "../../kernel/errors.ts";
import type { PlanName, QuotaName, Quotas } from "../../kernel/plans.ts";
import type { Instant } from "../../kernel/time.ts";
import { recordAudit } from "../../modules/audit-log/store.ts";
import { isStopped } from "../../modules/organisations/states.ts";
import { lockOrganisation, updateOrganisation } from "../../modules/organisations/store.ts";
import type { Organisation } from "../../modules/organisations/types.ts";
import { organisationView } from "../../modules/organisations/view.ts";
import type { Tx } from "../../platform/database.ts";
import { type Actor, clockOf } from "../context.ts";
import { expectTrialEnd } from "./expect-trial-end.ts";

/** The fields that `org update` changes (interface 12.1); an absent field does not change. */
export interface OrganisationChanges {
  readonly plan?: PlanName;
  /** `active` ends the trial. */
  readonly status?: "active" | "suspended" | "cancelled";
  /**
   * Starts a trial that ends then, by the organisation's own clock; not together with a status, nor while the
   * organisation is suspended or cancelled.
   */
  readonly trialEndsAt?: Instant;
  /** Null restores the plan's limit. */
  readonly limits?: Readonly<Partial<Record<QuotaName, number | null>>>;
  /** Requests per minute and API key; null restores the default. */
  readonly rateLimit?: number | null;
}

/**
 * Changes an organisation, for every request that begins after the commit. Locks the organisation. Throws 404; 400 for
 * a trial end that it cannot have.
 */
export async function changeOrganisation(tx: Tx, actor: Actor, changes: OrganisationChanges): Promise<Organisation> {
  const before = await lockOrganisation(tx);
  if (!before) throw notFound("organisation");
  const named = changes.status ?? before.state;
  if (changes.trialEndsAt && (changes.status || isStopped(before)))
    throw invalid(`The organisation is ${named}: only one that is active or on trial gets the end of a trial.`);
  const state = changes.trialEndsAt ? "trial" : named;
  const organisation: Organisation = {
    ...before,
    plan: changes.plan ?? before.plan,
    state,
    trialEndsAt: state === "active" ? null : (changes.trialEndsAt ?? before.trialEndsAt),
    limits: mergeLimits(before.limits, changes.limits ?? {}),
    rateLimit: changes.rateLimit === undefined ? before.rateLimit : changes.rateLimit,
  };
  updateOrganisation(tx, organisation);
  const now = clockOf(before);
  expectTrialEnd(tx, organisation, now);
  recordAudit(tx, {
    now,
    actor,
    requestId: null,
    action: "org update",
    subject: before.id,
    before: organisationView(before, now),
    after: organisationView(organisation, now),
  });
  return organisation;
}

const mergeLimits = (
  before: Partial<Quotas>,
  changes: Readonly<Partial<Record<QuotaName, number | null>>>,
): Partial<Quotas> =>
  Object.fromEntries(Object.entries({ ...before, ...changes }).filter(([, limit]) => limit !== null));
