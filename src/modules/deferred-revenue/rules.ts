import { assert } from "../../kernel/assert.ts";
import { type Cents, cents, subtract, sum, ZERO } from "../../kernel/money.ts";
import { addDays, type CalendarDay, daysBetween } from "../../kernel/time.ts";
import type { Month, MovedInvoice, Movement, Service, ServiceInvoice } from "./types.ts";

/** `amount` × `part` ÷ `whole`, rounded down to a whole cent. */
const partOf = (amount: Cents, part: number, whole: number): Cents =>
  cents(Number((BigInt(amount) * BigInt(part)) / BigInt(whole)));

/**
 * The unearned amount at the end of a day: the amount minus whole cents for the days until then, so that the last day takes the rounding
 * difference.
 */
export function unearned({ start, end, amount }: Service, day: CalendarDay): Cents {
  if (day < start) return amount;
  if (day >= end) return ZERO;
  return subtract(amount, partOf(amount, daysBetween(start, day) + 1, daysBetween(start, end) + 1));
}

/** Splits `amount`, which is at most their sum, in proportion to the parts, into whole cents that add up and exceed none of the parts. */
export function proportions(amount: Cents, parts: readonly Cents[]): readonly Cents[] {
  const total = sum(parts);
  assert(amount <= total, "no more is split than the parts hold");
  let until = 0;
  let given = ZERO;
  return parts.map((part) => {
    until += part;
    const next = total === 0 ? ZERO : partOf(amount, until, total);
    const share = subtract(next, given);
    given = next;
    return share;
  });
}

/** The sum of movements. */
export const addedUp = (movements: readonly Movement[]): Movement => ({
  opening: sum(movements.map(({ opening }) => opening)),
  deferred: sum(movements.map(({ deferred }) => deferred)),
  recognised: sum(movements.map(({ recognised }) => recognised)),
  reversed: sum(movements.map(({ reversed }) => reversed)),
  closing: sum(movements.map(({ closing }) => closing)),
});

/**
 * The movement of an invoice's deferred revenue in a month (decisions.md#deferred-revenue-is-not-posted); null when there is none before,
 * in or after it. A reversed amount first reduces what was not earned on the day before, in proportion to the lines, and the rest is earned
 * on the remaining days; the part above that was earned already.
 */
export function movedIn(invoice: ServiceInvoice, { first, last }: Month): MovedInvoice | null {
  if (invoice.posted > last) return null;
  let services: readonly Service[] = invoice.lines;
  const takeBack = (after: CalendarDay, until: CalendarDay): readonly Cents[] => {
    let reversed: readonly Cents[] = services.map(() => ZERO);
    for (const { day, amount } of invoice.takenBack.filter((one) => one.day > after && one.day <= until)) {
      const left = services.map((service) => unearned(service, addDays(day, -1)));
      const all = sum(left);
      const taken = proportions(amount === "all" || amount > all ? all : amount, left);
      services = services.map((service, at) => less(service, day, left[at] ?? ZERO, taken[at] ?? ZERO));
      reversed = reversed.map((before, at) => cents(before + (taken[at] ?? ZERO)));
    }
    return reversed;
  };
  const before = addDays(first, -1);
  takeBack("" as CalendarDay, before);
  const openings = services.map((service) => unearned(service, before));
  const reversals = takeBack(before, last);
  const isNew = invoice.posted >= first;
  const lines = invoice.lines.map((line, at) => {
    const closing = unearned(services[at] ?? line, last);
    return { ...line, moved: movement(isNew, openings[at] ?? ZERO, reversals[at] ?? ZERO, closing) };
  });
  const moved = addedUp(lines.map((line) => line.moved));
  return moved.opening === 0 && moved.closing === 0 ? null : { ...invoice, lines, moved };
}

/** A service that was partly reversed on a day: the rest of it is earned from that day on. */
const less = (service: Service, day: CalendarDay, left: Cents, taken: Cents): Service =>
  taken === 0
    ? service
    : { start: day > service.start ? day : service.start, end: service.end, amount: subtract(left, taken) };

/**
 * Revenue posted in the month is deferred as far as it is unearned at its end; so earning and reversing in the same
 * month are no movements.
 */
const movement = (isNew: boolean, opening: Cents, reversed: Cents, closing: Cents): Movement =>
  isNew
    ? { opening: ZERO, deferred: closing, recognised: ZERO, reversed: ZERO, closing }
    : { opening, deferred: ZERO, recognised: cents(opening - reversed - closing), reversed, closing };
