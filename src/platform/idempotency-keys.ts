import { addSeconds, type Instant, machineNow, startOfUtcDay } from "../kernel/time.ts";
import { isLockTimeout, sqlState, type Tx } from "./database.ts";
import type { SealedColumn, SealedValue } from "./sealed.ts";

/** A key with its method and path, which belong to its scope (interface 4.1). */
export interface KeyScope {
  readonly key: string;
  readonly method: string;
  readonly path: string;
}

/** The stored reply, and the hash of the request body that it answers. */
export interface StoredReply {
  readonly bodyHash: Buffer;
  readonly status: number;
  readonly sealed: string;
}

/** The column name that replies are sealed with. */
export const REPLY_COLUMN = "idempotency_keys.reply";
/** Raised by `claim_idempotency_key` when the key was claimed before. */
const STORED = "TEFO1";

/** A key that the transaction has claimed. */
export interface ClaimedKey extends KeyScope {
  /** The UTC day of its row, which chooses the partition. */
  readonly day: Instant;
}

/**
 * Claims the key by inserting its row; waits for a transaction that has claimed it. The claim is committed or rolled back with the
 * transaction. The transaction fails with an error for which `isStored` or `isStillRunning` is true when the key cannot be claimed.
 */
export function claimKey(tx: Tx, { key, method, path }: KeyScope, bodyHash: Buffer): ClaimedKey {
  const at = machineNow();
  tx.queue`select claim_idempotency_key(${tx.organisation}, ${key}, ${method}, ${path}, ${bodyHash}, ${at})`;
  return { key, method, path, day: startOfUtcDay(at) };
}

/** Whether a transaction failed because the key was claimed before, by a committed transaction. */
export const isStored = (error: unknown): boolean => sqlState(error) === STORED;

/** Whether a transaction failed because another one with the same key did not end within `lock_timeout`. */
export const isStillRunning = (error: unknown): boolean => isLockTimeout(error, "claim_idempotency_key");

/** Stores the reply of a key that this transaction has claimed; for 2xx and 4xx only. */
export function storeReply(tx: Tx, { key, method, path, day }: ClaimedKey, status: number, sealed: string): void {
  tx.queue`
    update idempotency_keys set status = ${status}, reply_sealed = ${sealed}
     where organisation_id = ${tx.organisation} and key = ${key} and method = ${method} and path = ${path} and recorded_at = ${day}`;
}

/** Keeps under a claimed key what a gateway is asked for: a repeat meets it until there is a reply. */
export function keepIntent(tx: Tx, { key, method, path, day }: ClaimedKey, intent: string): void {
  tx.queue`
    update idempotency_keys set intent = ${intent}, intent_settled = false
     where organisation_id = ${tx.organisation} and key = ${key} and method = ${method} and path = ${path} and recorded_at = ${day}`;
}

/** The intent has its answer, which is no reply that a key keeps: a repeat answers by where the intent stands. */
export function settleIntent(tx: Tx, { key, method, path, day }: ClaimedKey): void {
  tx.queue`
    update idempotency_keys set intent_settled = true
     where organisation_id = ${tx.organisation} and key = ${key} and method = ${method} and path = ${path} and recorded_at = ${day}`;
}

/** Longer than a request asks a gateway, by machine time: who has not settled an intent by then is gone. */
const GONE_AFTER_SECONDS = 30;

/** A claimed key whose request has asked a gateway and has no stored reply yet. */
export interface KeptIntent {
  readonly claimed: ClaimedKey;
  readonly bodyHash: Buffer;
  readonly intent: string;
  /** Nobody is at it: it is settled, or whoever recorded it is gone. */
  readonly free: boolean;
}

/** Null when nothing but a reply, or nothing at all, is kept under the key. */
export async function findIntent(tx: Tx, { key, method, path }: KeyScope): Promise<KeptIntent | null> {
  const [row] = await tx.sql<{
    body_hash: Buffer;
    intent: string;
    intent_settled: boolean;
    claimed_at: Instant;
    recorded_at: Instant;
  }>`
    select body_hash, intent, intent_settled, claimed_at, recorded_at from idempotency_keys
     where organisation_id = ${tx.organisation} and key = ${key} and method = ${method} and path = ${path} and status is null
       and intent is not null
     order by claimed_at desc, recorded_at desc limit 1`;
  if (!row) return null;
  const claimed = { key, method, path, day: row.recorded_at };
  const gone = addSeconds(row.claimed_at, GONE_AFTER_SECONDS) < machineNow();
  return { claimed, bodyHash: row.body_hash, intent: row.intent, free: row.intent_settled || gone };
}

/** Null when no reply is stored under the key. */
export async function findReply(tx: Tx, { key, method, path }: KeyScope): Promise<StoredReply | null> {
  const [row] = await tx.sql<{ body_hash: Buffer; status: number; reply_sealed: string }>`
    select body_hash, status, reply_sealed from idempotency_keys
     where organisation_id = ${tx.organisation} and key = ${key} and method = ${method} and path = ${path} and status is not null
     order by coalesce(claimed_at, recorded_at) desc limit 1`;
  return row ? { bodyHash: row.body_hash, status: row.status, sealed: row.reply_sealed } : null;
}

/** Stored replies, for `secrets rotate`; an id is the row's key as JSON. */
export const SEALED_REPLIES: SealedColumn = {
  column: "idempotency_keys.reply_sealed",
  sealedFor: REPLY_COLUMN,
  next: (tx, current, after, limit) => {
    const [key = "", method = "", path = "", at = "-infinity"] = after === "" ? [] : (JSON.parse(after) as string[]);
    return tx.sql<SealedValue>`
      select jsonb_build_array(key, method, path, recorded_at)::text as id, reply_sealed as sealed from idempotency_keys
       where organisation_id = ${tx.organisation} and not starts_with(reply_sealed, ${current})
         and (key, method, path, recorded_at) > (${key}, ${method}, ${path}, ${at}::timestamptz)
       order by key, method, path, recorded_at limit ${limit}`;
  },
  replace: (tx, id, before, after) => {
    const [key, method, path, at] = JSON.parse(id) as string[];
    tx.queue`
      update idempotency_keys set reply_sealed = ${after}
       where organisation_id = ${tx.organisation} and key = ${key} and method = ${method} and path = ${path}
         and recorded_at = ${at}::timestamptz and reply_sealed = ${before}`;
  },
};
