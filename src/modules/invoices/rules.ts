import type { InvoicesRow } from "../../domain/rows.ts";
import { decimalOf } from "../../kernel/decimal.ts";
import { invalidField } from "../../kernel/errors.ts";
import { type Cents, cents, subtract } from "../../kernel/money.ts";
import { addDays, addSeconds, type CalendarDay, calendarDay, type Instant, startOfDay } from "../../kernel/time.ts";
import type { RowColumns } from "../../platform/rows-of.ts";
import type { Invoice, InvoiceStatus } from "./types.ts";

type ExchangeColumns = Pick<InvoicesRow, "exchange_rate" | "exchange_date" | "exchange_source" | "awaits_exchange">;

/** How a stored invoice is reckoned in rand. */
export const exchangeFromRow = (row: ExchangeColumns): Pick<Invoice, "exchange" | "awaitsExchange"> => ({
  exchange:
    row.exchange_rate !== null && row.exchange_date !== null && row.exchange_source !== null
      ? { rate: decimalOf(row.exchange_rate), date: row.exchange_date, source: row.exchange_source }
      : null,
  awaitsExchange: row.awaits_exchange,
});

/** The columns of `exchangeFromRow` of a new invoice. */
export const EXCHANGE_COLUMNS: RowColumns<Invoice> = {
  exchange_rate: ["numeric", ({ exchange }) => exchange?.rate ?? null],
  exchange_date: ["date", ({ exchange }) => exchange?.date ?? null],
  exchange_source: ["text", ({ exchange }) => exchange?.source ?? null],
  awaits_exchange: ["boolean", ({ awaitsExchange }) => awaitsExchange],
};

/** The invoice's balance in cents (interface 2.5, `amountDue`). */
export const amountDue = (invoice: Pick<Invoice, "total" | "paid">): Cents => subtract(invoice.total, invoice.paid);

/**
 * Divides a payment into the part that reduces the invoice's balance and the part above it (interface 16.21), in cents;
 * their sum is the payment.
 */
export function allocate(amount: Cents, due: Cents): { applied: Cents; excess: Cents } {
  const applied = cents(Math.min(amount, due));
  return { applied, excess: subtract(amount, applied) };
}

/**
 * The dates of an invoice that is made today. Issued today when nothing is sent, and due `dueDays` after the later of
 * its issue date and today: who gets an old invoice today has as much time as anybody. Throws 400 when it would be due
 * before it is issued.
 */
export function datesAsked(
  { issueDate, dueDate }: { readonly issueDate: CalendarDay | null; readonly dueDate: CalendarDay | null },
  today: CalendarDay,
  dueDays: number,
): { readonly issueDate: CalendarDay; readonly dueDate: CalendarDay } {
  const issued = issueDate ?? today;
  if (dueDate !== null && dueDate < issued)
    throw invalidField(
      ["dueDate"],
      `dueDate must not be before issueDate, which is ${issued}${issueDate === null ? " (today) when it is left out" : ""}: ` +
        "send a later dueDate, or an earlier issueDate.",
    );
  return { issueDate: issued, dueDate: dueDate ?? addDays(issued > today ? issued : today, dueDays) };
}

/** Throws 400 when an invoice would be due before it is issued. */
export function requireDueOnceIssued({ issueDate, dueDate }: Pick<Invoice, "issueDate" | "dueDate">): void {
  if (dueDate !== null && dueDate < issueDate)
    throw invalidField(["dueDate"], `dueDate must not be before issueDate, which is ${issueDate}.`);
}

/** Whether the due date has passed at `now`. On the due date itself, a South African day, an invoice is not overdue. */
export const isPastDue = ({ dueDate }: Pick<Invoice, "dueDate">, now: Instant): boolean =>
  dueDate !== null && dueDate < calendarDay(now);

/** When the invoice becomes overdue: the start of the day after its due date. Null without one. */
export const overdueAt = ({ dueDate }: Pick<Invoice, "dueDate">): Instant | null =>
  dueDate && startOfDay(addDays(dueDate, 1));

/** The invoice's status as a transaction shows it (interface 2.7): a partly paid invoice is sent or overdue. */
export const statusOnTransaction = (
  invoice: Pick<Invoice, "status" | "dueDate">,
  now: Instant,
): Exclude<InvoiceStatus, "partially_paid"> =>
  invoice.status !== "partially_paid" ? invoice.status : isPastDue(invoice, now) ? "overdue" : "sent";

/** The days before and after the due date on which the customer of an open invoice is reminded. */
interface ReminderDays {
  readonly daysBefore: readonly number[];
  readonly daysAfter: readonly number[];
}

const REMIND_HOUR = 8;

/** The first reminder after `now`, at 08:00 South African time; null when there is none. */
export function nextReminder(dueDate: CalendarDay | null, days: ReminderDays, now: Instant): Instant | null {
  if (dueDate === null) return null;
  const at = (offset: number) => addSeconds(startOfDay(addDays(dueDate, offset)), REMIND_HOUR * 3600);
  const [next] = [...days.daysBefore.map((count) => -count), ...days.daysAfter]
    .sort((a, b) => a - b)
    .filter((offset) => at(offset) > now);
  return next === undefined ? null : at(next);
}

const REASON = "Cancelled: ";

/** The notes with the reason of the cancellation at their end (interface 4.5, cancel). */
export const notesWithReason = (notes: string | null, reason: string | null): string | null =>
  reason ? [notes, `${REASON}${reason}`].filter(Boolean).join("\n\n") : notes;

/** The notes of an invoice without the reason of its cancellation. */
export function notesWithoutReason({ notes, status }: Pick<Invoice, "notes" | "status">): string | null {
  const at = status === "cancelled" ? (notes ?? "").lastIndexOf(REASON) : -1;
  return at < 0 ? notes : (notes ?? "").slice(0, at).trimEnd() || null;
}
