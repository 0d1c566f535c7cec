import { customerOf } from "../../modules/payments/store.ts";
import type { Transaction, TransactionRecord } from "../../modules/payments/types.ts";
import { refundsOf } from "../../modules/refunds/store.ts";
import type { Tx } from "../../platform/database.ts";

/** A transaction with its refunds and customer: all that its object and its events show (spec 2.7). */
export async function recordOf(tx: Tx, transaction: Transaction): Promise<TransactionRecord> {
  const [refunds, customer] = await Promise.all([refundsOf(tx, [transaction.id]), customerOf(tx, transaction)]);
  return { transaction, refunds, customer };
}
