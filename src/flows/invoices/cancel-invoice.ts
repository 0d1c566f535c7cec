import { appendEvent } from "../../events/outbox.ts";
import { invalid, notFound } from "../../kernel/errors.ts";
import { type Cents, cents, subtract, sum, ZERO } from "../../kernel/money.ts";
import { cancelledInvoicePostings } from "../../modules/books/rules.ts";
import { postEntry } from "../../modules/books/store.ts";
import { creditUsedOf } from "../../modules/credit-refunds/store.ts";
import { INVOICE_CANCELLED } from "../../modules/invoices/declarations.ts";
import { notesWithReason } from "../../modules/invoices/rules.ts";
import { moveInvoice } from "../../modules/invoices/states.ts";
import { allocationsOf, deleteCreditAllocations, saveInvoice } from "../../modules/invoices/store/invoices.ts";
import type { Allocation, Invoice } from "../../modules/invoices/types.ts";
import { deactivateLinksOfInvoice } from "../../modules/payment-links/store.ts";
import { reversedAmount, undoneByReversal } from "../../modules/payments/rules.ts";
import { addOverpaid } from "../../modules/payments/store/payments.ts";
import { reversalsOf } from "../../modules/reversals/store.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { updateStanding } from "../customers/update-standing.ts";
import { acceptedRefundTotal } from "../payments/accepted-refund-total.ts";
import { unapplyCredits } from "./apply-credit.ts";
import { invoiceObject } from "./invoice-object.ts";
import { cancelDueDateWork } from "./issue-invoice.ts";
import { lockInvoiceForChange } from "./lock-invoice.ts";
import { returnCredit } from "./use-credit.ts";

/**
 * Cancels an invoice (interface 4.5, cancel). The amount that was paid on it and not refunded becomes the customer's
 * credit, and its payments are flagged; credit that was applied to it is credit as before, and credit notes become open
 * again. A cancelled invoice is not changed. Locks as `lockInvoiceForChange`. Throws 404; 400 for a paid invoice.
 */
export async function cancelInvoice(
  tx: Tx,
  ctx: Ctx,
  id: string,
  reason: string | null,
): Promise<{ before: Invoice; after: Invoice }> {
  const locked = await lockInvoiceForChange(tx, id);
  if (!locked) throw notFound("invoice");
  const { invoice: before } = locked;
  const status = moveInvoice(before.status, "cancel");
  if (!status) throw invalid(`The invoice is ${before.status}, so it cannot be cancelled.`);
  if (status === before.status) return { before, after: before };
  // What credit has paid is that credit again, which goes back with its payment when a bank takes that back.
  const owing = await returnCredit(tx, ctx, before);
  const allocations = await allocationsOf(tx, before.id);
  const after: Invoice = {
    ...owing,
    status,
    paid: cents(owing.paid - creditIn(allocations)),
    notes: notesWithReason(before.notes, reason),
    payLinkId: null,
    cancelledAt: ctx.now,
    updatedAt: ctx.now,
  };
  saveInvoice(tx, after);
  deactivateLinksOfInvoice(tx, before.id);
  if (before.issuedAt) await reverseInBooks(tx, ctx, owing, allocations);
  appendEvent(tx, ctx.now, INVOICE_CANCELLED, before.id, invoiceObject(ctx, after));
  await updateStanding(tx, ctx, before.customer.id, before.currency);
  return { before, after };
}

const creditIn = (allocations: readonly Allocation[]) =>
  sum(allocations.filter(({ source }) => source === "credit_note").map(({ amount }) => amount));

async function reverseInBooks(tx: Tx, ctx: Ctx, invoice: Invoice, allocations: readonly Allocation[]): Promise<void> {
  cancelDueDateWork(tx, invoice);
  const refunded = await unapplyPayments(tx, allocations);
  postEntry(tx, {
    kind: "invoice_cancelled",
    subject: invoice.id,
    occurredAt: ctx.now,
    description: `Invoice ${invoice.number} cancelled`,
    currency: invoice.currency,
    postings: cancelledInvoicePostings({ ...invoice, refunded }, invoice.customer.id),
  });
  deleteCreditAllocations(tx, invoice.id);
  await unapplyCredits(tx, ctx, invoice);
}

/**
 * Marks the amounts of the invoice's payments that were applied to it as overpaid. Returns how much of them was
 * refunded earlier, in cents, without refunds from credit, and without amounts that a bank reversed after they were
 * refunded, which are a loss.
 */
async function unapplyPayments(tx: Tx, allocations: readonly Allocation[]): Promise<Cents> {
  let refunded = ZERO;
  for (const allocation of allocations) {
    if (allocation.source !== "transaction") continue;
    const payment = await addOverpaid(tx, allocation.subject, allocation.amount);
    const [refunds, reversals, paidOut] = await Promise.all([
      acceptedRefundTotal(tx, payment),
      reversalsOf(tx, [payment.id]).then(reversedAmount),
      creditUsedOf(tx, payment.id),
    ]);
    const before = subtract(payment.overpaid, allocation.amount);
    const taken = sum([refunds, reversals]);
    const fromCredit = cents(
      Math.min(subtract(payment.overpaid, paidOut), taken) - Math.min(subtract(before, paidOut), taken),
    );
    refunded = sum([refunded, subtract(fromCredit, undoneByReversal(before, ZERO, reversals))]);
  }
  return refunded;
}
