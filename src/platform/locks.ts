import { createHash } from "node:crypto";
import type { Tx } from "./database.ts";

/**
 * What is locked, in the order in which a transaction takes it: two that take what they need in one order never wait for each other in
 * a circle. What is needed again may be locked again. Not in the order, because nothing can wait in a circle for it:
 * the Idempotency-Key, at which only requests to the same path meet, which take the same locks after it; rows of due work, which are
 * locked under the lock of the record that they are about, or leased with `skip locked`; rows that are only ever inserted.
 */
export const LOCK_ORDER = [
  "organisation",
  "settings",
  "API key",
  "owner",
  "member",
  "invitation",
  "gateway account",
  "product",
  "sandbox payment",
  "EFT reference",
  "EFT order",
  "quote",
  "invoice number",
  "quote number",
  "customer balance",
  "payment link",
  "payment starts",
  "invoice",
  "credit note number",
  "transaction",
  "refund",
  "credit note",
  "customer reference",
  "customer email",
  "customer",
  "customer quota",
  "webhook endpoints",
  "webhook endpoint",
] as const;

/** One of `LOCK_ORDER`. */
export type Lockable = (typeof LOCK_ORDER)[number];

const RANKS: ReadonlyMap<Lockable, number> = new Map(LOCK_ORDER.map((what, rank) => [what, rank]));
/** Checked with CHECK_LOCKS=1; elsewhere a lock costs nothing more. */
let checked = process.env["CHECK_LOCKS"] === "1";

/** Checks the order from now on. */
export function checkLocks(): void {
  checked = true;
}
const taken = new WeakMap<Tx, Set<Lockable>>();

/**
 * The transaction, to send a statement that locks: `locking(tx, "invoice").sql`. When locks are checked, throws if the transaction has
 * locked something that comes later in `LOCK_ORDER`, unless it has locked `what` before. In a gathered transaction each work begins
 * anew, though what the works before it have locked stays locked: all of them have first of all locked the row that they gather for, so
 * none of another gathering is under way, and a transaction that is not gathered locks the records of one customer.
 */
export function locking(tx: Tx, what: Lockable): Tx {
  if (checked) check(tx, what);
  return tx;
}

function check(tx: Tx, what: Lockable): void {
  const held = taken.get(tx) ?? new Set();
  taken.set(tx, held);
  if (held.has(what)) return;
  const rank = RANKS.get(what) ?? 0;
  const later = [...held].find((other) => (RANKS.get(other) ?? 0) > rank);
  if (later)
    throw new Error(`${what} is locked after ${later}: lock it before, or change LOCK_ORDER (platform/locks.ts).`);
  held.add(what);
}

const SLOTS = 256;

/**
 * Locks a name that has no row of its own, until the transaction ends. Names of one kind share a few rows: some wait that need not, but
 * nobody who must wait does not. At most one name of a kind is locked by a transaction.
 */
export function lockName(tx: Tx, kind: Lockable, name: string): void {
  const slot = createHash("sha1").update(name).digest().readUInt8() % SLOTS;
  // A row that is not updated is locked all the same.
  locking(tx, kind).queue`
    insert into lock_slots as s (organisation_id, kind, slot) values (${tx.organisation}, ${kind}, ${slot})
    on conflict (organisation_id, kind, slot) do update set slot = excluded.slot where false`;
}
