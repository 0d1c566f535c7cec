import type { PaidFact } from "../../gateways/facts.ts";
import { lockCards } from "../../modules/cards/store.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import type { Ctx } from "../context.ts";
import type { Purpose } from "../payments/purpose.ts";
import { saveCard } from "./save-card.ts";

/** The card of a payment, when its gateway keeps it from now on. */
const keptCard = ({ card }: PaidFact) => (card?.token ? { ...card, token: card.token } : null);

/** Once per payment a pay page may leave a card: on links and invoices issued to a customer (interface 4.11). */
const mayLeaveCard = ({ paymentLinkId, customerId, type, paidAt }: Transaction) =>
  paymentLinkId !== null && (type === "once" || type === "invoice") && paidAt === null ? customerId : null;

/** A card that its payer let a gateway keep on a pay page is the customer's (interface 2.9, `source`). */
export const checkoutCardPurpose: Purpose<Ctx> = {
  locks: "card",
  async lock(tx, ctx, payment, move, fact) {
    const customerId = move === "complete" ? mayLeaveCard(payment) : null;
    const details = fact?.kind === "paid" ? keptCard(fact) : null;
    if (!customerId || !details) return null;
    const cards = await lockCards(tx, customerId);
    return {
      async complete({ gatewayAccountId }) {
        const kept = { customerId, gatewayAccountId, details, source: "checkout", preferred: "if_none" } as const;
        await saveCard(tx, ctx, cards, kept);
      },
    };
  },
};
