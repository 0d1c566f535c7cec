import { type Cents, cents, subtract } from "../../kernel/money.ts";
import { addDays, addSeconds, type BusinessDay, businessDay, type Instant, startOfDay } from "../../kernel/time.ts";
import type { Invoice, InvoiceStatus } from "./types.ts";

/** Interface 2.5, `amountDue`. */
export const amountDue = (invoice: Pick<Invoice, "total" | "paid">): Cents => subtract(invoice.total, invoice.paid);

/** What of a payment an invoice takes, and what nobody owed (interface 16.21): together they are the payment. */
export function allocate(amount: Cents, due: Cents): { applied: Cents; excess: Cents } {
  const applied = cents(Math.min(amount, due));
  return { applied, excess: subtract(amount, applied) };
}

/** The day of the due date is still in time (South African). */
export const isPastDue = ({ dueDate }: Pick<Invoice, "dueDate">, now: Instant): boolean =>
  dueDate !== null && dueDate < businessDay(now);

/** When it becomes overdue: at the start of the day after its due date. Null without one. */
export const overdueAt = ({ dueDate }: Pick<Invoice, "dueDate">): Instant | null =>
  dueDate && startOfDay(addDays(dueDate, 1));

/** Interface 2.7: a transaction shows a partly paid invoice as sent or overdue. */
export const statusOnTransaction = (
  invoice: Pick<Invoice, "status" | "dueDate">,
  now: Instant,
): Exclude<InvoiceStatus, "partially_paid"> =>
  invoice.status !== "partially_paid" ? invoice.status : isPastDue(invoice, now) ? "overdue" : "sent";

/** Days before and after the due date on which the customer is reminded, of an invoice that is still open. */
export interface ReminderDays {
  readonly daysBefore: readonly number[];
  readonly daysAfter: readonly number[];
}

const REMIND_HOUR = 8;

/** The first reminder after `now`, at 08:00 South African time of its day; null when none is left. */
export function nextReminder(dueDate: BusinessDay | null, days: ReminderDays, now: Instant): Instant | null {
  if (dueDate === null) return null;
  const at = (offset: number) => addSeconds(startOfDay(addDays(dueDate, offset)), REMIND_HOUR * 3600);
  const [next] = [...days.daysBefore.map((count) => -count), ...days.daysAfter]
    .sort((a, b) => a - b)
    .filter((offset) => at(offset) > now);
  return next === undefined ? null : at(next);
}

/** Interface 4.5, cancel: the reason is put at the end of the notes. */
export const notesWithReason = (notes: string | null, reason: string | null): string | null =>
  reason ? [notes, `Cancelled: ${reason}`].filter(Boolean).join("\n\n") : notes;
