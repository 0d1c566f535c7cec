import { createHash } from "node:crypto";
import type { Tx } from "../platform/database.ts";

/**
 * What is locked, in the order in which a transaction takes the locks: transactions that keep to one order cannot
 * deadlock (decisions.md#lock-order). A lock that the transaction has already may be taken again at any time. Three
 * kinds are not listed, because they cannot deadlock: the Idempotency-Key, since only requests to the same path wait
 * for it and they have taken the same locks before; rows of due work, which are locked under the lock of their record
 * or leased with `skip locked`; and rows that are only inserted.
 */
export const LOCK_ORDER = [
  "tries",
  "organisation",
  "accounting months",
  "settings",
  "API key",
  "role",
  "role name",
  "owner",
  "member",
  "invitation",
  "gateway account",
  "message account",
  "bank details",
  "reconciliation",
  "product",
  "package",
  "plan",
  "plan code",
  "sandbox debit batch",
  "sandbox payment",
  "sandbox subscription",
  "sandbox outcome",
  "EFT reference",
  "EFT order",
  "quote",
  "gateway subscription",
  "checkout session",
  "coupon code",
  "coupon",
  "customer subscription",
  "card setup session",
  "debit batch",
  "mandate",
  "card",
  "card charges of a minute",
  "customer reference",
  "customer email",
  "invoice number",
  "quote number",
  "customer balance",
  "credit note number",
  "payment link",
  "payment starts",
  "invoice",
  "transaction",
  "refund",
  "credit note",
  "customer",
  "customer quota",
  "mandate quota",
  "customer entitlements",
  "webhook endpoints",
  "webhook endpoint",
] as const;

/** One of `LOCK_ORDER`. */
export type Lockable = (typeof LOCK_ORDER)[number];

const RANKS: ReadonlyMap<Lockable, number> = new Map(LOCK_ORDER.map((what, rank) => [what, rank]));
/** Compares two declarations by the first record that each locks: a transaction goes through them in `LOCK_ORDER`. */
export const inLockOrder = (one: { readonly locks: Lockable }, other: { readonly locks: Lockable }): number =>
  LOCK_ORDER.indexOf(one.locks) - LOCK_ORDER.indexOf(other.locks);

/** What works of one organisation are gathered for (`Database.gathered`): all of them lock it, before anything else. */
const GATHERED_FOR: Lockable = "invoice number";
/** Records of one customer: the only other locks that a gathered work may take. */
const OF_CUSTOMER: ReadonlySet<Lockable> = new Set([
  "customer balance",
  "payment link",
  "invoice",
  "transaction",
  "refund",
  "credit note",
  "customer",
]);

type Report = (violation: Error) => void;

/** Null: locks are not checked. */
let report: Report | null = null;

/**
 * Checks the order of locks in this process from now on. Without checks, `locking` costs nothing. `onViolation` gets
 * each violation as an error that names both locks; by default it is thrown, which fails the transaction.
 */
export function checkLocks(onViolation: Report = fail): void {
  report = onViolation;
}

function fail(violation: Error): never {
  throw violation;
}

const taken = new WeakMap<Tx, Set<Lockable>>();
const gathered = new WeakSet<Tx>();
const alone = new WeakSet<Tx>();

/**
 * The transaction, to send a statement that locks: `locking(tx, "invoice").sql`. When locks are checked, it is a
 * violation if the transaction has locked something that comes later in `LOCK_ORDER`, unless it has locked `what`
 * before.
 */
export function locking(tx: Tx, what: Lockable): Tx {
  if (report) check(tx, what, report);
  return tx;
}

/**
 * As `locking`, for a statement that locks records of several customers. When locks are checked, it is a violation if
 * the transaction has not locked the numbers of invoices first: the works of a gathering lock customers in the order in
 * which they come.
 */
export function lockingSeveral(tx: Tx, what: Lockable): Tx {
  if (report && !alone.has(tx) && !taken.get(tx)?.has(GATHERED_FOR))
    report(
      new Error(`${what} of several customers is locked without ${GATHERED_FOR}: lock that first (domain/locks.ts).`),
    );
  return locking(tx, what);
}

/**
 * Declares that the transaction is one work of several in one transaction (`Database.gathered`), and that it has locked
 * the row for which they are gathered. Each work begins `LOCK_ORDER` from the start, although the locks of the works
 * before it are still held. When locks are checked, the work may lock only records of its customer from now on. This
 * cannot deadlock: no other gathering is running; a transaction that locks several customers has locked the same row
 * first; all others lock records of one customer, and wait for them without holding another lock that a gathering
 * needs. Names, such as references and addresses, are locked before customers, so the two never wait for each other.
 */
export function lockAsGathered(tx: Tx): void {
  if (!report) return;
  if (!taken.get(tx)?.has(GATHERED_FOR)) report(new Error(`A gathered work locks ${GATHERED_FOR} first.`));
  gathered.add(tx);
}

/**
 * Declares that the transaction inserts its organisation: no other transaction can see its records, so locks may be
 * taken in any order.
 */
export function skipLockOrder(tx: Tx): void {
  if (report) alone.add(tx);
}

function check(tx: Tx, what: Lockable, violated: Report): void {
  if (alone.has(tx)) return;
  const locked = taken.get(tx) ?? new Set();
  taken.set(tx, locked);
  if (locked.has(what)) return;
  if (gathered.has(tx) && !OF_CUSTOMER.has(what))
    violated(new Error(`${what} is locked by a gathered work, which locks records of one customer (domain/locks.ts).`));
  const rank = RANKS.get(what) ?? 0;
  const later = [...locked].find((other) => (RANKS.get(other) ?? 0) > rank);
  if (later)
    violated(new Error(`${what} is locked after ${later}: lock it before, or change LOCK_ORDER (domain/locks.ts).`));
  locked.add(what);
}

const SLOTS = 256;

const slotOf = (name: string): number => createHash("sha1").update(name).digest().readUInt8() % SLOTS;

/**
 * Locks a name that has no row of its own, until the transaction ends. Names of one kind share a few rows: transactions
 * that lock different names may wait for each other, those that lock the same name always do. A transaction that locks
 * several names of a kind does it at once (`lockNames`).
 */
export function lockName(tx: Tx, kind: Lockable, name: string): void {
  // `on conflict do update … where false` locks the row although it updates nothing.
  locking(tx, kind).queue`
    insert into lock_slots as s (organisation_id, kind, slot) values (${tx.organisation}, ${kind}, ${slotOf(name)})
    on conflict (organisation_id, kind, slot) do update set slot = excluded.slot where false`;
}

/**
 * As `lockName`, for several names: their rows are locked in one order, so that two transactions that share names
 * cannot deadlock.
 */
export function lockNames(tx: Tx, kind: Lockable, names: readonly string[]): void {
  locking(tx, kind).queue`
    insert into lock_slots as s (organisation_id, kind, slot)
    select distinct ${tx.organisation}, ${kind}, n.slot from unnest(${names.map(slotOf)}::smallint[]) as n(slot) order by n.slot
    on conflict (organisation_id, kind, slot) do update set slot = excluded.slot where false returning slot`;
}

/**
 * Takes a shared lock on a name. It conflicts with `lockName`, and with itself only while the row of the name is being
 * inserted.
 */
export function shareName(tx: Tx, kind: Lockable, name: string): void {
  locking(tx, kind).queue`
    insert into lock_slots as s (organisation_id, kind, slot) values (${tx.organisation}, ${kind}, ${slotOf(name)})
    on conflict (organisation_id, kind, slot) do nothing`;
  // A separate statement sees a row that another transaction committed while the first statement waited.
  locking(tx, kind).queue`
    select from lock_slots where organisation_id = ${tx.organisation} and kind = ${kind} and slot = ${slotOf(name)} for share`;
}
