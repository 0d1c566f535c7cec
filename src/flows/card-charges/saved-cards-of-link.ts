import type { Cents } from "../../kernel/money.ts";
import { findApiKey } from "../../modules/api-keys/store.ts";
import { CHARGE_MAX } from "../../modules/card-charges/rules.ts";
import { inListOrder } from "../../modules/cards/rules.ts";
import type { Card } from "../../modules/cards/types.ts";
import { findCustomer } from "../../modules/customers/store.ts";
import type { PaymentLink } from "../../modules/payment-links/types.ts";
import type { Tx } from "../../platform/database.ts";
import { type Ctx, DEFAULT_CURRENCY } from "../context.ts";
import { chargeableNow } from "../gateways/card-gateways.ts";
import { mayChargeCards } from "../portal-access/may-charge-cards.ts";
import type { SignedIn } from "../portal-access/portal-session.ts";

/** Whether saved cards can pay an amount (interface 8.2). */
export const isChargeable = (amount: Cents, currency: string): boolean =>
  currency === DEFAULT_CURRENCY && amount <= CHARGE_MAX;

/** A page that may offer saved cards. */
interface Offering {
  readonly link: PaymentLink;
  /** The amount to pay, in cents. */
  readonly amount: Cents;
  /** All cards of the link's customer. */
  readonly cards: readonly Card[];
  /** Who is signed in to the portal in the payer's browser; null when nobody is. */
  readonly signedIn: SignedIn | null;
}

/** The saved cards of a page. */
export interface OfferedCards {
  readonly cards: readonly Card[];
  /** Whether saved cards appear once the customer has signed in to the portal. */
  readonly afterSignIn: boolean;
}

/** A page without saved cards. */
export const NO_CARDS: OfferedCards = { cards: [], afterSignIn: false };

/**
 * The saved cards that the page of a link offers, in the order of lists (interface 4.11): those that can be charged
 * now. There are none on a link without a customer or a recurring one, above the limit, for an inactive customer, and
 * while the key that issued the link may not charge saved cards. The link's address alone does not show them, since
 * others may read it: either the customer is signed in to the portal, or somebody who may charge saved cards issued the
 * link.
 */
export async function offeredOnLink(
  tx: Tx,
  ctx: Ctx,
  { link, amount, cards, signedIn }: Offering,
): Promise<OfferedCards> {
  if (!link.customerId || link.recurring || !isChargeable(amount, link.currency)) return NO_CARDS;
  if (cards.length === 0) return NO_CARDS;
  const own = signedIn?.customer.id === link.customerId ? signedIn : null;
  const [chargeable, customer, key, issuer, session] = await Promise.all([
    chargeableNow(tx, ctx),
    findCustomer(tx, link.customerId),
    link.issuedBy === null ? null : findApiKey(tx, link.issuedBy),
    link.issuedBy === null ? false : mayChargeCards(tx, link.issuedBy),
    own && sessionMayCharge(tx, own),
  ]);
  const able = customer?.active && (!key || issuer) ? inListOrder(cards.filter(chargeable)) : [];
  const allowed = session ?? issuer;
  return { cards: allowed ? able : [], afterSignIn: !allowed && !own && able.length > 0 };
}

/**
 * Whether a portal session may charge saved cards: its link was mailed, or given to somebody who may charge them
 * (interface 4.11, decisions.md#saved-cards-need-a-session).
 */
export const sessionMayCharge = async (tx: Tx, { issuedBy }: Pick<SignedIn, "issuedBy">): Promise<boolean> =>
  issuedBy === null || mayChargeCards(tx, issuedBy);
