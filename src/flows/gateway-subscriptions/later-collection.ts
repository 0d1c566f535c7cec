import type { PaymentFact } from "../../gateways/facts.ts";
import { type Cents, formatMoney } from "../../kernel/money.ts";
import { findGatewayAccount } from "../../modules/gateway-accounts/store.ts";
import { SUBSCRIPTION_PRICE } from "../../modules/gateway-subscriptions/declarations.ts";
import { amountOfCollection, collectionReference } from "../../modules/gateway-subscriptions/rules.ts";
import { findGatewaySubscription, findGatewaySubscriptionByKey } from "../../modules/gateway-subscriptions/store.ts";
import type { GatewaySubscription } from "../../modules/gateway-subscriptions/types.ts";
import { PAYMENT_CHECK } from "../../modules/payments/declarations.ts";
import { type Mismatch, newTransaction, nextCheck } from "../../modules/payments/rules.ts";
import { insertTransaction } from "../../modules/payments/store/payments.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import type { Tx } from "../../platform/database.ts";
import { enqueue } from "../../platform/due-work.ts";
import { newId } from "../../platform/new-id.ts";
import type { Ctx } from "../context.ts";
import { isSandboxPayment } from "../gateways/accounts.ts";
import type { ReportedBy } from "../payments/record-fact.ts";

/**
 * Records the payment of a collection that a gateway has made by itself, when it reports a collection of a known
 * subscription and no payment has the gateway's id of it (interface 2.2). Null for an unknown subscription. The caller
 * has locked the subscription's key, and has searched for the payment.
 */
export async function recordCollection(
  tx: Tx,
  ctx: Ctx,
  accountId: string,
  fact: PaymentFact,
): Promise<Transaction | null> {
  const { subscription: link, providerRef, payerEmail } = fact;
  if (link === null || providerRef === null) return null;
  const [subscription, account] = await Promise.all([
    findGatewaySubscriptionByKey(tx, accountId, link.key),
    findGatewayAccount(tx, accountId),
  ]);
  if (!subscription?.firstReference || !account) return null;
  const transaction = newTransaction({
    id: newId("txn"),
    reference: collectionReference(subscription.firstReference, providerRef),
    amount: reportedAmount(subscription, fact) ?? expectedAmount(subscription, fact, ctx),
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

/**
 * The amount of a collection that the gateway reports as paid or missed, in the subscription's currency and whole
 * cents; else null.
 */
const reportedAmount = (
  { currency: asked }: Pick<GatewaySubscription, "currency">,
  { kind, amount, currency, inexactAmount }: PaymentFact,
): Cents | null =>
  (kind === "paid" || kind === "declined") && currency === asked && inexactAmount === undefined && amount
    ? amount
    : null;

const expectedAmount = (
  subscription: GatewaySubscription,
  { amount, occurredAt }: PaymentFact,
  { now }: Pick<Ctx, "now">,
): Cents => amountOfCollection(subscription, { amount, at: occurredAt ?? now });

/**
 * The mismatch of a collection that a gateway made at another amount than its subscription's: staff accept it, or
 * refund it (decisions.md#renewals-at-another-amount-wait-for-staff). Asks the gateway whether the price was changed
 * there. Null for any other payment, and for one that staff settle.
 */
export async function otherRenewal(
  tx: Tx,
  ctx: Ctx,
  { source }: Pick<ReportedBy, "source">,
  payment: Transaction,
  fact: PaymentFact,
): Promise<Mismatch | null> {
  const { subscriptionId, renewal, paidAt, paymentLinkId, providerRef, reference, amount, currency } = payment;
  if (fact.kind !== "paid" || source === "staff" || paidAt !== null) return null;
  if (!renewal || subscriptionId === null || paymentLinkId !== null || providerRef === null) return null;
  const subscription = await findGatewaySubscription(tx, subscriptionId);
  // A charge of the stored card that staff requested has the amount that they entered.
  if (!subscription?.firstReference || reference !== collectionReference(subscription.firstReference, providerRef))
    return null;
  const expected = expectedAmount(subscription, fact, ctx);
  if (expected === amount) return null;
  if (subscription.status !== "cancelled") enqueue(tx, SUBSCRIPTION_PRICE, subscription.id, ctx.now);
  return { what: "renewal", expected: formatMoney(expected, currency), received: formatMoney(amount, currency) };
}
