import type { Decimal } from "../../kernel/decimal.ts";
import type { Frequency } from "../../kernel/frequency.ts";
import type { PackageId, PlanId, PlanVersionId } from "../../kernel/ids.ts";
import type { Cents } from "../../kernel/money.ts";
import type { Instant } from "../../kernel/time.ts";
import type { Dated } from "../../kernel/vat-rates.ts";

/** The button of a plan on a page: to subscribe (`none`), to write to the merchant, or to follow a link. */
export const CALLS_TO_ACTION = ["none", "contact_us", "link"] as const;
export type CallToAction = (typeof CALLS_TO_ACTION)[number];

/** The terms of price and billing of a plan, as a version of a plan stores them (decisions.md#plan-versions-never-change). */
export interface PlanTerms {
  /** The price of one cycle; may be zero. */
  readonly amount: Cents;
  readonly currency: string;
  readonly frequency: Frequency;
  /** Charged once, with the first cycle. */
  readonly setupFee: Cents;
  readonly trialDays: number;
  /** In percent, as decimal text: when the version was made, unless `datedRates` has others. */
  readonly taxRate: Decimal;
  /** Follows the standard rate of each day; else `taxRate` is its own. */
  readonly standardRate: boolean;
  /** Exempt from VAT: its rate is 0. */
  readonly taxExempt: boolean;
  readonly taxInclusive: boolean;
  /** The number of cycles that are billed; null: without end. */
  readonly cycles: number | null;
}

/** Interface 2.14, plan. Its terms are those of its newest version, which applies to new subscriptions. */
export interface Plan extends PlanTerms, Dated {
  readonly id: PlanId;
  readonly packageId: PackageId;
  /** The merchant's own name for it, unique in the organisation. */
  readonly code: string | null;
  readonly name: string;
  readonly enabled: boolean;
  readonly callToAction: CallToAction;
  /** The target of `link`. */
  readonly callToActionUrl: string | null;
  readonly versionId: PlanVersionId;
  /** The number of the newest version, from 1. */
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
