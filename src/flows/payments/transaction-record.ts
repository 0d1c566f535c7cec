import { statusOnTransaction } from "../../modules/invoices/rules.ts";
import { invoicesByIds } from "../../modules/invoices/store.ts";
import { customerOfTransaction } from "../../modules/payments/store.ts";
import type { PaidInvoice, Transaction, TransactionRecord } from "../../modules/payments/types.ts";
import { refundsOf } from "../../modules/refunds/store.ts";
import { reversalsOf } from "../../modules/reversals/store.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";

/** A transaction with its refunds, reversals, invoice and customer: all that the API and the events show of it (interface 2.7). */
export async function recordOf(tx: Tx, ctx: Pick<Ctx, "now">, transaction: Transaction): Promise<TransactionRecord> {
  const [[shown], customer] = await Promise.all([
    recordsOf(tx, ctx, [transaction]),
    customerOfTransaction(tx, transaction),
  ]);
  const { refunds, reversals, invoice } = shown ?? { refunds: [], reversals: [], invoice: null };
  return { transaction, refunds, reversals, invoice, customer };
}

/** As `recordOf`, for a list and without customers. */
export async function recordsOf(
  tx: Tx,
  { now }: Pick<Ctx, "now">,
  transactions: readonly Transaction[],
): Promise<Omit<TransactionRecord, "customer">[]> {
  const ids = transactions.map(({ id }) => id);
  const [refunds, reversals, invoices] = await Promise.all([
    refundsOf(tx, ids),
    reversalsOf(tx, ids),
    invoicesByIds(
      tx,
      transactions.flatMap(({ invoiceId }) => invoiceId ?? []),
    ),
  ]);
  const refundsByPayment = Map.groupBy(refunds, ({ transactionId }) => transactionId);
  const reversalsByPayment = Map.groupBy(reversals, ({ transactionId }) => transactionId);
  return transactions.map((transaction) => {
    const paid = transaction.invoiceId === null ? null : invoices.get(transaction.invoiceId);
    const invoice: PaidInvoice | null = paid
      ? {
          id: paid.id,
          number: paid.number,
          status: statusOnTransaction(paid, now),
          externalReference: paid.externalReference,
        }
      : null;
    const { id } = transaction;
    return {
      transaction,
      refunds: refundsByPayment.get(id) ?? [],
      reversals: reversalsByPayment.get(id) ?? [],
      invoice,
    };
  });
}
