import type { Days } from "../../../../domain/line-reason.ts";
import { subtract, sum, ZERO } from "../../../../kernel/money.ts";
import type { CalendarDay } from "../../../../kernel/time.ts";
import { billOf } from "./bills.ts";
import { chargesOfPeriod, takeOff } from "./charges.ts";
import { couponOfPeriod, reductionsUsed, restsOn } from "./coupons.ts";
import { withoutBills } from "./outcomes.ts";
import { costOfDays, daysLeft, inForce, recurringParts, restate, sameVat, vatTermsOf } from "./prices.ts";
import type {
  Bill,
  Charge,
  CouponOff,
  Cover,
  Credit,
  Outcome,
  Period,
  Price,
  PriceInForce,
  Span,
  Subscription,
  VatTerms,
} from "./types.ts";
import { type Held, nextBillName, splitCovers, type Worth, worthIn, worthOf } from "./worth.ts";

/** How the cost of a change is settled. */
export interface Settling {
  /** False bills the cost with the next renewal. */
  readonly invoiceNow: boolean;
  /** The id of the credit that may remain. */
  readonly creditId: string;
}

/** The same, with what is still paid or owed of the subscription's bills. */
interface Settled extends Settling {
  readonly held: Held;
}

/** The cost of a change, and the subscription after it. */
export interface Proration {
  /** With every line, also when nothing is due. */
  readonly bill: Bill;
  /** The bill that is made now, if any. With a new period there is always one. */
  readonly made: Bill | null;
  /** The credit that remains of the unused days. */
  readonly credit: Credit | null;
  readonly after: Subscription;
}

/** What days that are not used are worth, in the terms of the new price. */
interface Unused extends Worth {
  readonly name: string;
  /** The terms of VAT in which they were charged. */
  readonly own: VatTerms;
}

const NO_DAYS: Worth = { days: { billed: 0, of: 1 }, amount: ZERO, covers: [] };

/** Of the days that are left of a price in force; `sub` is the subscription before the change. */
function unusedOf(
  { cyclesBilled }: Pick<Subscription, "cyclesBilled">,
  paid: PriceInForce | null,
  today: CalendarDay,
  price: Price,
  held: Held,
): Unused {
  if (paid === null) return { name: price.name, own: price, ...NO_DAYS };
  const worth = worthIn(worthOf(paid, cyclesBilled, today, held), paid, price);
  return { name: paid.name, own: vatTermsOf(paid), ...worth };
}

/** What is left of unused days, as a credit to a price. */
function creditOf(
  id: string,
  { name, own }: Unused,
  { amount, covers }: Pick<Worth, "amount" | "covers">,
  price: Price,
): Credit {
  const credit = { id, description: `unused days of ${name}`, amount, covers };
  if (sameVat(own, price)) return credit;
  return { ...credit, own: { ...own, amount: restate(amount, { ...own, taxInclusive: price.taxInclusive }, own) } };
}

/**
 * Subtracts the unused amount from the charges. The rest of the charges is billed minus older credits, or with the next
 * renewal; the rest of the unused amount becomes a credit.
 */
function settle(
  sub: Subscription,
  { charges: full, ...span }: Span & { readonly charges: readonly Charge[] },
  unused: Unused,
  { invoiceNow, creditId, begins, held, of }: Settled & { readonly begins: boolean; readonly of: number },
  today: CalendarDay,
): Proration {
  const { name, days, amount } = unused;
  const { price } = sub.terms;
  const { charges, taken } = takeOff(full, amount, (part) => ({ by: "unused_days", name, days, amount: part }));
  const left = subtract(amount, taken);
  const { kept, givenBack } = splitCovers(unused.covers, taken, price);
  const credit = left === 0 ? null : creditOf(creditId, unused, { amount: left, covers: givenBack }, price);
  const toPay = charges.filter((charge) => charge.amount > 0);
  const isBilled = invoiceNow && toPay.length > 0;
  const older = isBilled ? sub.credits : [];
  const about = { kind: "proration", cycle: sub.cyclesBilled, date: today, ...span } as const;
  const { bill, credits } = billOf(about, price, charges, older);
  const own = { amount: sum(toPay.map((charge) => charge.amount)), days: of, of: null, out: ZERO };
  const named = { ...own, bill: isBilled ? nextBillName(held, sub.cyclesBilled) : null };
  const all = [...kept.map((cover) => ({ ...cover, days: of })), ...(own.amount > 0 ? [named] : [])];
  const after: Subscription = {
    ...withCovers(sub, all, today),
    credits: [...(isBilled ? credits : sub.credits), ...(credit === null ? [] : [credit])],
    carried: invoiceNow ? sub.carried : [...sub.carried, ...toPay],
  };
  const waiting = begins ? billOf(about, price, charges, []).bill : null;
  return { bill, made: isBilled ? bill : waiting, credit, after };
}

/** The subscription whose price in force is charged by these bills. */
function withCovers(sub: Subscription, covers: readonly Cover[], today: CalendarDay): Subscription {
  const paid = periodOn(sub, today)?.paid;
  return paid ? withPrice(sub, { ...paid, covers }, today) : sub;
}

/** A coupon's reduction of a period, at a price with other terms of VAT: an amount keeps its own. */
function offAt(off: CouponOff, paid: PriceInForce, price: Price): CouponOff {
  if ("percent" in off) return off;
  const { own = vatTermsOf(paid), ...rest } = off;
  return sameVat(own, price) ? rest : { ...rest, own };
}

/**
 * The price in force after a change to the subscription's terms, for the rest of the period. The reductions of the
 * period's bill stay in force; a coupon that is not for the plan rests until a change back to one that it is for.
 */
function changedPrice(sub: Subscription, before: PriceInForce): PriceInForce {
  const { price } = sub.terms;
  const { resting: _resting, ...paid } = before;
  const coupon = couponOfPeriod(sub, before);
  const off = coupon && offAt(coupon, before, price);
  const discounts = paid.percents.filter(({ by }) => by === "discount");
  const after = { ...paid, ...inForce(price), parts: recurringParts(sub.terms), percents: discounts, amountOff: null };
  if (off === null) return after;
  if (restsOn(sub, price.planId)) return { ...after, resting: off };
  return "percent" in off ? { ...after, percents: [off, ...discounts] } : { ...after, amountOff: off };
}

/**
 * The subscription with a price in force in the period that contains `today`: the running one, or one that is billed
 * and waits for its payment.
 */
function withPrice(sub: Subscription, paid: PriceInForce, today: CalendarDay): Subscription {
  const { period, awaiting } = sub;
  if (awaiting !== null && awaiting.start <= today) return { ...sub, awaiting: { ...awaiting, paid } };
  return { ...sub, period: period && { ...period, paid } };
}

/** The period that contains `today`. */
export const periodOn = ({ period, awaiting }: Subscription, today: CalendarDay): Period | null =>
  awaiting !== null && awaiting.start <= today ? awaiting : period;

/**
 * The rest of the period at the subscription's new terms, minus the unused days of the price in force; today is the
 * first day of the new price (interface 16.8).
 */
export function prorate(
  sub: Subscription,
  { paid, next }: { readonly paid: PriceInForce; readonly next: CalendarDay },
  settling: Settled,
  today: CalendarDay,
): Proration {
  const { price } = sub.terms;
  const changed = changedPrice(sub, paid);
  const days = daysLeft(paid, today);
  const { amount, ...why } = costOfDays(changed, days);
  const span = { start: today, next };
  const { id, name } = price;
  const reason = { kind: "change", id, name, replaces: paid.name, parts: changed.parts, days, ...why } as const;
  const charges = days.billed === 0 ? [] : [{ ...span, amount, reason }];
  const how = { ...settling, begins: false, of: days.billed };
  const unused = unusedOf(sub, paid, today, price, settling.held);
  return settle(withPrice(sub, changed, today), { ...span, charges }, unused, how, today);
}

/**
 * A new period from the day on which it begins, charged in full, minus the unused days of the price in force (interface
 * 16.9). It counts as a cycle, and is billed on that day, as any period is.
 */
export function beginPeriod(
  sub: Subscription,
  paid: PriceInForce | null,
  settling: Omit<Settled, "invoiceNow">,
  { start: today, next, ...days }: Span & Days,
): Proration {
  const span = { start: today, next };
  const { charges, paid: begun } = chargesOfPeriod(sub, { ...span, ...days }, []);
  const after: Subscription = {
    ...sub,
    ...reductionsUsed(sub),
    period: { ...span, paid: begun },
    awaiting: null,
    cyclesBilled: sub.cyclesBilled + 1,
  };
  const unused = unusedOf(sub, paid, today, sub.terms.price, settling.held);
  const how = { ...settling, invoiceNow: true, begins: true, of: days.billed };
  return settle(after, { ...span, charges }, unused, how, today);
}

/** The outcome that costs this. */
export const outcomeOf = ({ made, credit, after }: Proration): Outcome => ({
  ...withoutBills(after),
  bills: made === null ? [] : [made],
  afterEach: made === null ? [] : [after],
  creditsMade: credit === null ? [] : [credit],
});
