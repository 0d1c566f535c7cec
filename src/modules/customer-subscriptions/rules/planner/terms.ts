import { isDeepStrictEqual } from "node:util";
import { subtract, sum } from "../../../../kernel/money.ts";
import type { CalendarDay } from "../../../../kernel/time.ts";
import { usageCharges } from "./charges.ts";
import { restsOn } from "./coupons.ts";
import { inTermsOf, restate, sameVat, undated, vatTermsOf } from "./prices.ts";
import { termsOn } from "./rates.ts";
import type { Charge, Credit, Item, Metered, OneTime, Price, RestatedCredit, Subscription, Terms } from "./types.ts";
import { billedBefore, isAddedUp, isMetered, leftAfter, withoutUsage, withUsageOf } from "./usage.ts";
import { coversIn } from "./worth.ts";

/** Whether the next bill is the first one: nothing was charged yet, and nothing was paid elsewhere. */
export const isBeforeFirstBill = ({
  cyclesBilled,
  period,
  paidElsewhere,
}: Pick<Subscription, "cyclesBilled" | "period" | "paidElsewhere">): boolean =>
  cyclesBilled === 0 && paidElsewhere !== true && (period === null || period.paid === null);

/** A charge converted to a price with other terms of VAT, from the amount in its own terms. */
function restateCharge(charge: Charge, from: Price, to: Price): Charge {
  const own = charge.own ?? vatTermsOf(from);
  const { own: _own, reason, ...rest } = charge;
  const ofTerms = reason.less.filter(({ by }) => by === "tax_terms");
  const before = sum([charge.amount, ...ofTerms.map((off) => off.amount)]);
  const amount = restate(before, own, to);
  const restated = amount === before ? [] : [{ by: "tax_terms", amount: subtract(before, amount) } as const];
  const less = [...reason.less.filter(({ by }) => by !== "tax_terms"), ...restated];
  return { ...rest, amount, reason: { ...reason, less }, ...(sameVat(own, to) ? {} : { own }) };
}

/** A credit converted to a price with other terms of VAT, from the amount in its own terms: it keeps its worth over any number of plans. */
function restateCredit({ own: known, ...credit }: Credit, from: Price, to: Price): Credit {
  const own = known ?? { ...vatTermsOf(from), amount: credit.amount };
  const covers = credit.covers ? { covers: coversIn(credit.covers, from, to) } : {};
  return { ...credit, ...covers, amount: restate(own.amount, own, to), ...(sameVat(own, to) ? {} : { own }) };
}

const isOneTime = (item: Item): item is OneTime => item.kind === "one_time";

/**
 * The new item that continues to count the usage of `item`: at the same price and in the same terms of VAT. What is not
 * added up is a quantity of the whole period, of which no part can be charged at the old price.
 */
function successor(item: Metered, from: Price, { price, items }: Terms): Metered | undefined {
  const same = items.filter(isMetered).find(({ id }) => id === item.id);
  if (!same || !isAddedUp(item)) return same;
  const isPricedAlike = same.unitAmount === item.unitAmount && isDeepStrictEqual(same.tiering, item.tiering);
  return isPricedAlike && from.taxInclusive === price.taxInclusive ? same : undefined;
}

/**
 * The subscription with other terms from a day on. Usage so far stays with an item that does not change, when the coupon is for both
 * plans or for neither; otherwise it is charged with the next bill at the old unit amount, and is free in a trial.
 * Credits and everything that waits for the next bill are converted when the prices start or stop to include VAT.
 */
export function withTerms(
  sub: Subscription,
  terms: Terms,
  day: CalendarDay,
): { readonly sub: Subscription; readonly restated: readonly RestatedCredit[] } {
  const { price: from, items } = sub.terms;
  const known = items.filter(isMetered);
  // A coupon lowers usage by the plan under which it was recorded.
  const isLoweredAlike = restsOn(sub, from.planId) === restsOn(sub, terms.price.planId);
  const next = (item: Metered) => (isLoweredAlike || !isAddedUp(item) ? successor(item, from, terms) : undefined);
  const ended = known.filter((item) => next(item) === undefined).map((item) => billedBefore(item, null));
  const counted = terms.items.map((item) =>
    isMetered(item)
      ? withUsageOf(
          item,
          known.find((old) => next(old)?.id === item.id),
          day,
        )
      : item,
  );
  const usage = isBeforeFirstBill(sub) ? [] : usageCharges(sub, ended, from, day);
  const credits = sub.credits.map((credit) => restateCredit(credit, from, terms.price));
  const restated = sub.credits.flatMap(({ id: creditId, amount }, index) => {
    const to = credits[index]?.amount ?? amount;
    return to === amount ? [] : [{ creditId, from: amount, to }];
  });
  const carried = [...sub.carried, ...usage].map((charge) => restateCharge(charge, from, terms.price));
  return { sub: { ...sub, terms: { ...terms, items: counted }, credits, carried, pendingChange: null }, restated };
}

/** The terms that wait for the next renewal, without usage, which is counted until then; null when they are those that are in force. */
export function waitingTerms(current: Terms, wanted: Terms): Terms | null {
  const of = (terms: Terms): Terms => ({ ...terms, items: withoutUsage(terms.items) });
  return isDeepStrictEqual(of(undated(current)), of(undated(wanted))) ? null : of(wanted);
}

/** The terms that a pending change applies: its own, and one-time items that were added since. */
export function pendingTerms(pending: Terms, current: Terms): Terms {
  const waiting = current.items.filter(isOneTime).filter(({ id }) => pending.items.every((item) => item.id !== id));
  return { ...pending, items: [...pending.items, ...waiting] };
}

/**
 * The items after a first or cycle bill that begins on a day: one-time items are billed, and usage is counted from
 * zero, or from that of the days since.
 */
export const itemsAfterBill = (items: readonly Item[], day: CalendarDay): readonly Item[] =>
  items.filter((item) => !isOneTime(item)).map((item) => (isMetered(item) ? leftAfter(item, day) : item));

/**
 * A credit of a price whose rate changes by law: one in the price's own terms keeps its amount with VAT, and has the
 * new rate from then on.
 */
function rateCredit(credit: Credit, from: Price, to: Price): Credit {
  if (credit.own) return restateCredit(credit, from, to);
  const covers = credit.covers?.map((cover) => ({ ...cover, amount: inTermsOf(cover.amount, from, to) }));
  return { ...credit, ...(covers && { covers }), amount: inTermsOf(credit.amount, from, to) };
}

/**
 * The subscription with the rate of a day, on which it is billed or changed. Its credits keep their worth: their
 * amounts are converted from the rate that was applied last.
 */
export function ratedOn(
  sub: Subscription,
  day: CalendarDay,
): { readonly sub: Subscription; readonly restated: readonly RestatedCredit[] } {
  const terms = termsOn(sub.terms, day);
  if (terms === sub.terms) return { sub, restated: [] };
  const credits = sub.credits.map((one) => rateCredit(one, sub.terms.price, terms.price));
  const restated = sub.credits.flatMap(({ id: creditId, amount: from }, place) => {
    const to = credits[place]?.amount ?? from;
    return to === from ? [] : [{ creditId, from, to }];
  });
  return { sub: { ...sub, terms, credits }, restated };
}
