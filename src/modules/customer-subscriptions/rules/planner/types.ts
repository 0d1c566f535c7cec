import type { LateUsage, LineReason, Part, SignedDecimal } from "../../../../domain/line-reason.ts";
import type { Decimal } from "../../../../kernel/decimal.ts";
import type { Exemption } from "../../../../kernel/exemption.ts";
import type { Frequency } from "../../../../kernel/frequency.ts";
import type { PricedLine, Totals } from "../../../../kernel/lines.ts";
import type { Cents } from "../../../../kernel/money.ts";
import type { Tiering } from "../../../../kernel/tiers.ts";
import type { CalendarDay } from "../../../../kernel/time.ts";
import type { Dated } from "../../../../kernel/vat-rates.ts";

/*
 * The planner of customer subscriptions: from facts and a day to bills, periods and credits. It uses no SQL and no
 * clock, and nothing else computes what a subscription costs. Its functions, by file:
 *
 *   start.ts       create, by API, checkout or dry run
 *   due.ts         what is due by a day; the next bill; a payment that moves the period; the end
 *   change.ts      another plan, quantity or items, and the preview of it
 *   dates.ts       other billing dates, resume, reactivate
 *   worth.ts       what unused days are worth, by what became of their bills
 *   external.ts    what another platform bills, and what such a period would have cost here
 *
 * They are made of: periods.ts, prices.ts, coupons.ts, charges.ts (lines before credits), bills.ts (credits and VAT),
 * period-bill.ts, proration.ts, terms.ts and wording.ts (what a line says). The tables in the tests are their
 * documentation.
 */

/**
 * Whether prices include VAT, at which rate, and whether they are exempt from it. An amount "in the price's own terms"
 * includes VAT when prices do, and excludes it when they do not.
 */
export interface TaxTerms extends Exemption, VatTerms {}

/** The rate in percent, and whether amounts include it. */
export interface VatTerms {
  readonly taxRate: Decimal;
  readonly taxInclusive: boolean;
  /** Only where the currency has no decimals, so that amounts are rounded to its own unit: of a price it is always there. */
  readonly currency?: string;
}

/**
 * The version of a plan's price that a subscription has. `taxRate` is the rate that was applied last; `datedRates` are not stored with a
 * subscription, since the settings decide them.
 */
export interface Price extends TaxTerms, Dated {
  /** Of this version. */
  readonly id: string;
  readonly planId: string;
  readonly name: string;
  readonly currency: string;
  /** For one unit and one period; beside tiers for the period, whatever the quantity. */
  readonly amount: Cents;
  /** What the quantity costs besides (interface 16.23). */
  readonly tiering?: Tiering;
  readonly frequency: Frequency;
  /** Once, with the first charge, whatever the quantity. */
  readonly setupFee: Cents;
  /** The subscription expires after this many bills; null: it has no end. */
  readonly cycles: number | null;
}

interface ItemBase {
  readonly id: string;
  readonly code: string | null;
  readonly description: string;
}

/** Billed each cycle, beside the plan. */
export interface Addon extends ItemBase {
  readonly kind: "addon";
  /** Zero beside tiers. */
  readonly unitAmount: Decimal;
  readonly tiering?: Tiering;
  readonly quantity: Decimal;
}

/** How usage events become the quantity of a metered item (interface 16.24). */
export type Aggregation = "sum" | "max" | "last" | "unique";

/** What usage events have made of a metered item's usage, beside its quantity, since the last bill. */
export interface Counting {
  /** Of `unique`: names the values that were counted. */
  readonly round?: string;
  /** Of `last`: when the quantity was measured that counts, as a timestamp. */
  readonly lastAt?: string;
  /** What of it is of days before the period. */
  readonly late?: LateUsage;
}

/** Usage of days that no period has begun with yet, which the bill that begins on `from` leaves for the one after it. */
export interface UsageAhead extends Counting {
  readonly from: CalendarDay;
  readonly usage: Decimal;
}

/** Billed at each renewal by the usage since the last one. */
export interface Metered extends ItemBase {
  readonly kind: "metered";
  /** Zero beside tiers. */
  readonly unitAmount: Decimal;
  readonly tiering?: Tiering;
  readonly usage: Decimal;
  /** Absent: `sum`. */
  readonly aggregation?: Aggregation;
  /** Of `unique`: the property of events whose different values are counted. */
  readonly uniqueBy?: string;
  readonly counting?: Counting;
  readonly ahead?: UsageAhead;
  /** Of one with a minimum: for days before this one it is charged. Absent: for none of the period. */
  readonly minimumFrom?: CalendarDay;
}

/** Billed once, with the next first or cycle bill; below zero it becomes a credit then. */
export interface OneTime extends ItemBase {
  readonly kind: "one_time";
  readonly unitAmount: SignedDecimal;
  readonly quantity: Decimal;
}

export type Item = Addon | Metered | OneTime;

/** The plan, quantity and items of a subscription. */
export interface Terms {
  readonly price: Price;
  /** Whole, from 1. */
  readonly quantity: number;
  readonly items: readonly Item[];
}

/** A range of South African days, `[start, next)`. */
export interface Span {
  readonly start: CalendarDay;
  readonly next: CalendarDay;
}

/** A reduction by percent: of the subscription's coupon, or a one-off discount. */
export type PercentOff = { readonly percent: Decimal } & (
  | { readonly by: "coupon"; readonly id: string; readonly code: string }
  | { readonly by: "discount"; readonly id: string; readonly description: string }
);

/** The amount that a coupon subtracted from the recurring lines of a bill, and the number of days over which it is spread. */
export interface AmountOff {
  readonly couponId: string;
  readonly code: string;
  readonly amount: Cents;
  readonly days: number;
  /** The terms of VAT of the amount; absent while these are those of the price in force. */
  readonly own?: VatTerms;
}

/** What a coupon takes off a price in force. */
export type CouponOff = Extract<PercentOff, { by: "coupon" }> | AmountOff;

/**
 * The price in force in a period, from which a change computes the credit for the remaining days (decisions.md#periods-keep-their-price).
 */
export interface PriceInForce extends TaxTerms {
  /** The name of the plan. */
  readonly name: string;
  readonly frequency: Frequency;
  readonly parts: readonly Part[];
  /** In the order in which they are subtracted. */
  readonly percents: readonly PercentOff[];
  readonly amountOff: AmountOff | null;
  /** The reduction of a coupon that lowers the period, while the plan is one that the coupon is not for. */
  readonly resting?: CouponOff;
  /** Days of the full period that the price is for. */
  readonly of: number;
  /** The days from here to the end of the period are free: nothing is charged or credited for them. */
  readonly until: CalendarDay;
  /** The bills that charge the price since its last change; absent: the period's own bill charges all of it. */
  readonly covers?: readonly Cover[];
}

/** A bill of a subscription: the one at this place, from 0, among those of a cycle. */
export interface BillName {
  readonly cycle: number;
  readonly place: number;
}

/** What one bill charges of the price of some days, or of a credit for them (decisions.md#covers-name-the-bill). */
export interface Cover {
  /** Null: it was paid elsewhere, or waits for the next bill. */
  readonly bill: BillName | null;
  /** In the price's own terms. */
  readonly amount: Cents;
  readonly days: number;
  /** What of the bill stood for it when this was reckoned, with VAT; null: all that the bill charged. */
  readonly of: Cents | null;
  /** What was given back of the bill as credit before, with VAT. */
  readonly out: Cents;
}

/** A period of a subscription. */
export interface Period extends Span {
  /** Null when nothing was charged for the period: a trial, or a reactivation that is charged later. */
  readonly paid: PriceInForce | null;
}

export interface Coupon {
  readonly id: string;
  readonly code: string;
  readonly off: { readonly percent: Decimal } | { readonly amount: Cents };
  /** For how many bills: 1 for the first charge only, null for every one. */
  readonly limit: number | null;
  /** For the first charge only: it is spent with the first bill of a period, also with that of a plan that it is not for. */
  readonly first?: true;
  /** Bills that it has been applied to. */
  readonly used: number;
  /** The plans that it applies to; null: every plan. */
  readonly planIds: readonly string[] | null;
}

/** A one-off discount, subtracted from the next first or cycle bill. */
export interface Discount {
  readonly id: string;
  readonly description: string;
  readonly percent: Decimal;
}

/** The rest of a credit, in the price's own terms. */
export interface Credit {
  readonly id: string;
  readonly description: string;
  readonly amount: Cents;
  /** The rest in the terms of VAT in which it was given, from which each other price restates it; absent while these are the price's. */
  readonly own?: VatTerms & { readonly amount: Cents };
  /** Of unused days: the bills that had charged them. Their sum is what was credited. */
  readonly covers?: readonly Cover[];
}

/** A line before credits and VAT. */
export interface Charge extends Span {
  /** In the price's own terms; never below zero. */
  readonly amount: Cents;
  readonly reason: LineReason;
  /** Of usage: the plan that it was recorded under. What the bill that takes it subtracts is still to be subtracted. */
  readonly usageOf?: string;
  /** Of one that waits for a bill: the terms of VAT in which it was charged, when these are not the price's. */
  readonly own?: VatTerms;
}

/** Whether the period moves when its bill is made, or (collection method `manual`) when it is paid. */
export type PeriodMoves = "when_billed" | "when_paid";

/** The planner's facts about a subscription. They hold no status: the caller decides it. */
export interface Subscription {
  readonly terms: Terms;
  readonly periodMoves: PeriodMoves;
  readonly startsOn: CalendarDay;
  readonly trialDays: number;
  /**
   * Renewals fall on this day of the month, 1 to 31, clamped to its end. `given`: requested as `billingAnchorDay`, so
   * that a period that begins on another day is a bridge to it.
   */
  readonly anchor: { readonly day: number; readonly given: boolean };
  /** The running period or the last one; null until the subscription has started. */
  readonly period: Period | null;
  /** A period that is billed and begins when its bill is paid. */
  readonly awaiting: Period | null;
  /** The number of bills of periods, paid or not. */
  readonly cyclesBilled: number;
  /**
   * True when a period was paid elsewhere (`paidThrough`) and the period that followed it was not: its next bill is no
   * first one all the same.
   */
  readonly paidElsewhere?: true;
  /** Bills that do not count towards the price's `cycles`: those before an expired subscription was reactivated. */
  readonly cyclesBefore: number;
  readonly coupon: Coupon | null;
  /** Oldest first. */
  readonly discounts: readonly Discount[];
  /** Oldest first. */
  readonly credits: readonly Credit[];
  /** Charges that the next bill includes. */
  readonly carried: readonly Charge[];
  /** The change that takes effect at the next renewal. */
  readonly pendingChange: Terms | null;
  /** A change `now` while it is paused: the days that are left when it resumes are prorated then. */
  readonly onResume?: { readonly invoiceNow: boolean };
  readonly cancelAtPeriodEnd: boolean;
}

/** A line of a bill. `amount` is in the price's own terms; `reason` explains it. */
export interface BillLine extends PricedLine {
  readonly reason: LineReason;
}

/** The amount of a credit that a bill has used. */
export interface CreditUse {
  readonly creditId: string;
  readonly amount: Cents;
}

/** The charge that is made at once. With a total of zero there is no invoice, but everything else applies. */
export interface Bill extends Totals, Span {
  /** `first` and `cycle` bills begin a period; a `proration` bill follows a change, or ends the subscription. */
  readonly kind: "first" | "cycle" | "proration";
  /** `cyclesBilled` with this bill. */
  readonly cycle: number;
  /** The day on which it fell due. */
  readonly date: CalendarDay;
  readonly currency: string;
  readonly taxInclusive: boolean;
  readonly lines: readonly BillLine[];
  /** Oldest first. */
  readonly creditsUsed: readonly CreditUse[];
}

/** A credit whose amount was converted because the prices' terms of VAT have changed. */
export interface RestatedCredit {
  readonly creditId: string;
  readonly from: Cents;
  readonly to: Cents;
}

/** How a subscription ends by itself. */
export interface Ending {
  readonly on: CalendarDay;
  readonly why: "cancelled" | "expired";
}

/** The result of the planner: bills in the order in which they fall due, and the subscription after them. */
export interface Outcome {
  readonly bills: readonly Bill[];
  /**
   * The full amounts of credits, before the bills of this outcome used them. Existing credits (converted) and new ones
   * are either used or left in `after`.
   */
  readonly creditsMade: readonly Credit[];
  readonly creditsRestated: readonly RestatedCredit[];
  readonly after: Subscription;
  /** The subscription right after each of the bills. */
  readonly afterEach: readonly Subscription[];
  readonly ends: Ending | null;
  /** When the next bill or end falls due; null when there is none. */
  readonly nextDue: CalendarDay | null;
}
