import type { PaidFact } from "../../gateways/facts.ts";
import { SUBSCRIPTION_BEGIN, SUBSCRIPTION_END } from "../../modules/gateway-subscriptions/declarations.ts";
import {
  CARD_TOKEN_COLUMN,
  HANDLE_COLUMN,
  insertGatewaySubscription,
} from "../../modules/gateway-subscriptions/store.ts";
import type { GatewaySubscription } from "../../modules/gateway-subscriptions/types.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import type { Tx } from "../../platform/database.ts";
import { enqueue } from "../../platform/due-work.ts";
import { newId } from "../../platform/new-id.ts";
import type { Ctx } from "../context.ts";
import { SUBSCRIPTION_ACTIVATED, SUBSCRIPTION_CANCELLED } from "../customer-subscriptions/declarations.ts";
import { appendGatewaySubscriptionEvent, expectRenewal } from "./save-subscription.ts";

/** The data that a subscription takes from its first payment and that payment's report. */
export function begunBy(
  { organisation, now, secrets }: Ctx,
  payment: Transaction,
  { subscription: link, card, occurredAt }: PaidFact,
): Pick<
  GatewaySubscription,
  | "gatewayAccountId"
  | "gatewayType"
  | "firstReference"
  | "linkKey"
  | "handleSealed"
  | "card"
  | "payerEmail"
  | "nextChargeOn"
  | "paused"
  | "pastDue"
> {
  const seal = (text: string, column: string) => secrets.seal(text, { organisation: organisation.id, column });
  const asOf = occurredAt ?? now;
  return {
    gatewayAccountId: payment.gatewayAccountId,
    gatewayType: payment.gatewayType,
    firstReference: payment.reference,
    linkKey: link?.key ?? null,
    handleSealed: link && link.handle !== null ? seal(link.handle, HANDLE_COLUMN) : null,
    card: card?.token
      ? { tokenSealed: seal(card.token, CARD_TOKEN_COLUMN), brand: card.brand, last4: card.last4 }
      : null,
    payerEmail: payment.payerEmail,
    nextChargeOn: link?.nextChargeOn ?? null,
    paused: { value: false, asOf },
    pastDue: { value: false, asOf },
  };
}

/** The terms of a new subscription, from a recurring link or from the checkout of a recurring product. */
export interface SubscriptionTerms
  extends Pick<
    GatewaySubscription,
    "frequency" | "amount" | "paymentLinkId" | "invoiceId" | "externalReference" | "metadata"
  > {
  readonly title: string;
}

/**
 * Starts a subscription by its first payment, in the transaction that completes the payment. With `isSecond` it is
 * cancelled at once (interface 4.7, decisions.md#two-payments-begin-one-subscription).
 */
export function beginSubscription(
  tx: Tx,
  ctx: Ctx,
  { terms, isSecond }: { readonly terms: SubscriptionTerms; readonly isSecond: boolean },
  payment: Transaction,
  fact: PaidFact,
): GatewaySubscription {
  const subscription: GatewaySubscription = {
    ...begunBy(ctx, payment, fact),
    id: newId("gsub"),
    status: isSecond ? "cancelled" : "active",
    frequency: terms.frequency,
    amount: terms.amount,
    otherAmount: null,
    currency: payment.currency,
    paymentLinkId: terms.paymentLinkId,
    customerId: payment.customerId,
    invoiceId: terms.invoiceId,
    description: terms.title,
    externalReference: terms.externalReference,
    metadata: terms.metadata,
    missedCharges: 0,
    replacedById: null,
    flags: [],
    createdAt: ctx.now,
    updatedAt: ctx.now,
  };
  insertGatewaySubscription(tx, subscription);
  expectRenewal(tx, subscription);
  appendGatewaySubscriptionEvent(tx, ctx, isSecond ? SUBSCRIPTION_CANCELLED : SUBSCRIPTION_ACTIVATED, subscription);
  askGatewayOf(tx, ctx, subscription, fact);
  return subscription;
}

/**
 * Enqueues the work that starts the subscription at its gateway where that is needed, or that ends a subscription which
 * is cancelled at once.
 */
export function askGatewayOf(
  tx: Tx,
  { now }: Ctx,
  { id, status }: Pick<GatewaySubscription, "id" | "status">,
  { subscription }: PaidFact,
): void {
  const begun = subscription?.mustBegin !== true;
  if (status !== "cancelled" && !begun) enqueue(tx, SUBSCRIPTION_BEGIN, id, now);
  if (status === "cancelled" && begun) enqueue(tx, SUBSCRIPTION_END, id, now);
}
