import type { PaymentFact } from "../../gateways/facts.ts";
import { ZERO } from "../../kernel/money.ts";
import { insertCardSetupPayment, setupOfPayment } from "../../modules/card-setups/store.ts";
import { findCheckoutPayment, insertCheckoutPayment } from "../../modules/checkout-sessions/store.ts";
import { collectionReference } from "../../modules/gateway-subscriptions/rules.ts";
import { findPaymentLink } from "../../modules/payment-links/store.ts";
import { findByReference, insertTransaction } from "../../modules/payments/store/payments.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import type { Tx } from "../../platform/database.ts";
import { newId } from "../../platform/new-id.ts";
import type { Ctx } from "../context.ts";

/**
 * Records the payment of a gateway's page (of a recurring link, the checkout of a recurring product or a migration)
 * that was paid a second time, such as from two tabs: the gateway names the reference of the first payment, with
 * another id and another subscription (decisions.md#two-payments-begin-one-subscription). Null for any other report.
 * The caller has locked the names of subscription and reference, and has found no payment and no subscription.
 */
export async function recordSecondPayment(
  tx: Tx,
  ctx: Ctx,
  accountId: string,
  { kind, reference, subscription, providerRef, payerEmail }: PaymentFact,
): Promise<Transaction | null> {
  if (kind !== "paid" || !subscription || providerRef === null || reference === null) return null;
  const first = await findByReference(tx, reference);
  if (first?.gatewayAccountId !== accountId) return null;
  const link = first.paymentLinkId ? await findPaymentLink(tx, first.paymentLinkId) : null;
  const [setup, checkout] = await Promise.all([setupOfPayment(tx, first.id), findCheckoutPayment(tx, first.id)]);
  const confirms = setup !== null && first.subscriptionId !== null;
  if (!confirms && !link?.recurring && !checkout?.frequency) return null;
  const transaction: Transaction = {
    ...first,
    id: newId("txn"),
    reference: collectionReference(first.reference, providerRef),
    status: "pending",
    fee: null,
    providerRef,
    payerEmail: payerEmail ?? first.payerEmail,
    // The reference of the migration, by which it is found.
    subscriptionId: confirms ? first.subscriptionId : null,
    handoffSealed: null,
    card: null,
    flags: [],
    overpaid: ZERO,
    paidAt: null,
    createdAt: ctx.now,
  };
  insertTransaction(tx, transaction);
  if (setup) insertCardSetupPayment(tx, setup, transaction.id);
  if (checkout) insertCheckoutPayment(tx, { ...checkout, transactionId: transaction.id });
  return transaction;
}
