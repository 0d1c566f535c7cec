import { addBusinessDays, nextBusinessDay } from "../../kernel/business-days.ts";
import {
  addDays,
  addSeconds,
  type BusinessDay,
  businessDay,
  DAY_SECONDS,
  type Instant,
  startOfDay,
} from "../../kernel/time.ts";

/** The scheme's limits, in percent of a merchant's debits: unpaid ones, and those that are disputed after they were collected. */
export const UNPAID_LIMIT_PERCENT = 10;
export const DISPUTED_LIMIT_PERCENT = 0.5;

/** The action date of what is gathered on `today`: so many business days after it. */
export const actionDateAt = (today: BusinessDay, cutOffDays: number): BusinessDay =>
  nextBusinessDay(addBusinessDays(today, cutOffDays));

/** The hour of the South African day at which what was gathered on it is submitted; staff may look at the forecast before. */
const SUBMIT_HOUR = 6;
/** Seconds after which a batch is submitted that could not wait for that hour. */
const SUBMIT_SOON_SECONDS = 300;

/** When a batch is submitted: at the next 06:00 of which the day is not after the action date, else some minutes later. */
export function submitAt(now: Instant, actionDate: BusinessDay): Instant {
  const at = (day: BusinessDay) => addSeconds(startOfDay(day), SUBMIT_HOUR * 3600);
  const today = businessDay(now);
  const day = at(today) > now ? today : addDays(today, 1);
  return day > actionDate ? addSeconds(now, SUBMIT_SOON_SECONDS) : at(day);
}

/**
 * The action date of a batch that is sent `today`, after the date that it had: the next business day, on which no mandate of the batch is
 * debited for another of its dates (`taken`).
 */
export function movedActionDate(today: BusinessDay, taken: ReadonlySet<BusinessDay>): BusinessDay {
  const day = nextBusinessDay(today);
  return taken.has(day) ? movedActionDate(addDays(day, 1), taken) : day;
}

/** Business days after the action date on which debits settle (interface 16.22). */
const SETTLEMENT_DAYS = 2;
/** Days after that until which a gateway is asked about debits that it has not decided (decision 217). */
const ASKED_DAYS = 14;

/** The day on which debits settle. */
const settlesOn = (actionDate: BusinessDay): BusinessDay => addBusinessDays(actionDate, SETTLEMENT_DAYS);

/** When a gateway is first asked how the debits of a batch ended: at noon of the day on which they settle. */
export const resultsAt = (actionDate: BusinessDay): Instant =>
  addSeconds(startOfDay(settlesOn(actionDate)), DAY_SECONDS / 2);

/** Whether a gateway is asked no more about debits that it has not decided. */
export const isGivenUp = (actionDate: BusinessDay, now: Instant): boolean =>
  now >= startOfDay(addDays(settlesOn(actionDate), ASKED_DAYS));

/** The reference of a debit's payment (interface 2.2): of several on one date, those after the first have their `part` at the end. */
export const debitReference = (accountReference: string, debitDate: BusinessDay, part: number): string =>
  `${accountReference}-${debitDate.replaceAll("-", "")}${part === 1 ? "" : `-${part}`}`;

/** What is known of a date on which a mandate may collect the invoices of its customer subscription. */
export interface CollectingDate {
  readonly date: BusinessDay;
  readonly today: BusinessDay;
  /** When the subscription is billed next by itself; null when it is not. */
  readonly nextBill: BusinessDay | null;
  /** How many of the invoices that were billed by the date are to be collected now. */
  readonly invoices: number;
}

/**
 * What becomes of such a date at the cut-off or later (decision 370). It waits until the bills up to it are made, and in case something else
 * is billed until it is over; without anything to collect it then passes.
 */
export function decideDate({ date, today, nextBill, invoices }: CollectingDate): "waits" | "debits" | "passes" {
  if (nextBill !== null && nextBill <= date) return "waits";
  if (invoices > 0) return "debits";
  return today > date ? "passes" : "waits";
}

/** What is due of one mandate: a debit of each invoice. */
interface DueInvoices<Invoice> {
  readonly invoices: readonly Invoice[];
}

/**
 * The first mandates whose debits fit in what room a batch has; `isFull` when others are left for another batch. Those of one mandate stay together, but
 * for more than an empty batch takes.
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

const PERCENT = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 2, useGrouping: false });
const PLACES = new Intl.NumberFormat("en", { maximumFractionDigits: 2, useGrouping: false });

/** With at most two decimals. */
export const rounded = (count: number): number => Number(PLACES.format(count));

/** A share in percent, with at most two decimals; 0 of none. */
export const percent = (part: number, whole: number): number =>
  whole === 0 ? 0 : Number(PERCENT.format(part / whole).replace("%", ""));
