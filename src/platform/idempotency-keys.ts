import { addSeconds, type Instant, startOfUtcDay } from "../kernel/time.ts";
import type { Tx } from "./database.ts";
import { isLockTimeout, sqlState, violatedUnique } from "./faults.ts";
import { machineNow } from "./machine-clock.ts";
import type { SealedColumn, SealedValue } from "./sealed.ts";

/** A key with its method and path, which belong to its scope (interface 4.1). */
export interface KeyScope {
  readonly key: string;
  readonly method: string;
  readonly path: string;
}

/** A reply as it is stored. */
export interface StoredReply {
  readonly status: number;
  readonly sealed: string;
}

/** What is stored under a key: the reply, which is sent again, or what a gateway was asked for, or neither yet. */
export interface KeptRequest {
  readonly bodyHash: Buffer;
  readonly reply: StoredReply | null;
  readonly intent: KeptIntent | null;
}

/** What a gateway was asked for under a key that has no reply. */
export interface KeptIntent {
  readonly claimed: ClaimedKey;
  readonly id: string;
  /** No request is working on it: it is settled, or the request that had it has ended. */
  readonly free: boolean;
}

/** A row of `idempotency_keys`, as far as `findKept` reads it. */
interface KeyRow {
  readonly body_hash: Buffer;
  readonly status: number | null;
  readonly reply_sealed: string | null;
  readonly intent: string | null;
  readonly intent_settled: boolean;
  readonly claimed_at: Instant | null;
  readonly recorded_at: Instant;
}

/** The column name that replies are sealed with. */
export const REPLY_COLUMN = "idempotency_keys.reply";
/** Raised by `refuse_stored_key`, when the key was claimed before. */
const STORED = "TEFO1";
/** How long a key is kept. */
const KEPT_SECONDS = 24 * 60 * 60;
/** No request takes longer. */
const REQUEST_SECONDS = 10 * 60;

/** A key that the transaction has claimed. */
export interface ClaimedKey extends KeyScope {
  /** The UTC day of its row, which chooses the partition. */
  readonly day: Instant;
}

/**
 * Claims the key by inserting its row, with the reply when there is one already (decisions.md#idempotency-key-last); waits for a
 * transaction that has claimed it. The claim is committed or rolled back with the transaction. The transaction fails with an error for
 * which `isStored` or `isStillRunning` is true when the key cannot be claimed. What was kept under a claim of more than 24 hours ago is
 * forgotten. The primary key holds for one day: in the first minutes of a day the key is claimed for the day before, too, so that it meets
 * a request from before midnight.
 */
export function claimKey(
  tx: Tx,
  { key, method, path }: KeyScope,
  bodyHash: Buffer,
  reply: StoredReply | null,
  at = machineNow(),
): ClaimedKey {
  const day = startOfUtcDay(at);
  const before = startOfUtcDay(addSeconds(at, -REQUEST_SECONDS));
  const days = before < day ? [before, day] : [day];
  const since = addSeconds(at, -KEPT_SECONDS);
  // The row of the day before may be older than 24 hours, so that it no longer counts.
  if (before < day)
    tx.queue`
      delete from idempotency_keys where organisation_id = ${tx.organisation} and key = ${key} and method = ${method} and path = ${path}
         and recorded_at = ${before} and claimed_at <= ${since}`;
  // Rows of earlier releases have the moment of the claim in `recorded_at`. With both bounds only the partitions of two
  // days are looked into.
  tx.queue`
    insert into idempotency_keys (organisation_id, key, method, path, recorded_at, claimed_at, body_hash, status, reply_sealed)
    select ${tx.organisation}, ${key}, ${method}, ${path}, d.day, ${at}::timestamptz,
           case when exists (
             select from idempotency_keys where organisation_id = ${tx.organisation} and key = ${key}
                 and method = ${method} and path = ${path}
                and recorded_at >= ${startOfUtcDay(since)} and recorded_at < ${addSeconds(day, KEPT_SECONDS)}
                and coalesce(claimed_at, recorded_at) > ${since})
           then (select null::bytea from refuse_stored_key()) else ${bodyHash}::bytea end,
           ${reply?.status ?? null}::smallint, ${reply?.sealed ?? null}::text
      from unnest(${days}::timestamptz[]) as d(day)
    returning key`;
  return { key, method, path, day };
}

/** Whether a transaction failed because the key was claimed before, by a committed transaction. */
export const isStored = (error: unknown): boolean =>
  sqlState(error) === STORED || violatedUnique(error)?.startsWith("idempotency_keys") === true;

/** Whether a transaction failed because another one with the same key did not end within `lock_timeout`. */
export const isStillRunning = (error: unknown): boolean => isLockTimeout(error, "idempotency_keys");

/** Stores the reply of a key that this transaction has claimed; for 2xx and 4xx only. */
export function storeReply(tx: Tx, { key, method, path, day }: ClaimedKey, { status, sealed }: StoredReply): void {
  tx.queue`
    update idempotency_keys set status = ${status}, reply_sealed = ${sealed}
     where organisation_id = ${tx.organisation} and key = ${key} and method = ${method} and path = ${path} and recorded_at = ${day}`;
}

/** Stores under a claimed key what a gateway is asked for. A repeated request finds this intent until there is a reply. */
export function keepIntent(tx: Tx, { key, method, path, day }: ClaimedKey, intent: string): void {
  tx.queue`
    update idempotency_keys set intent = ${intent}, intent_settled = false
     where organisation_id = ${tx.organisation} and key = ${key} and method = ${method} and path = ${path} and recorded_at = ${day}`;
}

/** Marks the intent as answered without a reply that the key stores: a repeated request reads the state of the intent's record instead. */
export function settleIntent(tx: Tx, { key, method, path, day }: ClaimedKey): void {
  tx.queue`
    update idempotency_keys set intent_settled = true
     where organisation_id = ${tx.organisation} and key = ${key} and method = ${method} and path = ${path} and recorded_at = ${day}`;
}

/**
 * Longer than a request waits for a gateway, even when it asks twice, by machine time. An intent that is not settled after it belongs to a
 * request that has ended.
 */
const GONE_AFTER_SECONDS = 40;
const goneBefore = (): Instant => addSeconds(machineNow(), -GONE_AFTER_SECONDS);

/**
 * Gives a free intent to this request alone, by machine time; false when another request took it first. The key is
 * stored for 24 hours from then on.
 */
export async function takeOverIntent(tx: Tx, { key, method, path, day }: ClaimedKey): Promise<boolean> {
  const taken = await tx.sql<{ key: string }>`
    update idempotency_keys set claimed_at = ${machineNow()}, intent_settled = false
     where organisation_id = ${tx.organisation} and key = ${key} and method = ${method} and path = ${path} and recorded_at = ${day}
       and status is null and (intent_settled or claimed_at < ${goneBefore()}) returning key`;
  return taken.length === 1;
}

/**
 * What the newest request with the key has left; null when there is none. Looks where `claimKey` does, in the
 * partitions of two days; for some minutes more at midnight, in case it was claimed just before.
 */
export async function findKept(
  tx: Tx,
  { key, method, path }: KeyScope,
  at = machineNow(),
): Promise<KeptRequest | null> {
  const since = startOfUtcDay(addSeconds(at, -KEPT_SECONDS - REQUEST_SECONDS));
  const until = addSeconds(startOfUtcDay(at), KEPT_SECONDS);
  const [row] = await tx.sql<KeyRow>`
    select body_hash, status, reply_sealed, intent, intent_settled, claimed_at, recorded_at from idempotency_keys
     where organisation_id = ${tx.organisation} and key = ${key} and method = ${method} and path = ${path}
       and recorded_at >= ${since} and recorded_at < ${until}
     order by coalesce(claimed_at, recorded_at) desc, recorded_at desc limit 1`;
  if (!row) return null;
  const { body_hash: bodyHash, status, reply_sealed: sealed, intent, claimed_at: claimedAt, recorded_at: day } = row;
  if (status !== null && sealed !== null) return { bodyHash, reply: { status, sealed }, intent: null };
  if (intent === null || claimedAt === null) return { bodyHash, reply: null, intent: null };
  const free = row.intent_settled || claimedAt < goneBefore();
  return { bodyHash, reply: null, intent: { claimed: { key, method, path, day }, id: intent, free } };
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
