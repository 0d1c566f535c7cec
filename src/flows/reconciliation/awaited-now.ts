import { moneyHeld } from "../../modules/overview/store.ts";
import { type AwaitedPayment, type AwaitedQuery, awaitedPayments } from "../../modules/reconciliation/store/awaited.ts";
import type { Tx } from "../../platform/database.ts";

/**
 * The payments whose money is still to be seen in the bank, oldest first (interface 14.5). A gateway pays debits out
 * together, and no statement names them then: once it holds nothing any more, none of its debits is awaited.
 */
export async function awaitedNow(tx: Tx, query: Omit<AwaitedQuery, "debitsAt">): Promise<AwaitedPayment[]> {
  const held = await moneyHeld(tx);
  const debitsAt = held.flatMap(({ account, amount, gatewayAccountId }) =>
    account === "gateway_clearing" && amount > 0 && gatewayAccountId !== null ? [gatewayAccountId] : [],
  );
  return awaitedPayments(tx, { ...query, debitsAt });
}
