import type { Ctx } from "../flows/context.ts";
import type { Services } from "../flows/services.ts";
import type { Instant } from "../kernel/time.ts";
import type { Tx } from "../platform/database.ts";
import { completeWork, type DueWork, enqueue, lockLeased } from "../platform/due-work.ts";
import { gathered } from "../platform/gather.ts";
import type { HandledWork, Job } from "./job.ts";

/**
 * A handler of work that asks another system until the answer is clear. `ask` runs its own transactions; it returns
 * when to ask again, or null.
 */
export const asking = (
  declared: DueWork,
  ask: (services: Services, ctx: Ctx, subject: string) => Promise<Instant | null>,
): HandledWork => ({
  work: declared,
  handler:
    ({ services }) =>
    async ({ work, ctx }) => {
      const again = await ask(services, ctx, work.subject);
      await services.db.transaction(work.organisation, async (tx) => {
        // The work no longer exists when the answer completed it, or enqueued it again.
        if (!(await lockLeased(tx, [work])).has(work.subject)) return;
        if (again) enqueue(tx, declared, work.subject, again);
        else completeWork(tx, [work]);
      });
      return "done";
    },
});

/**
 * A handler of work that is one transaction on one record. `lock` locks the record before the work's row, in the same
 * order as code that enqueues or cancels the work; the other order would deadlock. `act` returns when to do it again,
 * or null. When the record does not exist, the work is completed.
 */
export const acting = <Locked>(
  declared: DueWork,
  lock: (tx: Tx, subject: string) => Promise<Locked | null>,
  act: (tx: Tx, ctx: Ctx, locked: Locked) => Promise<Instant | null>,
): HandledWork => ({
  work: declared,
  handler:
    ({ services }) =>
    async ({ work, ctx }) => {
      await services.db.transaction(work.organisation, async (tx) => {
        const [locked, leased] = await Promise.all([lock(tx, work.subject), lockLeased(tx, [work])]);
        if (!leased.has(work.subject)) return;
        completeWork(tx, [work]);
        const again = locked && (await act(tx, ctx, locked));
        if (again) enqueue(tx, declared, work.subject, again);
      });
      return "done";
    },
});

/**
 * A handler of work that is done in sets: all leased work of one organisation, at most `together`, in one transaction
 * of few statements. `lock` locks the records by their subjects, always in the same order; `act` receives the records
 * whose work is still leased, in that order. When a set fails, each half is tried alone, down to single pieces of work;
 * only a job that fails alone is retried later. Sets of one organisation run one after the other.
 */
export const actingInSets = <Locked>(
  declared: DueWork,
  lock: (tx: Tx, subjects: readonly string[]) => Promise<ReadonlyMap<string, Locked>>,
  act: (tx: Tx, ctx: Ctx, locked: readonly Locked[]) => Promise<void>,
): HandledWork => ({
  work: declared,
  handler({ services }) {
    const run = gathered<Job, null>(
      (organisation, jobs) =>
        services.db.transaction(organisation, async (tx) => {
          await actOnSet(tx, jobs, lock, act);
          return jobs.map(() => null);
        }),
      declared.together,
    );
    return async (job) => {
      await run(job.work.organisation, job);
      return "done";
    };
  },
});

async function actOnSet<Locked>(
  tx: Tx,
  jobs: readonly Job[],
  lock: (tx: Tx, subjects: readonly string[]) => Promise<ReadonlyMap<string, Locked>>,
  act: (tx: Tx, ctx: Ctx, locked: readonly Locked[]) => Promise<void>,
): Promise<void> {
  const works = jobs.map(({ work }) => work);
  const subjects = works.map(({ subject }) => subject);
  const [locked, leased] = await Promise.all([lock(tx, subjects), lockLeased(tx, works)]);
  completeWork(tx, works);
  const own = [...locked].filter(([subject]) => leased.has(subject)).map(([, record]) => record);
  const newest = jobs.at(-1);
  if (newest && own.length > 0) await act(tx, newest.ctx, own);
}
