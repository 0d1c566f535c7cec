import { lockCustomerBalance } from "../../modules/books/store.ts";
import { isSettledInSets } from "../../modules/payments/rules.ts";
import type { Ctx } from "../context.ts";
import type { Purpose } from "./purpose.ts";

/**
 * A payment of a known customer without an invoice is posted to that customer. Locks the customer's balance, before the link and
 * the payment, where the payment may change it.
 */
export const payerPurpose: Purpose = {
  locks: "customer balance",
  async lock(tx, _ctx, payment, move) {
    const { customerId, invoiceId, currency } = payment;
    const owesAsBefore = move === "failed" || move === "cancelled" || (move !== "refunded" && isSettledInSets(payment));
    if (customerId && !invoiceId && !owesAsBefore) lockCustomerBalance(tx, customerId, currency);
    return null;
  },
};
