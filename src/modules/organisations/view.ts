import type { OrganisationId } from "../../kernel/ids.ts";
import type { PlanName, Quotas } from "../../kernel/plans.ts";
import { type Instant, instant, toTimestamp, toTimestampOrNull } from "../../kernel/time.ts";
import { statusOf } from "./states.ts";
import type { Organisation, OrganisationState } from "./types.ts";

/** A row of `organisations`, from a query (dates) or from a function of the gate (JSON, timestamps as text). */
export interface OrganisationRow {
  id: string;
  slug: string;
  name: string;
  plan: string;
  state: string;
  trial_ends_at: Date | string | null;
  sandbox: boolean;
  clock_at: Date | string | null;
  limits: unknown;
  rate_limit: number | null;
  token_key_sealed: string;
  created_at: Date | string;
}

/** Row to facts. */
export const organisationFromRow = (row: OrganisationRow): Organisation => ({
  id: row.id as OrganisationId,
  slug: row.slug,
  name: row.name,
  plan: row.plan as PlanName,
  state: row.state as OrganisationState,
  trialEndsAt: row.trial_ends_at === null ? null : instant(row.trial_ends_at),
  sandbox: row.sandbox,
  clockAt: row.clock_at === null ? null : instant(row.clock_at),
  limits: row.limits as Partial<Quotas>,
  rateLimit: row.rate_limit,
  tokenKeySealed: row.token_key_sealed,
  createdAt: instant(row.created_at),
});

/** Contract 3: the organisation as operators see it, at a moment of its own clock. */
export const organisationView = (organisation: Organisation, now: Instant) => ({
  id: organisation.id,
  slug: organisation.slug,
  name: organisation.name,
  plan: organisation.plan,
  status: statusOf(organisation, now),
  sandbox: organisation.sandbox,
  trialEndsAt: toTimestampOrNull(organisation.trialEndsAt),
  limits: organisation.limits,
  rateLimit: organisation.rateLimit,
  clockAt: toTimestampOrNull(organisation.clockAt),
  createdAt: toTimestamp(organisation.createdAt),
});
