import { addSeconds, DAY_SECONDS, type Instant } from "../../kernel/time.ts";
import { isPastDue, nextReminder } from "../../modules/invoices/rules.ts";
import { moveInvoice, OPEN_STATUSES } from "../../modules/invoices/states.ts";
import { saveInvoice } from "../../modules/invoices/store.ts";
import type { Invoice } from "../../modules/invoices/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { noteStanding } from "../customers/note-standing.ts";
import { mailInvoiceReminder } from "../mail/invoice-mails.ts";
import { currentSettings } from "../organisations/settings.ts";
import type { LockedInvoice } from "./lock-invoice.ts";

const isOpen = ({ status }: Invoice): boolean => (OPEN_STATUSES as readonly string[]).includes(status);

/** Interface 3.3, past due date: work of the day after it. A partly paid invoice keeps its status; its customer is overdue all the same. */
export async function markOverdue(tx: Tx, ctx: Ctx, { invoice }: LockedInvoice): Promise<null> {
  if (!isOpen(invoice) || !isPastDue(invoice, ctx.now)) return null;
  const status = moveInvoice(invoice.status, "past_due") ?? invoice.status;
  if (status !== invoice.status) saveInvoice(tx, { ...invoice, status, updatedAt: ctx.now });
  await noteStanding(tx, ctx, invoice.customer.id);
  return null;
}

/**
 * Reminds the customer of an invoice that is open before or after its due date; answers when to remind again. The settings of this day
 * decide, not those by which it was planned; what comes more than a day late is left out.
 */
export async function remindOfInvoice(tx: Tx, ctx: Ctx, { invoice }: LockedInvoice): Promise<Instant | null> {
  if (!isOpen(invoice) || !invoice.dueDate) return null;
  const { invoiceReminders } = await currentSettings(tx);
  const planned = nextReminder(invoice.dueDate, invoiceReminders, addSeconds(ctx.now, -DAY_SECONDS));
  if (planned && planned <= ctx.now) {
    const kind = isPastDue(invoice, ctx.now) ? "after" : "before";
    mailInvoiceReminder(tx, ctx, invoice, kind);
  }
  return nextReminder(invoice.dueDate, invoiceReminders, ctx.now);
}
