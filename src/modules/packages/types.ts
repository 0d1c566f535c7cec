import type { Decimal } from "../../kernel/decimal.ts";
import type { Frequency } from "../../kernel/frequency.ts";
import type { PackageId, PlanId, PlanVersionId } from "../../kernel/ids.ts";
import type { Cents } from "../../kernel/money.ts";
import type { Instant } from "../../kernel/time.ts";

/** Who clicks a plan on a page subscribes (`none`), is asked to write to the merchant, or follows a link. */
export const CALLS_TO_ACTION = ["none", "contact_us", "link"] as const;
export type CallToAction = (typeof CALLS_TO_ACTION)[number];

/** What a subscription to a plan costs and how it is billed: what a version of a plan keeps (decision 255). */
export interface PlanTerms {
  /** Of one cycle; may be zero. */
  readonly amount: Cents;
  readonly currency: string;
  readonly frequency: Frequency;
  /** Charged once, with the first cycle. */
  readonly setupFee: Cents;
  readonly trialDays: number;
  /** In percent, as decimal text. */
  readonly taxRate: Decimal;
  /** Exempt from VAT: its rate is 0. */
  readonly taxExempt: boolean;
  readonly taxInclusive: boolean;
  /** How many cycles are billed; null: without end. */
  readonly cycles: number | null;
}

/** Interface 2.14, plan. Its terms are those of its newest version, for those who subscribe from now on. */
export interface Plan extends PlanTerms {
  readonly id: PlanId;
  readonly packageId: PackageId;
  /** The merchant's own name of it, unique in the organisation. */
  readonly code: string | null;
  readonly name: string;
  readonly enabled: boolean;
  readonly callToAction: CallToAction;
  /** Where `link` leads. */
  readonly callToActionUrl: string | null;
  readonly versionId: PlanVersionId;
  /** Of the newest version, from 1. */
  readonly version: number;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}

/** Interface 2.14, package: plans that a payer chooses from. */
export interface Package {
  readonly id: PackageId;
  readonly name: string;
  readonly description: string | null;
  readonly enabled: boolean;
  /** Oldest first. */
  readonly plans: readonly Plan[];
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
}
