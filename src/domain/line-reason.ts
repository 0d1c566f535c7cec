import type { Decimal } from "../kernel/decimal.ts";
import { type Cents, toRand } from "../kernel/money.ts";
import type { DaysDue, OfMinimum, OfTier } from "../kernel/tiers.ts";

/** Decimal text in major units; below zero it is a credit. */
export type SignedDecimal = Decimal | (string & { readonly __unit: "decimal text below zero" });

/** A part of a price that recurs each period. */
export interface Part {
  readonly kind: "plan" | "addon";
  /** Of the price version or of the item. */
  readonly id: string;
  readonly name: string;
  readonly quantity: Decimal;
  readonly unitAmount: Decimal;
  /** Absent when the price has no tiers. */
  readonly tier?: OfTier;
  /** Of what the price is short of its minimum. */
  readonly minimum?: OfMinimum;
}

/** Usage of earlier days in a bill, which was reported after these days were billed (interface 16.24). */
export interface LateUsage {
  readonly events: number;
  /** What of the quantity is late, where quantities are added up; else null. */
  readonly quantity: Decimal | null;
}

/** The days that are charged, and the days of the full period that the price is for. */
export type Days = DaysDue;

/** Why a line is less than its full amount. `amount` is the amount that was subtracted. */
export type Reduction = { readonly amount: Cents } & (
  | {
      readonly by: "coupon";
      readonly id: string;
      readonly code: string;
      /** Null for a coupon of an amount. */
      readonly percent: Decimal | null;
    }
  | { readonly by: "discount"; readonly id: string; readonly description: string; readonly percent: Decimal }
  /** Days of the price before a change that were charged and are not used; `name` is the plan's. */
  | { readonly by: "unused_days"; readonly name: string; readonly days: Days }
  | { readonly by: "credit"; readonly id: string; readonly description: string }
  /** The amount was converted because the prices now include VAT (then below zero), or no longer include it. */
  | { readonly by: "tax_terms" }
);

/**
 * Why a line of a customer subscription's bill has its amount, as data. The line's amount is `full` minus the sum of
 * `less`, with VAT when the price includes it, else without.
 */
export type LineReason = {
  /** Null when the amount does not depend on days. */
  readonly days: Days | null;
  /** The amount for these days before reductions, with VAT when the price includes it. */
  readonly full: Cents;
  /** In the order in which they were subtracted. */
  readonly less: readonly Reduction[];
} & (
  | {
      readonly kind: "plan" | "addon" | "usage" | "one_time" | "setup_fee";
      /** Of the price version (`plan`, `setup_fee`) or of the item. */
      readonly id: string;
      readonly name: string;
      /** The quantity for a full period; for usage, the quantity that was used. */
      readonly quantity: Decimal;
      readonly unitAmount: SignedDecimal;
      readonly tier?: OfTier;
      readonly minimum?: OfMinimum;
      /** Of usage, on its first line. */
      readonly late?: LateUsage;
    }
  /** The price after a change, for the rest of the period. */
  | {
      readonly kind: "change";
      /** Of the price version. */
      readonly id: string;
      readonly name: string;
      /** The name of the plan before the change, which may be the same. */
      readonly replaces: string;
      readonly parts: readonly Part[];
    }
);

/** A reason as the API shows it (interface 2.13). */
export const lineReasonView = ({ days, full, less, ...rest }: LineReason) => ({
  kind: rest.kind,
  id: rest.id,
  name: rest.name,
  quantity: rest.kind === "change" ? null : Number(rest.quantity),
  unitAmount: rest.kind === "change" ? null : Number(rest.unitAmount),
  ...(rest.kind !== "change" && rest.tier ? { tier: tierView(rest.tier) } : {}),
  ...(rest.kind !== "change" && rest.minimum ? { minimum: minimumView(rest.minimum) } : {}),
  ...(rest.kind !== "change" && rest.late ? { late: lateView(rest.late) } : {}),
  replaces: rest.kind === "change" ? rest.replaces : null,
  parts:
    rest.kind === "change"
      ? rest.parts.map(({ kind, name, quantity, unitAmount, tier, minimum }) => ({
          kind,
          name,
          quantity: Number(quantity),
          unitAmount: Number(unitAmount),
          ...(tier ? { tier: tierView(tier) } : {}),
          ...(minimum ? { minimum: minimumView(minimum) } : {}),
        }))
      : null,
  days,
  full: toRand(full),
  less: less.map((reduction) => ({
    by: reduction.by,
    name: nameOf(reduction),
    percent: "percent" in reduction && reduction.percent !== null ? Number(reduction.percent) : null,
    amount: toRand(reduction.amount),
  })),
});

const tierView = ({ number, mode, over, upTo, flat }: OfTier) => ({
  number,
  mode,
  over: Number(over),
  upTo: upTo === null ? null : Number(upTo),
  flat: flat === true,
});

const minimumView = ({ amount, days }: OfMinimum) => ({ amount: Number(amount), days: days ?? null });

const lateView = ({ events, quantity }: LateUsage) => ({
  events,
  quantity: quantity === null ? null : Number(quantity),
});

/** Which coupon, discount, plan or credit it was. */
function nameOf(reduction: Reduction): string | null {
  switch (reduction.by) {
    case "coupon":
      return reduction.code;
    case "discount":
    case "credit":
      return reduction.description;
    case "unused_days":
      return reduction.name;
    case "tax_terms":
      return null;
  }
}
