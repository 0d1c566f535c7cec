import type { PaymentFact } from "../../gateways/facts.ts";
import { newId } from "../../kernel/ids.ts";
import { findGatewayAccount } from "../../modules/gateway-accounts/store.ts";
import { amountOfCollection, collectionReference } from "../../modules/gateway-subscriptions/rules.ts";
import { findGatewaySubscriptionByKey } from "../../modules/gateway-subscriptions/store.ts";
import { PAYMENT_CHECK } from "../../modules/payments/declarations.ts";
import { newTransaction, nextCheck } from "../../modules/payments/rules.ts";
import { insertTransaction } from "../../modules/payments/store.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import type { Tx } from "../../platform/database.ts";
import { enqueue } from "../../platform/due-work.ts";
import type { Ctx } from "../context.ts";
import { isSandboxPayment } from "../gateways/accounts.ts";

/**
 * Records the payment of a collection that a gateway has made by itself, when it reports one of a known subscription and no payment has the
 * gateway's id of it (interface 2.2). Null when the subscription is not known. The caller has locked the subscription's key, and has searched for
 * the payment.
 */
export async function recordCollection(
  tx: Tx,
  ctx: Ctx,
  accountId: string,
  { subscription: link, providerRef, payerEmail, amount, occurredAt }: PaymentFact,
): Promise<Transaction | null> {
  if (link === null || providerRef === null) return null;
  const [subscription, account] = await Promise.all([
    findGatewaySubscriptionByKey(tx, accountId, link.key),
    findGatewayAccount(tx, accountId),
  ]);
  if (!subscription?.firstReference || !account) return null;
  const transaction = newTransaction({
    id: newId("txn"),
    reference: collectionReference(subscription.firstReference, providerRef),
    amount: amountOfCollection(subscription, { amount, at: occurredAt ?? ctx.now }),
    currency: subscription.currency,
    type: "recurring",
    gatewayAccountId: account.id,
    gatewayType: account.type,
    sandbox: isSandboxPayment(ctx.organisation, account),
    description: subscription.description,
    providerRef,
    payerEmail: payerEmail ?? subscription.payerEmail,
    customerId: subscription.customerId,
    externalReference: subscription.externalReference,
    metadata: subscription.metadata,
    renewal: true,
    parentReference: subscription.firstReference,
    subscriptionId: subscription.id,
    createdAt: ctx.now,
  });
  insertTransaction(tx, transaction);
  enqueue(tx, PAYMENT_CHECK, transaction.id, nextCheck(ctx.now, ctx.now));
  return transaction;
}
