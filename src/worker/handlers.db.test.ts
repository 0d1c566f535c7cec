import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually, openFixture, startIn } from "./testing.ts";

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
