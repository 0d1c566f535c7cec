// Writes: card_setups, card_setup_payments. Reads nothing else.

import { locking } from "../../domain/locks.ts";
import type { CardSetupPaymentsRow, CardSetupsRow } from "../../domain/rows.ts";
import type { TransactionId } from "../../kernel/ids.ts";
import type { Tx } from "../../platform/database.ts";
import type { CardSetup } from "./types.ts";

const fromRow = (row: CardSetupsRow): CardSetup => ({
  id: row.id,
  customerId: row.customer_id,
  status: row.status,
  returnUrl: row.return_url,
  makeDefault: row.make_default,
  cardId: row.card_id,
  failureReason: row.failure_reason,
  metadata: row.metadata,
  expiresAt: row.expires_at,
  completedAt: row.completed_at,
  createdAt: row.created_at,
});

const one = (rows: readonly CardSetupsRow[]): CardSetup | null => (rows[0] ? fromRow(rows[0]) : null);

/** A new row. */
export function insertCardSetup(tx: Tx, setup: CardSetup): void {
  tx.queue`
    insert into card_setups (organisation_id, id, customer_id, status, return_url, make_default, metadata, expires_at, created_at)
    values (${tx.organisation}, ${setup.id}, ${setup.customerId}, ${setup.status}, ${setup.returnUrl}, ${setup.makeDefault},
      ${JSON.stringify(setup.metadata)}, ${setup.expiresAt}, ${setup.createdAt})`;
}

/** Null when absent or another organisation's. */
export async function findCardSetup(tx: Tx, id: string): Promise<CardSetup | null> {
  return one(
    await tx.sql<CardSetupsRow>`select * from card_setups where organisation_id = ${tx.organisation} and id = ${id}`,
  );
}

/** As `findCardSetup`, locked until the transaction ends, before anything else of it. */
export async function lockCardSetup(tx: Tx, id: string): Promise<CardSetup | null> {
  return one(
    await locking(tx, "card setup session").sql<CardSetupsRow>`
      select * from card_setups where organisation_id = ${tx.organisation} and id = ${id} for no key update`,
  );
}

/** Locks sessions in the order of their ids, until the transaction ends. */
export async function lockCardSetups(tx: Tx, ids: readonly CardSetup["id"][]): Promise<void> {
  await locking(tx, "card setup session").sql`
    select id from card_setups where organisation_id = ${tx.organisation} and id = any (${ids}) order by id for no key update`;
}

/** The id of the session on which a payment was started; null when it was started on none. */
export async function setupOfPayment(tx: Tx, transaction: TransactionId): Promise<CardSetup["id"] | null> {
  const [row] = await tx.sql<Pick<CardSetupPaymentsRow, "card_setup_id">>`
    select card_setup_id from card_setup_payments where organisation_id = ${tx.organisation} and transaction_id = ${transaction}`;
  return row?.card_setup_id ?? null;
}

/** The session on which a payment was started, locked; null when it was started on none. */
export async function lockCardSetupOfPayment(tx: Tx, transaction: TransactionId): Promise<CardSetup | null> {
  return one(
    await locking(tx, "card setup session").sql<CardSetupsRow>`
      select s.* from card_setups s join card_setup_payments p on p.organisation_id = ${tx.organisation} and p.card_setup_id = s.id
       where s.organisation_id = ${tx.organisation} and p.transaction_id = ${transaction} for no key update of s`,
  );
}

/** Updates every field of a session that can change. */
export function updateCardSetup(tx: Tx, setup: CardSetup): void {
  tx.queue`
    update card_setups set status = ${setup.status}, card_id = ${setup.cardId}, failure_reason = ${setup.failureReason},
      completed_at = ${setup.completedAt}
     where organisation_id = ${tx.organisation} and id = ${setup.id}`;
}

/** Records that a payment was started on a session. */
export function insertCardSetupPayment(tx: Tx, setup: CardSetup["id"], transaction: TransactionId): void {
  tx.queue`
    insert into card_setup_payments (organisation_id, transaction_id, card_setup_id)
    values (${tx.organisation}, ${transaction}, ${setup})`;
}

/** Whether the payment was started on the session. */
export async function isPaymentOfSetup(tx: Tx, setup: string, transaction: TransactionId): Promise<boolean> {
  const rows = await tx.sql`
    select from card_setup_payments
     where organisation_id = ${tx.organisation} and transaction_id = ${transaction} and card_setup_id = ${setup}`;
  return rows.length > 0;
}
