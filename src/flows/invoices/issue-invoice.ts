import type { Cents } from "../../kernel/money.ts";
import { invoicePostings } from "../../modules/books/rules.ts";
import { type CustomerCredit, postToCustomers } from "../../modules/books/store.ts";
import { savePartiesSnapshots } from "../../modules/documents/store.ts";
import { INVOICE_OVERDUE, INVOICE_REMIND } from "../../modules/invoices/declarations.ts";
import { nextReminder, overdueAt } from "../../modules/invoices/rules.ts";
import type { Invoice } from "../../modules/invoices/types.ts";
import type { Settings } from "../../modules/organisations/schema.ts";
import type { Tx } from "../../platform/database.ts";
import { cancelWork, enqueue } from "../../platform/due-work.ts";
import type { Ctx } from "../context.ts";
import { currentSettings } from "../organisations/settings.ts";

/**
 * Posts invoices that leave draft; returns the credit of their customers after all of them. Locks the balances of the
 * customers; for several customers, the caller has locked the invoice numbers.
 */
export const postInvoices = (tx: Tx, ctx: Ctx, invoices: readonly Invoice[]): Promise<readonly CustomerCredit[]> =>
  postToCustomers(
    tx,
    invoices.map((invoice) => ({
      kind: "invoice",
      subject: invoice.id,
      occurredAt: ctx.now,
      description: `Invoice ${invoice.number}`,
      currency: invoice.currency,
      postings: invoicePostings(invoice, invoice.customer.id),
    })),
  );

/** The credit of the invoice's customer, in cents, after `postInvoices`; null when the invoice was not posted. */
export const creditFor = ({ customer, currency }: Invoice, credits: readonly CustomerCredit[]): Cents | null =>
  credits.find((one) => one.customerId === customer.id && one.currency === currency)?.credit ?? null;

/**
 * Runs once for each invoice, after it has left draft and is posted: saves a snapshot of its parties, and enqueues the
 * work of its due date and reminders.
 */
export async function issueInvoices(tx: Tx, ctx: Ctx, invoices: readonly Invoice[]): Promise<void> {
  if (invoices.length === 0) return;
  const settings = await currentSettings(tx);
  const documents = invoices.map(({ id, customer }) => ({ id, customer: customer.id }));
  savePartiesSnapshots(tx, documents, settings.branding);
  for (const invoice of invoices) enqueueDueDateWork(tx, ctx, invoice, settings);
}

/**
 * Enqueues the work of the due date and reminders of an invoice that has become open, unless its due date has passed.
 */
export function enqueueDueDateWork(
  tx: Tx,
  ctx: Ctx,
  invoice: Invoice,
  { invoiceReminders }: Pick<Settings, "invoiceReminders">,
): void {
  const overdue = overdueAt(invoice);
  if (overdue && invoice.status !== "overdue") enqueue(tx, INVOICE_OVERDUE, invoice.id, overdue);
  const reminder = nextReminder(invoice.dueDate, invoiceReminders, ctx.now);
  if (reminder) enqueue(tx, INVOICE_REMIND, invoice.id, reminder);
}

/** Cancels the work of the due date and reminders of an invoice that was paid or cancelled. */
export function cancelDueDateWork(tx: Tx, invoice: Invoice): void {
  cancelWork(tx, INVOICE_OVERDUE, invoice.id);
  cancelWork(tx, INVOICE_REMIND, invoice.id);
}
