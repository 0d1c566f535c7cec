import { isBooked, type Refund } from "../../domain/refunds.ts";
import { type Cents, subtract, ZERO } from "../../kernel/money.ts";
import { amountDue } from "../../modules/invoices/rules.ts";
import { findInvoice } from "../../modules/invoices/store/invoices.ts";
import { PAY_PAGE } from "../../modules/payment-links/declarations.ts";
import { refundedAmount } from "../../modules/payments/rules.ts";
import { customerOfTransaction, findByReference } from "../../modules/payments/store/payments.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import { refundsOf } from "../../modules/refunds/store.ts";
import type { Tx } from "../../platform/database.ts";
import { receiptMail } from "../../templates/mails/receipt.ts";
import { refundMail } from "../../templates/mails/refund.ts";
import type { Ctx } from "../context.ts";
import { isManualTransfer } from "../gateways/accounts.ts";
import { hostedUrl } from "../hosted-links.ts";
import { declareMail, requestMail } from "../mail/mail.ts";
import { fromMerchant } from "../mail/senders.ts";
import { alertOverpaid } from "../mail/staff-alerts.ts";
import { currentSettings } from "../organisations/settings.ts";

/** To the payer: the receipt of a payment. */
export const RECEIPT_MAIL = declareMail<Record<string, never>>("receipt", async (tx, ctx, { about }) => {
  const transaction = await findByReference(tx, about);
  if (!transaction?.paidAt) return null;
  const { reference, amount, currency, description, paidAt, gatewayType, paymentLinkId } = transaction;
  const invoice = transaction.invoiceId && (await findInvoice(tx, transaction.invoiceId));
  return fromMerchant(tx, ctx, (brand) =>
    receiptMail({
      brand,
      amount,
      currency,
      title: description ?? reference,
      reference,
      paidAt,
      method: isManualTransfer(gatewayType) ? "Bank transfer" : null,
      invoice: invoice
        ? { number: invoice.number, balance: invoice.status === "cancelled" ? ZERO : amountDue(invoice) }
        : null,
      url: paymentLinkId ? `${hostedUrl(ctx, PAY_PAGE, paymentLinkId)}/result/${reference}` : null,
    }),
  );
});

/**
 * The refund, and the total refunded of the payment up to and including this refund, in cents. Later or failed refunds
 * do not change it.
 */
type RefundFacts = { readonly refundNumber: string; readonly refundedInAll: Cents };

/** To the payer: a refund was made. */
export const REFUND_MAIL = declareMail<RefundFacts>("refund", async (tx, ctx, { about, facts }) => {
  const transaction = await findByReference(tx, about);
  const refunds = transaction ? await refundsOf(tx, [transaction.id]) : [];
  const refund = refunds.find(({ refundNumber }) => refundNumber === facts.refundNumber);
  if (!transaction || !refund) return null;
  const { reference, description } = transaction;
  const { amount, currency, refundNumber, createdAt, reason, method } = refund;
  return fromMerchant(tx, ctx, (brand) =>
    refundMail({
      brand,
      amount,
      currency,
      payment: { title: description ?? reference, reference, amount: transaction.amount },
      refundedInAll: facts.refundedInAll,
      refundNumber,
      refundedAt: createdAt,
      reason,
      method,
    }),
  );
});

/**
 * Requests the mails of completed payments, once for each payment: a receipt to the payer when the settings say so, and
 * an alert to staff when it was overpaid.
 */
export async function mailReceipts(tx: Tx, ctx: Ctx, references: readonly string[]): Promise<void> {
  const { receipts } = await currentSettings(tx);
  for (const { transaction, to } of await payersOf(tx, references)) {
    if (transaction.flags.includes("overpaid")) await alertOverpaid(tx, ctx, transaction);
    const { reference, paidAt } = transaction;
    if (receipts && paidAt)
      requestMail(tx, ctx, RECEIPT_MAIL, { about: reference, to, once: `receipt:${reference}`, facts: {} });
  }
}

/**
 * Requests a mail to the payer about each refund of these payments that is pending or processed, once for each refund.
 */
export async function mailRefunds(tx: Tx, ctx: Ctx, references: readonly string[]): Promise<void> {
  for (const { transaction, to } of await payersOf(tx, references)) {
    const refunds = await refundsOf(tx, [transaction.id]);
    for (const { id, refundNumber } of refunds.filter(isBooked))
      requestMail(tx, ctx, REFUND_MAIL, {
        about: transaction.reference,
        to,
        once: `refund:${refundNumber}`,
        facts: { refundNumber, refundedInAll: refundedUpTo(refunds, id) },
      });
  }
}

/** The total of this refund and the earlier ones, without failed ones. */
function refundedUpTo(refunds: readonly Refund[], last: Refund["id"]): Cents {
  const later = refunds.filter(({ id, status }) => id > last && status !== "failed");
  return subtract(refundedAmount(refunds), refundedAmount(later));
}

/** The payments that exist, each with the address of its payer. */
function payersOf(tx: Tx, references: readonly string[]): Promise<{ transaction: Transaction; to: [string | null] }[]> {
  const found = references.map(async (reference) => {
    const transaction = await findByReference(tx, reference);
    if (!transaction) return [];
    const to = transaction.payerEmail ?? (await customerOfTransaction(tx, transaction))?.email ?? null;
    return [{ transaction, to: [to] as [string | null] }];
  });
  return Promise.all(found).then((each) => each.flat());
}
