import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { ApiError } from "../kernel/errors.ts";
import { addSeconds, type Instant, secondsBetween } from "../kernel/time.ts";
import { part, type Tx } from "./database.ts";
import { LEASE_SECONDS, type Work, type WorkRow, workOf } from "./due-work.ts";
import { machineNow } from "./machine-clock.ts";

/* The due work of an organisation whose own clock is set, while that clock is moved. */

/** How many jobs one step of a move reads at most. */
const LEASED_MAX = 1000;

/** How long the clock is waited for beside long transactions, such as imports: no request that moves it may take longer. */
const CLOCK_SECONDS = 120;
/** Between two tries, for those that came meanwhile: they write, and need not wait for the next try. */
const MAKE_WAY_MS = 200;

/**
 * Waits for the transactions that are writing due work (`hold_clock`), and lets those that come later wait for this
 * one: otherwise, under constant writes, an update of the clock would never get the organisation's row
 * (decisions.md#clock-by-advisory-lock). After half a second (`take_clock`) those that came meanwhile go first: one
 * that holds the clock may wait for them. The caller has locked nothing before. Throws 409 beside a transaction that
 * takes minutes.
 */
export async function takeClock(tx: Tx): Promise<void> {
  const began = machineNow();
  for (;;) {
    const [answer] = await tx.sql<{ taken: boolean }>`select take_clock(${tx.organisation}) as taken`;
    if (answer?.taken) return;
    if (secondsBetween(began, machineNow()) > CLOCK_SECONDS) throw clockIsBusy();
    await sleep(MAKE_WAY_MS);
  }
}

const clockIsBusy = (): ApiError =>
  new ApiError(
    "invalid_state",
    409,
    "The clock cannot be moved while much is being stored, such as a large import. Try again when that is done.",
    { headers: { "retry-after": "10" } },
  );

/** The next work of an organisation whose clock is being moved, without the work that requests asked for during the move. */
export type NextWork =
  /** Leased to the caller, all of one kind and due at the same moment. */
  | { readonly kind: "work"; readonly works: readonly Work[] }
  /** The next work is leased by another process, or waits after a failure: the move waits too. */
  | { readonly kind: "wait" }
  /** Nothing is due at the clock's present time. */
  | { readonly kind: "none" };

/**
 * Condition: due at the clock's present time, and part of the move. Work that a worker will retry after a failure (`lease_until` without a
 * token) waits in real time: no move waits for it until that time is over. Work that the move itself retries keeps its token.
 */
const due = (now: Instant) =>
  part`is_due and not asked_during_move and parked_at is null and (lease_token is not null or lease_until is null or lease_until < ${now})`;

/** Whether work is due at the clock's present time, leased work included. */
export async function hasDue(tx: Tx): Promise<boolean> {
  const [row] = await tx.sql<{ any: boolean }>`
    select exists (select from due_work where organisation_id = ${tx.organisation} and ${due(machineNow())}) as any`;
  return row?.any ?? false;
}

/**
 * For a move of the clock: leases the work that is due first, of one kind and one due time, at most `limitOf(kind)`
 * pieces. Skips locked rows.
 */
export async function leaseFirst(tx: Tx, limitOf: (kind: string) => number): Promise<NextWork> {
  const now = machineNow();
  const token = randomUUID();
  const [rows, any] = await Promise.all([
    tx.sql<WorkRow>`
      select * from due_work
       where organisation_id = ${tx.organisation} and ${due(now)} and (lease_until is null or lease_until < ${now})
         and due_at = (select min(due_at) from due_work where organisation_id = ${tx.organisation} and ${due(now)})
       order by kind, subject limit ${LEASED_MAX} for update skip locked`,
    hasDue(tx),
  ]);
  const works = rows
    .filter(({ kind }) => kind === rows[0]?.kind)
    .slice(0, limitOf(rows[0]?.kind ?? ""))
    .map((row) => workOf({ ...row, attempts: row.attempts + 1 }, token));
  const [first] = works;
  if (!first) return { kind: any ? "wait" : "none" };
  tx.queue`
    update due_work set attempts = attempts + 1, lease_token = ${token}, lease_until = ${addSeconds(now, LEASE_SECONDS)}
     where organisation_id = ${tx.organisation} and kind = ${first.kind} and subject = any (${works.map(({ subject }) => subject)})`;
  return { kind: "work", works };
}

/** Due time of the next work that waits for the organisation's clock; null when there is none. */
export async function nextWaiting(tx: Tx): Promise<Instant | null> {
  const [row] = await tx.sql<{ due_at: Date | null }>`
    select min(due_at) as due_at from due_work
     where organisation_id = ${tx.organisation} and waits_for_clock and not asked_during_move and parked_at is null`;
  return (row?.due_at ?? null) as Instant | null;
}

/**
 * Marks the work that waited for the clock up to `clock` as due; answers the kind of each piece. The caller holds the lock on the
 * organisation, which `enqueue` waits for. Skips rows that are locked because the work is being cancelled or enqueued again: the caller
 * sees them when it reads the next due time.
 */
export async function makeDue(tx: Tx, clock: Instant): Promise<string[]> {
  const rows = await tx.sql<{ kind: string }>`
    update due_work set is_due = true, waits_for_clock = false
     where organisation_id = ${tx.organisation} and (kind, subject) in (
       select kind, subject from due_work
        where organisation_id = ${tx.organisation} and waits_for_clock and not asked_during_move and parked_at is null
          and due_at <= ${clock}
        for update skip locked)
    returning kind`;
  return rows.map(({ kind }) => kind);
}

/** Whether requests have asked, during the move, for work that is due by `until`. */
export async function hasWorkAskedDuringMove(tx: Tx, until: Instant): Promise<boolean> {
  const [row] = await tx.sql<{ any: boolean }>`
    select exists (select from due_work
      where organisation_id = ${tx.organisation} and asked_during_move and parked_at is null and due_at <= ${until}) as any`;
  return row?.any ?? false;
}

/**
 * Makes work that requests asked for during the move part of it: at most `limit` pieces, the earliest first; all when
 * `limit` is null. Answers how many. Skips locked rows.
 */
export async function takeAskedDuringMove(tx: Tx, until: Instant, limit: number | null): Promise<number> {
  const [row] = await tx.sql<{ taken: number }>`
    with asked as materialized (
      select kind, subject from due_work
       where organisation_id = ${tx.organisation} and asked_during_move and parked_at is null and due_at <= ${until}
       order by due_at, subject limit ${limit} for update skip locked),
    taken as (
      update due_work w set asked_during_move = false from asked
       where w.organisation_id = ${tx.organisation} and w.kind = asked.kind and w.subject = asked.subject returning 1)
    select count(*)::integer as taken from taken`;
  return row?.taken ?? 0;
}

/** The move ends at `clock`: marks the work that requests asked for during it as due, for the workers. */
export function leaveToWorkers(tx: Tx, clock: Instant): void {
  tx.queue`
    update due_work set is_due = true, waits_for_clock = false
     where organisation_id = ${tx.organisation} and (kind, subject) in (
       select kind, subject from due_work
        where organisation_id = ${tx.organisation} and asked_during_move and waits_for_clock and parked_at is null and due_at <= ${clock}
        for update skip locked)`;
}

/**
 * Takes back the work that moves have leased, whose tokens name no process, since no move is running: the process of
 * the last one has ended.
 */
export function takeBackFromMoves(tx: Tx): void {
  tx.queue`
    update due_work set lease_token = null, lease_until = null
     where organisation_id = ${tx.organisation} and is_due and lease_token is not null and position(':' in lease_token) = 0`;
}

/** The organisation's clock is set: work that waited for real time waits for that clock. */
export function waitForClock(tx: Tx): void {
  tx.queue`update due_work set waits_for_clock = true where organisation_id = ${tx.organisation} and not is_due and not waits_for_clock`;
}

/** The organisation's clock follows real time again: work that waited for that clock waits for real time. */
export function waitForRealTime(tx: Tx): void {
  tx.queue`update due_work set waits_for_clock = false where organisation_id = ${tx.organisation} and waits_for_clock`;
}

/** The organisation's clock stands at `clock`, as its work does: what was due by then is due, and nobody does it yet. */
export function dueByClock(tx: Tx, clock: Instant): void {
  tx.queue`
    update due_work set is_due = due_at <= ${clock}, waits_for_clock = due_at > ${clock}, asked_during_move = false,
      lease_token = null, lease_until = null
     where organisation_id = ${tx.organisation}`;
}
