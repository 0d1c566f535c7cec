// Writes: gateway_accounts. Reads: transactions, refunds, gateway_subscriptions, cards, mandates (whether the account
// has some, and open ones), gateway_health (calls without a clear answer).

import { joinPayment } from "../../domain/joins.ts";
import type { ListQuery } from "../../domain/lists.ts";
import { locking } from "../../domain/locks.ts";
import { IN_UNDECIDED } from "../../domain/refunds.ts";
import type { GatewayAccountsRow, GatewayHealthRow, TransactionsRow } from "../../domain/rows.ts";
import type { GatewayAccountId, TransactionId } from "../../kernel/ids.ts";
import type { Instant } from "../../kernel/time.ts";
import { addSeconds } from "../../kernel/time.ts";
import { part, type Tx } from "../../platform/database.ts";
import type { SealedColumn, SealedValue } from "../../platform/sealed.ts";
import type { GatewayAccount } from "./types.ts";

/** `SealContext.column` of the credentials. */
export const CREDENTIALS_COLUMN = "gateway_accounts.credentials";

const fromRow = (row: GatewayAccountsRow): GatewayAccount => ({
  id: row.id,
  type: row.type,
  name: row.name,
  mode: row.mode,
  enabled: row.enabled,
  credentialsSealed: row.credentials_sealed,
  currencies: row.currencies,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

/** All accounts of the organisation, oldest first: the order in which payers see them. */
export async function listGatewayAccounts(tx: Tx): Promise<GatewayAccount[]> {
  const rows = await tx.sql<GatewayAccountsRow & Pick<GatewayHealthRow, "unclear_in_a_row" | "last_unclear_at">>`
    select g.*, coalesce(h.unclear_in_a_row, 0) as unclear_in_a_row, h.last_unclear_at from gateway_accounts g
      left join gateway_health h on h.organisation_id = ${tx.organisation} and h.gateway_account_id = g.id
     where g.organisation_id = ${tx.organisation} order by g.id`;
  return rows.map((row) => ({
    ...fromRow(row),
    unclear: { inARow: row.unclear_in_a_row, lastAt: row.last_unclear_at },
  }));
}

/** A page of `listGatewayAccounts`, of which an organisation has few; `q` is a part of name and type. */
export async function pageOfGatewayAccounts(
  tx: Tx,
  { q = "", startingAfter = "", endingBefore, limit }: ListQuery,
): Promise<GatewayAccount[]> {
  const wanted = q.toLowerCase();
  const found = (await listGatewayAccounts(tx)).filter(({ name, type }) =>
    `${name} ${type}`.toLowerCase().includes(wanted),
  );
  return endingBefore === undefined
    ? found.filter(({ id }) => id > startingAfter).slice(0, limit)
    : found
        .filter(({ id }) => id < endingBefore)
        .reverse()
        .slice(0, limit);
}

/** Null when absent or another organisation's. */
export async function findGatewayAccount(tx: Tx, id: string): Promise<GatewayAccount | null> {
  const [row] = await tx.sql<GatewayAccountsRow>`
    select * from gateway_accounts where organisation_id = ${tx.organisation} and id = ${id}`;
  return row ? fromRow(row) : null;
}

/**
 * As `findGatewayAccount`, and locks the account until the transaction ends: no payment can start through it until
 * then.
 */
export async function lockGatewayAccount(tx: Tx, id: string): Promise<GatewayAccount | null> {
  const [row] = await locking(tx, "gateway account").sql<GatewayAccountsRow>`
    select * from gateway_accounts where organisation_id = ${tx.organisation} and id = ${id} for update`;
  return row ? fromRow(row) : null;
}

/** Inserts an account. */
export function insertGatewayAccount(tx: Tx, account: GatewayAccount): void {
  tx.queue`
    insert into gateway_accounts (organisation_id, id, type, name, mode, enabled, credentials_sealed, currencies, created_at, updated_at)
    values (${tx.organisation}, ${account.id}, ${account.type}, ${account.name}, ${account.mode}, ${account.enabled},
      ${account.credentialsSealed}, ${account.currencies}, ${account.createdAt}, ${account.updatedAt})`;
}

/** Updates everything but type and mode, which cannot change. */
export function updateGatewayAccount(tx: Tx, account: GatewayAccount): void {
  tx.queue`
    update gateway_accounts set name = ${account.name}, enabled = ${account.enabled}, credentials_sealed = ${account.credentialsSealed},
      currencies = ${account.currencies}, updated_at = ${account.updatedAt}
     where organisation_id = ${tx.organisation} and id = ${account.id}`;
}

/** Deletes an account without payments and mandates; false when it has some. The caller has locked it. */
export async function deleteUnusedGatewayAccount(tx: Tx, id: GatewayAccountId): Promise<boolean> {
  // A statement of its own: a distributed PostgreSQL cannot read what is on one node while it writes to all of them.
  const used = await tx.sql`
    select from transactions where organisation_id = ${tx.organisation} and gateway_account_id = ${id}
    union all select from mandates where organisation_id = ${tx.organisation} and gateway_account_id = ${id} limit 1`;
  if (used.length > 0) return false;
  tx.queue`delete from gateway_accounts where organisation_id = ${tx.organisation} and id = ${id}`;
  return true;
}

/**
 * The first kind of record of the account, in words, about which its gateway may still report or be asked: a payment
 * that is pending, or was cancelled so lately that it may still be paid, a refund that is not decided, a subscription,
 * a card, a mandate. Null when there is none.
 */
export async function findOpenAtGateway(
  tx: Tx,
  id: GatewayAccountId,
  now: Instant,
  askedSeconds: number,
): Promise<string | null> {
  const [row] = await tx.sql<{ what: string | null }>`
    select case
      when exists (select from transactions t where t.organisation_id = ${tx.organisation} and t.gateway_account_id = ${id}
        and (t.status = 'pending' or (t.status = 'cancelled' and t.created_at > ${addSeconds(now, -askedSeconds)}))) then 'a payment'
      when exists (select from refunds r ${joinPayment(tx, part`r.transaction_id`)}
        where r.organisation_id = ${tx.organisation} and r.status ${IN_UNDECIDED} and t.gateway_account_id = ${id}) then 'a refund'
      when exists (select from gateway_subscriptions s where s.organisation_id = ${tx.organisation} and s.gateway_account_id = ${id}
        and s.status <> 'cancelled') then 'a subscription'
      when exists (select from cards c where c.organisation_id = ${tx.organisation} and c.gateway_account_id = ${id}
        and c.status <> 'removed') then 'a saved card'
      when exists (select from mandates m where m.organisation_id = ${tx.organisation} and m.gateway_account_id = ${id}
        and m.status <> 'cancelled') then 'a mandate'
    end as what`;
  return row?.what ?? null;
}

/** The newest payment of the account that its gateway has given an id; null when there is none. */
export async function newestAtGateway(tx: Tx, id: GatewayAccountId): Promise<TransactionId | null> {
  const [row] = await tx.sql<Pick<TransactionsRow, "id">>`
    select id from transactions where organisation_id = ${tx.organisation} and gateway_account_id = ${id}
       and (provider_ref is not null or checkout_ref is not null) order by id desc limit 1`;
  return row?.id ?? null;
}

/** Credentials, for `secrets rotate`. */
export const SEALED_CREDENTIALS: SealedColumn = {
  column: "gateway_accounts.credentials_sealed",
  sealedFor: CREDENTIALS_COLUMN,
  next: (tx, current, after, limit) => tx.sql<SealedValue>`
    select id, credentials_sealed as sealed from gateway_accounts
     where organisation_id = ${tx.organisation} and id > ${after} and not starts_with(credentials_sealed, ${current})
     order by id limit ${limit}`,
  replace: (tx, id, before, after) => tx.queue`
    update gateway_accounts set credentials_sealed = ${after} where organisation_id = ${tx.organisation} and id = ${id}
        and credentials_sealed = ${before}`,
};
