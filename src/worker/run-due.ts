import { setTimeout as sleep } from "node:timers/promises";
import type { Services } from "../flows/services.ts";
import { ApiError, invalid } from "../kernel/errors.ts";
import type { OrganisationId } from "../kernel/ids.ts";
import { addSeconds, type Instant, isSameInstant, secondsBetween, toTimestamp } from "../kernel/time.ts";
import {
  advanceClock,
  clockHold,
  endClockLease,
  findOrganisation,
  isClockLeased,
  leaseClock,
  lockMovingClock,
  renewClockLease,
} from "../modules/organisations/store.ts";
import type { Organisation } from "../modules/organisations/types.ts";
import {
  hasDue,
  hasWorkAskedDuringMove,
  leaseFirst,
  leaveToWorkers,
  makeDue,
  type NextWork,
  nextWaiting,
  takeAskedDuringMove,
  takeBackFromMoves,
  takeClock,
  waitForClock,
} from "../platform/clock-moves.ts";
import type { Database, Tx } from "../platform/database.ts";
import { LEASE_SECONDS, ofBackground, type Work } from "../platform/due-work.ts";
import type { Hold } from "../platform/hold.ts";
import type { Log } from "../platform/log.ts";
import { machineNow } from "../platform/machine-clock.ts";
import { createHandlers, type Handlers, type WorkerParts } from "./job.ts";
import { keepLeases } from "./leases.ts";
import { perform } from "./perform.ts";

/** The pause while another process has leased the next work. */
const WAIT_MS = 20;
/**
 * A move of the clock runs at most this many jobs that requests enqueue meanwhile, and `followUps` more for each job
 * that it runs, since gateways and receivers of webhooks send requests when they are called. Workers do the rest after
 * the move, so that every move ends.
 */
const ASKED = 100;
/**
 * A move ends after this time, before clients and proxies give up on its request; the request is then repeated and
 * continues.
 */
const MOVE_SECONDS = 270;

/** How a move goes through the work. */
interface Pace {
  /** The largest number of pieces of work of a kind that run at once, of which a set holds so many. */
  limit(ofSet: number): number;
  /** Failed work is retried soon, because the caller waits for the answer. */
  readonly backOffSeconds: number;
}

/** The largest number of pieces of work that run at once. */
const TOGETHER = 100;
const PACE: Pace = { limit: (ofSet) => Math.max(TOGETHER, ofSet), backOffSeconds: 0.2 };

/** The next step of a move. */
type Step =
  | { readonly kind: "run"; readonly works: readonly Work[]; readonly organisation: Organisation }
  | { readonly kind: "wait" | "arrived" };

/** How much work of requests the move may still include. */
interface RequestBudget {
  left: number;
}

/**
 * `Services.runDue` (interface 13.1): runs the due work of an organisation in the order of due times and moves its
 * clock along, until nothing is due up to `until`; the clock then stands there. Includes work that is enqueued during
 * the move, up to a limit; a simulation does one piece after the other. Throws 400 for a time before the clock's, 409 while another move of
 * this clock runs.
 */
export function createRunDue(parts: WorkerParts, pace = PACE): Services["runDue"] {
  const { log } = parts.services;
  const services = { ...parts.services, db: ofBackground(parts.services.db) };
  const { db } = services;
  const handlers = createHandlers({ ...parts, services });
  return async (organisation, until) => {
    const began = machineNow();
    const clock = await holdClock(db, log, organisation, until);
    const leases = keepLeases(db, log);
    const by = {
      services,
      handlers,
      stopping: new AbortController().signal,
      backOff: () => pace.backOffSeconds,
      keepsFailed: true,
    };
    const ran: Record<string, number> = {};
    const budget: RequestBudget = { left: ASKED };
    const run = async (work: Work, at: Organisation) => {
      leases.add(work);
      await perform(by, work, at).finally(() => leases.remove(work));
      ran[work.kind] = (ran[work.kind] ?? 0) + 1;
    };
    try {
      for (;;) {
        clock.check();
        if (secondsBetween(began, machineNow()) > MOVE_SECONDS)
          throw stopped("The move takes longer than one request may: send it again, and it goes on.");
        const step = await db.transaction(organisation, async (tx) => {
          const [goesOn, next] = await Promise.all([
            isClockLeased(tx),
            nextStep(tx, handlers, { until, budget, pace }),
          ]);
          if (!goesOn) throw stopped("The move was ended.");
          return next;
        });
        if (step.kind === "arrived") return ran;
        if (step.kind === "wait") await sleep(WAIT_MS);
        if (step.kind === "run") await Promise.all(step.works.map((work) => run(work, step.organisation)));
      }
    } finally {
      leases.stop();
      await clock.leave();
    }
  };
}

async function nextStep(
  tx: Tx,
  handlers: Handlers,
  { until, budget, pace }: { readonly until: Instant; readonly budget: RequestBudget; readonly pace: Pace },
): Promise<Step> {
  const limitOf = (kind: string) => pace.limit(handlers.get(kind)?.work.together ?? 0);
  const lease = () => leaseFirst(tx, limitOf);
  const [next, organisation, due, asked] = await Promise.all([
    lease(),
    findOrganisation(tx),
    nextWaiting(tx),
    hasWorkAskedDuringMove(tx, until),
  ]);
  if (next.kind !== "none") return begun(next, organisation);
  if (asked && budget.left > 0) {
    budget.left -= await takeAskedDuringMove(tx, until, budget.left);
    return begun(await lease(), organisation);
  }
  if (!due || due > until) return arrive(tx, until, budget);
  await takeClock(tx);
  const [advanced, fallenDue] = await Promise.all([advanceClock(tx, due), makeDue(tx, due)]);
  budget.left =
    Math.min(budget.left, ASKED) + fallenDue.reduce((sum, kind) => sum + (handlers.get(kind)?.work.followUps ?? 0), 0);
  return begun(await lease(), advanced);
}

function begun(next: NextWork, organisation: Organisation | null): Step {
  if (!organisation) throw new Error("The organisation of a moving clock is gone.");
  return next.kind === "work" ? { kind: "run", works: next.works, organisation } : { kind: "wait" };
}

/** Locks the organisation, so that nothing can be enqueued: work that is enqueued later sees the new time. */
async function arrive(tx: Tx, until: Instant, budget: RequestBudget): Promise<Step> {
  await lockMovingClock(tx);
  waitForClock(tx);
  const [open, due, asked] = await Promise.all([hasDue(tx), nextWaiting(tx), hasWorkAskedDuringMove(tx, until)]);
  if (open || (due && due <= until) || (asked && budget.left > 0)) return { kind: "wait" };
  leaveToWorkers(tx, until);
  await advanceClock(tx, until);
  return { kind: "arrived" };
}

interface HeldClock {
  /** Throws 409 when the move was ended, or another one may have taken the clock because the connection was lost. */
  check(): void;
  leave(): Promise<void>;
}

/**
 * Holds the clock's name, so that no other move runs; then leases the clock, so that no worker runs work of the
 * organisation, and renews the lease until it is released. The name is free at once when a process ends, so nobody
 * waits for its lease, or those of the work that it had started. Throws 409 when the name is held.
 */
async function holdClock(db: Database, log: Log, organisation: OrganisationId, until: Instant): Promise<HeldClock> {
  const hold = await db.hold(clockHold(organisation));
  if (!hold) throw beingMoved();
  try {
    return await leaseHeld({ db, log, hold }, organisation, until);
  } catch (error) {
    await hold.release();
    throw error;
  }
}

async function leaseHeld(
  { db, log, hold }: { readonly db: Database; readonly log: Log; readonly hold: Hold },
  organisation: OrganisationId,
  until: Instant,
): Promise<HeldClock> {
  const now = machineNow();
  let lease = addSeconds(now, LEASE_SECONDS);
  await db.transaction(organisation, async (tx) => {
    const taken = await leaseClock(tx, now, lease);
    if (!taken) throw new Error("The organisation of a moving clock is gone.");
    takeBackFromMoves(tx);
    const wasSet = !isSameInstant(taken.clockAt, now);
    if (wasSet && taken.clockAt && until < taken.clockAt)
      throw invalid(`The clock stands at ${toTimestamp(taken.clockAt)} and cannot be moved back.`);
    waitForClock(tx);
    await takeAskedDuringMove(tx, until, null);
  });
  let lost = false;
  let keeping: Promise<void> = Promise.resolve();
  const keep = async () => {
    const later = addSeconds(machineNow(), LEASE_SECONDS);
    try {
      if (await db.transaction(organisation, (tx) => renewClockLease(tx, lease, later))) lease = later;
      else lost = true;
    } catch (error) {
      log.warn({ err: error, organisation }, "the clock's lease was not renewed");
    }
  };
  const timer = setInterval(
    () => {
      keeping = keeping.then(keep);
    },
    (LEASE_SECONDS * 1000) / 3,
  );
  return {
    check() {
      if (!hold.held) throw beingMoved();
      if (lost) throw stopped("The move was ended.");
    },
    async leave() {
      clearInterval(timer);
      await keeping;
      await db.transaction(organisation, (tx) => endClockLease(tx, lease)).finally(hold.release);
    },
  };
}

const stopped = (why: string): ApiError =>
  new ApiError("invalid_state", 409, `${why} The clock stands where it has come; GET /test-clock says where.`);

const beingMoved = (): ApiError =>
  new ApiError(
    "invalid_state",
    409,
    "The clock is being moved by another request. Wait until that has been answered.",
    {
      headers: { "retry-after": "1" },
    },
  );
