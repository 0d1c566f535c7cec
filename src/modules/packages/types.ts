import type { Decimal } from "../../kernel/decimal.ts";
import type { Frequency } from "../../kernel/frequency.ts";
import type { PackageId, PlanId, PlanVersionId } from "../../kernel/ids.ts";
import type { Cents } from "../../kernel/money.ts";
import type { Tiering } from "../../kernel/tiers.ts";
import type { Instant } from "../../kernel/time.ts";
import type { Dated } from "../../kernel/vat-rates.ts";

/** The button of a plan on a page: to subscribe (`none`), to write to the merchant, or to follow a link. */
export const CALLS_TO_ACTION = ["none", "contact_us", "link"] as const;
export type CallToAction = (typeof CALLS_TO_ACTION)[number];

/** What a feature says: whether it is included, or how much of it. */
export const FEATURE_TYPES = ["boolean", "limit"] as const;

/** What a plan includes. */
export type Feature = { readonly key: string } & (
  | { readonly type: "boolean"; readonly value: boolean }
  /** Null: without limit. */
  | { readonly type: "limit"; readonly value: number | null }
);

/** A plan's price in another currency than its own. */
export interface PlanPrice {
  readonly currency: string;
  /** The price of one cycle; may be zero. */
  readonly amount: Cents;
  /** Charged once, with the first cycle. */
  readonly setupFee: Cents;
}

/** The terms of price and billing of a plan, as a version of a plan stores them (decisions.md#plan-versions-never-change). */
export interface PlanTerms {
  /** The price of one cycle; may be zero. Beside tiers it is due once, whatever the quantity. */
  readonly amount: Cents;
  /** What the quantity costs besides (interface 16.23). */
  readonly tiering?: Tiering;
  readonly currency: string;
  readonly frequency: Frequency;
  /** Charged once, with the first cycle. */
  readonly setupFee: Cents;
  /** In other currencies; each currency once, and never that of the plan. */
  readonly prices: readonly PlanPrice[];
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
  /** What its subscribers are entitled to; each key once. */
  readonly features: readonly Feature[];
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
