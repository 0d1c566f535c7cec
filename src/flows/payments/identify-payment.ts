import type { PaymentFact } from "../../gateways/facts.ts";
import { findByProviderRef, findByReference } from "../../modules/payments/store.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import type { Tx } from "../../platform/database.ts";

/** One way to find the payment that a gateway account reports on; null: not found this way. */
type Identify = (tx: Tx, accountId: string, fact: PaymentFact) => Promise<Transaction | null>;

const byReference: Identify = async (tx, _accountId, fact) => {
  const payment = fact.reference === null ? null : await findByReference(tx, fact.reference);
  return payment && isLaterCollection(payment, fact) ? null : payment;
};

/** A gateway that collects again by itself may repeat the reference of the first payment; its own id then differs. */
const isLaterCollection = (payment: Transaction, { subscription, providerRef }: PaymentFact): boolean =>
  subscription !== null &&
  payment.paidAt !== null &&
  payment.providerRef !== null &&
  providerRef !== null &&
  providerRef !== payment.providerRef;

/** A reference that nobody here has given contradicts the id, unless a subscription's gateway made it up for a collection of its own. */
const byGatewayId: Identify = async (tx, accountId, { reference, providerRef, subscription }) =>
  providerRef !== null && (reference === null || subscription !== null)
    ? findByProviderRef(tx, accountId, providerRef)
    : null;

/** In the order in which they are tried. */
const WAYS: readonly Identify[] = [byReference, byGatewayId];

/** The payment that a fact is about: by our reference, else by the gateway's own id of it. Null when it is none of ours. Locks nothing. */
export async function identifyPayment(tx: Tx, accountId: string, fact: PaymentFact): Promise<Transaction | null> {
  for (const identify of WAYS) {
    const payment = await identify(tx, accountId, fact);
    if (payment) return payment;
  }
  return null;
}
