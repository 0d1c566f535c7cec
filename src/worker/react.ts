import { assert } from "../kernel/assert.ts";
import { readEvents } from "../modules/events/store.ts";
import type { StoredEvent } from "../modules/events/types.ts";
import type { Tx } from "../platform/database.ts";
import { completeWork, lockHeld } from "../platform/due-work.ts";
import { gathered } from "../platform/gather.ts";
import type { Handler, Job, WorkerParts } from "./job.ts";
import { type Reaction, reactionsTo } from "./reactions.ts";

const EVENTS_TOGETHER = 100;

/** `event.react`: what follows from an event, exactly once; events of an organisation that come together are done together. */
export function createReact({ services }: Pick<WorkerParts, "services">): Handler {
  const react = gathered<Job, null>(
    (organisation, jobs) =>
      services.db.transaction(organisation, async (tx) => {
        await reactTo(tx, jobs);
        return jobs.map(() => null);
      }),
    EVENTS_TOGETHER,
  );
  return async (job) => {
    await react(job.work.organisation, job);
    return "done";
  };

  async function reactTo(tx: Tx, jobs: readonly Job[]): Promise<void> {
    const works = jobs.map(({ work }) => work);
    const ids = works.map(({ subject }) => subject);
    const [held, events] = await Promise.all([lockHeld(tx, works), readEvents(tx, ids)]);
    const newest = jobs.at(-1);
    assert(newest, "a gathering has a job");
    for (const [reaction, wanted] of byReaction(events.filter(({ id }) => held.has(id))))
      await reaction(tx, newest.ctx, wanted);
    completeWork(tx, works);
  }
}

/** Each reaction with its events, both in order. */
function byReaction(events: readonly StoredEvent[]): Map<Reaction, StoredEvent[]> {
  const wanted = new Map<Reaction, StoredEvent[]>();
  for (const event of events)
    for (const reaction of reactionsTo(event.type)) {
      const known = wanted.get(reaction);
      if (known) known.push(event);
      else wanted.set(reaction, [event]);
    }
  return wanted;
}
