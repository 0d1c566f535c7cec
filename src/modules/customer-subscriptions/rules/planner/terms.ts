import { subtract } from "../../../../kernel/money.ts";
import { isUsed, usageCharges } from "./charges.ts";
import { restate } from "./prices.ts";
import type { Charge, Item, Metered, OneTime, Price, RestatedCredit, Subscription, Terms } from "./types.ts";

/** Whether the next bill is the first one: nothing was charged yet, and nothing was paid elsewhere. */
export const isBeforeFirstBill = ({ cyclesBilled, period }: Pick<Subscription, "cyclesBilled" | "period">): boolean =>
  cyclesBilled === 0 && (period === null || period.paid === null);

/** A charge rewritten for a price with other terms of VAT. */
function restateCharge(charge: Charge, from: Price, to: Price): Charge {
  const amount = restate(charge.amount, from, to);
  if (amount === charge.amount) return charge;
  const less = [...charge.reason.less, { by: "tax_terms", amount: subtract(charge.amount, amount) } as const];
  return { ...charge, amount, reason: { ...charge.reason, less } };
}

const NONE = "0" as Metered["usage"];

const isMetered = (item: Item): item is Metered => item.kind === "metered";
const isOneTime = (item: Item): item is OneTime => item.kind === "one_time";

/** The item that goes on counting the usage of `item`, at the same unit amount and in the same terms of VAT. */
const successor = (item: Metered, from: Price, { price, items }: Terms): Metered | undefined =>
  from.taxInclusive === price.taxInclusive
    ? items.filter(isMetered).find(({ id, unitAmount }) => id === item.id && unitAmount === item.unitAmount)
    : undefined;

/**
 * The subscription with other terms. Usage so far is kept by an item that stays as it is, else it is charged with the next bill at the
 * amount it had; in a trial it is free. Credits and what waits for the next bill are rewritten when prices hold VAT from now on, or no more.
 */
export function withTerms(
  sub: Subscription,
  terms: Terms,
): { readonly sub: Subscription; readonly restated: readonly RestatedCredit[] } {
  const { price: from, items } = sub.terms;
  const used = items.filter(isMetered).filter(isUsed);
  const ended = used.filter((item) => successor(item, from, terms) === undefined);
  const counted = terms.items.map((item) =>
    isMetered(item)
      ? { ...item, usage: used.find((old) => successor(old, from, terms)?.id === item.id)?.usage ?? NONE }
      : item,
  );
  const usage = isBeforeFirstBill(sub) || sub.period === null ? [] : usageCharges(ended, sub.period, []);
  const credits = sub.credits.map((credit) => ({ ...credit, amount: restate(credit.amount, from, terms.price) }));
  const restated = sub.credits.flatMap(({ id: creditId, amount }, index) => {
    const to = credits[index]?.amount ?? amount;
    return to === amount ? [] : [{ creditId, from: amount, to }];
  });
  const carried = [...sub.carried, ...usage].map((charge) => restateCharge(charge, from, terms.price));
  return { sub: { ...sub, terms: { ...terms, items: counted }, credits, carried, pendingChange: null }, restated };
}

/** The terms that a pending change begins with: its own, and one-time items that were added since. */
export function pendingTerms(pending: Terms, current: Terms): Terms {
  const waiting = current.items.filter(isOneTime).filter(({ id }) => pending.items.every((item) => item.id !== id));
  return { ...pending, items: [...pending.items, ...waiting] };
}

/** The items with usage counted anew. */
export const withoutUsage = (items: readonly Item[]): readonly Item[] =>
  items.map((item) => (isMetered(item) ? { ...item, usage: NONE } : item));

/** The items after a first or cycle bill: one-time items are billed, and usage is counted anew. */
export const itemsAfterBill = (items: readonly Item[]): readonly Item[] =>
  withoutUsage(items.filter((item) => !isOneTime(item)));
