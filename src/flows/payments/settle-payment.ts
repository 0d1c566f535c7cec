import { appendEvent } from "../../events/outbox.ts";
import type { PaymentFact } from "../../gateways/facts.ts";
import { statusFor, withoutSecrets } from "../../gateways/facts.ts";
import { type CustomerId, newId } from "../../kernel/ids.ts";
import { vatWithin } from "../../kernel/lines.ts";
import { type Cents, ZERO } from "../../kernel/money.ts";
import { paymentPostings } from "../../modules/books/rules.ts";
import { postEntry } from "../../modules/books/store.ts";
import { keepNews, type ReceivedNews } from "../../modules/gateway-notifications/store.ts";
import { allocate, amountDue } from "../../modules/invoices/rules.ts";
import { isPayable } from "../../modules/invoices/states.ts";
import type { Invoice } from "../../modules/invoices/types.ts";
import { countPayment, lockPaymentLink } from "../../modules/payment-links/store.ts";
import type { PaymentLink } from "../../modules/payment-links/types.ts";
import { PAYMENT_CANCELLED, PAYMENT_COMPLETE, PAYMENT_FAILED } from "../../modules/payments/events.ts";
import { type Misfit, mismatchOf } from "../../modules/payments/rules.ts";
import { advance, findByReference, flagTransaction } from "../../modules/payments/store.ts";
import type { NewsSource, Transaction } from "../../modules/payments/types.ts";
import { paymentEventView } from "../../modules/payments/view.ts";
import { findProduct } from "../../modules/products/store.ts";
import type { Tx } from "../../platform/database.ts";
import { cancelWork } from "../../platform/due-work.ts";
import type { Ctx } from "../context.ts";
import { applyOpenCredits } from "../credit-notes/apply-credit.ts";
import { noteStanding } from "../customers/note-standing.ts";
import { isTransfer } from "../gateways/accounts.ts";
import { applyPayment } from "../invoices/apply-payment.ts";
import { lockToChange } from "../invoices/lock-invoice.ts";
import { accountMisfit, keepMisfit } from "./keep-misfit.ts";
import { recordOf } from "./transaction-record.ts";

const EVENT_OF = { complete: PAYMENT_COMPLETE, failed: PAYMENT_FAILED, cancelled: PAYMENT_CANCELLED };

/**
 * The only way for a payment to complete, fail or be cancelled, whatever brings the news (design 5.7, spec 3.1). It moves the row
 * and, only if it moved, fulfils what the payment was for. News whose money does not fit is kept and flagged, never applied.
 */
export async function settlePayment(
  tx: Tx,
  ctx: Ctx,
  accountId: string,
  fact: PaymentFact,
  source: NewsSource,
): Promise<ReceivedNews["outcome"]> {
  const keep = (outcome: ReceivedNews["outcome"], problem: string | null = null): ReceivedNews["outcome"] => {
    keepNews(tx, {
      accountId,
      reference: fact.reference,
      source,
      fact: withoutSecrets(fact),
      outcome,
      problem,
      receivedAt: ctx.now,
    });
    return outcome;
  };
  const transaction = fact.reference === null ? null : await findByReference(tx, fact.reference);
  if (!transaction) return keep("unknown_reference", "no payment has this reference");
  const misfit = accountMisfit(transaction, accountId) ?? moneyMisfit(transaction, fact);
  if (misfit) return keepMisfit(tx, ctx, transaction, { accountId, fact, source, misfit });
  const to = statusFor(fact);
  const invoice = to === "complete" ? await lockPaidFor(tx, transaction) : null;
  const news = {
    at: ctx.now,
    fee: fact.kind === "paid" ? fact.fee : null,
    providerRef: fact.providerRef,
    payerEmail: fact.payerEmail,
  };
  const moved = to === "pending" ? null : await advance(tx, transaction.id, to, news);
  if (!moved || to === "pending") return keep("repeated");
  cancelWork(tx, "payment.check", moved.id);
  const settled = to === "complete" ? await fulfil(tx, ctx, moved, invoice) : moved;
  appendEvent(tx, ctx.now, EVENT_OF[to], moved.reference, paymentEventView(await recordOf(tx, ctx, settled)));
  return keep("applied");
}

/** What is undecided moves nothing; an end without money need not say how much it was about. */
function moneyMisfit(transaction: Transaction, { kind, amount, currency }: PaymentFact): Misfit | null {
  return kind === "pending" || amount === null || currency === null
    ? null
    : mismatchOf(transaction, { amount, currency });
}

/** Locks what the payment pays, before the transaction (design 7). */
async function lockPaidFor(tx: Tx, { paymentLinkId, invoiceId }: Transaction): Promise<Invoice | null> {
  if (invoiceId) return (await lockToChange(tx, invoiceId))?.invoice ?? null;
  if (paymentLinkId) await lockPaymentLink(tx, paymentLinkId);
  return null;
}

/** What a completed payment does, in the transaction that completed it; answers the payment with what fulfilment added. */
async function fulfil(tx: Tx, ctx: Ctx, payment: Transaction, invoice: Invoice | null): Promise<Transaction> {
  const link = payment.paymentLinkId ? await countPayment(tx, payment.paymentLinkId) : null;
  const due = invoice && isPayable(invoice.status) ? amountDue(invoice) : ZERO;
  const { applied, excess } = allocate(payment.amount, due);
  const overpaid = invoice ? excess : link?.singleUse && link.paidBefore > 0 ? payment.amount : ZERO;
  if (overpaid > 0) flagTransaction(tx, payment.id, "overpaid", overpaid);
  const customerId = invoice?.customer.id ?? payment.customerId;
  await post(tx, ctx, payment, { link, customerId, applied, overpaid });
  if (invoice && applied > 0) await payInvoice(tx, ctx, invoice, payment, applied);
  if (customerId) await noteStanding(tx, ctx, customerId);
  return overpaid > 0 ? { ...payment, overpaid, flags: [...payment.flags, "overpaid"] } : payment;
}

async function payInvoice(tx: Tx, ctx: Ctx, invoice: Invoice, payment: Transaction, applied: Cents): Promise<void> {
  const paid = await applyPayment(tx, ctx, invoice, {
    id: newId("ipm"),
    source: "transaction",
    subject: payment.id,
    amount: applied,
    paidAt: ctx.now,
  });
  if (!invoice.issuedAt) await applyOpenCredits(tx, ctx, paid);
}

interface PaidFor {
  readonly link: PaymentLink | null;
  /** On whose account it is: the invoice's customer, whoever paid; else the payer. */
  readonly customerId: CustomerId | null;
  readonly applied: Cents;
  readonly overpaid: Cents;
}

async function post(
  tx: Tx,
  ctx: Ctx,
  payment: Transaction,
  { link, customerId, applied, overpaid }: PaidFor,
): Promise<void> {
  const product = link?.productId ? await findProduct(tx, link.productId) : null;
  postEntry(tx, {
    kind: "payment",
    subject: payment.reference,
    occurredAt: ctx.now,
    description: payment.description ?? payment.reference,
    currency: payment.currency,
    postings: paymentPostings({
      amount: payment.amount,
      fee: payment.fee,
      into: isTransfer(payment.gatewayType) ? "bank" : "gateway_clearing",
      applied,
      vat: product && applied === 0 && overpaid === 0 ? vatWithin(payment.amount, product.taxRate) : ZERO,
      credit: overpaid,
      customerId,
    }),
  });
}
