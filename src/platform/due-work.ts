import type { OrganisationId } from "../kernel/ids.ts";
import { addSeconds, type Instant, machineNow } from "../kernel/time.ts";
import { type Database, part, type Tx } from "./database.ts";

/** A kind of due work, declared by the module of its resource. */
export interface DueWork {
  readonly kind: string;
  /** How many pieces run at once in a lane of an organisation; for work done in sets, the size of a set. */
  readonly together: number;
  /** How many pieces run at once in a process. */
  readonly perProcess: number;
  /** `enqueue` names the lane, such as a webhook endpoint; otherwise the kind is the lane. */
  readonly ownLanes: boolean;
  /** Requests cause this work too, not only time: when it falls due, a clock's move takes in no further work of requests for it. */
  readonly fromRequests: boolean;
}

/** Declares a kind of due work: by default done in the database, in a transaction each, and due because time passes. */
export const dueWork = (kind: string, traits: Partial<Omit<DueWork, "kind">> = {}): DueWork => ({
  kind,
  together: 8,
  perProcess: 32,
  ownLanes: false,
  fromRequests: false,
  ...traits,
});

/** Anything with the kind's name: its declaration, or leased work of it. */
type OfKind = Pick<DueWork, "kind">;

/** Notified when work falls due at once. */
export const DUE_WORK_CHANNEL = "tefo_due_work";
/** How long a lease lasts unless it is renewed, in seconds of machine time (docs/architecture.md, Due work). */
export const LEASE_SECONDS = 30;

/** A piece of work that this process has leased: no other process does it while the lease is renewed. */
export interface Work {
  readonly organisation: OrganisationId;
  readonly kind: string;
  readonly subject: string;
  /** Work of one lane is done in order by one process at a time: a lane is a webhook endpoint, else the kind. */
  readonly lane: string;
  readonly dueAt: Instant;
  /** Number of this attempt, from 1. */
  readonly attempt: number;
  readonly token: string;
}

/** Leased work, with the organisation as it is now: a row for `organisationFromRow`. */
export interface Claimed {
  readonly work: Work;
  readonly organisation: unknown;
}

/** The lease is lost: it ran out, or the work was enqueued again. The transaction must be rolled back. */
export class LeaseLost extends Error {}

interface AskedWork {
  readonly kind: string;
  readonly subject: string;
  readonly due: Instant;
  readonly lane: string;
}

/** What each transaction has asked for, by kind and subject; written together before the commit. */
const asked = new WeakMap<Tx, Map<string, AskedWork>>();
const keyOf = (kind: string, subject: string): string => `${kind} ${subject}`;

/**
 * Asks for work on `subject` at `due`, in the caller's transaction: its row is written with the others of the transaction, in one statement
 * before the commit. At most one of a kind and subject is outstanding: asking again replaces the time and starts its attempts anew
 * (decision 35), also while it is being done.
 */
export function enqueue(tx: Tx, { kind }: OfKind, subject: string, due: Instant, lane: string = kind): void {
  const works = asked.get(tx) ?? new Map<string, AskedWork>();
  if (works.size === 0 && !asked.has(tx)) tx.beforeCommit(() => writeAsked(tx, [...works.values()]));
  asked.set(tx, works);
  works.set(keyOf(kind, subject), { kind, subject, due, lane });
}

/** In the order of the primary key, so that two transactions that ask for the same work do not wait for each other in a circle. */
function writeAsked(tx: Tx, works: AskedWork[]): void {
  if (works.length === 0) return;
  works.sort((a, b) => compare(a.kind, b.kind) || compare(a.subject, b.subject));
  const of = (field: keyof AskedWork) => works.map((work) => work[field]);
  tx.queue`select enqueue_due_works(${tx.organisation}, ${of("kind")}, ${of("subject")}, ${of("due")}, ${of("lane")})`;
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Removes the work if it is still outstanding. The caller has locked the record that it is about, as its handler does. */
export function cancelWork(tx: Tx, { kind }: OfKind, subject: string): void {
  asked.get(tx)?.delete(keyOf(kind, subject));
  tx.queue`delete from due_work where organisation_id = ${tx.organisation} and kind = ${kind} and subject = ${subject}`;
}

/** Removes all work of a kind in a lane; answers its subjects. */
export async function cancelLane(tx: Tx, { kind }: OfKind, lane: string): Promise<string[]> {
  const works = asked.get(tx) ?? new Map<string, AskedWork>();
  const unwritten = [...works.values()].filter((work) => work.kind === kind && work.lane === lane);
  for (const { subject } of unwritten) works.delete(keyOf(kind, subject));
  const rows = await tx.sql<{ subject: string }>`
    delete from due_work where organisation_id = ${tx.organisation} and kind = ${kind} and lane = ${lane} returning subject`;
  return [...new Set([...unwritten, ...rows].map(({ subject }) => subject))];
}

/** Where a claim begins: after this lane of this organisation. */
export interface Cursor {
  readonly organisation: string;
  readonly lane: string;
}

interface WorkRow {
  organisation_id: string;
  kind: string;
  subject: string;
  lane: string;
  due_at: Date;
  attempts: number;
}

const workOf = (row: WorkRow, token: string): Work => ({
  organisation: row.organisation_id as OrganisationId,
  kind: row.kind,
  subject: row.subject,
  lane: row.lane,
  dueAt: row.due_at as Instant,
  attempt: row.attempts,
  token,
});

/** How many pieces of work a claim may lease. */
export interface ClaimLimits {
  readonly limit: number;
  /** For a lane that `laneLimits` does not name. */
  readonly laneLimit: number;
  /** By `laneKey`, else by the lane alone. */
  readonly laneLimits: Readonly<Record<string, number>>;
  /** By kind, over all lanes. */
  readonly kinds: Readonly<Record<string, number>>;
}

/** Names one organisation's lane in `ClaimLimits`. */
export const laneKey = ({ organisation, lane }: Pick<Work, "organisation" | "lane">): string =>
  `${organisation} ${lane}`;

/**
 * Leases work of all organisations, through a function of `tefo_gate`. Answers it in order of organisation, lane and due time, and where the next claim
 * begins: null when every lane was visited.
 */
export async function claimWork(
  db: Pick<Database, "sql">,
  token: string,
  after: Cursor | null,
  { limit, laneLimit, laneLimits, kinds }: ClaimLimits,
): Promise<{ claimed: Claimed[]; reached: Cursor | null }> {
  const rows = await db.sql<
    WorkRow & { organisation: unknown; reached_organisation: string | null; reached_lane: string }
  >`
    select * from claim_due_work(${after?.organisation ?? ""}, ${after?.lane ?? ""}, ${limit}, ${laneLimit}, ${JSON.stringify(laneLimits)},
      ${JSON.stringify(kinds)}, ${LEASE_SECONDS}, ${token})`;
  const organisation = rows[0]?.reached_organisation ?? null;
  return {
    claimed: rows.map((row) => ({ work: workOf(row, token), organisation: row.organisation })),
    reached: organisation === null ? null : { organisation, lane: rows[0]?.reached_lane ?? "" },
  };
}

/** Renews the leases, of any organisations; a lease that was lost stays lost. */
export async function renewLeases(db: Pick<Database, "sql">, token: string, works: readonly Work[]): Promise<void> {
  const of = (field: "organisation" | "kind" | "subject") => works.map((work) => work[field]);
  await db.sql`select renew_due_work(${token}, ${of("organisation")}, ${of("kind")}, ${of("subject")}, ${LEASE_SECONDS})`;
}

/** Locks the given work of one kind that this process still leases, until the transaction ends; answers its subjects. */
export async function lockLeased(tx: Tx, works: readonly Work[]): Promise<ReadonlySet<string>> {
  const [first] = works;
  if (!first) return new Set();
  const rows = await tx.sql<{ subject: string }>`
    select subject from due_work where organisation_id = ${tx.organisation} and kind = ${first.kind}
       and subject = any (${works.map(({ subject }) => subject)}) and lease_token = ${first.token} order by subject for update`;
  return new Set(rows.map(({ subject }) => subject));
}

/** As `lockLeased`, of one piece of work. Throws LeaseLost, which undoes the transaction. */
export async function requireLeased(tx: Tx, work: Work): Promise<void> {
  if (!(await lockLeased(tx, [work])).has(work.subject)) throw new LeaseLost();
}

/** Removes finished work of one kind, unless it was enqueued again in this transaction. */
export function completeWork(tx: Tx, works: readonly Work[]): void {
  const [first] = works;
  if (first)
    tx.queue`
      delete from due_work where organisation_id = ${tx.organisation} and kind = ${first.kind}
         and subject = any (${works.map(({ subject }) => subject)}) and lease_token = ${first.token}`;
}

/**
 * Puts failed work off: it is begun again after `seconds` of machine time. `error` is for operators. With `keep` the lease stays with its
 * holder, a move of the clock, which waits for this work.
 */
export function retryLater(tx: Tx, work: Work, seconds: number, error: string, keep = false): void {
  tx.queue`
    update due_work set lease_token = ${keep ? work.token : null}, lease_until = ${addSeconds(machineNow(), seconds)}, last_error = ${error}
     where organisation_id = ${tx.organisation} and kind = ${work.kind} and subject = ${work.subject} and lease_token = ${work.token}`;
}

/** Ends the lease of work that was not begun; the attempt is not counted. */
export function releaseWork(tx: Tx, work: Work): void {
  tx.queue`
    update due_work set lease_token = null, lease_until = null, attempts = attempts - 1
     where organisation_id = ${tx.organisation} and kind = ${work.kind} and subject = ${work.subject} and lease_token = ${work.token}`;
}

/** Parks work that failed for good: the row stays, and is begun again only when the work is enqueued again (decision 35). */
export function parkWork(tx: Tx, work: Work, error: string): void {
  tx.queue`
    update due_work set lease_token = null, lease_until = null, parked_at = ${machineNow()}, last_error = ${error}
     where organisation_id = ${tx.organisation} and kind = ${work.kind} and subject = ${work.subject} and lease_token = ${work.token}`;
}

/** The database for background work: work enqueued through it counts as caused by due work, not by a request. */
export function ofBackground(db: Database): Database {
  const transaction: Database["transaction"] = (organisation, work) =>
    db.transaction(organisation, (tx) => {
      tx.queue`set local app.background = 'on'`;
      return work(tx);
    });
  return { ...db, transaction, gathered: transaction };
}

/** Most pieces of work that one step of a move reads. */
const LEASED_MAX = 1000;

/** The next work of an organisation whose clock is being moved, without the work that requests asked for during the move. */
export type NextWork =
  /** Leased to the caller, all of one kind and due at the same moment. */
  | { readonly kind: "work"; readonly works: readonly Work[] }
  /** The next work is leased by another process, or waits after a failure: the move waits too. */
  | { readonly kind: "wait" }
  /** Nothing is due at the clock's present time. */
  | { readonly kind: "none" };

/* The columns of `due_work` keep the names of released versions, which may run beside this one (decision 164); the code says this. */

/** Due at the clock's present time. */
const IS_DUE = part`ripe`;
/** Not due yet by the organisation's own clock; work that waits for real time is neither this nor due. */
const WAITS_FOR_CLOCK = part`held`;
/** A request asked for it during a move of the clock. */
const ASKED_DURING_MOVE = part`meanwhile`;

/**
 * Condition: due at the clock's present time, and part of the move. Work that a worker has put off after a failure (`lease_until` without a
 * token) waits in real time: no move waits for it until that time is over. Work that the move itself has put off keeps its token.
 */
const due = (now: Instant) =>
  part`${IS_DUE} and not ${ASKED_DURING_MOVE} and parked_at is null and (lease_token is not null or lease_until is null or lease_until < ${now})`;

/** Whether work is due at the clock's present time, leased work included. */
export async function hasDue(tx: Tx): Promise<boolean> {
  const [row] = await tx.sql<{ any: boolean }>`
    select exists (select from due_work where organisation_id = ${tx.organisation} and ${due(machineNow())}) as any`;
  return row?.any ?? false;
}

/** For a move of the clock: leases the work that is due first, of one kind and one due time, at most `limitOf(kind)` pieces. Skips locked rows. */
export async function leaseFirst(tx: Tx, token: string, limitOf: (kind: string) => number): Promise<NextWork> {
  const now = machineNow();
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
     where organisation_id = ${tx.organisation} and ${WAITS_FOR_CLOCK} and not ${ASKED_DURING_MOVE} and parked_at is null`;
  return (row?.due_at ?? null) as Instant | null;
}

/**
 * Marks the work that waited for the clock up to `clock` as due; answers the kind of each piece. The caller holds the lock on the
 * organisation, which `enqueue` waits for. Skips rows that are locked because the work is being cancelled or enqueued again: the caller
 * sees them when it reads the next due time.
 */
export async function makeDue(tx: Tx, clock: Instant): Promise<string[]> {
  const rows = await tx.sql<{ kind: string }>`
    update due_work set ${IS_DUE} = true, ${WAITS_FOR_CLOCK} = false
     where organisation_id = ${tx.organisation} and (kind, subject) in (
       select kind, subject from due_work
        where organisation_id = ${tx.organisation} and ${WAITS_FOR_CLOCK} and not ${ASKED_DURING_MOVE} and parked_at is null and due_at <= ${clock}
        for update skip locked)
    returning kind`;
  return rows.map(({ kind }) => kind);
}

/** Whether requests have asked, during the move, for work that is due by `until`. */
export async function hasAskedDuringMove(tx: Tx, until: Instant): Promise<boolean> {
  const [row] = await tx.sql<{ any: boolean }>`
    select exists (select from due_work
      where organisation_id = ${tx.organisation} and ${ASKED_DURING_MOVE} and parked_at is null and due_at <= ${until}) as any`;
  return row?.any ?? false;
}

/**
 * Makes such work part of the move: at most `limit` pieces, the earliest first; null: all. Answers how many. Skips locked rows.
 */
export async function takeAskedDuringMove(tx: Tx, until: Instant, limit: number | null): Promise<number> {
  const [row] = await tx.sql<{ taken: number }>`
    with asked as materialized (
      select kind, subject from due_work
       where organisation_id = ${tx.organisation} and ${ASKED_DURING_MOVE} and parked_at is null and due_at <= ${until}
       order by due_at, subject limit ${limit} for update skip locked),
    taken as (
      update due_work w set ${ASKED_DURING_MOVE} = false from asked
       where w.organisation_id = ${tx.organisation} and w.kind = asked.kind and w.subject = asked.subject returning 1)
    select count(*)::integer as taken from taken`;
  return row?.taken ?? 0;
}

/** The move ends at `clock`: marks the work that requests asked for during it as due, for the workers. */
export function leaveToWorkers(tx: Tx, clock: Instant): void {
  tx.queue`
    update due_work set ${IS_DUE} = true, ${WAITS_FOR_CLOCK} = false
     where organisation_id = ${tx.organisation} and (kind, subject) in (
       select kind, subject from due_work
        where organisation_id = ${tx.organisation} and ${ASKED_DURING_MOVE} and ${WAITS_FOR_CLOCK} and parked_at is null and due_at <= ${clock}
        for update skip locked)`;
}

/** The organisation's clock is set: work that waited for real time waits for that clock. */
export function waitForClock(tx: Tx): void {
  tx.queue`update due_work set ${WAITS_FOR_CLOCK} = true where organisation_id = ${tx.organisation} and not ${IS_DUE} and not ${WAITS_FOR_CLOCK}`;
}

/** The organisation's clock follows real time again: work that waited for that clock waits for real time. */
export function waitForRealTime(tx: Tx): void {
  tx.queue`update due_work set ${WAITS_FOR_CLOCK} = false where organisation_id = ${tx.organisation} and ${WAITS_FOR_CLOCK}`;
}

/** One kind of work, for operators: `depth` counts what is not done, whenever it is due; `failed` waits for a person. */
export interface WorkSummary {
  readonly kind: string;
  readonly depth: number;
  readonly due: number;
  readonly running: number;
  readonly failed: number;
  readonly oldestDue: Instant | null;
}

/** For all organisations together, through a function of `tefo_gate`. */
export async function workSummary(db: Database): Promise<WorkSummary[]> {
  return db.sql<WorkSummary>`
    select kind, waiting as depth, due, running, parked as failed, oldest_due as "oldestDue" from due_work_summary()`;
}
