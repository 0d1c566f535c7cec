import { subtract, ZERO } from "../../kernel/money.ts";
import type { Refund } from "../../kernel/refund.ts";
import { receiptMail } from "../../modules/emails/templates/receipt.ts";
import { refundMail } from "../../modules/emails/templates/refund.ts";
import { amountDue } from "../../modules/invoices/rules.ts";
import { findInvoice } from "../../modules/invoices/store.ts";
import type { Settings } from "../../modules/organisations/schema.ts";
import { refundedAmount } from "../../modules/payments/rules.ts";
import { findByReference } from "../../modules/payments/store.ts";
import type { TransactionRecord } from "../../modules/payments/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { hostedUrl } from "../hosted-links.ts";
import { currentSettings } from "../organisations/settings.ts";
import { recordOf } from "../payments/transaction-record.ts";
import type { Services } from "../services.ts";
import { fromMerchant, mailBrandOf } from "./mail-brand.ts";
import { recordMail } from "./record-mail.ts";
import { alertOverpaid } from "./staff-alerts.ts";

/** What follows in the post from completed payments: a receipt to the payer, a word to staff about too much. Once a payment. */
export async function mailReceipts(tx: Tx, ctx: Ctx, references: readonly string[], services: Services): Promise<void> {
  const settings = await currentSettings(tx);
  for (const reference of references) {
    const record = await readRecord(tx, ctx, reference);
    if (!record) continue;
    if (record.transaction.flags.includes("overpaid")) await alertOverpaid(tx, ctx, services, record.transaction);
    if (settings.receipts) await mailReceipt(tx, ctx, services, settings, record);
  }
}

/** A word to the payer about every refund in force of these payments. Once a refund. */
export async function mailRefunds(tx: Tx, ctx: Ctx, references: readonly string[], services: Services): Promise<void> {
  const settings = await currentSettings(tx);
  for (const reference of references) {
    const record = await readRecord(tx, ctx, reference);
    const inForce = record?.refunds.filter(({ status }) => status === "pending" || status === "processed") ?? [];
    for (const refund of inForce) if (record) mailRefund(tx, ctx, services, settings, record, refund);
  }
}

async function readRecord(tx: Tx, ctx: Ctx, reference: string): Promise<TransactionRecord | null> {
  const transaction = await findByReference(tx, reference);
  return transaction && recordOf(tx, ctx, transaction);
}

const addressOf = ({ transaction, customer }: TransactionRecord): string | null =>
  transaction.payerEmail ?? customer?.email ?? null;

async function mailReceipt(
  tx: Tx,
  ctx: Ctx,
  services: Services,
  settings: Settings,
  record: TransactionRecord,
): Promise<void> {
  const { transaction } = record;
  const to = addressOf(record);
  if (!to || !transaction.paidAt) return;
  const invoice = transaction.invoiceId && (await findInvoice(tx, transaction.invoiceId));
  const brand = mailBrandOf(ctx.organisation, settings);
  const mail = receiptMail({
    brand,
    amount: transaction.amount,
    currency: transaction.currency,
    title: transaction.description ?? transaction.reference,
    reference: transaction.reference,
    paidAt: transaction.paidAt,
    method: transaction.gatewayType === "manual_eft" ? "Bank transfer" : null,
    invoice: invoice
      ? { number: invoice.number, balance: invoice.status === "cancelled" ? ZERO : amountDue(invoice) }
      : null,
    url: transaction.paymentLinkId
      ? `${hostedUrl(services, ctx.organisation, "pay", transaction.paymentLinkId)}/result/${transaction.reference}`
      : null,
  });
  recordMail(
    tx,
    ctx,
    services,
    { dedupeKey: `receipt:${transaction.reference}`, kind: "receipt", ...fromMerchant(brand, settings, to) },
    mail,
  );
}

function mailRefund(
  tx: Tx,
  ctx: Ctx,
  services: Services,
  settings: Settings,
  record: TransactionRecord,
  refund: Refund,
): void {
  const { transaction, refunds } = record;
  const to = addressOf(record);
  if (!to) return;
  const brand = mailBrandOf(ctx.organisation, settings);
  const later = refunds.filter(({ id, status }) => id > refund.id && status !== "failed");
  const mail = refundMail({
    brand,
    amount: refund.amount,
    currency: refund.currency,
    payment: {
      title: transaction.description ?? transaction.reference,
      reference: transaction.reference,
      amount: transaction.amount,
    },
    refundedInAll: subtract(refundedAmount(refunds), refundedAmount(later)),
    refundNumber: refund.refundNumber,
    refundedAt: refund.createdAt,
    reason: refund.reason,
    method: refund.method,
  });
  recordMail(
    tx,
    ctx,
    services,
    { dedupeKey: `refund:${refund.refundNumber}`, kind: "refund", ...fromMerchant(brand, settings, to) },
    mail,
  );
}
