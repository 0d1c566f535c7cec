import { moveCardCharge } from "../../modules/card-charges/states.ts";
import { chargeOfTransaction, completeCardCharge, failCardCharge } from "../../modules/card-charges/store.ts";
import { moveCard } from "../../modules/cards/states.ts";
import { lockCards, updateCard } from "../../modules/cards/store.ts";
import { scheduleExpiry } from "../cards/card-expiry.ts";
import type { Ctx } from "../context.ts";
import type { Purpose, UnpaidFact } from "../payments/purpose.ts";

/**
 * A charge of a saved card takes the outcome of its payment (interface 3.8): it completes, and the card was used; or it fails with its reason,
 * and a card that will never pay is failed (interface 3.6). Locks the customer's cards.
 */
export const cardChargePurpose: Purpose<Ctx> = {
  locks: "card",
  async lock(tx, ctx, { id, type, customerId }, move) {
    if (type !== "card_debit" || move === "refunded" || move === "reversed" || !customerId) return null;
    const cards = await lockCards(tx, customerId);
    const charge = await chargeOfTransaction(tx, id);
    const card = cards.find((candidate) => candidate.id === charge?.cardId);
    if (!charge || !card) return null;
    return {
      complete() {
        if (moveCardCharge(charge.status, "complete")) completeCardCharge(tx, charge);
        updateCard(tx, { ...card, lastUsedAt: ctx.now, updatedAt: ctx.now });
      },
      fail(_payment, fact) {
        if (moveCardCharge(charge.status, "fail")) failCardCharge(tx, charge, reasonOf(fact));
        const status = fact.kind === "declined" && fact.hard ? moveCard(card.status, "fail") : null;
        if (!status) return;
        const failed = { ...card, status, updatedAt: ctx.now };
        updateCard(tx, failed);
        scheduleExpiry(tx, failed);
      },
    };
  },
};

const reasonOf = (fact: UnpaidFact): string =>
  fact.kind === "declined" ? fact.reason : "The payment was cancelled at the gateway.";
