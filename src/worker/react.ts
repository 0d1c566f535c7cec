import type { Ctx } from "../flows/context.ts";
import { fanOut } from "../flows/webhooks/fan-out.ts";
import { assert } from "../kernel/assert.ts";
import { readEvents } from "../modules/events/store.ts";
import type { StoredEvent } from "../modules/events/types.ts";
import type { Tx } from "../platform/database.ts";
import { completeWork, lockHeld } from "../platform/due-work.ts";
import { gathered } from "../platform/gather.ts";
import type { Handler, Job, Reaction, WorkerParts } from "./job.ts";

const EVENTS_TOGETHER = 100;

/** Every event goes to the endpoints that subscribe to it. */
const webhooks: Reaction = (tx, ctx, events) => fanOut(tx, ctx, events);

/** `event.react`: what follows from an event, exactly once; events of an organisation that come together are done together. */
export function createReact({ services, reactions }: Pick<WorkerParts, "services" | "reactions">): Handler {
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
    for (const [reaction, wanted] of byReaction(
      events.filter(({ id }) => held.has(id)),
      reactions,
    ))
      await reaction(tx, newest.ctx, wanted);
    completeWork(tx, works);
  }
}

/** A reaction that needs no more than what the events are about, each named once. */
export const onSubjects =
  (run: (tx: Tx, ctx: Ctx, subjects: readonly string[]) => Promise<void>): Reaction =>
  (tx, ctx, events) =>
    run(tx, ctx, [...new Set(events.map(({ subject }) => subject))]);

/** Each reaction with its events, both in order. Throws for an event of a newer version, which knows what else follows. */
function byReaction(events: readonly StoredEvent[], reactions: WorkerParts["reactions"]): Map<Reaction, StoredEvent[]> {
  const wanted = new Map<Reaction, StoredEvent[]>();
  for (const event of events) {
    const own = reactions.get(event.type);
    assert(own, `this version knows the event ${event.type}`);
    for (const reaction of [webhooks, ...own]) {
      const known = wanted.get(reaction);
      if (known) known.push(event);
      else wanted.set(reaction, [event]);
    }
  }
  return wanted;
}
