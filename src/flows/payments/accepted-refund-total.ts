import { isBooked } from "../../domain/refunds.ts";
import type { Cents } from "../../kernel/money.ts";
import { refundedAmount } from "../../modules/payments/rules.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import { refundsOf } from "../../modules/refunds/store.ts";
import type { Tx } from "../../platform/database.ts";

/** The total of the payment's refunds that are pending or processed. */
export async function acceptedRefundTotal(tx: Tx, transaction: Transaction): Promise<Cents> {
  const refunds = await refundsOf(tx, [transaction.id]);
  return refundedAmount(refunds.filter(isBooked));
}
