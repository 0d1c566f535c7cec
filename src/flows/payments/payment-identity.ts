import type { PaymentIdentity } from "../../gateways/contract.ts";
import type { Transaction } from "../../modules/payments/types.ts";

/** What identifies a payment to its gateway. */
export const identityOf = (transaction: Transaction): PaymentIdentity => ({
  reference: transaction.reference,
  checkoutRef: transaction.checkoutRef,
  providerRef: transaction.providerRef,
  amount: transaction.amount,
  currency: transaction.currency,
  startedAt: transaction.createdAt,
});
