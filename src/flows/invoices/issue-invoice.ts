import type { Cents } from "../../kernel/money.ts";
import { invoicePostings } from "../../modules/books/rules.ts";
import { postToCustomer } from "../../modules/books/store.ts";
import { savePartiesSnapshot } from "../../modules/documents/store.ts";
import { INVOICE_OVERDUE, INVOICE_REMIND } from "../../modules/invoices/declarations.ts";
import { nextReminder, overdueAt } from "../../modules/invoices/rules.ts";
import type { Invoice } from "../../modules/invoices/types.ts";
import type { Tx } from "../../platform/database.ts";
import { cancelWork, enqueue } from "../../platform/due-work.ts";
import type { Ctx } from "../context.ts";
import { currentSettings } from "../organisations/settings.ts";

/** Posts an invoice that leaves draft; returns the customer's credit after it, in cents. Locks the customer's balance. */
export const postInvoice = (tx: Tx, ctx: Ctx, invoice: Invoice): Promise<Cents> =>
  postToCustomer(tx, {
    kind: "invoice",
    subject: invoice.id,
    occurredAt: ctx.now,
    description: `Invoice ${invoice.number}`,
    currency: invoice.currency,
    postings: invoicePostings(invoice, invoice.customer.id),
  });

/**
 * Runs once for each invoice, after it left draft and was posted: saves a snapshot of its parties, and enqueues the work of its due
 * date and reminders.
 */
export async function issueInvoice(tx: Tx, ctx: Ctx, invoice: Invoice): Promise<void> {
  const { branding } = await currentSettings(tx);
  savePartiesSnapshot(tx, invoice.id, branding, invoice.customer.id);
  await enqueueDueDateWork(tx, ctx, invoice);
}

/** Enqueues the work of the due date and reminders of an invoice that is open from now on, unless its due date has passed. */
export async function enqueueDueDateWork(tx: Tx, ctx: Ctx, invoice: Invoice): Promise<void> {
  const overdue = overdueAt(invoice);
  if (overdue && invoice.status !== "overdue") enqueue(tx, INVOICE_OVERDUE, invoice.id, overdue);
  const { invoiceReminders } = await currentSettings(tx);
  const reminder = nextReminder(invoice.dueDate, invoiceReminders, ctx.now);
  if (reminder) enqueue(tx, INVOICE_REMIND, invoice.id, reminder);
}

/** Cancels the work of the due date and reminders of an invoice that was paid or cancelled. */
export function cancelDueDateWork(tx: Tx, invoice: Invoice): void {
  cancelWork(tx, INVOICE_OVERDUE, invoice.id);
  cancelWork(tx, INVOICE_REMIND, invoice.id);
}
