import { appendEvent } from "../../events/outbox.ts";
import { assert } from "../../kernel/assert.ts";
import { cents } from "../../kernel/money.ts";
import type { Instant } from "../../kernel/time.ts";
import { INVOICE_PAID, INVOICE_PARTIALLY_PAID } from "../../modules/invoices/declarations.ts";
import { amountDue } from "../../modules/invoices/rules.ts";
import { moveInvoice } from "../../modules/invoices/states.ts";
import { allocationsOf, insertAllocation, saveInvoice } from "../../modules/invoices/store/invoices.ts";
import type { Allocation, Invoice } from "../../modules/invoices/types.ts";
import { deactivateLinksOfInvoice } from "../../modules/payment-links/store.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { invoiceObject } from "./invoice-object.ts";
import { cancelDueDateWork, issueInvoices, postInvoices } from "./issue-invoice.ts";

/**
 * Applies a payment or credit to an invoice (interface 3.3, payment rows) and appends its event. `received` is at most
 * the amount due. The caller has locked the invoice, and its links or the balance of its customer, and posts the money
 * itself.
 */
export async function applyPayment(tx: Tx, ctx: Ctx, invoice: Invoice, received: Allocation): Promise<Invoice> {
  const due = amountDue(invoice);
  assert(received.amount > 0 && received.amount <= due, "an invoice takes no more than it asks for");
  const full = received.amount === due;
  const status = moveInvoice(invoice.status, full ? "full_payment" : "part_payment");
  assert(status, "an invoice that takes money is open");
  if (!invoice.issuedAt) await Promise.all([postInvoices(tx, ctx, [invoice]), issueInvoices(tx, ctx, [invoice])]);
  const after: Invoice = {
    ...invoice,
    status,
    paid: cents(invoice.paid + received.amount),
    issuedAt: invoice.issuedAt ?? ctx.now,
    paidAt: full ? await lastPaidAt(tx, invoice, received) : null,
    payLinkId: full ? null : invoice.payLinkId,
    updatedAt: ctx.now,
  };
  saveInvoice(tx, after);
  insertAllocation(tx, invoice.id, received, ctx.now);
  if (full) {
    deactivateLinksOfInvoice(tx, invoice.id);
    cancelDueDateWork(tx, invoice);
  }
  const event = full ? INVOICE_PAID : INVOICE_PARTIALLY_PAID;
  appendEvent(tx, ctx.now, event, invoice.id, invoiceObject(ctx, after));
  return after;
}

/** When the last payment of a paid invoice was made, whatever the order in which payments were recorded. */
async function lastPaidAt(tx: Tx, { id, paid }: Invoice, { paidAt }: Allocation): Promise<Instant> {
  const before = paid === 0 ? [] : (await allocationsOf(tx, id)).filter(({ amount }) => amount > 0);
  let last = paidAt;
  for (const one of before) if (one.paidAt > last) last = one.paidAt;
  return last;
}
