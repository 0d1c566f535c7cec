import { requireWhole } from "../../kernel/amount-in.ts";
import { invalid, invalidField, notFound } from "../../kernel/errors.ts";
import type { InvoicePaymentId } from "../../kernel/ids.ts";
import { formatMoney } from "../../kernel/money.ts";
import { offlinePaymentPostings } from "../../modules/books/rules.ts";
import { postEntry } from "../../modules/books/store.ts";
import { amountDue } from "../../modules/invoices/rules.ts";
import type { OfflinePaymentBody } from "../../modules/invoices/schema.ts";
import { isPayable } from "../../modules/invoices/states.ts";
import type { Invoice } from "../../modules/invoices/types.ts";
import type { Tx } from "../../platform/database.ts";
import { newId } from "../../platform/new-id.ts";
import type { Ctx } from "../context.ts";
import { updateStanding } from "../customers/update-standing.ts";
import { applyOpenCredits } from "./apply-credit.ts";
import { applyPayment } from "./apply-payment.ts";
import { lockInvoiceForChange } from "./lock-invoice.ts";

/** An invoice before and after a payment, and the payment. */
export interface RecordedPayment {
  readonly before: Invoice;
  readonly after: Invoice;
  readonly paymentId: InvoicePaymentId;
}

/**
 * Records a payment that was made outside of the service (interface 4.5). Locks as `lockInvoiceForChange`. Throws 404;
 * 400 for an invoice that is paid or cancelled, an amount above its balance or with a fraction of the currency's
 * smallest unit, and a time in the future.
 */
export async function recordOfflinePayment(
  tx: Tx,
  ctx: Ctx,
  id: string,
  { amount, method, reference, paidAt }: OfflinePaymentBody,
): Promise<RecordedPayment> {
  const locked = await lockInvoiceForChange(tx, id);
  if (!locked) throw notFound("invoice");
  const { invoice: before } = locked;
  if (!isPayable(before.status)) throw invalid(`The invoice is ${before.status}, so it takes no payment.`);
  const due = amountDue(before);
  if (amount > due)
    throw invalidField(["amount"], `amount must be at most what is open, ${formatMoney(due, before.currency)}.`);
  requireWhole(before.currency, amount, ["amount"], due);
  if (paidAt && paidAt > ctx.now) throw invalidField(["paidAt"], "paidAt must not be in the future.");
  const payment = {
    id: newId("ipm"),
    source: "offline",
    amount,
    method,
    reference: reference || null,
    paidAt: paidAt ?? ctx.now,
  } as const;
  const paid = await applyPayment(tx, ctx, before, payment);
  postEntry(tx, {
    kind: "offline_payment",
    subject: payment.id,
    occurredAt: payment.paidAt,
    description: `Payment of invoice ${before.number} (${method})`,
    currency: before.currency,
    postings: offlinePaymentPostings(amount, before.customer.id),
  });
  const after = before.issuedAt ? paid : await applyOpenCredits(tx, ctx, paid);
  await updateStanding(tx, ctx, before.customer.id, before.currency);
  return { before, after, paymentId: payment.id };
}
