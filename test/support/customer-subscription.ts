import { type Decimal, decimalOf } from "../../src/kernel/decimal.ts";
import type { Frequency } from "../../src/kernel/frequency.ts";
import { fromRand, toDecimalText } from "../../src/kernel/money.ts";
import { addDays, type CalendarDay } from "../../src/kernel/time.ts";
import { type Creation, create } from "../../src/modules/customer-subscriptions/rules/planner/start.ts";
import type {
  Addon,
  Bill,
  Coupon,
  Credit,
  Metered,
  OneTime,
  Outcome,
  Price,
  Span,
  Subscription,
  Terms,
} from "../../src/modules/customer-subscriptions/rules/planner/types.ts";

/** A date of an example. */
export const day = (text: string): CalendarDay => text as CalendarDay;

/** A price of the plan `name`, in rand: monthly, VAT of 15 % on top, unless said otherwise. */
export const priceOf = (name: string, rand: number, given: Partial<Price> = {}): Price => ({
  id: `price_${name}`,
  planId: `plan_${name}`,
  name,
  currency: "ZAR",
  amount: fromRand(rand),
  frequency: "monthly",
  setupFee: fromRand(0),
  cycles: null,
  taxRate: "15" as Decimal,
  taxInclusive: false,
  ...given,
});

/** One unit of a price without items, unless said otherwise. */
export const termsOf = (price: Price, given: Partial<Terms> = {}): Terms => ({
  price,
  quantity: 1,
  items: [],
  ...given,
});

/** An add-on `name`, in rand for one. */
export const addon = (name: string, rand: number, quantity = "1"): Addon => ({
  kind: "addon",
  id: `item_${name}`,
  code: name,
  description: name,
  unitAmount: String(rand) as Decimal,
  quantity: quantity as Decimal,
});

/** A metered item `name`, in rand for one, of which `usage` was used. */
export const metered = (name: string, rand: number, usage = "0"): Metered => ({
  kind: "metered",
  id: `item_${name}`,
  code: name,
  description: name,
  unitAmount: String(rand) as Decimal,
  usage: usage as Decimal,
});

/** A one-time item `name`, in rand; below zero a credit. */
export const oneTime = (name: string, rand: number): OneTime => ({
  kind: "one_time",
  id: `item_${name}`,
  code: name,
  description: name,
  unitAmount: String(rand) as Decimal,
  quantity: "1" as Decimal,
});

/** A coupon that reduces `limit` bills (null: every one), for every plan. */
export const coupon = (off: { percent: number } | { rand: number }, limit: number | null = 1): Coupon => ({
  id: "coup_1",
  code: "SPRING",
  off: "percent" in off ? { percent: String(off.percent) as Decimal } : { amount: fromRand(off.rand) },
  limit,
  used: 0,
  planIds: null,
});

/** A credit of an amount in rand. */
export const credit = (id: string, rand: number): Credit => ({ id, description: id, amount: fromRand(rand) });

/** Creates a subscription on a day, which it starts on unless said otherwise. */
export const created = (terms: Terms, today: string, given: Partial<Creation> = {}): Outcome =>
  create(
    {
      terms,
      periodMoves: "when_billed",
      startsOn: day(today),
      trialDays: 0,
      paidThrough: null,
      billingAnchorDay: null,
      coupon: null,
      credits: [],
      ...given,
    },
    day(today),
  );

/** A subscription that was created and billed on a day. */
export const subscribed = (terms: Terms, today: string, given: Partial<Creation> = {}): Subscription =>
  created(terms, today, given).after;

/** A span with both days included, as people see it. */
export const shownSpan = ({ start, next }: Span): string => `${start} to ${addDays(next, -1)}`;

/** A bill in one line: its kind, its days, what its lines are, and its total with VAT, in rand. */
export const shownBill = (bill: Bill): string =>
  [
    `${bill.kind} ${shownSpan(bill)}`,
    ...bill.lines.map(({ description, amount }) => `${description} ${decimalOf(toDecimalText(amount))}`),
    `total ${decimalOf(toDecimalText(bill.total))}`,
  ].join("; ");

/** A frequency by its first letters, for tables. */
export const FREQUENCY_OF: Readonly<Record<string, Frequency>> = {
  m: "monthly",
  q: "quarterly",
  b: "biannually",
  a: "annually",
};
