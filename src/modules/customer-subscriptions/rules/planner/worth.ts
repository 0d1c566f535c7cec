import type { Days, LineReason } from "../../../../domain/line-reason.ts";
import type { Unit } from "../../../../kernel/currency.ts";
import { type Cents, cents, roundFraction, subtract, sum, ZERO } from "../../../../kernel/money.ts";
import type { CalendarDay } from "../../../../kernel/time.ts";
import { leftOf } from "./bills.ts";
import { costOfDays, daysLeft, restate, sameVat, unitIn, vatTermsOf } from "./prices.ts";
import type { BillName, Cover, Credit, Discount, Price, PriceInForce, Subscription, VatTerms } from "./types.ts";

/*
 * What unused days are worth (interface 16.8): what is still paid or owed for them. Each part of the price of a period
 * is charged by one bill, its cover; a part whose bill was cancelled, refunded or credited is worth only what of the
 * bill is left.
 */

/** A bill as it is now, in cents with VAT. Credits that it used count as paid until it is cancelled, which returns them. */
export interface HeldBill {
  readonly cycle: number;
  /** What it charged. */
  readonly charged: Cents;
  /** What of that is still paid or owed: nothing of a cancelled bill; else without what was refunded or credited. */
  readonly held: Cents;
}

/** The bills of the cycles that a subscription's days are charged by, oldest first. A bill that is not among them is held in full. */
export type Held = readonly HeldBill[];

/** Every bill is paid or owed in full. */
export const ALL_HELD: Held = [];

/**
 * The first cycle of whose bills something may be asked: that of the running period, or an earlier one that charged its
 * days or a credit.
 */
export function firstCycleNamed({ period, awaiting, cyclesBilled, credits }: Subscription): number {
  const covers = [period?.paid, awaiting?.paid, ...credits].flatMap((one) => one?.covers ?? []);
  return Math.min(cyclesBilled, ...covers.flatMap(({ bill }) => bill?.cycle ?? []));
}

/** The name of the bill that is made next in a cycle. */
export const nextBillName = (held: Held, cycle: number): BillName => ({
  cycle,
  place: held.filter((bill) => bill.cycle === cycle).length,
});

const billOfName = (held: Held, { cycle, place }: BillName): HeldBill | undefined =>
  held.filter((bill) => bill.cycle === cycle)[place];

/**
 * What of a cover's bill stands for it, before and now; null where that cannot change. What was given back of the bill
 * before is not there for it.
 */
function standing({ bill, of, out }: Cover, held: Held): { readonly before: Cents; readonly now: Cents } | null {
  const found = bill && billOfName(held, bill);
  const before = found ? (of ?? found.charged) : ZERO;
  return found && before > 0 ? { before, now: cents(Math.min(before, Math.max(0, found.held - out))) } : null;
}

/** A cover for some of its days, as much as is left of it, to be compared with what its bill holds later. */
function coverNow(cover: Cover, days: number, held: Held, unit: Unit): Cover {
  const { before, now } = standing(cover, held) ?? { before: 1, now: null };
  const part = BigInt(cover.amount) * BigInt(now ?? 1) * BigInt(days);
  const amount = roundFraction(part, BigInt(before) * BigInt(Math.max(1, cover.days)), unit);
  return { ...cover, amount, days, of: now ?? cover.of };
}

const amountOf = (covers: readonly Cover[]): Cents => sum(covers.map(({ amount }) => amount));

/** The covers with another sum: the largest one takes the difference, which is one of rounding. */
function roundedTo(covers: readonly Cover[], total: Cents): readonly Cover[] {
  const most = Math.max(...covers.map(({ amount }) => amount));
  const largest = covers.find(({ amount }) => amount === most);
  const difference = subtract(total, amountOf(covers));
  return covers.map((cover) => (cover === largest ? { ...cover, amount: sum([cover.amount, difference]) } : cover));
}

/** Unused days: how many, what they are worth, and the bills that charge that. */
export interface Worth {
  readonly days: Days;
  readonly amount: Cents;
  readonly covers: readonly Cover[];
}

/**
 * The worth of the days of a price in force that are left on `today`, in its own terms. `cycle` is that of its period,
 * whose own bill charges all of the price unless a change was made since; in cycle 0 it was paid elsewhere.
 */
export function worthOf(paid: PriceInForce, cycle: number, today: CalendarDay, held: Held): Worth {
  const days = daysLeft(paid, today);
  const price = costOfDays(paid, days).amount;
  if (price === 0) return { days, amount: ZERO, covers: [] };
  const own = { bill: cycle === 0 ? null : { cycle, place: 0 }, amount: price, days: days.billed, of: null, out: ZERO };
  const before = paid.covers ?? [own];
  const covers = before
    .map((cover) => coverNow(cover, days.billed, held, unitIn(paid)))
    .filter(({ amount }) => amount > 0);
  const isWhole = before.every((cover) => {
    const stands = standing(cover, held);
    return stands === null || stands.now === stands.before;
  });
  const amount = isWhole ? price : amountOf(covers);
  return { days, amount, covers: roundedTo(covers, amount) };
}

/** Whether nothing is paid or owed any more for days that were charged. */
export function isGivenBack(paid: PriceInForce, cycle: number, today: CalendarDay, held: Held): boolean {
  const { days, amount } = worthOf(paid, cycle, today, held);
  return amount === 0 && costOfDays(paid, days).amount > 0;
}

/** A worth in other terms of VAT. */
export function worthIn({ days, amount, covers }: Worth, from: VatTerms, to: VatTerms): Worth {
  const total = restate(amount, from, to);
  return { days, amount: total, covers: roundedTo(coversIn(covers, from, to), total) };
}

/** Covers in other terms of VAT. */
export const coversIn = (covers: readonly Cover[], from: VatTerms, to: VatTerms): readonly Cover[] =>
  covers.map((cover) => ({ ...cover, amount: restate(cover.amount, from, to) }));

/**
 * Divides covers into those of the first `amount`, which stay in force, and those of the rest, which is given back as
 * credit: what was charged last is given back first. Amounts are in the terms `of`.
 */
export function splitCovers(
  covers: readonly Cover[],
  amount: Cents,
  of: VatTerms,
): { readonly kept: readonly Cover[]; readonly givenBack: readonly Cover[] } {
  let left = amount;
  const kept: Cover[] = [];
  const givenBack: Cover[] = [];
  for (const cover of covers) {
    const taken = cents(Math.min(left, cover.amount));
    left = subtract(left, taken);
    const rest = subtract(cover.amount, taken);
    const given = restate(rest, of, { ...of, taxInclusive: true });
    if (taken > 0) kept.push({ ...cover, amount: taken, ...withoutGiven(cover, given) });
    if (rest > 0) givenBack.push({ ...cover, amount: rest, ...(cover.of === null ? {} : { of: given }) });
  }
  return { kept, givenBack };
}

/** What stands for a cover, after a part of its bill was given back. */
const withoutGiven = ({ of, out }: Cover, given: Cents): Pick<Cover, "of" | "out"> =>
  of === null ? { of, out } : { of: cents(Math.max(0, of - given)), out: sum([out, given]) };

/** A part of a credit that is withdrawn, since its bill does not hold it any more. */
export interface Withdrawal {
  readonly creditId: string;
  readonly bill: BillName;
  readonly amount: Cents;
  /** With VAT. */
  readonly gross: Cents;
}

/** An amount in a price's own terms, with VAT. */
export const withVat = (amount: Cents, terms: VatTerms): Cents => restate(amount, terms, { taxInclusive: true });

const isBill = (one: BillName | null, other: BillName): boolean =>
  one !== null && one.cycle === other.cycle && one.place === other.place;

/** What no bill has used of the credits for days that a bill charged, with VAT. */
export const unusedOfBill = (credits: readonly Credit[], bill: BillName, price: Price): Cents =>
  sum(
    credits.flatMap(({ amount, covers = [] }) => {
      const own = covers.filter((cover) => isBill(cover.bill, bill)).map((cover) => withVat(cover.amount, price));
      return [cents(Math.min(withVat(amount, price), sum(own)))];
    }),
  );

/**
 * Credits of unused days after bills that charged these days were cancelled, refunded or credited: what is not held any
 * more is withdrawn, as far as it was not used.
 */
export function withoutGivenBack(
  credits: readonly Credit[],
  held: Held,
  price: Price,
): { readonly credits: readonly Credit[]; readonly withdrawn: readonly Withdrawal[] } {
  const withdrawn: Withdrawal[] = [];
  const left = credits.flatMap((credit) => {
    if (!credit.covers) return [credit];
    let amount = credit.amount;
    const covers = credit.covers.map((cover) => {
      const now = coverNow(cover, cover.days, held, unitIn(price));
      const lost = cents(Math.min(amount, subtract(cover.amount, now.amount)));
      if (lost <= 0 || cover.bill === null) return cover;
      withdrawn.push({ creditId: credit.id, bill: cover.bill, amount: lost, gross: withVat(lost, price) });
      amount = subtract(amount, lost);
      return now;
    });
    if (amount === credit.amount) return [credit];
    return amount === 0 ? [] : [{ ...leftOf(credit, amount, price), covers: covers.filter((one) => one.amount > 0) }];
  });
  return { credits: left, withdrawn };
}

/** What a cancelled bill had used of a credit, in its own terms of VAT. */
export interface ReturnedCredit {
  readonly creditId: string;
  readonly description: string;
  readonly amount: Cents;
  readonly terms: VatTerms;
  /** For credit of unused days: how much of which bill it gave back. */
  readonly given?: readonly GivenCover[];
}

/** What a credit gave back of a bill, with VAT, after `out` had been given back of it. */
export interface GivenCover {
  readonly bill: BillName;
  readonly gross: Cents;
  readonly out: Cents;
}

/** The covers of a credit that comes back after it was used up. */
function coversOf({ given = [], terms }: ReturnedCredit, price: Price): Pick<Credit, "covers"> {
  if (given.length === 0) return {};
  const covers = given.map(({ bill, gross, out }) => {
    const amount = restate(gross, { ...terms, taxInclusive: true }, price);
    return { bill, amount, days: 1, of: gross, out };
  });
  return { covers };
}

/** One-off discounts with those that a cancelled bill had used, which are older than the others. */
export function withReturnedDiscounts(known: readonly Discount[], lines: readonly LineReason[]): readonly Discount[] {
  const used = new Map<string, Discount>();
  // A change goes on with the discount of the period's bill.
  for (const { kind, less } of lines)
    for (const off of kind === "change" ? [] : less)
      if (off.by === "discount" && known.every(({ id }) => id !== off.id))
        used.set(off.id, { id: off.id, description: off.description, percent: off.percent });
  return [...used.values(), ...known];
}

/** Credits with those that a cancelled bill had used, which are older than the others, in the terms of the present price. */
export function withReturned(
  credits: readonly Credit[],
  returned: readonly ReturnedCredit[],
  price: Price,
): readonly Credit[] {
  const known = new Map(credits.map((credit) => [credit.id, credit]));
  const back = returned.filter(({ creditId }) => !known.has(creditId));
  for (const { creditId, amount, terms } of returned) {
    const credit = known.get(creditId);
    if (credit) known.set(creditId, leftOf(credit, sum([credit.amount, restate(amount, terms, price)]), price));
  }
  return [
    ...back.map((one) => ({
      id: one.creditId,
      description: one.description,
      amount: restate(one.amount, one.terms, price),
      ...(sameVat(one.terms, price) ? {} : { own: { ...vatTermsOf(one.terms), amount: one.amount } }),
      ...coversOf(one, price),
    })),
    ...known.values(),
  ];
}
