import { isOpen } from "../../domain/invoices.ts";
import { ApiError, invalidField } from "../../kernel/errors.ts";
import { calendarDay } from "../../kernel/time.ts";
import { lockCards } from "../../modules/cards/store.ts";
import type { Card } from "../../modules/cards/types.ts";
import type { PaymentMethodBody } from "../../modules/customer-subscriptions/schema/payment-method.ts";
import { awaitedOf } from "../../modules/customer-subscriptions/states.ts";
import {
  findCustomerSubscription,
  lockCustomerSubscription,
  saveCustomerSubscription,
} from "../../modules/customer-subscriptions/store/subscriptions.ts";
import type { ShownSubscription } from "../../modules/customer-subscriptions/types.ts";
import { heldBackOf } from "../../modules/debit-batches/store/held.ts";
import { listGatewayAccounts } from "../../modules/gateway-accounts/store.ts";
import { MANDATE_CURRENCY, whyNotCollecting } from "../../modules/mandates/rules.ts";
import { lockMandates, mandatesOfSubscription, updateMandate } from "../../modules/mandates/store.ts";
import type { Mandate } from "../../modules/mandates/types.ts";
import type { Tx } from "../../platform/database.ts";
import { type Ctx, requireFeature } from "../context.ts";
import {
  type Acted,
  lockForAction,
  requireCollected,
  requireNotEnded,
  requireSubscription,
} from "../customer-subscriptions/act-on-subscription.ts";
import { appendSubscriptionEvent } from "../customer-subscriptions/apply-outcome.ts";
import { gatherNow } from "../customer-subscriptions/begin-collecting.ts";
import { subscriptionCard } from "../customer-subscriptions/collecting-card.ts";
import { SUBSCRIPTION_PAST_DUE, SUBSCRIPTION_UPDATED } from "../customer-subscriptions/declarations.ts";
import { type HandedInvoice, handOver } from "../dunning/hand-over.ts";
import { chargeableNow } from "../gateways/card-gateways.ts";
import { currentSettings } from "../organisations/settings.ts";
import { patchMandate } from "./change-mandate.ts";
import { expectMissed } from "./expect-missed.ts";

/** A change of the payment method, and what follows from it. */
export interface ChangedMethod extends Acted {
  /** The open invoices of the subscription, oldest first, and what is done about each from now on. */
  readonly invoices: readonly HandedInvoice[];
  /** Mandates that collected it until now, and are paused. */
  readonly paused: readonly Mandate[];
  /** The mandate that collects it from now on, as it was before; null without one. */
  readonly mandate: Mandate | null;
}

/** What the subscription is collected with from now on. */
type Chosen =
  | { readonly method: "gateway"; readonly card: Card }
  | { readonly method: "debit_order"; readonly mandate: Mandate | null }
  | { readonly method: "invoice" };

/**
 * Collects a subscription from another saved card, by a mandate, or by mailed invoice from now on (interface 4.8,
 * payment-method). What is under way at a gateway or in a batch that was sent is left alone; every later attempt is made
 * with the new method (`handOver`). Mandates that collected it and do not any more are paused, so that they do not debit
 * their own amount instead. The same method again changes nothing. Locks the subscription, its mandates and the chosen
 * one, the customer's cards, then as `lockForAction`, and the open invoices. Throws 404; 400 for a card or a mandate
 * that cannot collect it; 403 `plan_restricted`; 409 `external_subscription`, `invalid_state` when it has ended or waits
 * for its first payment, or, collected by hand, for the payment of a period.
 */
export async function changePaymentMethod(
  tx: Tx,
  ctx: Ctx,
  id: string,
  body: PaymentMethodBody,
): Promise<ChangedMethod> {
  const locked = await lockCustomerSubscription(tx, id);
  const today = calendarDay(ctx.now);
  const found = requireSubscription(locked && (await findCustomerSubscription(tx, locked, today)));
  const linked = await mandatesOfSubscription(tx, found.id);
  const mandates = await lockMandates(tx, body.mandateId === null ? linked : [...linked, body.mandateId]);
  const cards = await lockCards(tx, found.customer.id);
  const before = await lockForAction(tx, ctx, id);
  requireChangeable(before);
  const chosen = await chosenBy(tx, ctx, before, body, { cards, mandates });
  const stays = isSame(before, chosen);
  const paused = stays ? [] : [...mandates.values()].filter((one) => isPaused(one, before, chosen));
  const mandate = chosen.method === "debit_order" ? chosen.mandate : null;
  if (stays) return { before, after: before, invoices: [], paused: [], mandate };
  const { periodMoves } = before.state;
  const changed: ShownSubscription = {
    ...before,
    collectionMethod: chosen.method,
    card: chosen.method === "gateway" ? subscriptionCard(chosen.card) : null,
    state: periodMoves === "when_paid" ? { ...before.state, periodMoves: "when_billed" } : before.state,
    updatedAt: ctx.now,
  };
  saveCustomerSubscription(tx, changed);
  for (const one of paused) await patchMandate(tx, ctx, one.id, { status: "paused" });
  if (mandate) await link(tx, ctx, before, mandate);
  const invoices = await handOver(tx, ctx, before, chosen);
  const after = requireSubscription(await findCustomerSubscription(tx, before.id, today));
  appendSubscriptionEvent(tx, ctx, SUBSCRIPTION_UPDATED, after, null);
  if (!before.isPastDue && after.isPastDue) {
    const open = invoices.find(({ invoice }) => isOpen(invoice))?.invoice ?? null;
    appendSubscriptionEvent(tx, ctx, SUBSCRIPTION_PAST_DUE, after, open);
  }
  if (chosen.method === "debit_order") {
    await expectMissed(tx, ctx, after.id);
    await gatherNow(tx, ctx, [after.id]);
  }
  return { before, after, invoices, paused, mandate };
}

function requireChangeable(of: ShownSubscription): void {
  requireCollected(of);
  requireNotEnded(of);
  if (of.status === "pending")
    throw new ApiError("invalid_state", 409, `The payment method cannot be changed yet. ${awaitedOf(of)}`);
  if (of.state.awaiting !== null)
    throw new ApiError(
      "invalid_state",
      409,
      "Its period waits for the payment of its open invoice. Record that payment, or cancel the invoice, first.",
    );
}

const isSame = (before: ShownSubscription, chosen: Chosen): boolean => {
  if (before.collectionMethod !== chosen.method) return false;
  if (chosen.method === "gateway") return before.card?.id === chosen.card.id;
  // Without a mandate named, whatever collects it goes on.
  return (
    chosen.method === "invoice" ||
    chosen.mandate === null ||
    (before.mandateId === chosen.mandate.id && chosen.mandate.status === "active")
  );
};

/** Whether a mandate that has collected the subscription does not any more. */
const isPaused = ({ id, status, subscriptionId }: Mandate, of: ShownSubscription, chosen: Chosen): boolean => {
  if (status !== "active" || subscriptionId !== of.id) return false;
  return chosen.method !== "debit_order" || (chosen.mandate !== null && chosen.mandate.id !== id);
};

/** Throws 400 about the field, and 403 `plan_restricted`. */
async function chosenBy(
  tx: Tx,
  ctx: Ctx,
  of: ShownSubscription,
  { collectionMethod, cardId, mandateId }: PaymentMethodBody,
  { cards, mandates }: { readonly cards: readonly Card[]; readonly mandates: ReadonlyMap<string, Mandate> },
): Promise<Chosen> {
  const { currency } = of.state.terms.price;
  switch (collectionMethod) {
    case "invoice":
      return { method: "invoice" };
    case "gateway": {
      requireFeature(ctx.organisation, "recurring_card_billing");
      const card = cards.filter(await chargeableNow(tx, ctx)).find(({ id }) => id === cardId);
      if (!card) throw invalidField(["cardId"], "Choose a saved card that can be charged.");
      const account = (await listGatewayAccounts(tx)).find(({ id }) => id === card.gatewayAccountId);
      if (!account?.currencies.includes(currency))
        throw invalidField(["cardId"], `The gateway that keeps this card takes no payments in ${currency}.`);
      return { method: "gateway", card };
    }
    case "debit_order": {
      requireFeature(ctx.organisation, "debit_orders");
      return { method: "debit_order", mandate: await mandateChosen(tx, ctx, of, mandateId, mandates) };
    }
  }
}

async function mandateChosen(
  tx: Tx,
  ctx: Ctx,
  of: ShownSubscription,
  mandateId: string | null,
  mandates: ReadonlyMap<string, Mandate>,
): Promise<Mandate | null> {
  const { currency } = of.state.terms.price;
  const wanted = { id: of.id, customerId: of.customer.id, currency };
  if (mandateId === null) {
    if (currency !== MANDATE_CURRENCY)
      throw invalidField(
        ["collectionMethod"],
        `Debit orders are collected in ${MANDATE_CURRENCY}; the subscription is in ${currency}.`,
      );
    return null;
  }
  const mandate = mandates.get(mandateId);
  if (mandate?.customerId !== of.customer.id)
    throw invalidField(["mandateId"], "Choose one of the customer's mandates.");
  const [{ debitOrders }, held] = await Promise.all([currentSettings(tx), heldBackOf(tx, [mandate.id])]);
  const facts = { signed: debitOrders.requireSignedAgreement, owes: held.length > 0, today: calendarDay(ctx.now) };
  const refusal = whyNotCollecting(mandate, wanted, facts);
  if (refusal !== null) throw invalidField(["mandateId"], refusal);
  return mandate;
}

/** Has a locked mandate collect the subscription; one that is paused is active again. */
async function link(tx: Tx, ctx: Ctx, { id }: ShownSubscription, mandate: Mandate): Promise<void> {
  if (mandate.subscriptionId === null) updateMandate(tx, { ...mandate, subscriptionId: id, updatedAt: ctx.now });
  if (mandate.status === "paused") await patchMandate(tx, ctx, mandate.id, { status: "active" });
}
