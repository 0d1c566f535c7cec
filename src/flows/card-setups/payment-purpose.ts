import type { PaidFact } from "../../gateways/facts.ts";
import { toDecimal } from "../../kernel/decimal.ts";
import { cents } from "../../kernel/money.ts";
import { CARD_SETUP_EXPIRE } from "../../modules/card-setups/declarations.ts";
import { asOf, moveCardSetup } from "../../modules/card-setups/states.ts";
import { lockCardSetupOfPayment, updateCardSetup } from "../../modules/card-setups/store.ts";
import type { CardSetup, CardSetupFailure } from "../../modules/card-setups/types.ts";
import { lockCards } from "../../modules/cards/store.ts";
import type { Card } from "../../modules/cards/types.ts";
import { lockOpenCredits } from "../../modules/credit-notes/store.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import { reversalsOf } from "../../modules/reversals/store.ts";
import type { Tx } from "../../platform/database.ts";
import { cancelWork } from "../../platform/due-work.ts";
import { savedCardOf } from "../cards/payment-purpose.ts";
import { saveCard } from "../cards/save-card.ts";
import type { Ctx } from "../context.ts";
import { issueCreditNote, lockForCreditNote } from "../credit-notes/issue-credit-note.ts";
import type { Purpose } from "../payments/purpose.ts";
import { debitReversedSetup, lockForDebit } from "./debit-reversed-setup.ts";

/**
 * The purpose of a payment of 1.00 on a set-up page (interface 3.7, 4.11): its card is saved, its session completes,
 * and its amount is credited. A payment that completes after the session has ended also saves its card and is credited.
 * When a bank reverses the payment, an invoice charges the credited amount.
 */
export const cardSetupPurpose: Purpose = {
  locks: "card setup session",
  async lock(tx, ctx, payment, move) {
    if (payment.type !== "card_setup" || move === "refunded") return null;
    if (payment.paidAt !== null && move !== "reversed") return null;
    const locked = await lockCardSetupOfPayment(tx, payment.id);
    if (!locked) return null;
    const setup = asOf(locked, ctx.now);
    if (move === "reversed") {
      lockForDebit(tx, setup, payment.currency);
      return { reverse: (reversed, reversal) => debitReversedSetup(tx, ctx, setup, reversed, reversal) };
    }
    if (move !== "complete")
      return { fail: (_payment, { kind }) => noteFailure(tx, setup, kind === "declined" ? "declined" : "cancelled") };
    const cards = await lockCards(tx, setup.customerId);
    // A reversal that was reported earlier is applied in the same transaction.
    const waits = (await reversalsOf(tx, [payment.id])).length > 0;
    if (waits) lockForDebit(tx, setup, payment.currency);
    await lockForCreditNote(tx, setup.customerId, payment.currency);
    return {
      async complete(paid, _split, fact) {
        // The invoice applies credit notes, and the following code locks the customer.
        if (waits) await lockOpenCredits(tx, setup.customerId, paid.currency);
        await applyCard(tx, ctx, { setup, cards }, paid, fact);
        await creditSetup(tx, ctx, setup, paid);
      },
    };
  },
};

/** The session stays open and stores how this attempt ended. */
function noteFailure(tx: Tx, setup: CardSetup, failureReason: CardSetupFailure): void {
  const status = moveCardSetup(setup.status, "attempt_without_card");
  if (status) updateCardSetup(tx, { ...setup, status, failureReason });
}

interface LockedSetup {
  readonly setup: CardSetup;
  /** All cards of its customer. */
  readonly cards: readonly Card[];
}

async function applyCard(
  tx: Tx,
  ctx: Ctx,
  { setup, cards }: LockedSetup,
  { gatewayAccountId }: Transaction,
  fact: PaidFact,
): Promise<void> {
  const details = savedCardOf(fact);
  if (!details) return noteFailure(tx, setup, "no_card_saved");
  const { customerId } = setup;
  const status = moveCardSetup(setup.status, "card_saved");
  // After the session has ended the customer may have chosen another default card.
  const makeDefault = !setup.makeDefault ? "never" : status ? "always" : "if_none";
  const saved = { customerId, gatewayAccountId, details, source: "card_setup", makeDefault } as const;
  const card = await saveCard(tx, ctx, cards, saved);
  if (!status) return;
  updateCardSetup(tx, { ...setup, status, cardId: card.id, failureReason: null, completedAt: ctx.now });
  cancelWork(tx, CARD_SETUP_EXPIRE, setup.id);
}

/** Credits the amount, once: the payment completes once, and has at most one credit note. */
async function creditSetup(tx: Tx, ctx: Ctx, { customerId }: CardSetup, paid: Transaction): Promise<void> {
  await issueCreditNote(tx, ctx, {
    customerId,
    amount: paid.amount,
    currency: paid.currency,
    // The payment was posted without VAT.
    taxRate: toDecimal(0),
    lines: [],
    tax: cents(0),
    reason: `Card set-up, payment ${paid.reference}`,
    correctsInvoiceId: null,
    refundId: null,
    transactionReference: paid.reference,
  });
}
