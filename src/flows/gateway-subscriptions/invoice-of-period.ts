import { assert } from "../../kernel/assert.ts";
import { newId } from "../../kernel/ids.ts";
import { ZERO } from "../../kernel/money.ts";
import { businessDay } from "../../kernel/time.ts";
import { lockCustomerBalanceOfInvoice } from "../../modules/books/store.ts";
import { lockNumbers } from "../../modules/document-numbers/store.ts";
import { findInvoice } from "../../modules/invoices/store.ts";
import type { Invoice } from "../../modules/invoices/types.ts";
import { setInvoice } from "../../modules/payments/store.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { applyPayment } from "../invoices/apply-payment.ts";
import { insertDraft } from "../invoices/create-invoice.ts";
import type { LockedPurpose } from "../payments/purpose.ts";

/**
 * A collected charge of a recurring link for an invoice pays an invoice of its own, with the lines of the first one, for the next period
 * (interface 4.7). Locks the invoice numbers and the balance of the invoice's customer, before the payment. Null when the amount differs from the
 * invoice's total.
 */
export async function periodInvoice(
  tx: Tx,
  ctx: Ctx,
  invoiceId: string,
  { amount, paidAt }: Transaction,
): Promise<Required<Pick<LockedPurpose, "split" | "complete" | "changes" | "customerId">> | null> {
  if (paidAt !== null) return null;
  lockNumbers(tx, "invoice");
  lockCustomerBalanceOfInvoice(tx, invoiceId);
  const first = await findInvoice(tx, invoiceId);
  assert(first, "the invoice of a subscription stays");
  if (first.total !== amount) return null;
  let made: Invoice | null = null;
  return {
    customerId: first.customer.id,
    split: async () => ({ applied: amount, overpaid: ZERO, vat: ZERO }),
    async complete(payment) {
      made = await payNewInvoice(tx, ctx, first, payment);
      setInvoice(tx, payment.id, made.id);
    },
    changes: () => (made ? { invoiceId: made.id } : {}),
  };
}

async function payNewInvoice(tx: Tx, ctx: Ctx, first: Invoice, payment: Transaction): Promise<Invoice> {
  const today = businessDay(ctx.now);
  const invoice = await insertDraft(tx, ctx, {
    subtotal: first.subtotal,
    tax: first.tax,
    total: first.total,
    lines: first.lines,
    customer: first.customer,
    currency: first.currency,
    issueDate: today,
    dueDate: today,
    taxInclusive: first.taxInclusive,
    notes: first.notes,
    metadata: first.metadata,
    externalReference: null,
    periodStart: null,
    periodEnd: null,
    charge: null,
    cycle: null,
    quoteId: null,
  });
  return applyPayment(tx, ctx, invoice, {
    id: newId("ipm"),
    source: "transaction",
    subject: payment.id,
    amount: payment.amount,
    paidAt: ctx.now,
  });
}
