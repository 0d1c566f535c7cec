import { lockCustomerBalance } from "../../modules/books/store.ts";
import type { Ctx } from "../context.ts";
import type { Purpose } from "../payments/purpose.ts";

/**
 * A payment of a known customer without an invoice is posted to that customer. Locks the customer's balance, before the link and
 * the payment.
 */
export const payerPurpose: Purpose<Ctx> = {
  locks: "customer balance",
  async lock(tx, _ctx, { customerId, invoiceId, currency }, move) {
    if (customerId && !invoiceId && move !== "failed" && move !== "cancelled")
      lockCustomerBalance(tx, customerId, currency);
    return null;
  },
};
