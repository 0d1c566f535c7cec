import type { Ctx } from "../flows/context.ts";
import type { Services } from "../flows/services.ts";
import type { Instant } from "../kernel/time.ts";
import type { Tx } from "../platform/database.ts";
import { completeWork, type DueWork, enqueue, lockLeased } from "../platform/due-work.ts";
import { gathered } from "../platform/gather.ts";
import type { HandledWork, Job } from "./job.ts";

/** Work that asks somebody until the answer is clear. `ask` runs transactions of its own, and answers when to ask again, or null. */
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
        // Gone when the answer itself settled the matter, or asked for it anew.
        if (!(await lockLeased(tx, [work])).has(work.subject)) return;
        if (again) enqueue(tx, work, work.subject, again);
        else completeWork(tx, [work]);
      });
      return "done";
    },
});

/**
 * Work of one transaction on one record. `lock` takes the record before the work is taken, as whoever asks for work or takes it back
 * has locked the record already: the other way round each would wait for the other. `act` answers when it is to be done again, or null;
 * nothing is left to do about a record that is gone.
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
        if (again) enqueue(tx, work, work.subject, again);
      });
      return "done";
    },
});

/**
 * Work that is done in sets: all that was leased of one organisation, at most `together`, in one transaction of few statements. `lock`
 * takes the records, by the subjects of their work, in an order that is the same for everybody; `act` gets those whose work is still
 * leased, in the order in which `lock` answers. When a set fails its halves are tried alone, down to the one piece of work that cannot be
 * done: it alone is put off. Sets of one organisation go one after the other.
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
