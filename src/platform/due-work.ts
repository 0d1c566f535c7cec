import type { OrganisationId } from "../kernel/ids.ts";
import { addSeconds, type Instant, machineNow } from "../kernel/time.ts";
import { type Database, part, type Tx } from "./database.ts";

/** A kind of due work, as the resource that it is about declares it. */
export interface DueWork {
  readonly kind: string;
  /** How much is under way at once in a lane of an organisation; of work that is done in sets, how much a set may hold. */
  readonly together: number;
  /** How much is under way at once in a process. */
  readonly perProcess: number;
  /** Whoever asks for it names its lane, such as a webhook endpoint; otherwise the kind is the lane. */
  readonly ownLanes: boolean;
  /** It falls due because of requests as much as because time passes: it gives a clock's move no room for more requests. */
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

/** What names a kind: its declaration, or leased work of it. */
type OfKind = Pick<DueWork, "kind">;

/** Notified when work falls due at once. */
export const DUE_WORK_CHANNEL = "tefo_due_work";
/** How long work is a process's own without a word from it; machine time (docs/architecture.md, Due work). */
export const LEASE_SECONDS = 30;

/** A piece of work this process has leased: nobody else does it while the lease is renewed. */
export interface Work {
  readonly organisation: OrganisationId;
  readonly kind: string;
  readonly subject: string;
  /** What shares a fate and is worked in order by one process at a time: a webhook endpoint, else the kind. */
  readonly lane: string;
  readonly dueAt: Instant;
  /** How often it has been begun, this time included. */
  readonly attempt: number;
  readonly token: string;
}

/** Leased work, with the organisation as it is now: a row for `organisationFromRow`. */
export interface Claimed {
  readonly work: Work;
  readonly organisation: unknown;
}

/** Another process has taken the work, because the lease ran out or it was asked for anew: nothing of this run may count. */
export class LeaseLost extends Error {}

/**
 * Asks for work on `subject` at `due`, in the caller's transaction. At most one of a kind and subject is outstanding:
 * asking again replaces the time and starts its attempts anew (decision 35), also while it is being done.
 */
export function enqueue(tx: Tx, { kind }: OfKind, subject: string, due: Instant, lane: string = kind): void {
  tx.queue`select enqueue_due_work(${kind}, ${subject}, ${due}, ${lane})`;
}

/** Takes the work back, if it is still outstanding. The caller has locked what it is about, as whoever does it will. */
export function cancelWork(tx: Tx, { kind }: OfKind, subject: string): void {
  tx.queue`delete from due_work where organisation_id = ${tx.organisation} and kind = ${kind} and subject = ${subject}`;
}

/** Takes back all work of a kind in a lane; answers its subjects. */
export async function cancelLane(tx: Tx, { kind }: OfKind, lane: string): Promise<string[]> {
  const rows = await tx.sql<{ subject: string }>`
    delete from due_work where organisation_id = ${tx.organisation} and kind = ${kind} and lane = ${lane} returning subject`;
  return rows.map(({ subject }) => subject);
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

/** How much a claim may lease. */
export interface ClaimLimits {
  readonly limit: number;
  /** Of a lane that `laneLimits` does not name. */
  readonly laneLimit: number;
  /** By `laneKey`, else by the lane alone. */
  readonly laneLimits: Readonly<Record<string, number>>;
  /** Of each kind in all. */
  readonly kinds: Readonly<Record<string, number>>;
}

/** Names one organisation's lane in `ClaimLimits`. */
export const laneKey = ({ organisation, lane }: Pick<Work, "organisation" | "lane">): string =>
  `${organisation} ${lane}`;

/**
 * Leases work of all organisations, through the gate. Answers it in order of organisation, lane and due time, and where the next claim
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

/** Begins the leases anew, of whatever organisations; those lost meanwhile stay lost. */
export async function renewLeases(db: Pick<Database, "sql">, token: string, works: readonly Work[]): Promise<void> {
  const of = (field: "organisation" | "kind" | "subject") => works.map((work) => work[field]);
  await db.sql`select renew_due_work(${token}, ${of("organisation")}, ${of("kind")}, ${of("subject")}, ${LEASE_SECONDS})`;
}

/** Of work of one kind, what is still leased by this process: locked, so that it stays so until the transaction ends. */
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

/** Done: the work is gone with the commit, unless it was asked for anew in this transaction. Of one kind. */
export function completeWork(tx: Tx, works: readonly Work[]): void {
  const [first] = works;
  if (first)
    tx.queue`
      delete from due_work where organisation_id = ${tx.organisation} and kind = ${first.kind}
         and subject = any (${works.map(({ subject }) => subject)}) and lease_token = ${first.token}`;
}

/**
 * It failed: nobody begins it again before `seconds` of machine time have passed. `error` is for operators to read. `keep`: it stays with
 * whoever has leased it, a move of the clock, which waits for it and goes no further.
 */
export function retryLater(tx: Tx, work: Work, seconds: number, error: string, keep = false): void {
  tx.queue`
    update due_work set lease_token = ${keep ? work.token : null}, lease_until = ${addSeconds(machineNow(), seconds)}, last_error = ${error}
     where organisation_id = ${tx.organisation} and kind = ${work.kind} and subject = ${work.subject} and lease_token = ${work.token}`;
}

/** It was not begun after all: given back as it was. */
export function releaseWork(tx: Tx, work: Work): void {
  tx.queue`
    update due_work set lease_token = null, lease_until = null, attempts = attempts - 1
     where organisation_id = ${tx.organisation} and kind = ${work.kind} and subject = ${work.subject} and lease_token = ${work.token}`;
}

/** It failed for good: kept, and begun again only when it is asked for anew (decision 35). */
export function parkWork(tx: Tx, work: Work, error: string): void {
  tx.queue`
    update due_work set lease_token = null, lease_until = null, parked_at = ${machineNow()}, last_error = ${error}
     where organisation_id = ${tx.organisation} and kind = ${work.kind} and subject = ${work.subject} and lease_token = ${work.token}`;
}

/** The database as background work has it: what is asked for through it follows from due work, and not from a request. */
export function ofBackground(db: Database): Database {
  const transaction: Database["transaction"] = (organisation, work) =>
    db.transaction(organisation, (tx) => {
      tx.queue`set local app.background = 'on'`;
      return work(tx);
    });
  return { ...db, transaction, gathered: transaction };
}

/** Looked at by one step of a move. */
const LEASED_MAX = 1000;

/** What is first among the work of an organisation whose clock is being moved, but for what requests have asked for meanwhile. */
export type NextWork =
  /** Leased to the caller, all of one kind and due at the same moment. */
  | { readonly kind: "work"; readonly works: readonly Work[] }
  /** Another process is still at it, or it failed a moment ago: it comes first all the same. */
  | { readonly kind: "wait" }
  /** Nothing is due by the clock as it stands. */
  | { readonly kind: "none" };

/**
 * Due by the clock as it stands, and the move's to do. What a worker has put off after a failure waits in real time (`lease_until` without
 * a token): no move waits for it, and it takes part again once that wait is over. What the move itself has put off keeps its token.
 */
const due = (now: Instant) =>
  part`ripe and not meanwhile and parked_at is null and (lease_token is not null or lease_until is null or lease_until < ${now})`;

/** Whether a move has anything to wait for where the clock stands, under way included. */
export async function hasDue(tx: Tx): Promise<boolean> {
  const [row] = await tx.sql<{ any: boolean }>`
    select exists (select from due_work where organisation_id = ${tx.organisation} and ${due(machineNow())}) as any`;
  return row?.any ?? false;
}

/** For a move of the clock: leases what is due first by the clock as it stands, of one kind, and at most `limitOf` it. */
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

/** When the next work falls due that waits for the organisation's clock; null when none does. */
export async function nextWaiting(tx: Tx): Promise<Instant | null> {
  const [row] = await tx.sql<{ due_at: Date | null }>`
    select min(due_at) as due_at from due_work
     where organisation_id = ${tx.organisation} and held and not meanwhile and parked_at is null`;
  return (row?.due_at ?? null) as Instant | null;
}

/**
 * The clock has come to `clock`: what was held until then is due. Answers the kind of each. The caller has the clock, which whoever asks for
 * work waits for: work that is taken back or asked for anew at this moment is passed by, and comes up again when the caller looks what is
 * due next.
 */
export async function makeDue(tx: Tx, clock: Instant): Promise<string[]> {
  const rows = await tx.sql<{ kind: string }>`
    update due_work set ripe = true, held = false
     where organisation_id = ${tx.organisation} and (kind, subject) in (
       select kind, subject from due_work
        where organisation_id = ${tx.organisation} and held and not meanwhile and parked_at is null and due_at <= ${clock}
        for update skip locked)
    returning kind`;
  return rows.map(({ kind }) => kind);
}

/** Whether requests have asked meanwhile for work that is due by `until`. */
export async function hasAskedDuringMove(tx: Tx, until: Instant): Promise<boolean> {
  const [row] = await tx.sql<{ any: boolean }>`
    select exists (select from due_work
      where organisation_id = ${tx.organisation} and meanwhile and parked_at is null and due_at <= ${until}) as any`;
  return row?.any ?? false;
}

/**
 * The move takes that in, at most `limit`, the earliest first; null: all. Answers how much. What is taken back or asked for anew at this
 * moment is passed by.
 */
export async function takeAskedDuringMove(tx: Tx, until: Instant, limit: number | null): Promise<number> {
  const [row] = await tx.sql<{ taken: number }>`
    with asked as materialized (
      select kind, subject from due_work
       where organisation_id = ${tx.organisation} and meanwhile and parked_at is null and due_at <= ${until}
       order by due_at, subject limit ${limit} for update skip locked),
    taken as (
      update due_work w set meanwhile = false from asked
       where w.organisation_id = ${tx.organisation} and w.kind = asked.kind and w.subject = asked.subject returning 1)
    select count(*)::integer as taken from taken`;
  return row?.taken ?? 0;
}

/** The clock has come to `clock`, where it stays: what the move did not take in is for workers. */
export function leaveToWorkers(tx: Tx, clock: Instant): void {
  tx.queue`
    update due_work set ripe = true, held = false
     where organisation_id = ${tx.organisation} and (kind, subject) in (
       select kind, subject from due_work
        where organisation_id = ${tx.organisation} and meanwhile and held and parked_at is null and due_at <= ${clock}
        for update skip locked)`;
}

/** The clock is set: what waited for real time waits for it now. */
export function waitForClock(tx: Tx): void {
  tx.queue`update due_work set held = true where organisation_id = ${tx.organisation} and not ripe and not held`;
}

/** The clock runs with real time again: what waited for it waits for real time. */
export function waitForRealTime(tx: Tx): void {
  tx.queue`update due_work set held = false where organisation_id = ${tx.organisation} and held`;
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

/** Of all organisations together, through the gate. */
export async function workSummary(db: Database): Promise<WorkSummary[]> {
  return db.sql<WorkSummary>`
    select kind, waiting as depth, due, running, parked as failed, oldest_due as "oldestDue" from due_work_summary()`;
}
