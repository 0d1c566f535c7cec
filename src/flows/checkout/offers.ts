import type { Decimal } from "../../kernel/decimal.ts";
import type { Frequency } from "../../kernel/frequency.ts";
import type { PlanId, ProductId } from "../../kernel/ids.ts";
import type { Totals } from "../../kernel/lines.ts";
import { type Cents, sum, ZERO } from "../../kernel/money.ts";
import { addDays, type CalendarDay, calendarDay } from "../../kernel/time.ts";
import { type CouponRefusal, mayRedeem, REFUSALS, type Sale } from "../../modules/coupons/rules.ts";
import type { Coupon } from "../../modules/coupons/types.ts";
import { promisedCharges } from "../../modules/customer-subscriptions/rules/planner/promise.ts";
import { create } from "../../modules/customer-subscriptions/rules/planner/start.ts";
import type { BillLine } from "../../modules/customer-subscriptions/rules/planner/types.ts";
import type { Plan } from "../../modules/packages/types.ts";
import { priceOfProduct } from "../../modules/products/rules.ts";
import type { Product } from "../../modules/products/types.ts";
import type { ChargesInWords } from "../../templates/wording.ts";
import type { Ctx } from "../context.ts";
import { priceOf } from "../customer-subscriptions/asked-terms.ts";
import { plannedCoupon } from "../customer-subscriptions/subscription-coupon.ts";
import type { Gateway } from "../gateways/accounts.ts";
import { taxedToday } from "../organisations/settings.ts";

/** Later charges of the product or plan. */
export interface LaterCharges {
  readonly frequency: Frequency;
  /** At least one run of charges; `on` is null when the gateway decides the day. */
  readonly charges: readonly ChargesInWords[];
}

/** What a payer can buy on a checkout page: a product, or a plan of a package. */
export interface Offer {
  readonly id: PlanId | ProductId;
  /** The purchase for which a coupon is redeemed. */
  readonly sold: Sale["sold"];
  readonly name: string;
  readonly currency: string;
  readonly taxRate: Decimal;
  readonly taxExempt: boolean;
  readonly taxInclusive: boolean;
  /** The amount that is charged at once; zero when nothing is charged. */
  readonly today: Totals & { readonly lines: readonly Pick<BillLine, "description" | "details" | "amount">[] };
  /** The amount that the coupon subtracts from `today`, with VAT when the price includes it, else without. */
  readonly discount: Cents;
  /** The last day of the trial; null without one. */
  readonly trialEnd: CalendarDay | null;
  /** Null when it is charged once only. */
  readonly later: LaterCharges | null;
  /** Why the coupon cannot be used for the offer, in words; null when it can, or when there is none. */
  readonly couponProblem: string | null;
  /** The gateways through which the offer can be paid; an offer that is free at first needs none. */
  readonly gateways: readonly Gateway[];
}

const NOTHING_LEFT = "With this coupon nothing would be left to pay.";

/** Why a coupon does not lower the price of a product or plan; null when it does. */
function refusalOf(ctx: Ctx, coupon: Coupon, currency: string, sold: Sale["sold"]): CouponRefusal | null {
  return mayRedeem(coupon, { today: calendarDay(ctx.now), currency, sold, ofCustomer: null });
}

/**
 * A product at its price (interface 4.12, product checkout). A coupon that cannot be used, or leaves nothing to pay,
 * does not lower it.
 */
export function productOffer(
  ctx: Ctx,
  sale: Product,
  coupon: Coupon | null,
  gatewaysFor: (total: Cents) => readonly Gateway[],
): Offer {
  const product = taxedToday(ctx, sale);
  const { id, name, currency, taxRate, taxExempt, taxInclusive, recurring } = product;
  const sold = { productId: id, recurring: recurring !== null };
  const refusal = coupon && refusalOf(ctx, coupon, currency, sold);
  const reduced = coupon && !refusal ? priceOfProduct(product, coupon) : null;
  const price = reduced && reduced.total > 0 ? reduced : priceOfProduct(product, null);
  return {
    id,
    sold,
    name,
    currency,
    taxRate,
    taxExempt,
    taxInclusive,
    today: { ...price, lines: [{ description: name, details: null, amount: price.amount }] },
    discount: price.discount,
    trialEnd: null,
    later: recurring && {
      frequency: recurring.frequency,
      charges: [{ on: null, total: price.total, times: null, frequency: recurring.frequency }],
    },
    couponProblem: refusal ? REFUSALS[refusal] : reduced && reduced.total <= 0 ? NOTHING_LEFT : null,
    gateways: gatewaysFor(price.total),
  };
}

/**
 * A plan with the terms of a subscription that starts today (interface 4.12, package checkout). A coupon that cannot be
 * used does not lower its price.
 */
export function planOffer(
  ctx: Ctx,
  plan: Plan,
  coupon: Coupon | null,
  gatewaysFor: (total: Cents) => readonly Gateway[],
): Offer {
  const { id, name, currency, taxRate, taxExempt, taxInclusive, trialDays } = taxedToday(ctx, plan);
  const sold = { planId: id };
  const refusal = coupon && refusalOf(ctx, coupon, currency, sold);
  const today = calendarDay(ctx.now);
  const { after, bills } = create(
    {
      terms: { price: priceOf(plan), quantity: 1, items: [] },
      periodMoves: "when_billed",
      startsOn: today,
      trialDays,
      paidThrough: null,
      billingAnchorDay: null,
      coupon: coupon && !refusal ? plannedCoupon(coupon) : null,
      credits: [],
    },
    today,
  );
  const [first] = bills;
  const charges = promisedCharges(after);
  return {
    id,
    sold,
    name,
    currency,
    taxRate,
    taxExempt,
    taxInclusive,
    today: first ?? { subtotal: ZERO, tax: ZERO, total: ZERO, lines: [] },
    discount: sum(
      (first?.lines ?? []).flatMap(({ reason: { less } }) =>
        less.flatMap(({ by, amount }) => (by === "coupon" ? amount : [])),
      ),
    ),
    trialEnd: trialDays === 0 ? null : addDays(today, trialDays - 1),
    later: charges.length === 0 ? null : { frequency: plan.frequency, charges },
    couponProblem: refusal ? REFUSALS[refusal] : null,
    gateways: gatewaysFor(first?.total ?? ZERO),
  };
}

/** Whether a payment is due before it begins. */
export const isPaidNow = ({ today }: Pick<Offer, "today">): boolean => today.total > 0;
