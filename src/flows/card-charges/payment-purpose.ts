import type { CardDetails } from "../../gateways/facts.ts";
import { moveCardCharge } from "../../modules/card-charges/rules.ts";
import { chargeOfTransaction, completeCardCharge, failCardCharge } from "../../modules/card-charges/store.ts";
import { fingerprintsOf } from "../../modules/cards/rules.ts";
import { moveCard } from "../../modules/cards/states.ts";
import { lockCards, updateCard } from "../../modules/cards/store.ts";
import type { Card } from "../../modules/cards/types.ts";
import { renewCard } from "../cards/renew-card.ts";
import { scheduleExpiry } from "../cards/schedule-expiry.ts";
import { endsPayment, type Purpose, type UnpaidFact } from "../payments/purpose.ts";

/**
 * The purpose of a charge of a saved card, which takes the outcome of its payment (interface 3.8). When it completes,
 * the card was used, and takes the expiry and token that the gateway reports. When it fails, it has a reason, and a
 * card that will never pay becomes failed (interface 3.6). Locks the customer's cards.
 */
export const cardChargePurpose: Purpose = {
  locks: "card",
  async lock(tx, ctx, { id, type, customerId }, move) {
    if (type !== "card_debit" || !endsPayment(move) || !customerId) return null;
    const cards = await lockCards(tx, customerId);
    const charge = await chargeOfTransaction(tx, id);
    const card = cards.find((candidate) => candidate.id === charge?.cardId);
    if (!charge || !card) return null;
    return {
      async complete(_payment, _split, { card: told }) {
        if (moveCardCharge(charge.status, "complete")) completeCardCharge(tx, charge);
        const used = { ...card, lastUsedAt: ctx.now, updatedAt: ctx.now };
        const isRenewed = isSameNumber(card, told) && (await renewCard(tx, ctx, cards, used, told));
        if (!isRenewed) updateCard(tx, used);
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

/**
 * Whether a gateway reports on the charged card: compared by fingerprint, or by the last digits where fingerprints used
 * to be made differently.
 */
const isSameNumber = (card: Card, told: CardDetails | null): told is CardDetails =>
  told !== null &&
  ((card.fingerprint !== null && fingerprintsOf(told).includes(card.fingerprint)) || told.last4 === card.last4);

const reasonOf = (fact: UnpaidFact): string =>
  fact.kind === "declined" ? fact.reason : "The payment was cancelled at the gateway.";
