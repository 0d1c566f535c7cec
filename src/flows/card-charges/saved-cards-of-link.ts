import { type Cents, fromRand } from "../../kernel/money.ts";
import { findApiKey } from "../../modules/api-keys/store.ts";
import { CHARGE_MAX_RAND } from "../../modules/card-charges/rules.ts";
import { inListOrder } from "../../modules/cards/rules.ts";
import type { Card } from "../../modules/cards/types.ts";
import { findCustomer } from "../../modules/customers/store.ts";
import type { KeyPermission } from "../../modules/members/rules.ts";
import type { PaymentLink } from "../../modules/payment-links/types.ts";
import type { Tx } from "../../platform/database.ts";
import { chargeableNow } from "../cards/card-gateways.ts";
import { type Ctx, DEFAULT_CURRENCY } from "../context.ts";

const CHARGE_MAX = fromRand(CHARGE_MAX_RAND);

/** Whether saved cards can pay an amount (interface 8.2). */
export const isChargeable = (amount: Cents, currency: string): boolean =>
  currency === DEFAULT_CURRENCY && amount <= CHARGE_MAX;

const PERMISSION: KeyPermission = "charge_saved_cards";

/** A page that may offer saved cards. */
interface Offering {
  readonly link: PaymentLink;
  /** The amount to pay, in cents. */
  readonly amount: Cents;
  /** All cards of the link's customer. */
  readonly cards: readonly Card[];
  /** The API key by whose link the customer signed in to the portal; null without one. */
  readonly signedInBy: string | null;
}

/**
 * The saved cards that the page of a link offers, in the order of lists (interface 4.11): those that can be charged now. None on a link without a
 * customer or a recurring one, above the limit, for an inactive customer, and while the key that made the link, or whose sign-in link the
 * customer used, may not charge saved cards.
 */
export async function offeredOnLink(tx: Tx, ctx: Ctx, { link, amount, cards, signedInBy }: Offering): Promise<Card[]> {
  if (!link.customerId || link.recurring || !isChargeable(amount, link.currency)) return [];
  if (cards.length === 0) return [];
  const keys = [link.createdByKey, signedInBy].filter((key) => key !== null);
  const [chargeable, customer, ...allowed] = await Promise.all([
    chargeableNow(tx, ctx),
    findCustomer(tx, link.customerId),
    ...keys.map((key) => keyMayCharge(tx, key)),
  ]);
  return customer?.active && allowed.every(Boolean) ? inListOrder(cards.filter(chargeable)) : [];
}

/** Whether a key may charge saved cards now. A revoked key may not. */
export async function keyMayCharge(tx: Tx, id: string): Promise<boolean> {
  const key = await findApiKey(tx, id);
  return key !== null && key.revokedAt === null && key.permissions.includes(PERMISSION);
}
