import type { Days } from "../../../../domain/line-reason.ts";
import { unitOf } from "../../../../kernel/currency.ts";
import { type Decimal, decimalOf } from "../../../../kernel/decimal.ts";
import { lineAmount } from "../../../../kernel/lines.ts";
import { cents, toDecimalText } from "../../../../kernel/money.ts";
import type { CalendarDay } from "../../../../kernel/time.ts";
import { billOf, isInvoiced } from "./bills.ts";
import { chargeOnce, chargesOfPeriod, oneTimeCharge, reducedUsage, usageCharges } from "./charges.ts";
import { percentsInForce, reductionsUsed } from "./coupons.ts";
import { withoutBills } from "./outcomes.ts";
import { isBeforeFirstBill, itemsAfterBill, ratedOn } from "./terms.ts";
import type { Charge, Credit, OneTime, Outcome, PercentOff, Price, Span, Subscription } from "./types.ts";
import { billedBefore, isMetered } from "./usage.ts";

const setUpFee = (price: Price, span: Span, percents: readonly PercentOff[]): readonly Charge[] =>
  price.setupFee === 0
    ? []
    : [
        chargeOnce(
          {
            kind: "setup_fee",
            id: price.id,
            name: price.name,
            quantity: "1" as Decimal,
            unitAmount: decimalOf(toDecimalText(price.setupFee)),
          },
          span,
          percents,
          unitOf(price.currency),
        ),
      ];

const oneTimeItems = ({ terms }: Subscription): readonly OneTime[] =>
  terms.items.filter((item) => item.kind === "one_time");
const isCredit = ({ unitAmount }: OneTime): boolean => unitAmount.startsWith("-");

/** Negative one-time items become credits, which count as younger than the existing ones. */
const itemCredits = (sub: Subscription): readonly Credit[] =>
  oneTimeItems(sub)
    .filter(isCredit)
    .map(({ id, description, quantity, unitAmount }) => ({
      id,
      description,
      amount: cents(-lineAmount(quantity, unitAmount as Decimal, unitOf(sub.terms.price.currency))),
    }));

/**
 * The bill that begins a period, `first` or `cycle`, with everything that waited for it, and the subscription in that
 * period. `usage` is of the period before.
 */
export function billPeriod(
  before: Subscription,
  kind: "first" | "cycle",
  span: Span & Days,
  usage: readonly Charge[],
): Outcome {
  const { start, next } = span;
  const { sub, restated: creditsRestated } = ratedOn(before, start);
  const percents = percentsInForce(sub);
  const once = [
    ...(kind === "first" ? setUpFee(sub.terms.price, span, percents) : []),
    ...reducedUsage(sub, [...sub.carried.filter(isUsage), ...usage]),
    ...oneTimeItems(sub)
      .filter((item) => !isCredit(item))
      .map((item) => oneTimeCharge(item, span, percents, unitOf(sub.terms.price.currency))),
  ];
  const { charges, paid } = chargesOfPeriod(sub, span, once);
  const made = itemCredits(sub).filter(({ amount }) => amount > 0);
  const cycle = sub.cyclesBilled + 1;
  const { bill, credits } = billOf(
    { kind, cycle, date: start, start, next },
    sub.terms.price,
    [...charges, ...sub.carried.filter((charge) => !isUsage(charge))],
    [...sub.credits, ...made],
  );
  const period = { start, next, paid };
  const waits = sub.periodMoves === "when_paid" && kind === "cycle" && isInvoiced(bill);
  const after: Subscription = {
    ...sub,
    ...reductionsUsed(sub),
    terms: { ...sub.terms, items: itemsAfterBill(sub.terms.items, start) },
    period: waits ? sub.period : period,
    awaiting: waits ? period : null,
    cyclesBilled: cycle,
    credits,
    carried: [],
  };
  return { ...withoutBills(after), bills: [bill], afterEach: [after], creditsMade: made, creditsRestated };
}

/** Whether a charge is for usage: the bill that takes it still subtracts coupon and discounts. */
export const isUsage = ({ usageOf }: Charge): boolean => usageOf !== undefined;

/**
 * The usage since the last bill, of days before one (null: all), which was recorded under a plan, and what it is short
 * of minimums; before the first bill it is free.
 */
export function usageSoFar(
  sub: Subscription,
  before: CalendarDay | null,
  planId = sub.terms.price.planId,
): readonly Charge[] {
  if (isBeforeFirstBill(sub)) return [];
  const items = sub.terms.items.filter(isMetered).map((item) => billedBefore(item, before));
  return usageCharges(sub, items, { ...sub.terms.price, planId }, null);
}
