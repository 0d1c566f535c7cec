import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually, openHouse, startIn } from "./testing.ts";

test("of a set the one that cannot be done is put off alone", async (t) => {
  const house = await openHouse(t);
  const organisation = await house.addOrganisation();
  await house.addEndpoint(organisation, "http://127.0.0.1:9/hook");
  const ids = [];
  for (let n = 0; n < 60; n++) ids.push(await house.happen(organisation, "thing.done", `thing ${n}`));
  await house.query("update events set type = 'thing.unknown' where id = $1", ids[41]);
  startIn(t, house);
  const left = async () =>
    await house.query<{ subject: string; attempts: number; last_error: string }>(
      "select subject, attempts, last_error from due_work where kind = 'event.react'",
    );
  await eventually("the others are done", async () => (await left()).length === 1);
  await eventually("it is put off", async () => (await left())[0]?.last_error !== null);
  const [bad] = await left();
  assert.equal(bad?.subject, ids[41]);
  assert.match(bad?.last_error ?? "", /this version knows the event thing\.unknown/);
  const deliveries = await house.deliveries(organisation);
  assert.equal(new Set(deliveries.map(({ eventId }) => eventId)).size, 59);
});
