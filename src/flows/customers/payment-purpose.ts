import { lockCustomerBalance } from "../../modules/books/store.ts";
import type { Ctx } from "../context.ts";
import type { Purpose } from "../payments/purpose.ts";

/** A payment of a known payer that is for no invoice: booked to the payer, whose balance is locked before link and payment (decision 93). */
export const payerPurpose: Purpose<Ctx> = {
  locks: "customer balance",
  async lock(tx, _ctx, { customerId, invoiceId, currency }, move) {
    if (customerId && !invoiceId && (move === "complete" || move === "refunded"))
      lockCustomerBalance(tx, customerId, currency);
    return null;
  },
};
