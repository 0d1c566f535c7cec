import type { PaymentIdentity } from "../../gateways/contract.ts";
import type { PaymentFact } from "../../gateways/facts.ts";
import { GatewayUnclear } from "../../gateways/http.ts";
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

/**
 * The gateway's answer about this payment, under our reference. Throws `GatewayUnclear` when it names another payment.
 * For a collection that it made by itself, the gateway may have its own reference; its id then identifies the
 * collection.
 */
export function answerAbout({ reference, providerRef }: PaymentIdentity, answer: PaymentFact): PaymentFact {
  const byReference = answer.reference === null || answer.reference === reference;
  const byId = providerRef !== null && answer.providerRef === providerRef;
  if (!byReference && !byId) throw new GatewayUnclear("The gateway answered about another payment.");
  return { ...answer, reference };
}
