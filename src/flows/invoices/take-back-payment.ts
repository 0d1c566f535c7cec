import { ApiError } from "../../kernel/errors.ts";
import type { InvoicePaymentId } from "../../kernel/ids.ts";
import { cents } from "../../kernel/money.ts";
import { offlinePaymentPostings, reversed } from "../../modules/books/rules.ts";
import { postEntry } from "../../modules/books/store.ts";
import { deleteOfflinePayment, findOfflinePayment } from "../../modules/invoices/store/invoices.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { updateStanding } from "../customers/update-standing.ts";
import { lockInvoiceForChange } from "./lock-invoice.ts";
import { openAgain } from "./reopen-invoice.ts";

/**
 * Deletes a payment that was recorded by mistake, as if it had never been made: the invoice is open again and the entry
 * is reversed. Other effects of the payment, such as a renewed subscription, stay. Locks as `lockInvoiceForChange`; the
 * caller has locked the invoice numbers. Throws 409 when the invoice has been cancelled, because its payment is then
 * the customer's credit.
 */
export async function takeBackOfflinePayment(tx: Tx, ctx: Ctx, id: InvoicePaymentId): Promise<void> {
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
  deleteOfflinePayment(tx, id);
  await openAgain(tx, ctx, invoice, cents(invoice.paid - found.amount));
  await updateStanding(tx, ctx, invoice.customer.id, invoice.currency);
}
