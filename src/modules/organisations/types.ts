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

/** Data that the settings can remove after a time, and how many months it may be kept. */
interface Rule {
  /** The shortest time, so that a mistake is found before its trace is removed. */
  readonly least: number;
  readonly most: number;
  /** What happens to the data, and how long they are kept when the settings name no time. */
  readonly about: string;
}

/** The data that the settings can remove: none that tax law says to keep. */
export const RETENTION = {
  mailTexts: {
    least: 1,
    most: 120,
    about:
      "The texts of mails are emptied; that a mail was sent, to whom and about what, stays. Without a time they are kept.",
  },
  webhookDeliveries: {
    least: 1,
    most: 13,
    about: "Webhook deliveries are deleted. Without a time they are kept for 13 months, as events are.",
  },
  proofsOfPayment: {
    least: 3,
    most: 120,
    about:
      "Files that payers sent as proof of a bank transfer are deleted, once it is paid, rejected or over. Without a time they are kept.",
  },
  auditReads: {
    least: 12,
    most: 60,
    about:
      "Entries of the audit log about what was read are deleted; those about changes stay. Without a time all are kept for 61 months.",
  },
  abandonedCheckouts: {
    least: 1,
    most: 120,
    about: "What a visitor entered in a checkout that came to nothing is emptied. Without a time it is kept.",
  },
  closedCustomers: {
    least: 1,
    most: 120,
    about:
      "Customers that are inactive, unchanged for the time and owe nothing are erased as by hand. Without a time they are kept.",
  },
} as const satisfies Readonly<Record<string, Rule>>;

/** The name of a retention setting. */
export type RetentionName = keyof typeof RETENTION;
export const RETENTION_NAMES = Object.keys(RETENTION) as readonly RetentionName[];
