import { inListOrder } from "../../modules/cards/rules.ts";
import { cardsOfCustomer } from "../../modules/cards/store.ts";
import type { Card } from "../../modules/cards/types.ts";
import type { CheckoutSession } from "../../modules/checkout-sessions/types.ts";
import { findOldestByEmail } from "../../modules/customers/store.ts";
import type { Customer } from "../../modules/customers/types.ts";
import { waitsForStatement } from "../../modules/payments/rules.ts";
import { findTransaction } from "../../modules/payments/store/payments.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import type { Tx } from "../../platform/database.ts";
import { isChargeable, sessionMayCharge } from "../card-charges/saved-cards-of-link.ts";
import type { Ctx } from "../context.ts";
import { chargeableNow } from "../gateways/card-gateways.ts";
import type { SignedIn } from "../portal-access/portal-session.ts";
import { isPaidNow, type Offer } from "./offers.ts";

/** The address that the API gave a session; it cannot be changed on the page. */
export const fixedEmail = (session: Pick<CheckoutSession, "source" | "prefill"> | null): string | null =>
  session?.source === "api" ? (session.prefill.email ?? null) : null;

/**
 * Whether a signed-in customer checks out with a session: the session has no other address, and the address matches
 * this customer (interface 4.12, customer matching).
 */
export async function isCheckoutOf(
  tx: Tx,
  session: CheckoutSession | null,
  { id, email, active }: Customer,
): Promise<boolean> {
  if (!active || email === null) return false;
  if ((fixedEmail(session) ?? email).toLowerCase() !== email.toLowerCase()) return false;
  return (await findOldestByEmail(tx, email))?.id === id;
}

/**
 * The saved cards that a checkout offers its signed-in customer, in the order of lists (interface 4.11): those that can
 * be charged now. None in a session that may not charge saved cards.
 */
export async function savedCardsOf(tx: Tx, ctx: Ctx, who: SignedIn | null): Promise<Card[]> {
  const cards = who ? await cardsOfCustomer(tx, who.customer.id) : [];
  if (!who || cards.length === 0 || !(await sessionMayCharge(tx, who))) return [];
  return inListOrder(cards.filter(await chargeableNow(tx, ctx)));
}

/**
 * Whether a saved card can pay the offer. A product that the gateway charges again needs a card that is entered at the
 * gateway.
 */
export const takesSavedCard = (offer: Offer): boolean =>
  isPaidNow(offer) &&
  isChargeable(offer.today.total, offer.currency) &&
  !("recurring" in offer.sold && offer.sold.recurring);

/** The payment that is under way on a session. */
interface UnderWay {
  /** The pending charge of a saved card that its bank has not yet answered; null without one. */
  readonly underWay: Transaction | null;
  /** Whether its payment waits until its gateway's statement confirms it. */
  readonly confirming: boolean;
}

/** The payment of a session that is under way. */
export async function underWayOn(tx: Tx, session: Pick<CheckoutSession, "transactionId"> | null): Promise<UnderWay> {
  const payment = session?.transactionId ? await findTransaction(tx, session.transactionId) : null;
  const isCharge = payment?.type === "card_debit" && payment.status === "pending";
  return { underWay: isCharge ? payment : null, confirming: payment !== null && waitsForStatement(payment) };
}
