import { subtract, ZERO } from "../../kernel/money.ts";
import type { Refund } from "../../kernel/refund.ts";
import { amountDue } from "../../modules/invoices/rules.ts";
import { findInvoice } from "../../modules/invoices/store.ts";
import { refundedAmount } from "../../modules/payments/rules.ts";
import { findByReference } from "../../modules/payments/store.ts";
import type { TransactionRecord } from "../../modules/payments/types.ts";
import type { Tx } from "../../platform/database.ts";
import { receiptMail } from "../../templates/mails/receipt.ts";
import { refundMail } from "../../templates/mails/refund.ts";
import type { Ctx } from "../context.ts";
import { isTransfer } from "../gateways/accounts.ts";
import { hostedUrl } from "../hosted-links.ts";
import { currentSettings } from "../organisations/settings.ts";
import { recordOf } from "../payments/transaction-record.ts";
import { mailFromMerchant } from "./merchant-mail.ts";
import { alertOverpaid } from "./staff-alerts.ts";

/** What follows in the post from completed payments: a receipt to the payer, a word to staff about too much. Once a payment. */
export async function mailReceipts(tx: Tx, ctx: Ctx, references: readonly string[]): Promise<void> {
  const settings = await currentSettings(tx);
  for (const reference of references) {
    const record = await readRecord(tx, ctx, reference);
    if (!record) continue;
    if (record.transaction.flags.includes("overpaid")) await alertOverpaid(tx, ctx, record.transaction);
    if (settings.receipts) await mailReceipt(tx, ctx, record);
  }
}

/** A word to the payer about every refund in force of these payments. Once a refund. */
export async function mailRefunds(tx: Tx, ctx: Ctx, references: readonly string[]): Promise<void> {
  for (const reference of references) {
    const record = await readRecord(tx, ctx, reference);
    const inForce = record?.refunds.filter(({ status }) => status === "pending" || status === "processed") ?? [];
    for (const refund of inForce) if (record) await mailRefund(tx, ctx, record, refund);
  }
}

async function readRecord(tx: Tx, ctx: Ctx, reference: string): Promise<TransactionRecord | null> {
  const transaction = await findByReference(tx, reference);
  return transaction && recordOf(tx, ctx, transaction);
}

const addressOf = ({ transaction, customer }: TransactionRecord): string | null =>
  transaction.payerEmail ?? customer?.email ?? null;

async function mailReceipt(tx: Tx, ctx: Ctx, record: TransactionRecord): Promise<void> {
  const { transaction } = record;
  const { reference, amount, currency, description, paidAt, gatewayType, paymentLinkId } = transaction;
  if (!paidAt) return;
  const invoice = transaction.invoiceId && (await findInvoice(tx, transaction.invoiceId));
  await mailFromMerchant(tx, ctx, {
    to: addressOf(record),
    kind: "receipt",
    dedupeKey: `receipt:${reference}`,
    write: (brand) =>
      receiptMail({
        brand,
        amount,
        currency,
        title: description ?? reference,
        reference,
        paidAt,
        method: isTransfer(gatewayType) ? "Bank transfer" : null,
        invoice: invoice
          ? { number: invoice.number, balance: invoice.status === "cancelled" ? ZERO : amountDue(invoice) }
          : null,
        url: paymentLinkId ? `${hostedUrl(ctx, "pay", paymentLinkId)}/result/${reference}` : null,
      }),
  });
}

async function mailRefund(tx: Tx, ctx: Ctx, record: TransactionRecord, refund: Refund): Promise<void> {
  const { transaction, refunds } = record;
  const { reference, description, amount } = transaction;
  const { refundNumber, createdAt, reason, method, currency } = refund;
  const later = refunds.filter(({ id, status }) => id > refund.id && status !== "failed");
  await mailFromMerchant(tx, ctx, {
    to: addressOf(record),
    kind: "refund",
    dedupeKey: `refund:${refundNumber}`,
    write: (brand) =>
      refundMail({
        brand,
        amount: refund.amount,
        currency,
        payment: { title: description ?? reference, reference, amount },
        refundedInAll: subtract(refundedAmount(refunds), refundedAmount(later)),
        refundNumber,
        refundedAt: createdAt,
        reason,
        method,
      }),
  });
}
