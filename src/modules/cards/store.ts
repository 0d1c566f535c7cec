// Writes: cards. Reads: card_charges.

import { lockName } from "../../domain/locks.ts";
import type { CardsRow } from "../../domain/rows.ts";
import type { CustomerId, TransactionId } from "../../kernel/ids.ts";
import type { Tx } from "../../platform/database.ts";
import type { SealedColumn, SealedValue } from "../../platform/sealed.ts";
import type { Card } from "./types.ts";

/** `SealContext.column` of the cards' tokens. */
export const TOKEN_COLUMN = "cards.token";

const fromRow = (row: CardsRow): Card => ({
  id: row.id,
  customerId: row.customer_id,
  gatewayAccountId: row.gateway_account_id,
  fingerprint: row.fingerprint,
  tokenSealed: row.token_sealed,
  brand: row.brand,
  last4: row.last4,
  expiryMonth: row.expiry_month,
  expiryYear: row.expiry_year,
  holderName: row.holder_name,
  status: row.status,
  isDefault: row.is_default,
  source: row.source,
  expiringAnnouncedAt: row.told_expiring_at,
  lastUsedAt: row.last_used_at,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

/** Null when absent or another organisation's. Locks nothing: to change a card, `lockCards` of its customer. */
export async function findCard(tx: Tx, id: string): Promise<Card | null> {
  const [row] = await tx.sql<CardsRow>`select * from cards where organisation_id = ${tx.organisation} and id = ${id}`;
  return row ? fromRow(row) : null;
}

/**
 * The card with this fingerprint at a gateway account; null when there is none, the newest when customers share one.
 * Locks as `findCard`.
 */
export async function findCardByFingerprint(tx: Tx, account: string, fingerprint: string): Promise<Card | null> {
  const [row] = await tx.sql<CardsRow>`
    select * from cards where organisation_id = ${tx.organisation} and gateway_account_id = ${account} and fingerprint = ${fingerprint}
     order by id desc limit 1`;
  return row ? fromRow(row) : null;
}

/**
 * The customers who have a card with one of these fingerprints at a gateway account, removed ones too, in the order in
 * which to lock their cards.
 */
export async function customersOfFingerprints(
  tx: Tx,
  account: string,
  fingerprints: readonly string[],
): Promise<CustomerId[]> {
  const rows = await tx.sql<Pick<CardsRow, "customer_id">>`
    select distinct customer_id from cards
     where organisation_id = ${tx.organisation} and gateway_account_id = ${account} and fingerprint = any(${fingerprints})
     order by customer_id`;
  return rows.map(({ customer_id }) => customer_id);
}

/** The card that a transaction charges; null for a transaction that charges no saved card. */
export async function findCardOfCharge(tx: Tx, transaction: TransactionId): Promise<Card | null> {
  const [row] = await tx.sql<CardsRow>`
    select c.* from card_charges p join cards c on c.organisation_id = ${tx.organisation} and c.id = p.card_id
     where p.organisation_id = ${tx.organisation} and p.transaction_id = ${transaction}`;
  return row ? fromRow(row) : null;
}

/** All cards of a customer, with removed ones, oldest first. */
export async function cardsOfCustomer(tx: Tx, customer: string): Promise<Card[]> {
  const rows = await tx.sql<CardsRow>`
    select * from cards where organisation_id = ${tx.organisation} and customer_id = ${customer} order by id`;
  return rows.map(fromRow);
}

/**
 * As `cardsOfCustomer`, and locks the cards of the customer until the transaction ends, also against new ones: which card is the
 * default, and whether a card is known, depends on all of them.
 */
export function lockCards(tx: Tx, customer: string): Promise<Card[]> {
  lockName(tx, "card", customer);
  return cardsOfCustomer(tx, customer);
}

/** A new row. The caller holds `lockCards` of the customer, and has taken the default from the others before this one has it. */
export function insertCard(tx: Tx, card: Card): void {
  tx.queue`
    insert into cards (organisation_id, id, customer_id, gateway_account_id, fingerprint, token_sealed, brand, last4, expiry_month,
      expiry_year, holder_name, status, is_default, source, told_expiring_at, last_used_at, created_at, updated_at)
    values (${tx.organisation}, ${card.id}, ${card.customerId}, ${card.gatewayAccountId}, ${card.fingerprint}, ${card.tokenSealed},
      ${card.brand}, ${card.last4}, ${card.expiryMonth}, ${card.expiryYear}, ${card.holderName}, ${card.status}, ${card.isDefault},
      ${card.source}, ${card.expiringAnnouncedAt}, ${card.lastUsedAt}, ${card.createdAt}, ${card.updatedAt})`;
}

/** Updates the fields that can change; locks as for `insertCard`. */
export function updateCard(tx: Tx, card: Card): void {
  tx.queue`
    update cards set fingerprint = ${card.fingerprint}, token_sealed = ${card.tokenSealed}, brand = ${card.brand},
      last4 = ${card.last4}, expiry_month = ${card.expiryMonth}, expiry_year = ${card.expiryYear},
      holder_name = ${card.holderName}, status = ${card.status}, is_default = ${card.isDefault},
      source = ${card.source}, told_expiring_at = ${card.expiringAnnouncedAt}, last_used_at = ${card.lastUsedAt},
      updated_at = ${card.updatedAt}
     where organisation_id = ${tx.organisation} and id = ${card.id}`;
}

/** The tokens with which gateways charge cards, for `secrets rotate`. */
export const SEALED_CARD_TOKENS: SealedColumn = {
  column: "cards.token_sealed",
  sealedFor: TOKEN_COLUMN,
  next: (tx, current, after, limit) => tx.sql<SealedValue>`
    select id, token_sealed as sealed from cards
     where organisation_id = ${tx.organisation} and id > ${after} and not starts_with(token_sealed, ${current})
     order by id limit ${limit}`,
  replace: (tx, id, before, after) => tx.queue`
    update cards set token_sealed = ${after} where organisation_id = ${tx.organisation} and id = ${id} and token_sealed = ${before}`,
};
