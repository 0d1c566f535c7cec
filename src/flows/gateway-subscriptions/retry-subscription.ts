import { accountCapabilities } from "../../gateways/capabilities.ts";
import type { PaymentFact } from "../../gateways/facts.ts";
import { assert } from "../../kernel/assert.ts";
import { ApiError, invalidField, notFound } from "../../kernel/errors.ts";
import { type Cents, formatMoney } from "../../kernel/money.ts";
import type { Instant } from "../../kernel/time.ts";
import {
  CARD_TOKEN_COLUMN,
  findGatewaySubscription,
  insertRetry,
  latestMissedCharge,
  lockGatewaySubscription,
  type MissedCharge,
  openRetryLinks,
  wasBeingRetried,
} from "../../modules/gateway-subscriptions/store.ts";
import type { GatewaySubscription } from "../../modules/gateway-subscriptions/types.ts";
import { deactivatePaymentLink, findPaymentLink } from "../../modules/payment-links/store.ts";
import { findTransaction } from "../../modules/payments/store/payments.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import type { Tx } from "../../platform/database.ts";
import { newId } from "../../platform/new-id.ts";
import type { Ctx } from "../context.ts";
import { credentialsOf, type Gateway, gatewayCallOf, minimumAmount, notifyUrlOf } from "../gateways/accounts.ts";
import { askGateway, type Unclear } from "../gateways/ask-gateway.ts";
import { answerAbout, identityOf } from "../gateways/payment-identity.ts";
import { settlePayment } from "../payments/settle-payment.ts";
import { recordAttempt } from "../payments/start-payment.ts";
import type { Services } from "../services.ts";
import { gatewayOfSubscription, subscriptionCall } from "./gateway-of-subscription.ts";
import { type MailedLink, mailLink, makeSubscriptionLink } from "./mailed-link.ts";

/** A recorded retry: a payment that the gateway is asked to make, or a link that was mailed. */
export interface RecordedRetry {
  readonly subscription: GatewaySubscription;
  readonly amount: Cents;
  readonly charge: Transaction | null;
  readonly mailed: MailedLink | null;
}

/** A request to collect a subscription now. */
export interface AskedRetry {
  /** Null for the missed charge's amount, or the subscription's. */
  readonly amount: Cents | null;
  /** When the request arrived, by the machine's clock. */
  readonly receivedAt: Instant;
}

/**
 * Records an immediate collection of a subscription (interface 4.7, retry): of its latest missed charge that has not
 * been collected since, or of `amount` cents. Several simultaneous requests collect once
 * (decisions.md#retries-collect-once). Locks the subscription. Throws 404; 409 `nothing_to_retry`, `invalid_state` for
 * a subscription that has not begun or is cancelled, and `invoice_linked` for another amount than the invoice's.
 */
export async function recordRetry(
  tx: Tx,
  ctx: Ctx,
  id: string,
  { amount: asked, receivedAt }: AskedRetry,
): Promise<RecordedRetry> {
  const subscription = await lockGatewaySubscription(tx, id);
  if (!subscription) throw notFound("subscription");
  const gateway = await gatewayOfSubscription(tx, subscription);
  if (!gateway || subscription.status === "cancelled")
    throw new ApiError("invalid_state", 409, `A ${subscription.status} subscription cannot be collected.`);
  const [missed, running] = await Promise.all([
    latestMissedCharge(tx, subscription.id),
    wasBeingRetried(tx, subscription.id, receivedAt),
  ]);
  const amount = amountOf(subscription, missed, asked);
  if (running) throw nothing("The subscription is being collected by another request.");
  const about = { subscription, gateway, missed, amount };
  return canCharge(ctx, subscription, gateway) ? chargeCard(tx, ctx, about) : mailRetry(tx, ctx, about);
}

const nothing = (message: string): ApiError => new ApiError("nothing_to_retry", 409, message);

function amountOf(subscription: GatewaySubscription, missed: MissedCharge | null, asked: Cents | null): Cents {
  const { invoiceId, amount, currency, missedCharges } = subscription;
  if (invoiceId !== null) {
    if (!missed) throw nothing("No charge of this subscription was missed and not collected since.");
    if (asked !== null && asked !== amount)
      throw new ApiError("invoice_linked", 409, `It collects the invoice's total, ${formatMoney(amount, currency)}.`);
    return amount;
  }
  if (asked !== null) return asked;
  if (missed) return missed.amount;
  if (missedCharges > 0) throw nothing("Every missed charge was collected. Send an amount to collect one now.");
  return amount;
}

function canCharge(ctx: Ctx, { card }: GatewaySubscription, { account, adapter }: Gateway): boolean {
  return (
    card !== null &&
    account.enabled &&
    adapter.storedCards?.brands.includes(card.brand) === true &&
    accountCapabilities(adapter, credentialsOf(ctx, account)).includes("chargeStoredCard")
  );
}

interface AboutRetry {
  readonly subscription: GatewaySubscription;
  readonly gateway: Gateway;
  readonly missed: MissedCharge | null;
  readonly amount: Cents;
}

function chargeCard(tx: Tx, ctx: Ctx, { subscription, gateway, missed, amount }: AboutRetry): RecordedRetry {
  const charge = recordAttempt(tx, ctx, gateway, {
    amount,
    currency: subscription.currency,
    type: "recurring",
    description: subscription.description,
    payerEmail: subscription.payerEmail,
    customerId: subscription.customerId,
    externalReference: subscription.externalReference,
    metadata: subscription.metadata,
    renewal: true,
    parentReference: subscription.firstReference,
    subscriptionId: subscription.id,
  });
  const retry = { subscriptionId: subscription.id, missedReference: missed?.reference ?? null, createdAt: ctx.now };
  insertRetry(tx, { ...retry, id: newId("gsr"), paymentLinkId: null, reference: charge.reference });
  return { subscription, amount, charge, mailed: null };
}

/** Mails the same link again while it is unpaid and the amount is the same; a link for another amount ends. */
async function mailRetry(
  tx: Tx,
  ctx: Ctx,
  { subscription, gateway, missed, amount }: AboutRetry,
): Promise<RecordedRetry> {
  const minimum = minimumAmount(gateway, subscription.currency);
  if (minimum !== null && amount < minimum)
    throw invalidField(["amount"], `The gateway takes at least ${formatMoney(minimum, subscription.currency)}.`);
  const missedReference = missed?.reference ?? null;
  for (const linkId of await openRetryLinks(tx, subscription.id, missedReference)) {
    const link = await findPaymentLink(tx, linkId);
    if (!link?.active || link.paidCount > 0) continue;
    if (link.amount === amount)
      return { subscription, amount, charge: null, mailed: await mailLink(tx, ctx, subscription, link) };
    deactivatePaymentLink(tx, link.id);
  }
  const link = await makeSubscriptionLink(tx, ctx, subscription, { amount, recurring: false });
  const retry = { subscriptionId: subscription.id, missedReference, createdAt: ctx.now };
  insertRetry(tx, { ...retry, id: newId("gsr"), paymentLinkId: link.id, reference: null });
  return { subscription, amount, charge: null, mailed: await mailLink(tx, ctx, subscription, link) };
}

/**
 * Asks the gateway to charge the stored card, outside of any transaction. With `again`, an earlier request may have
 * been sent: the gateway is first queried about the charge. Null when the payment has ended.
 */
export async function askForRetry(
  services: Services,
  ctx: Ctx,
  transactionId: string,
  again: boolean,
): Promise<PaymentFact | Unclear | null> {
  const transaction = await services.db.read(ctx.organisation.id, (tx) => findTransaction(tx, transactionId));
  if (transaction?.status !== "pending" || transaction.subscriptionId === null) return null;
  const found = await subscriptionCall(services, ctx, transaction.subscriptionId);
  const ability = found?.gateway.adapter.storedCards;
  const card = found?.subscription.card;
  if (!ability || !card) return null;
  const { account } = found.gateway;
  const { reference, amount, currency, description, payerEmail } = transaction;
  const call = gatewayCallOf(services, ctx.organisation, account, ctx.now);
  const token = ctx.secrets.open(card.tokenSealed, { organisation: ctx.organisation.id, column: CARD_TOKEN_COLUMN });
  return askGateway(services, { payment: reference, gateway: account.id }, async () => {
    const payment = identityOf(transaction);
    const known = again ? await ability.query(payment, call) : null;
    if (known !== null && known !== "repeatable") return answerAbout(payment, known);
    const payer = { email: payerEmail, firstName: null, lastName: null, phone: null };
    const asked = { reference, amount, currency, description: description ?? reference, payer };
    const stored = { token, brand: card.brand, last4: card.last4 };
    const fact = await ability.charge({ ...asked, card: stored, notifyUrl: notifyUrlOf(ctx, account) }, call);
    return answerAbout(payment, fact);
  });
}

/**
 * Applies the gateway's answer to a retry; while it is unclear, the payment stays pending and due work asks about it.
 */
export async function settleRetry(
  tx: Tx,
  ctx: Ctx,
  transactionId: string,
  answer: PaymentFact | Unclear | null,
): Promise<RecordedRetry> {
  const before = await findTransaction(tx, transactionId);
  assert(before?.subscriptionId, "a recorded retry stays");
  const reportedBy = { accountId: before.gatewayAccountId, source: "query" } as const;
  if (answer !== null && answer !== "unclear") await settlePayment(tx, ctx, reportedBy, answer);
  const [charge, subscription] = await Promise.all([
    findTransaction(tx, transactionId),
    findGatewaySubscription(tx, before.subscriptionId),
  ]);
  assert(charge && subscription, "a recorded retry stays");
  return { subscription, amount: charge.amount, charge, mailed: null };
}
