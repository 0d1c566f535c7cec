import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { mailsOf } from "../../test/support/mails.ts";
import {
  answering,
  eventually,
  type Fixture,
  headerOf,
  openFixture,
  openReceiver,
  type Received,
  startIn,
} from "../../test/support/worker.ts";
import { contextFor, SYSTEM } from "../flows/context.ts";
import { changeEndpoint, removeEndpoint } from "../flows/webhooks/change-endpoint.ts";
import { addSeconds, instant, toTimestamp } from "../kernel/time.ts";
import type { Organisation } from "../modules/organisations/types.ts";

const eventIds = (received: readonly Received[]) => received.map((one) => headerOf(one, "service-event-id"));
const ctxOf = async (fixture: Fixture, of: Organisation) =>
  contextFor(fixture.services, await fixture.organisation(of), SYSTEM);
const pause = () => sleep(400);

test("a failing endpoint is tried again by the table, a body never changes, and a success ends it", async (t) => {
  const fixture = await openFixture(t);
  const organisation = await fixture.addOrganisation({ clockAt: instant("2026-11-20T10:00:00Z") });
  let code = 500;
  const receiver = await openReceiver(t, (response) => answering(code)(response));
  const { endpoint } = await fixture.addEndpoint(organisation, receiver.url);
  startIn(t, fixture);
  await fixture.happen(organisation, "thing.done", "TEFO-1", { amount: 1 });
  await eventually("first attempt", async () => (await fixture.deliveries(organisation))[0]?.attempts.length === 1);
  const [delivery] = await fixture.deliveries(organisation);
  assert(delivery?.nextAttemptAt);
  const wait = delivery.nextAttemptAt.getTime() - Date.parse("2026-11-20T10:00:00Z");
  assert.ok(wait >= 10_000 && wait <= 12_000, `again after ${wait} ms`);
  assert.deepEqual(delivery.attempts[0], { ...delivery.attempts[0], at: "2026-11-20T10:00:00.000Z", statusCode: 500 });
  const failing = await fixture.query<{ failing_since: Date }>("select failing_since from webhook_endpoints");
  assert.deepEqual(failing, [{ failing_since: new Date("2026-11-20T10:00:00Z") }]);
  await pause();
  assert.equal(receiver.received.length, 1, "its clock stands still, and so does its retry");

  code = 204;
  const ran = await fixture.services.runDue(organisation.id, instant("2026-11-20T10:01:00Z"));
  assert.deepEqual(ran, { "webhook.deliver": 1 });
  const [after] = await fixture.deliveries(organisation);
  assert.deepEqual([after?.status, after?.attempts.length], ["delivered", 2]);
  assert.equal(receiver.received[0]?.body, receiver.received[1]?.body);
  const signed = headerOf(receiver.received[1]!, "service-signature");
  assert.ok(Math.abs(Number(/^t=(\d+)/.exec(signed)?.[1]) - Date.now() / 1000) < 60, "t is real time");
  assert.deepEqual(await fixture.query("select failing_since from webhook_endpoints"), [{ failing_since: null }]);
  assert.equal(endpoint.failingSince, null);
});

test("Retry-After lengthens the wait, up to the next step", async (t) => {
  const fixture = await openFixture(t);
  const organisation = await fixture.addOrganisation({ clockAt: instant("2026-11-20T10:00:00Z") });
  const receiver = await openReceiver(t, (response) => {
    response.writeHead(503, { "retry-after": "45" }).end();
  });
  await fixture.addEndpoint(organisation, receiver.url);
  startIn(t, fixture);
  await fixture.happen(organisation, "thing.done", "TEFO-1");
  await eventually("first attempt", async () => (await fixture.deliveries(organisation))[0]?.attempts.length === 1);
  const [delivery] = await fixture.deliveries(organisation);
  assert.equal(toTimestamp(delivery!.nextAttemptAt!), "2026-11-20T10:00:45.000Z");
});

test("every retry of two days is attempted at its time by one move of the clock, then the delivery is parked", async (t) => {
  const fixture = await openFixture(t);
  const begin = instant("2026-11-20T10:00:00Z");
  const organisation = await fixture.addOrganisation({ clockAt: begin });
  const receiver = await openReceiver(t, answering(500));
  await fixture.addEndpoint(organisation, receiver.url);
  await fixture.happen(organisation, "thing.done", "TEFO-1");
  const ran = await fixture.services.runDue(organisation.id, addSeconds(begin, 3 * 86_400));
  assert.deepEqual(ran, { "event.react": 1, "webhook.deliver": 11 });
  const [delivery] = await fixture.deliveries(organisation);
  assert.deepEqual([delivery?.status, delivery?.nextAttemptAt], ["parked", null]);
  const steps = [10, 60, 300, 1800, 3600, 7200, 14_400, 28_800, 43_200, 72_000];
  const times = delivery!.attempts.map(({ at }) => Date.parse(at) / 1000);
  for (const [index, step] of steps.entries()) {
    const wait = times[index + 1]! - times[index]!;
    assert.ok(wait >= step && wait <= step * 1.2 + 0.001, `wait ${index + 1}: ${wait} s for ${step} s`);
  }
  await eventually("nothing left to do", async () => (await fixture.query("select 1 from due_work")).length === 0);
});

test("410 switches the endpoint off, fails its waiting deliveries, and mails its owners", async (t) => {
  const fixture = await openFixture(t);
  const organisation = await fixture.addOrganisation({ clockAt: instant("2026-11-20T10:00:00Z") });
  await fixture.addOwner(organisation, "owner@shop.example");
  let code = 500;
  const receiver = await openReceiver(t, (response) => answering(code)(response));
  const { endpoint } = await fixture.addEndpoint(organisation, receiver.url);
  startIn(t, fixture);
  await fixture.happen(organisation, "thing.done", "TEFO-1");
  await eventually("failed once", async () => (await fixture.deliveries(organisation))[0]?.attempts.length === 1);
  code = 410;
  await fixture.happen(organisation, "thing.done", "TEFO-2");
  await eventually("switched off", async () => {
    const [row] = await fixture.query<{ enabled: boolean; disabled_reason: string }>("select * from webhook_endpoints");
    return row?.enabled === false && row.disabled_reason === "gone";
  });
  const deliveries = await fixture.deliveries(organisation);
  assert.deepEqual(
    deliveries.map((delivery) => [delivery.status, delivery.nextAttemptAt, delivery.attempts.at(-1)?.statusCode]),
    [
      ["failed", null, 410],
      ["failed", null, 500],
    ],
  );
  assert.deepEqual(await fixture.query("select 1 from due_work where kind = 'webhook.deliver'"), []);
  const mails = await mailsOf(fixture.services, organisation);
  assert.equal(mails.length, 1);
  assert.deepEqual(mails[0]?.recipients, ["owner@shop.example"]);
  assert.match(mails[0]?.text ?? "", new RegExp(`${endpoint.url}[\\s\\S]*HTTP 410`));

  await fixture.happen(organisation, "thing.done", "TEFO-3");
  await pause();
  assert.equal(receiver.received.length, 2, "nothing more is sent");
});

test("an endpoint is switched off at the first failure more than five days after the first, not before", async (t) => {
  const fixture = await openFixture(t);
  const begin = instant("2026-11-20T10:00:00Z");
  const organisation = await fixture.addOrganisation({ clockAt: begin });
  await fixture.addOwner(organisation, "owner@shop.example");
  const receiver = await openReceiver(t, answering(500));
  await fixture.addEndpoint(organisation, receiver.url);
  const failOnDay = async (day: number) => {
    const at = addSeconds(begin, day * 86_400);
    await fixture.services.runDue(organisation.id, at);
    await fixture.happen(organisation, "thing.done", `TEFO-${day}`);
    await fixture.services.runDue(organisation.id, at);
    const [row] = await fixture.query<{ enabled: boolean; disabled_reason: string | null; failing_since: Date }>(
      "select * from webhook_endpoints",
    );
    return row;
  };
  assert.equal((await failOnDay(0))?.enabled, true);
  assert.equal((await failOnDay(3))?.enabled, true);
  const fifth = await failOnDay(5);
  assert.deepEqual(
    [fifth?.enabled, fifth?.failing_since],
    [true, new Date("2026-11-20T10:00:00Z")],
    "five days are borne",
  );
  assert.deepEqual(await fixture.query("select 1 from emails"), []);
  const sixth = await failOnDay(5.1);
  assert.deepEqual([sixth?.enabled, sixth?.disabled_reason], [false, "failing"]);
  const mails = await mailsOf(fixture.services, organisation);
  assert.equal(mails.length, 1);
  assert.match(mails[0]?.text ?? "", /Failing since: 20 November 2026, 12:00/);
});

test("switched off or deleted by staff, an endpoint's waiting deliveries fail; switched on, new events go there", async (t) => {
  const fixture = await openFixture(t);
  const organisation = await fixture.addOrganisation({ clockAt: instant("2026-11-20T10:00:00Z") });
  const { db } = fixture.services;
  let code = 500;
  const receiver = await openReceiver(t, (response) => answering(code)(response));
  const { endpoint } = await fixture.addEndpoint(organisation, receiver.url);
  startIn(t, fixture);
  await fixture.happen(organisation, "thing.done", "TEFO-1");
  await eventually("failed once", async () => (await fixture.deliveries(organisation))[0]?.attempts.length === 1);
  const ctx = await ctxOf(fixture, organisation);
  const change = (patch: object) =>
    db.transaction(organisation.id, (tx) => changeEndpoint(tx, ctx, endpoint.id, patch));
  await change({ enabled: false });
  assert.deepEqual(
    (await fixture.deliveries(organisation)).map((delivery) => [delivery.status, delivery.nextAttemptAt]),
    [["failed", null]],
  );
  code = 200;
  const { after } = await change({ enabled: true });
  assert.equal(after.failingSince, null);
  await fixture.happen(organisation, "thing.done", "TEFO-2");
  await eventually("sent", () => receiver.received.length === 2);

  code = 500;
  const third = await fixture.happen(organisation, "thing.done", "TEFO-3");
  await eventually("failing", async () => {
    const [last] = await fixture.deliveries(organisation);
    return last?.eventId === third && last.attempts.length === 1;
  });
  await db.transaction(organisation.id, (tx) => removeEndpoint(tx, endpoint.id));
  assert.equal((await fixture.deliveries(organisation))[0]?.status, "failed");
  assert.deepEqual(await fixture.query("select 1 from due_work where kind = 'webhook.deliver'"), []);
});

test("a late answer of an endpoint's old URL does not count for the new URL, where the delivery is tried again", async (t) => {
  const fixture = await openFixture(t);
  const organisation = await fixture.addOrganisation({ clockAt: instant("2026-11-20T10:00:00Z") });
  await fixture.addOwner(organisation, "owner@shop.example");
  let answer = () => {};
  const old = await openReceiver(t, (response) => {
    answer = () => answering(410)(response);
  });
  const { endpoint } = await fixture.addEndpoint(organisation, old.url);
  startIn(t, fixture);
  await fixture.happen(organisation, "thing.done", "TEFO-1");
  await eventually("under way", () => old.received.length === 1);
  const moved = await openReceiver(t);
  const ctx = await ctxOf(fixture, organisation);
  await fixture.services.db.transaction(organisation.id, (tx) =>
    changeEndpoint(tx, ctx, endpoint.id, { url: moved.url }),
  );
  answer();
  await eventually("recorded", async () => (await fixture.deliveries(organisation))[0]?.attempts.length === 1);
  assert.deepEqual(await fixture.query("select enabled, failing_since from webhook_endpoints"), [
    { enabled: true, failing_since: null },
  ]);
  assert.deepEqual(await fixture.query("select 1 from emails"), []);
  await fixture.services.runDue(organisation.id, instant("2026-11-20T10:01:00Z"));
  assert.equal((await fixture.deliveries(organisation))[0]?.status, "delivered");
  assert.equal(moved.received.length, 1);
});

test("a delivery that failed once delays no later one", async (t) => {
  const fixture = await openFixture(t);
  const organisation = await fixture.addOrganisation();
  const receiver = await openReceiver(t, (response, { body }) =>
    answering(JSON.parse(body).data.bad ? 500 : 200)(response),
  );
  await fixture.addEndpoint(organisation, receiver.url);
  startIn(t, fixture);
  await fixture.happen(organisation, "thing.failed", "a", { bad: true });
  const second = await fixture.happen(organisation, "thing.done", "a");
  await eventually("the second", () => eventIds(receiver.received).includes(second));
});
