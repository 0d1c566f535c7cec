import type { PaidFact } from "../../gateways/facts.ts";
import { lockCards } from "../../modules/cards/store.ts";
import { subscriptionOfInvoice } from "../../modules/customer-subscriptions/store/subscriptions.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import type { Purpose } from "../payments/purpose.ts";
import { saveCard } from "./save-card.ts";

/** The card of a paid fact with its token; null when the gateway has not saved it. */
export const savedCardOf = ({ card }: PaidFact) => (card?.token ? { ...card, token: card.token } : null);

/**
 * The customer for whom the payment can save a card, once: that of a link or an invoice (interface 4.11). Null when it
 * cannot.
 */
const customerOfSavedCard = ({ paymentLinkId, customerId, type, paidAt }: Transaction) =>
  paymentLinkId !== null && (type === "once" || type === "invoice") && paidAt === null ? customerId : null;

/**
 * The purpose of a payment whose card the gateway saved with the payer's consent on a pay page: it becomes a card of
 * the customer (interface 2.9, `source`). The subscription's purpose saves the card of a customer subscription. Locks
 * the customer's cards.
 */
export const checkoutCardPurpose: Purpose = {
  locks: "card",
  async lock(tx, ctx, payment, move, fact) {
    const customerId = move === "complete" ? customerOfSavedCard(payment) : null;
    const { invoiceId, subscriptionId } = payment;
    // A subscription's card is used for that subscription only.
    const details = fact?.kind === "paid" && !fact.subscription ? savedCardOf(fact) : null;
    if (!customerId || !details) return null;
    const of = invoiceId && subscriptionId !== null ? await subscriptionOfInvoice(tx, invoiceId) : null;
    if (of?.collectionMethod === "gateway") return null;
    const cards = await lockCards(tx, customerId);
    return {
      async complete({ gatewayAccountId }) {
        const saved = { customerId, gatewayAccountId, details, source: "checkout", makeDefault: "if_none" } as const;
        await saveCard(tx, ctx, cards, saved);
      },
    };
  },
};
