import type { CustomerId } from "../../kernel/ids.ts";
import type { Cents } from "../../kernel/money.ts";
import { findInvoice } from "../../modules/invoices/store.ts";
import { refundedAmount } from "../../modules/payments/rules.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import { refundsOf } from "../../modules/refunds/store.ts";
import type { Tx } from "../../platform/database.ts";

/** What accepted refunds have given back. */
export async function refundedInForce(tx: Tx, transaction: Transaction): Promise<Cents> {
  const refunds = await refundsOf(tx, [transaction.id]);
  return refundedAmount(refunds.filter((refund) => refund.status === "pending" || refund.status === "processed"));
}

/** Whose account a payment is on: its invoice's customer, whoever paid; else the payer. */
export async function accountOf(tx: Tx, { invoiceId, customerId }: Transaction): Promise<CustomerId | null> {
  const invoice = invoiceId && (await findInvoice(tx, invoiceId));
  return invoice ? invoice.customer.id : customerId;
}
