import type { OrganisationId } from "../../kernel/ids.ts";
import type { PlanName, Quotas } from "../../kernel/plans.ts";
import type { Instant } from "../../kernel/time.ts";

/** The stored state; `OrganisationStatus` also depends on the time, and is the one that the interface shows. */
export type OrganisationState = "trial" | "active" | "suspended" | "cancelled";

/** Interface 12.1: `expired` is a trial that has ended. */
export type OrganisationStatus = OrganisationState | "expired";

/** A merchant's organisation (interface 1.1). */
export interface Organisation {
  readonly id: OrganisationId;
  readonly slug: string;
  readonly name: string;
  readonly plan: PlanName;
  readonly state: OrganisationState;
  readonly trialEndsAt: Instant | null;
  /** Whether its money is not real (interface 13). */
  readonly sandbox: boolean;
  /** The time of its own clock; null while it follows real time. */
  readonly clockAt: Instant | null;
  /** Limits that replace those of the plan. */
  readonly limits: Partial<Quotas>;
  /** Requests per minute and API key; null is the default of interface 8. */
  readonly rateLimit: number | null;
  /** The encrypted key that signs its hosted links. */
  readonly tokenKeySealed: string;
  readonly createdAt: Instant;
}
