import assert from "node:assert/strict";
import { test } from "node:test";
import { type Fixture, openFixture } from "../../test/support/worker.ts";
import { addSeconds, type Instant } from "../kernel/time.ts";
import { QUOTE_EXPIRE } from "../modules/quotes/declarations.ts";
import { REFUND_CHECK } from "../modules/refunds/declarations.ts";
import { WEBHOOK_DELIVER } from "../modules/webhooks/declarations.ts";
import { part, type Tx } from "../platform/database.ts";
import { cancelLane, cancelWork, enqueue, enqueueIf } from "../platform/due-work.ts";
import { machineNow } from "../platform/machine-clock.ts";

const NOW = machineNow();
const later = (seconds: number): Instant => addSeconds(NOW, seconds);
const workOf = (fixture: Fixture) =>
  fixture.query<{ kind: string; subject: string; lane: string; due_at: Date }>(
    "select kind, subject, lane, due_at from due_work order by kind, subject",
  );

test("a transaction writes the work that it has asked for last, and none that it has cancelled", async (t) => {
  const fixture = await openFixture(t);
  const organisation = await fixture.addOrganisation();
  const inTransaction = (work: (tx: Tx) => Promise<unknown>) => fixture.services.db.transaction(organisation.id, work);
  await inTransaction(async (tx) => enqueue(tx, WEBHOOK_DELIVER, "whd_before", later(10), "whe_a"));
  await inTransaction(async (tx) => {
    enqueue(tx, REFUND_CHECK, "ref_twice", later(100));
    enqueue(tx, QUOTE_EXPIRE, "quo_cancelled", later(100));
    enqueue(tx, WEBHOOK_DELIVER, "whd_cancelled", later(100), "whe_a");
    enqueue(tx, WEBHOOK_DELIVER, "whd_kept", later(100), "whe_b");
    cancelWork(tx, QUOTE_EXPIRE, "quo_cancelled");
    assert.deepEqual((await cancelLane(tx, WEBHOOK_DELIVER, "whe_a")).sort(), ["whd_before", "whd_cancelled"]);
    enqueue(tx, REFUND_CHECK, "ref_twice", later(200));
  });
  assert.deepEqual(await workOf(fixture), [
    { kind: REFUND_CHECK.kind, subject: "ref_twice", lane: REFUND_CHECK.kind, due_at: later(200) },
    { kind: WEBHOOK_DELIVER.kind, subject: "whd_kept", lane: "whe_b", due_at: later(100) },
  ]);
});

test("works that share a transaction ask each for their own, and one that fails for none", async (t) => {
  const fixture = await openFixture(t);
  const organisation = await fixture.addOrganisation();
  const asking = (subject: string, fails: boolean) =>
    fixture.services.db.gathered(organisation.id, async (tx) => {
      enqueue(tx, REFUND_CHECK, subject, later(100));
      await tx.sql`select 1`;
      if (fails) throw new Error("fails");
    });
  const outcomes = await Promise.allSettled(["a", "b", "c", "d"].map((subject) => asking(subject, subject === "c")));
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ["fulfilled", "fulfilled", "rejected", "fulfilled"],
  );
  assert.deepEqual(
    (await workOf(fixture)).map(({ subject }) => subject),
    ["a", "b", "d"],
  );
});

test("an event is work where the service reacts to it, or an endpoint is switched on", async (t) => {
  const fixture = await openFixture(t);
  const organisation = await fixture.addOrganisation();
  const happen = async (subject: string) => {
    for (const thing of ["thing.done", "thing.mentioned"] as const) await fixture.happen(organisation, thing, subject);
  };
  const toDo = async () => {
    const rows = await fixture.query<{ text: string }>(
      "select e.subject || ' ' || e.type as text from due_work w join events e on e.id = w.subject order by 1",
    );
    return rows.map(({ text }) => text);
  };
  await happen("a");
  assert.deepEqual(await toDo(), ["a thing.done"]);
  await fixture.addEndpoint(organisation, "https://shop.example/hook");
  await fixture.query("update webhook_endpoints set enabled = false");
  await happen("b");
  await fixture.query("update webhook_endpoints set enabled = true");
  await happen("c");
  assert.deepEqual(await toDo(), ["a thing.done", "b thing.done", "c thing.done", "c thing.mentioned"]);
});

test("work that is asked for on a condition leaves the other work of its transaction as it is", async (t) => {
  const fixture = await openFixture(t);
  const organisation = await fixture.addOrganisation();
  for (const [subject, holds] of [
    ["a", false],
    ["b", true],
  ] as const)
    await fixture.services.db.transaction(organisation.id, async (tx) => {
      enqueue(tx, QUOTE_EXPIRE, subject, later(100));
      enqueueIf(tx, REFUND_CHECK, subject, later(100), part`${holds}`);
    });
  assert.deepEqual(
    (await workOf(fixture)).map(({ kind, subject }) => [kind, subject]),
    [
      [QUOTE_EXPIRE.kind, "a"],
      [QUOTE_EXPIRE.kind, "b"],
      [REFUND_CHECK.kind, "b"],
    ],
  );
});
