import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { eventually, type Fixture, openFixture, openReceiver } from "../../test/support/worker.ts";
import { addSeconds, instant } from "../kernel/time.ts";
import type { Organisation } from "../modules/organisations/types.ts";
import { REFUND_CHECK } from "../modules/refunds/declarations.ts";
import { completeWork, dueWork, enqueue } from "../platform/due-work.ts";
import type { HandledWork } from "./job.ts";
import { createRunDue } from "./run-due.ts";
import { startWorker } from "./worker.ts";

/* Which work, enqueued by requests during a move of the clock, the move runs. */

const BEGIN = instant("2026-11-20T10:00:00Z");
const hours = (count: number) => addSeconds(BEGIN, count * 3600);
const frozen = (fixture: Fixture) => fixture.addOrganisation({ clockAt: BEGIN });
const move = (fixture: Fixture, of: Organisation, until: ReturnType<typeof hours>) =>
  fixture.services.runDue(of.id, until);
const clockOf = async (fixture: Fixture, of: Organisation) => (await fixture.organisation(of)).clockAt;

test("requests that go on asking for work do not prevent the end of a move", async (t) => {
  const fixture = await openFixture(t);
  const organisation = await frozen(fixture);
  const receiver = await openReceiver(t);
  await fixture.addEndpoint(organisation, receiver.url);
  const before = await Promise.all(
    Array.from({ length: 150 }, (_, n) => fixture.happen(organisation, "thing.failed", `before ${n}`)),
  );
  const later = await fixture.happen(organisation, "thing.failed", "later", {}, hours(1));
  let moved = false;
  const asking = Array.from({ length: 12 }, async (_, asker) => {
    for (let n = 0; !moved; n++) {
      await fixture.happen(organisation, "thing.failed", `${asker} ${n}`);
      const soon = addSeconds((await clockOf(fixture, organisation)) ?? BEGIN, 1);
      await fixture.services.db.transaction(organisation.id, async (tx) =>
        enqueue(tx, REFUND_CHECK, `ref_${asker}_${n}`, soon),
      );
    }
  });
  const ran = await Promise.race([move(fixture, organisation, hours(2)), sleep(240_000, null, { ref: false })]);
  moved = true;
  await Promise.all(asking);
  assert.ok(ran, "the move ended while they were asking");
  assert.deepEqual(await clockOf(fixture, organisation), hours(2));
  const delivered = new Set(
    (await fixture.deliveries(organisation))
      .filter(({ status }) => status === "delivered")
      .map(({ eventId }) => eventId),
  );
  assert.deepEqual(
    [...before, later].filter((event) => !delivered.has(event)),
    [],
    "what was there before, and what fell due on the way, was done",
  );
  const worker = startWorker(fixture);
  t.after(() => worker.stop());
  await eventually(
    "workers do the rest",
    async () => (await fixture.query("select 1 from due_work where due_at <= $1", hours(2))).length === 0,
  );
});

test("a move does all the work that requests ask for because of work that says how much that may be", async (t) => {
  const fixture = await openFixture(t);
  const organisation = await frozen(fixture);
  const crowd = dueWork("test.crowd", { followUps: 300 });
  const handler: HandledWork["handler"] =
    ({ services }) =>
    async ({ work }) => {
      // Not in the background: as a request that answers a notification.
      await Promise.all(Array.from({ length: 300 }, (_, n) => fixture.happen(organisation, "thing.done", `${n}`)));
      await services.db.transaction(work.organisation, async (tx) => completeWork(tx, [work]));
      return "done";
    };
  const runDue = createRunDue({ ...fixture, work: [...fixture.work, { work: crowd, handler }] });
  await fixture.services.db.transaction(organisation.id, async (tx) => enqueue(tx, crowd, "one", hours(1)));
  assert.deepEqual(await runDue(organisation.id, hours(2)), { "test.crowd": 1, "event.react": 300 });
});
