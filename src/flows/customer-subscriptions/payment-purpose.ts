import type { PaidFact } from "../../gateways/facts.ts";
import { businessDay } from "../../kernel/time.ts";
import { findCardOfCharge, lockCards } from "../../modules/cards/store.ts";
import type { Card } from "../../modules/cards/types.ts";
import { hasEnded } from "../../modules/customer-subscriptions/states.ts";
import {
  findCustomerSubscription,
  lockCustomerSubscription,
  saveCustomerSubscription,
} from "../../modules/customer-subscriptions/store.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import type { Tx } from "../../platform/database.ts";
import { savedCardOf } from "../cards/payment-purpose.ts";
import { saveCard } from "../cards/save-card.ts";
import type { Ctx } from "../context.ts";
import type { Purpose } from "../payments/purpose.ts";
import { subscriptionCard } from "./collecting-card.ts";
import { firstChargePaid } from "./first-charge.ts";

/**
 * A payment of an invoice of a customer subscription that is collected from a card (interface 16.14): the card that paid is the
 * subscription's from then on, and the payment of the first charge makes it active. Locks the subscription and the customer's cards.
 */
export const subscriptionPurpose: Purpose<Ctx> = {
  locks: "customer subscription",
  async lock(tx, ctx, payment, move) {
    const id = payment.invoiceId && payment.subscriptionId;
    if (!id || move !== "complete") return null;
    const today = businessDay(ctx.now);
    const found = await findCustomerSubscription(tx, id, today);
    if (found?.collectionMethod !== "gateway") return null;
    await lockCustomerSubscription(tx, id);
    const cards = await lockCards(tx, found.customer.id);
    let card: Card | null = null;
    return {
      async complete(paid, _split, fact) {
        card = await cardOf(tx, ctx, cards, paid, fact);
      },
      async finish() {
        // Read again: its invoice has been paid meanwhile.
        const now = await findCustomerSubscription(tx, id, today);
        if (!now || hasEnded(now)) return;
        const kept = card ? { ...now, card: subscriptionCard(card), updatedAt: ctx.now } : now;
        if (card) saveCustomerSubscription(tx, kept);
        await firstChargePaid(tx, ctx, kept);
      },
    };
  },
};

/** The saved card that has paid: the one that was charged, else the one that the gateway has kept, which becomes the customer's. */
async function cardOf(
  tx: Tx,
  ctx: Ctx,
  cards: readonly Card[],
  { id, type, customerId, gatewayAccountId }: Transaction,
  fact: PaidFact,
): Promise<Card | null> {
  if (type === "card_debit") return findCardOfCharge(tx, id);
  const details = savedCardOf(fact);
  if (!details || !customerId) return null;
  return saveCard(tx, ctx, cards, {
    customerId,
    gatewayAccountId,
    details,
    source: "checkout",
    makeDefault: "if_none",
  });
}
