import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually, openFixture, startIn } from "../../test/support/worker.ts";
import { contextFor, SYSTEM } from "../flows/context.ts";
import { MAIL_COMPOSE } from "../modules/emails/declarations.ts";
import { claimWork, enqueue, type Work } from "../platform/due-work.ts";
import { machineNow } from "../platform/machine-clock.ts";
import { actingInSets } from "./handlers.ts";

test("in a set only the piece of work that fails is put off", async (t) => {
  const fixture = await openFixture(t);
  const organisation = await fixture.addOrganisation();
  await fixture.addEndpoint(organisation, "http://127.0.0.1:9/hook");
  const ids = [];
  for (let n = 0; n < 60; n++) ids.push(await fixture.happen(organisation, "thing.done", `thing ${n}`));
  await fixture.query("update events set type = 'thing.unknown' where id = $1", ids[41]);
  startIn(t, fixture);
  const left = async () =>
    await fixture.query<{ subject: string; attempts: number; last_error: string }>(
      "select subject, attempts, last_error from due_work where kind = 'event.react'",
    );
  await eventually("the others are done", async () => (await left()).length === 1);
  await eventually("it is put off", async () => (await left())[0]?.last_error !== null);
  const [bad] = await left();
  assert.equal(bad?.subject, ids[41]);
  assert.match(bad?.last_error ?? "", /this version knows the event thing\.unknown/);
  const deliveries = await fixture.deliveries(organisation);
  assert.equal(new Set(deliveries.map(({ eventId }) => eventId)).size, 59);
});

test("a run that has lost its lease does not end the work that its own process has leased again", async (t) => {
  const fixture = await openFixture(t);
  const organisation = await fixture.addOrganisation();
  const { db } = fixture.services;
  await db.transaction(organisation.id, async (tx) => enqueue(tx, MAIL_COMPOSE, "mail_1", machineNow()));
  const endLease = () => fixture.query("update due_work set lease_token = null, lease_until = null");
  const lease = async (): Promise<Work> => {
    const limits = { limit: 1, laneLimit: 1, laneLimits: {}, kinds: {} };
    const [claimed] = (await claimWork(db, "a process", null, limits)).claimed;
    assert.ok(claimed);
    return claimed.work;
  };
  const done: string[] = [];
  let again: Work | null = null;
  const { handler } = actingInSets(
    MAIL_COMPOSE,
    async (tx, subjects) => {
      // Answered after the statement that looks for the lease, which is sent with it.
      await Promise.resolve();
      await tx.sql`select 1`;
      again = await lease();
      return new Map(subjects.map((subject) => [subject, subject]));
    },
    async (_tx, _ctx, subjects) => void done.push(...subjects),
  );
  const run = handler(fixture);
  const ctx = contextFor(fixture.services, organisation, SYSTEM);
  const stopping = new AbortController().signal;
  const work = await lease();
  await endLease();
  await run({ work, ctx, stopping });
  assert.deepEqual(done, []);
  const left = await fixture.query<{ subject: string }>("select subject from due_work where lease_token is not null");
  assert.ok(again);
  assert.deepEqual(left, [{ subject: "mail_1" }]);
});
