import { hasEnded } from "../../domain/customer-subscriptions.ts";
import type { Reversal } from "../../domain/reversal.ts";
import type { PaidFact } from "../../gateways/facts.ts";
import { assert } from "../../kernel/assert.ts";
import type { InvoiceId } from "../../kernel/ids.ts";
import { calendarDay } from "../../kernel/time.ts";
import { cardsOfCustomer, findCardOfCharge, lockCards } from "../../modules/cards/store.ts";
import type { Card } from "../../modules/cards/types.ts";
import {
  findCustomerSubscription,
  lockCustomerSubscription,
  saveCustomerSubscription,
} from "../../modules/customer-subscriptions/store/subscriptions.ts";
import type { ShownSubscription } from "../../modules/customer-subscriptions/types.ts";
import { SUBSCRIPTION_COLLECT } from "../../modules/dunning/declarations.ts";
import { takenBack, wasCardChanged } from "../../modules/dunning/rules.ts";
import { attemptOfTransaction, findCollection, saveAttempt, saveCollection } from "../../modules/dunning/store.ts";
import type { Attempt } from "../../modules/dunning/types.ts";
import { findInvoice } from "../../modules/invoices/store/invoices.ts";
import { findMandate } from "../../modules/mandates/store.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import type { Tx } from "../../platform/database.ts";
import { cancelWork } from "../../platform/due-work.ts";
import { savedCardOf } from "../cards/payment-purpose.ts";
import { saveCard } from "../cards/save-card.ts";
import type { Ctx } from "../context.ts";
import { subscriptionCard } from "../customer-subscriptions/collecting-card.ts";
import { firstChargePaid } from "../customer-subscriptions/first-charge.ts";
import { chargeableNow } from "../gateways/card-gateways.ts";
import type { LockedPurpose, Purpose, UnpaidFact } from "../payments/purpose.ts";
import { missedCollection } from "./missed-collection.ts";
import { takeBackCollection } from "./taken-back.ts";

/**
 * The purpose of a payment of a customer subscription's invoice that the service collects automatically. From a card
 * (interface 16.14): the card that paid becomes the subscription's card, and the payment of the first charge makes it
 * active. A failed charge that was made to collect an invoice counts as missed (interface 16.16). A payment that a bank
 * reverses makes the subscription past due (interface 16.20). Locks the subscription and the customer's cards.
 */
export const subscriptionPurpose: Purpose = {
  locks: "customer subscription",
  async lock(tx, ctx, payment, move) {
    const id = payment.invoiceId && payment.subscriptionId;
    if (!id || move === "refunded") return null;
    // A returned debit also changes its mandate (`debitPurpose`).
    if (move === "reversed")
      return payment.type === "debit_order" ? null : lockForReversal(tx, ctx, id, payment.invoiceId);
    if (move === "given_back") {
      await lockCustomerSubscription(tx, id);
      return { finish: () => endPaid(tx, payment.invoiceId ?? "") };
    }
    // A debit itself ends its collection (`debitPurpose`).
    if (payment.type === "debit_order") return null;
    const today = calendarDay(ctx.now);
    const [found, attempt, collection] = await Promise.all([
      findCustomerSubscription(tx, id, today),
      attemptOfTransaction(tx, payment.id),
      findCollection(tx, payment.invoiceId ?? ""),
    ]);
    if (!found || (found.collectionMethod !== "gateway" && !attempt && !collection)) return null;
    await lockCustomerSubscription(tx, id);
    // The invoice was paid on its page.
    if (found.collectionMethod !== "gateway" && !attempt)
      return move === "complete" ? { finish: () => endPaid(tx, payment.invoiceId ?? "") } : null;
    const cards = await lockCards(tx, found.customer.id);
    if (move !== "complete") return attempt && { fail: (failed, fact) => miss(tx, ctx, id, attempt, failed, fact) };
    let card: Card | null = null;
    return {
      async complete(paid, _split, fact) {
        card = await cardOf(tx, ctx, cards, paid, fact);
      },
      async finish() {
        // Read again, because its invoice was paid.
        const now = await findCustomerSubscription(tx, id, today);
        if (now && !hasEnded(now)) {
          const stays =
            now.collectionMethod !== "gateway" || (attempt && (await isGivenAnother(tx, ctx, now, attempt, card)));
          const kept = card && !stays ? { ...now, card: subscriptionCard(card), updatedAt: ctx.now } : now;
          if (kept !== now) saveCustomerSubscription(tx, kept);
          await firstChargePaid(tx, ctx, kept);
        }
        if (attempt) saveAttempt(tx, { ...attempt, status: "complete", reason: null, isHard: false });
        await endPaid(tx, payment.invoiceId ?? "");
      },
    };
  },
};

/**
 * Locks the subscription of a payment that a bank reverses. For mailed invoices the due date makes the subscription
 * past due (`reopenInvoice`).
 */
async function lockForReversal(
  tx: Tx,
  ctx: Ctx,
  id: string,
  invoiceId: InvoiceId | null,
): Promise<LockedPurpose | null> {
  const today = calendarDay(ctx.now);
  if (!invoiceId) return null;
  const [found, collection] = await Promise.all([
    findCustomerSubscription(tx, id, today),
    findCollection(tx, invoiceId),
  ]);
  const method = found?.collectionMethod;
  const isAutomatic = method === "gateway" || method === "debit_order";
  if (!isAutomatic && !collection) return null;
  await lockCustomerSubscription(tx, id);
  const sub = await findCustomerSubscription(tx, id, today);
  assert(sub, "a subscription that was paid stays");
  const taken: Reversal[] = [];
  return {
    reverse(_payment, reversal, undone) {
      if (undone > 0) taken.push(reversal);
    },
    // Read again, because its invoice is open now.
    async finish() {
      for (const reversal of taken)
        if (isAutomatic) await takeBackCollection(tx, ctx, { sub, invoiceId, reversal });
        // It was collected automatically before its subscription was invoiced.
        else if (collection)
          saveCollection(tx, takenBack(collection, { method: "gateway", isHard: reversal.isHard, now: ctx.now }));
    },
  };
}

/** Whether the subscription was given another card since an attempt charged `charged`. */
async function isGivenAnother(
  tx: Tx,
  ctx: Ctx,
  { card, customer }: ShownSubscription,
  { cause, invoiceId }: Attempt,
  charged: Pick<Card, "id"> | null,
): Promise<boolean> {
  if (card === null || card.id === charged?.id) return false;
  const [collection, cards, isChargeable] = await Promise.all([
    findCollection(tx, invoiceId),
    cardsOfCustomer(tx, customer.id),
    chargeableNow(tx, ctx),
  ]);
  const present = cards.find(({ id }) => id === card.id);
  return wasCardChanged({
    cause,
    charged: charged?.id ?? null,
    present: { id: card.id, isChargeable: present !== undefined && isChargeable(present) },
    newCardId: collection?.newCardId ?? null,
  });
}

async function miss(
  tx: Tx,
  ctx: Ctx,
  id: string,
  attempt: Attempt,
  payment: Transaction,
  fact: UnpaidFact,
): Promise<void> {
  const [sub, collection] = await Promise.all([
    findCustomerSubscription(tx, id, calendarDay(ctx.now)),
    findCollection(tx, attempt.invoiceId),
  ]);
  assert(sub && collection, "what is collected stays");
  const declined =
    fact.kind === "declined" ? fact : { reason: "The payment was cancelled at the gateway.", hard: false };
  const { reason, hard: isHard } = declined;
  const mandate = sub.mandateId === null ? null : await findMandate(tx, sub.mandateId);
  const isHandedOver =
    sub.collectionMethod !== "gateway" ||
    (await isGivenAnother(tx, ctx, sub, attempt, await findCardOfCharge(tx, payment.id)));
  const nextDebit = mandate?.nextDebitDate ?? null;
  await missedCollection(tx, ctx, { sub, collection, attempt, reason, isHard, isHandedOver, payment, nextDebit });
}

/** Ends the collection of a paid invoice. */
async function endPaid(tx: Tx, invoiceId: string): Promise<void> {
  const [collection, invoice] = await Promise.all([findCollection(tx, invoiceId), findInvoice(tx, invoiceId)]);
  if (!collection || invoice?.status !== "paid") return;
  saveCollection(tx, { ...collection, newCardId: null, ended: "paid" });
  cancelWork(tx, SUBSCRIPTION_COLLECT, invoiceId);
}

/**
 * The saved card that paid: the charged one, else the one that the gateway has saved, which becomes a card of the
 * customer.
 */
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
