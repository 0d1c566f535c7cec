import { addBusinessDays, nextBusinessDay } from "../../kernel/business-days.ts";
import { type Cents, ZERO } from "../../kernel/money.ts";
import {
  addDays,
  addSeconds,
  type CalendarDay,
  calendarDay,
  DAY_SECONDS,
  type Instant,
  startOfDay,
} from "../../kernel/time.ts";
import type { SettledDay } from "./types.ts";

/** The scheme's limits, in percent of a merchant's debits: unpaid ones, and those that are disputed after they were collected. */
export const UNPAID_LIMIT_PERCENT = 10;
export const DISPUTED_LIMIT_PERCENT = 0.5;

/** `cutOffDays` of gateways that have none of their own, while the settings have none. */
export const CUT_OFF_DAYS = 2;

/** The action date of debits that are added to a batch on `today`: this many business days after it. */
export const actionDateAt = (today: CalendarDay, cutOffDays: number): CalendarDay =>
  nextBusinessDay(addBusinessDays(today, cutOffDays));

/** The hour of the South African day at which batches of that day are submitted; before it staff may look at the forecast. */
const SUBMIT_HOUR = 6;
/** Seconds after which a batch is submitted that cannot wait for that hour. */
const SUBMIT_SOON_SECONDS = 300;

/** When a batch is submitted: at the next 06:00 whose day is not after the action date; else `SUBMIT_SOON_SECONDS` later. */
export function submitAt(now: Instant, actionDate: CalendarDay): Instant {
  const at = (day: CalendarDay) => addSeconds(startOfDay(day), SUBMIT_HOUR * 3600);
  const today = calendarDay(now);
  const day = at(today) > now ? today : addDays(today, 1);
  return day > actionDate ? addSeconds(now, SUBMIT_SOON_SECONDS) : at(day);
}

/**
 * The action date of a batch that is sent `today`, after its own action date: the next business day on which no mandate
 * of the batch is debited for another of its dates (`taken`).
 */
export function movedActionDate(today: CalendarDay, taken: ReadonlySet<CalendarDay>): CalendarDay {
  const day = nextBusinessDay(today);
  return taken.has(day) ? movedActionDate(addDays(day, 1), taken) : day;
}

/** Business days after the action date on which debits settle (interface 16.22). */
const SETTLEMENT_DAYS = 2;
/** Days after that in which a gateway is still asked about undecided debits (decisions.md#undecided-debits-stay-pending). */
const ASKED_DAYS = 14;

/** The day on which debits settle. */
const settlesOn = (actionDate: CalendarDay): CalendarDay => addBusinessDays(actionDate, SETTLEMENT_DAYS);

/** When a gateway is first asked for the outcomes of a batch's debits: at noon of the day on which they settle. */
export const resultsAt = (actionDate: CalendarDay): Instant =>
  addSeconds(startOfDay(settlesOn(actionDate)), DAY_SECONDS / 2);

/** Whether a gateway is no longer asked about undecided debits. */
export const isGivenUp = (actionDate: CalendarDay, now: Instant): boolean =>
  now >= startOfDay(addDays(settlesOn(actionDate), ASKED_DAYS));

/** A day of a batch's settlement, in cents: what is expected to be paid on it, and what was paid and returned. */
export interface SettlementDay extends SettledDay {
  readonly expected: Cents;
}

/** The days on which banks paid or returned something, and the one on which `expected` is to be paid, in order. */
export function settlementDays(
  actionDate: CalendarDay,
  expected: Cents,
  settled: readonly SettledDay[],
): readonly SettlementDay[] {
  const due = settlesOn(actionDate);
  const actual = settled.some(({ day }) => day === due)
    ? settled
    : [...settled, { day: due, paid: ZERO, returned: ZERO }];
  return actual
    .map((one) => ({ ...one, expected: one.day === due ? expected : ZERO }))
    .toSorted((one, other) => (one.day < other.day ? -1 : 1));
}

/** The bank's code in a gateway's word for a debit that ended, such as `02`; null when the word is none. */
export const bankCodeOf = (word: string): string | null => (/^\d{2}$/.test(word) ? word : null);

/**
 * The reference of a debit's payment (interface 2.2): when there are several on one date, those after the first have
 * their `part` at the end.
 */
export const debitReference = (accountReference: string, debitDate: CalendarDay, part: number): string =>
  `${accountReference}-${debitDate.replaceAll("-", "")}${part === 1 ? "" : `-${part}`}`;

/** The facts about a date on which a mandate may collect the invoices of its customer subscription. */
export interface CollectingDate {
  readonly date: CalendarDay;
  readonly today: CalendarDay;
  /** The day on which the subscription is billed next by itself; null when there is none. */
  readonly nextBill: CalendarDay | null;
  /** The number of invoices billed by the date that are to be collected now. */
  readonly invoices: number;
}

/**
 * The decision for such a date at the cut-off or later (decisions.md#debits-wait-for-bills). It waits until the bills up to it are made,
 * and until it is over in case something else is billed; then a date without anything to collect passes.
 */
export function decideDate({ date, today, nextBill, invoices }: CollectingDate): "waits" | "debits" | "passes" {
  if (nextBill !== null && nextBill <= date) return "waits";
  if (invoices > 0) return "debits";
  return today > date ? "passes" : "waits";
}

/** The debits due from one mandate: one for each invoice. */
interface DueInvoices<Invoice> {
  readonly invoices: readonly Invoice[];
}

/**
 * The first mandates whose debits fit into the room of a batch; `isFull` when others are left for another batch. The
 * debits of one mandate stay together, unless they are more than an empty batch holds.
 */
export function fittingDebits<Invoice, Due extends DueInvoices<Invoice>>(
  due: readonly Due[],
  room: number,
  isEmpty: boolean,
): { readonly fitting: readonly Due[]; readonly isFull: boolean } {
  const fitting: Due[] = [];
  let left = room;
  for (const one of due) {
    if (one.invoices.length > left) {
      const cut = isEmpty && fitting.length === 0 ? [{ ...one, invoices: one.invoices.slice(0, left) }] : fitting;
      return { fitting: cut, isFull: true };
    }
    fitting.push(one);
    left -= one.invoices.length;
  }
  return { fitting, isFull: false };
}

const PLACES = new Intl.NumberFormat("en", { maximumFractionDigits: 2, useGrouping: false });

/** With at most two decimals. */
export const rounded = (count: number): number => Number(PLACES.format(count));
