import type { OrganisationId } from "../../kernel/ids.ts";
import type { PlanName, Quotas } from "../../kernel/plans.ts";
import type { Instant } from "../../kernel/time.ts";

/** What is stored; `OrganisationStatus` is what the outside sees, which also depends on the time. */
export type OrganisationState = "trial" | "active" | "suspended" | "cancelled";

/** Interface 12.1: `expired` is a trial that is over. */
export type OrganisationStatus = OrganisationState | "expired";

/** A merchant (interface 1.1): the facts that every request starts from. */
export interface Organisation {
  readonly id: OrganisationId;
  readonly slug: string;
  readonly name: string;
  readonly plan: PlanName;
  readonly state: OrganisationState;
  readonly trialEndsAt: Instant | null;
  /** Its money is not real (interface 13). */
  readonly sandbox: boolean;
  /** Where its own clock stands; null while it runs with real time. */
  readonly clockAt: Instant | null;
  /** Replaces quotas of the plan, one by one. */
  readonly limits: Partial<Quotas>;
  /** Requests a minute and key; null: the default of interface 8. */
  readonly rateLimit: number | null;
  /** Sealed key of the organisation's capability links. */
  readonly tokenKeySealed: string;
  readonly createdAt: Instant;
}
