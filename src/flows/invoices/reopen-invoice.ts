import type { Reversal } from "../../domain/reversal.ts";
import { type Cents, cents, ZERO } from "../../kernel/money.ts";
import { isPastDue } from "../../modules/invoices/rules.ts";
import { moveInvoice } from "../../modules/invoices/states.ts";
import { insertAllocation, saveInvoice } from "../../modules/invoices/store/invoices.ts";
import type { Invoice } from "../../modules/invoices/types.ts";
import type { Tx } from "../../platform/database.ts";
import { newId } from "../../platform/new-id.ts";
import type { Ctx } from "../context.ts";
import { currentSettings } from "../organisations/settings.ts";
import { invoicesPastDue } from "./due-date.ts";
import { enqueueDueDateWork } from "./issue-invoice.ts";
import { makePayLinkAgain } from "./pay-link.ts";

/**
 * Subtracts `amount` cents from the paid amount of an invoice, since a bank reversed the payment (interface 3.3): the
 * invoice is open again, becomes overdue and has reminders as before, and a pay link collects its balance. The caller
 * has locked the invoice and posted the reversal.
 */
export async function reopenInvoice(
  tx: Tx,
  ctx: Ctx,
  invoice: Invoice,
  reversal: Reversal,
  amount: Cents,
): Promise<void> {
  if (amount === ZERO) return;
  await openAgain(tx, ctx, invoice, cents(invoice.paid - amount));
  const allocation = { id: newId("ipm"), source: "reversal", subject: reversal.id, amount: cents(-amount) } as const;
  insertAllocation(tx, invoice.id, { ...allocation, paidAt: ctx.now }, ctx.now);
}

/**
 * Reopens an invoice whose paid amount falls to `paid` cents, and returns it. The caller has locked it, and changes its
 * allocations.
 */
export async function openAgain(tx: Tx, ctx: Ctx, invoice: Invoice, paid: Cents): Promise<Invoice> {
  const opened = moveInvoice(invoice.status, paid === ZERO ? "full_reversal" : "part_reversal") ?? invoice.status;
  const status = isPastDue(invoice, ctx.now) ? (moveInvoice(opened, "past_due") ?? opened) : opened;
  const owing: Invoice = { ...invoice, status, paid, paidAt: null, updatedAt: ctx.now };
  const after = owing.payLinkId ? owing : await makePayLinkAgain(tx, ctx, owing);
  saveInvoice(tx, after);
  enqueueDueDateWork(tx, ctx, after, await currentSettings(tx));
  if (isPastDue(after, ctx.now)) await invoicesPastDue(tx, ctx, [after]);
  return after;
}
