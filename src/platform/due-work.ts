import { randomUUID } from "node:crypto";
import type { OrganisationId } from "../kernel/ids.ts";
import { addSeconds, type Instant } from "../kernel/time.ts";
import { type Database, type Part, part, type Tx, when } from "./database.ts";
import { machineNow } from "./machine-clock.ts";

/** A kind of due work, declared by the module of its resource (decisions.md#own-table-of-due-work). */
export interface DueWork {
  readonly kind: string;
  /** How many pieces run at once in a lane of an organisation; for work done in sets, the size of a set. */
  readonly together: number;
  /** How many pieces run at once in a process. */
  readonly perProcess: number;
  /** `enqueue` names the lane, such as a webhook endpoint; otherwise the kind is the lane. */
  readonly ownLanes: boolean;
  /**
   * How many jobs, asked for by requests that one job triggers, a move of the clock still runs; workers do the rest
   * after the move. 0 for work that requests ask for, so that a move ends.
   */
  readonly followUps: number;
  /**
   * Waits for another system, which uses real time only. When the organisation's clock is set, the work also falls due
   * after the same wait by the machine's clock (`endLongWaits`).
   */
  readonly alsoInRealTime: boolean;
}

/** Declares a kind of due work: by default done in the database, in a transaction each, and due because time passes. */
export const dueWork = (kind: string, traits: Partial<Omit<DueWork, "kind">> = {}): DueWork => ({
  kind,
  together: 8,
  perProcess: 32,
  ownLanes: false,
  followUps: 10,
  alsoInRealTime: false,
  ...traits,
});

/** Anything with the kind's name: its declaration, or leased work of it. */
type OfKind = Pick<DueWork, "kind">;

/** Notified when work falls due at once. */
export const DUE_WORK_CHANNEL = "tefo_due_work";
/** The setting that `ofBackground` makes for a transaction. */
const BACKGROUND = "app.background";
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
  /**
   * Identifies the claim that leased the work. After the lease is lost, no process holds the work by this token, not even the same one
   * (decisions.md#token-of-a-claim).
   */
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
  readonly alsoInRealTime: boolean;
  /** The row is written only where this holds at the commit. */
  readonly condition: Part | null;
}

/** What each transaction has asked for, by kind and subject; written together before the commit. */
const asked = new WeakMap<Tx, Map<string, AskedWork>>();
const keyOf = (kind: string, subject: string): string => `${kind} ${subject}`;

/**
 * Asks for work on `subject` at `due`, in the caller's transaction: its row is written with the others of the transaction, in one statement
 * before the commit. At most one of a kind and subject is outstanding: asking again replaces the time and starts its attempts again
 * (decisions.md#one-piece-per-subject), also while it is being done.
 */
export const enqueue = (
  tx: Tx,
  { kind, alsoInRealTime }: Pick<DueWork, "kind" | "alsoInRealTime">,
  subject: string,
  due: Instant,
  lane: string = kind,
): void => ask(tx, { kind, subject, due, lane, alsoInRealTime, condition: null });

/**
 * As `enqueue`, where `condition` holds just before the commit. One transaction asks with one condition: equal text and
 * values.
 */
export const enqueueIf = (
  tx: Tx,
  { kind, alsoInRealTime }: Pick<DueWork, "kind" | "alsoInRealTime">,
  subject: string,
  due: Instant,
  condition: Part,
): void => ask(tx, { kind, subject, due, lane: kind, alsoInRealTime, condition });

function ask(tx: Tx, work: AskedWork): void {
  const works = asked.get(tx) ?? new Map<string, AskedWork>();
  if (works.size === 0 && !asked.has(tx)) tx.beforeCommit(() => writeAsked(tx, [...works.values()]));
  asked.set(tx, works);
  works.set(keyOf(work.kind, work.subject), work);
}

/**
 * Writes in the order of the primary key, so that two transactions that ask for the same work do not deadlock. It is a statement and no
 * function of the database (decisions.md#statements-on-hot-paths).
 */
function writeAsked(tx: Tx, works: AskedWork[]): void {
  if (works.length === 0) return;
  works.sort((a, b) => compare(a.kind, b.kind) || compare(a.subject, b.subject));
  const of = (field: keyof AskedWork) => works.map((work) => work[field]);
  const condition = works.find((work) => work.condition !== null)?.condition ?? null;
  // A move of the organisation's clock waits for the work that this transaction adds, so that the move cannot pass its
  // due time. Commits that notify wait for each other, so one notification at a time is enough: a woken worker claims
  // until no work is left.
  tx.queue`
    with clock as materialized (
      select coalesce((h.o).clock_at, clock_timestamp()) as at, (h.o).clock_at is not null as is_set,
             coalesce((h.o).clock_moving_until > clock_timestamp(), false)
                 and coalesce(current_setting(${BACKGROUND}, true), '') <> 'on' as moving
        from (select case when clock_at is not null then hold_clock(id) end as o from organisations where id = ${tx.organisation}) h),
    put as (
      insert into due_work as w (organisation_id, kind, subject, lane, due_at, is_due, waits_for_clock, asked_during_move)
      select ${tx.organisation}, a.kind, a.subject, a.lane, a.due, a.due <= c.at, c.is_set and a.due > c.at, c.moving
        from unnest(${of("kind")}::text[], ${of("subject")}::text[], ${of("lane")}::text[], ${of("due")}::timestamptz[],
               ${works.map((work) => work.condition === null)}::boolean[])
             as a(kind, subject, lane, due, always) cross join clock c
       ${when(condition, (holds) => part`where a.always or ${holds}`)}
      on conflict (organisation_id, kind, subject) do update
        set lane = excluded.lane, due_at = excluded.due_at, is_due = excluded.is_due,
            waits_for_clock = excluded.waits_for_clock, asked_during_move = excluded.asked_during_move,
            attempts = 0, lease_token = null, lease_until = null, parked_at = null, last_error = null
      returning is_due)
    select case when exists (select from put where is_due)
        and pg_try_advisory_xact_lock(hashtext('tefo wake')) then pg_notify(${DUE_WORK_CHANNEL}, '') end
      from clock`;
  boundInRealTime(
    tx,
    works.filter(({ alsoInRealTime }) => alsoInRealTime),
  );
}

function boundInRealTime(tx: Tx, works: readonly AskedWork[]): void {
  if (works.length === 0) return;
  const now = machineNow();
  const of = (field: keyof AskedWork) => works.map((work) => work[field]);
  // Computed apart: a distributed PostgreSQL refuses an update that computes with a zone's time and a column.
  tx.queue`
    with bounds as materialized (
      select a.kind, a.subject, ${now}::timestamptz + (a.due - coalesce(o.clock_at, ${now}::timestamptz)) as latest
        from unnest(${of("kind")}::text[], ${of("subject")}::text[], ${of("due")}::timestamptz[]) as a(kind, subject, due)
        cross join organisations o where o.id = ${tx.organisation})
    update due_work w set latest_at = b.latest from bounds b
     where w.organisation_id = ${tx.organisation} and w.kind = b.kind and w.subject = b.subject`;
}

/**
 * Makes work due that is declared `alsoInRealTime` and has waited long enough by the machine's clock, for all
 * organisations, through a function of `tefo_gate`. Several processes may call it at once. Answers how many pieces.
 */
export async function endLongWaits(db: Pick<Database, "sql">): Promise<number> {
  const [row] = await db.sql<{ ended: number }>`select end_long_waits() as ended`;
  return row?.ended ?? 0;
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** When outstanding work falls due; null when there is none. */
export async function dueTimeOf(tx: Tx, { kind }: OfKind, subject: string): Promise<Instant | null> {
  const [row] = await tx.sql<{ due_at: Instant }>`
    select due_at from due_work where organisation_id = ${tx.organisation} and kind = ${kind} and subject = ${subject}`;
  return row?.due_at ?? null;
}

/** As `dueTimeOf`, of several subjects; those without outstanding work are left out. */
export async function dueTimesOf(
  tx: Tx,
  { kind }: OfKind,
  subjects: readonly string[],
): Promise<ReadonlyMap<string, Instant>> {
  const rows = await tx.sql<{ subject: string; due_at: Instant }>`
    select subject, due_at from due_work where organisation_id = ${tx.organisation} and kind = ${kind} and subject = any (${subjects})`;
  return new Map(rows.map(({ subject, due_at }) => [subject, due_at]));
}

/** Removes the work if it is still outstanding. The caller has locked the record that it is about, as its handler does. */
export const cancelWork = (tx: Tx, declared: OfKind, subject: string): void => cancelWorks(tx, declared, [subject]);

/** As `cancelWork`, on several subjects. */
export function cancelWorks(tx: Tx, { kind }: OfKind, subjects: readonly string[]): void {
  for (const subject of subjects) asked.get(tx)?.delete(keyOf(kind, subject));
  tx.queue`delete from due_work where organisation_id = ${tx.organisation} and kind = ${kind} and subject = any (${subjects})`;
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

/** A leased row, as `workOf` reads it. */
export interface WorkRow {
  organisation_id: string;
  kind: string;
  subject: string;
  lane: string;
  due_at: Date;
  attempts: number;
}

/** The work of a row that `token` leases. */
export const workOf = (row: WorkRow, token: string): Work => ({
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
 * Leases work of all organisations for the process that `holder` names, through a function of `tefo_gate`. Answers it
 * in order of organisation, lane and due time, and where the next claim begins: null when every lane was visited.
 */
export async function claimWork(
  db: Pick<Database, "sql">,
  holder: string,
  after: Cursor | null,
  { limit, laneLimit, laneLimits, kinds }: ClaimLimits,
): Promise<{ claimed: Claimed[]; reached: Cursor | null }> {
  const token = `${holder}:${randomUUID()}`;
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

/**
 * Renews the leases, of any organisations; a lease that was lost stays lost, and work that is being completed at the
 * moment is left out.
 */
export async function renewLeases(db: Pick<Database, "sql">, works: readonly Work[]): Promise<void> {
  const of = (field: "organisation" | "kind" | "subject" | "token") => works.map((work) => work[field]);
  await db.sql`select renew_leases(${of("organisation")}, ${of("kind")}, ${of("subject")}, ${of("token")}, ${LEASE_SECONDS})`;
}

const tokensOf = (works: readonly Work[]): string[] => [...new Set(works.map(({ token }) => token))];

/** Locks the given work of one kind whose leases still hold, until the transaction ends; answers its subjects. */
export async function lockLeased(tx: Tx, works: readonly Work[]): Promise<ReadonlySet<string>> {
  const [first] = works;
  if (!first) return new Set();
  const rows = await tx.sql<{ subject: string }>`
    select subject from due_work where organisation_id = ${tx.organisation} and kind = ${first.kind}
       and subject = any (${works.map(({ subject }) => subject)}) and lease_token = any (${tokensOf(works)}) order by subject for update`;
  return new Set(rows.map(({ subject }) => subject));
}

/** As `lockLeased`, of one piece of work. Throws LeaseLost, which undoes the transaction. */
export async function requireLeased(tx: Tx, work: Work): Promise<void> {
  if (!(await lockLeased(tx, [work])).has(work.subject)) throw new LeaseLost();
}

/** Removes finished work of one kind, unless its lease was lost or it was enqueued again. */
export function completeWork(tx: Tx, works: readonly Work[]): void {
  const [first] = works;
  if (first)
    tx.queue`
      delete from due_work where organisation_id = ${tx.organisation} and kind = ${first.kind}
         and subject = any (${works.map(({ subject }) => subject)}) and lease_token = any (${tokensOf(works)})`;
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

/**
 * Parks work that failed for good: the row stays, and is begun again only when the work is enqueued again
 * (decisions.md#one-piece-per-subject).
 */
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

/** A statement of the functions that erase a customer: deletes the work of these kinds on the subjects that a query selects. */
export const forgottenWork = (works: readonly OfKind[], subjects: string): string =>
  `delete from due_work where organisation_id = p_organisation and kind in (${works.map(({ kind }) => `'${kind}'`).join(", ")})
      and subject in (${subjects})`;
