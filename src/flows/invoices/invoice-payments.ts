import type { Reversal } from "../../domain/reversal.ts";
import { notFound } from "../../kernel/errors.ts";
import { subtract, sum, toRand, ZERO } from "../../kernel/money.ts";
import { type Instant, toTimestamp, toTimestampOrNull } from "../../kernel/time.ts";
import { allocationsOf, findInvoice } from "../../modules/invoices/store/invoices.ts";
import type { Allocation } from "../../modules/invoices/types.ts";
import { disputableUntil, isDisputable, refundedAmount } from "../../modules/payments/rules.ts";
import { findTransactions } from "../../modules/payments/store/payments.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import { refundsOf } from "../../modules/refunds/store.ts";
import { reversalsOf } from "../../modules/reversals/store.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";

/**
 * The payments of an invoice, oldest first, how much of them can still be taken back, and what of them was refunded
 * (interface 4.5). Throws 404.
 */
export async function readInvoicePayments(tx: Tx, { now }: Ctx, id: string) {
  const invoice = await findInvoice(tx, id);
  if (!invoice) throw notFound("invoice");
  const allocations = await allocationsOf(tx, invoice.id);
  const payments = await paymentsOf(tx, allocations);
  const shown = allocations.map((allocation) => ({ allocation, ...riskOf(allocation, allocations, payments, now) }));
  const atRisk = sum(shown.map((payment) => payment.atRisk));
  const refunds = (
    await refundsOf(
      tx,
      [...payments.transactions.values()].map((one) => one.id),
    )
  ).filter(({ status }) => status !== "failed");
  return {
    amountPaid: toRand(invoice.paid),
    safe: toRand(subtract(invoice.paid, atRisk)),
    atRisk: toRand(atRisk),
    atRiskUntil:
      shown
        .flatMap((payment) => (payment.atRisk > 0 ? (payment.until ?? []) : []))
        .toSorted()
        .at(-1) ?? null,
    data: shown.map((payment) => ({
      object: "invoice_payment" as const,
      ...allocationView(payment.allocation, payment.transaction),
      atRisk: toRand(payment.atRisk),
      disputableUntil: payment.until,
    })),
    amountRefunded: toRand(refundedAmount(refunds)),
    refunds: refunds.map((refund) => ({
      refundNumber: refund.refundNumber,
      transactionReference: payments.transactions.get(refund.transactionId)?.reference ?? "",
      amount: toRand(refund.amount),
      status: refund.status === "processed" ? ("processed" as const) : ("pending" as const),
      processedAt: toTimestampOrNull(refund.processedAt),
      createdAt: toTimestamp(refund.createdAt),
    })),
  };
}

/** The transactions of an invoice's payments and the reversals of these, each by its id. */
interface Payments {
  readonly transactions: ReadonlyMap<string, Transaction>;
  readonly reversals: ReadonlyMap<string, Reversal>;
}

async function paymentsOf(tx: Tx, allocations: readonly Allocation[]): Promise<Payments> {
  const ids = allocations.flatMap((allocation) => (allocation.source === "transaction" ? allocation.subject : []));
  const transactions = await findTransactions(tx, ids);
  const reversals = await reversalsOf(tx, [...transactions.keys()]);
  return { transactions, reversals: new Map(reversals.map((reversal) => [reversal.id, reversal])) };
}

/** The transaction of a payment or of a reversal; null for a payment outside of any gateway. */
function transactionOf(allocation: Allocation, { transactions, reversals }: Payments): Transaction | null {
  if (allocation.source !== "transaction" && allocation.source !== "reversal") return null;
  const id = allocation.source === "reversal" ? reversals.get(allocation.subject)?.transactionId : allocation.subject;
  return (id !== undefined && transactions.get(id)) || null;
}

/** The amount of a payment that can still be disputed at `now`: what its reversals have left. */
function riskOf(allocation: Allocation, all: readonly Allocation[], payments: Payments, now: Instant) {
  const transaction = transactionOf(allocation, payments);
  if (allocation.source !== "transaction" || !transaction) return { transaction, until: null, atRisk: ZERO };
  const takenBack = all.filter(
    (other) => other.source === "reversal" && transactionOf(other, payments) === transaction,
  );
  const left = sum([allocation, ...takenBack].map(({ amount }) => amount));
  return { transaction, until: disputableUntil(transaction), atRisk: isDisputable(transaction, now) ? left : ZERO };
}

const allocationView = (allocation: Allocation, transaction: Transaction | null) => ({
  id: allocation.id,
  source: allocation.source,
  amount: toRand(allocation.amount),
  method: allocation.source === "offline" ? allocation.method : null,
  reference: allocation.source === "offline" ? allocation.reference : null,
  transactionReference: transaction?.reference ?? null,
  creditNoteId: allocation.source === "credit_note" ? allocation.subject : null,
  paidAt: toTimestamp(allocation.paidAt),
});
