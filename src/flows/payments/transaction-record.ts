import { assert } from "../../kernel/assert.ts";
import { addDays, type CalendarDay, startOfDay } from "../../kernel/time.ts";
import { statusOnTransaction } from "../../modules/invoices/rules.ts";
import { invoicesByIds } from "../../modules/invoices/store/invoices.ts";
import { debitSpan } from "../../modules/payments/rules.ts";
import type { TransactionSpans } from "../../modules/payments/store/list.ts";
import { customersOfTransactions } from "../../modules/payments/store/payments.ts";
import type { PaidInvoice, Transaction, TransactionRecord } from "../../modules/payments/types.ts";
import { refundsOf } from "../../modules/refunds/store.ts";
import { reversalsOf } from "../../modules/reversals/store.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";

/**
 * A transaction with its refunds, reversals, invoice and customer: all that the API and the events show of it
 * (interface 2.7).
 */
export async function recordOf(tx: Tx, ctx: Pick<Ctx, "now">, transaction: Transaction): Promise<TransactionRecord> {
  const [record] = await recordsWithCustomers(tx, ctx, [transaction]);
  assert(record, "a transaction has a record");
  return record;
}

/** Like `recordOf`, for several, in order. */
export async function recordsWithCustomers(
  tx: Tx,
  ctx: Pick<Ctx, "now">,
  transactions: readonly Transaction[],
): Promise<TransactionRecord[]> {
  const [records, customers] = await Promise.all([
    recordsOf(tx, ctx, transactions),
    customersOfTransactions(tx, transactions),
  ]);
  return records.map((record) => {
    const { customerId } = record.transaction;
    return { ...record, customer: customerId && (customers.get(customerId) ?? null) };
  });
}

/** Like `recordOf`, for a list and without customers. */
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

/** The filters of the list and the export of payments, as times; days are South African and inclusive. */
export const transactionSpans = (
  { now }: Ctx,
  asked: {
    readonly risk?: Parameters<typeof debitSpan>[0] | undefined;
    readonly paidFrom?: CalendarDay | undefined;
    readonly paidTo?: CalendarDay | undefined;
  },
): TransactionSpans => ({
  debits: asked.risk === undefined ? null : debitSpan(asked.risk, now),
  paid: {
    from: asked.paidFrom && startOfDay(asked.paidFrom),
    until: asked.paidTo && startOfDay(addDays(asked.paidTo, 1)),
  },
});
