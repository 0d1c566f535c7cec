import { appendEvent } from "../../events/outbox.ts";
import { ApiError, notFound } from "../../kernel/errors.ts";
import type { InvoicePaymentId } from "../../kernel/ids.ts";
import { type Cents, cents } from "../../kernel/money.ts";
import { offlinePaymentPostings, reversed } from "../../modules/books/rules.ts";
import { postEntry } from "../../modules/books/store.ts";
import { correctionsOf } from "../../modules/credit-notes/store.ts";
import { lockNumbers } from "../../modules/document-numbers/store.ts";
import { INVOICE_PAYMENT_UNDONE } from "../../modules/invoices/declarations.ts";
import { moveInvoice } from "../../modules/invoices/states.ts";
import {
  applicationOf,
  findOfflinePayment,
  saveInvoice,
  undoOfflinePayment,
} from "../../modules/invoices/store/invoices.ts";
import type { Invoice } from "../../modules/invoices/types.ts";
import { isShownByLine, lockReconciliation } from "../../modules/reconciliation/store/runs.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { updateStanding } from "../customers/update-standing.ts";
import { applyOpenCredits } from "./apply-credit.ts";
import { cancelInvoice } from "./cancel-invoice.ts";
import { invoiceObject } from "./invoice-object.ts";
import { lockInvoiceForChange } from "./lock-invoice.ts";
import { openAgain } from "./reopen-invoice.ts";
import { undoCredit } from "./use-credit.ts";

/** An invoice before and after a payment of it was undone. */
interface UndonePayment {
  readonly before: Invoice;
  readonly after: Invoice;
}

/**
 * Undoes a payment of an invoice that was recorded by hand, or credit that was applied to it (interface 4.5). Locks the
 * matches, the invoice numbers, then as `lockInvoiceForChange`. Throws 404; 409 `invalid_state` when the invoice was
 * cancelled, and when a line of a bank statement shows the payment: then undoing the match undoes what it recorded.
 */
export async function undoRecordedPayment(
  tx: Tx,
  ctx: Ctx,
  invoiceId: string,
  paymentId: string,
): Promise<UndonePayment> {
  lockReconciliation(tx);
  lockNumbers(tx, "invoice");
  const application = await applicationOf(tx, invoiceId, paymentId);
  if (application) return undoCredit(tx, ctx, invoiceId, application);
  const found = await findOfflinePayment(tx, paymentId);
  if (found?.invoiceId !== invoiceId) throw notFound("payment");
  if (await isShownByLine(tx, paymentId))
    throw new ApiError(
      "invalid_state",
      409,
      "A line of a bank statement is matched with this payment. Undo the match under Reconcile instead.",
    );
  return takeBackOfflinePayment(tx, ctx, found.id);
}

/**
 * Deletes a payment that was recorded by mistake, as if it had never been made: the invoice is open again and the entry
 * is reversed. Other effects of the payment, such as a renewed subscription, stay. Locks as `lockInvoiceForChange`; the
 * caller has locked the invoice numbers. Throws 409 when the invoice has been cancelled, because its payment is then
 * the customer's credit.
 */
export async function takeBackOfflinePayment(tx: Tx, ctx: Ctx, id: InvoicePaymentId): Promise<UndonePayment> {
  const { invoice, paid } = await deletePayment(tx, ctx, id);
  const open = await openAgain(tx, ctx, invoice, paid);
  appendEvent(tx, ctx.now, INVOICE_PAYMENT_UNDONE, invoice.id, invoiceObject(ctx, open));
  // A credit note that had found nothing open is applied now, as it would have been without the payment.
  const after = await applyOpenCredits(tx, ctx, open);
  await updateStanding(tx, ctx, invoice.customer.id, invoice.currency);
  return { before: invoice, after };
}

/**
 * Like `takeBackOfflinePayment`, for the payment with which the invoice was made: nobody owes it now, so the invoice is
 * cancelled. Throws 409 also when a credit note corrects it.
 */
export async function cancelPaidSale(tx: Tx, ctx: Ctx, id: InvoicePaymentId): Promise<UndonePayment> {
  const { invoice, paid } = await deletePayment(tx, ctx, id);
  if ((await correctionsOf(tx, invoice.id)).length > 0)
    throw new ApiError(
      "invalid_state",
      409,
      `Invoice ${invoice.number} of this sale has a credit note, so it stays. Record what else has to be corrected by another credit note.`,
    );
  const status = moveInvoice(invoice.status, "full_reversal") ?? invoice.status;
  saveInvoice(tx, { ...invoice, status, paid, paidAt: null, updatedAt: ctx.now });
  const { after } = await cancelInvoice(tx, ctx, invoice.id, "The match of its bank line was undone.");
  return { before: invoice, after };
}

/** Deletes a payment and reverses its entry; returns the invoice, locked, with what is left `paid` of it in cents. */
async function deletePayment(
  tx: Tx,
  ctx: Ctx,
  id: InvoicePaymentId,
): Promise<{ readonly invoice: Invoice; readonly paid: Cents }> {
  const found = await findOfflinePayment(tx, id);
  const locked = found && (await lockInvoiceForChange(tx, found.invoiceId));
  if (!locked) throw new ApiError("invalid_state", 409, "The payment of the invoice is not there any more.");
  const { invoice } = locked;
  if (invoice.status === "cancelled")
    throw new ApiError(
      "invalid_state",
      409,
      `Invoice ${invoice.number} was cancelled since, so its payment is the customer's credit.`,
    );
  postEntry(tx, {
    kind: "offline_payment_reversal",
    subject: id,
    occurredAt: ctx.now,
    description: `Payment of invoice ${invoice.number} taken back`,
    currency: invoice.currency,
    postings: reversed(offlinePaymentPostings(found.amount, invoice.customer.id)),
  });
  undoOfflinePayment(tx, id, ctx.now);
  return { invoice, paid: cents(invoice.paid - found.amount) };
}
