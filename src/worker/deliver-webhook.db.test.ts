import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import type { ServerResponse } from "node:http";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { contextFor, SYSTEM } from "../flows/context.ts";
import { changeEndpoint, removeEndpoint, rotateSecret } from "../flows/webhooks/change-endpoint.ts";
import { fanOut } from "../flows/webhooks/fan-out.ts";
import { resendDelivery, sendTest } from "../flows/webhooks/send-again.ts";
import { newId } from "../kernel/ids.ts";
import { addSeconds, instant, machineNow, toTimestamp } from "../kernel/time.ts";
import { readEvents } from "../modules/events/store.ts";
import { insertMember } from "../modules/members/store.ts";
import type { Organisation } from "../modules/organisations/types.ts";
import { verifySignature } from "../platform/signing.ts";
import { eventually, type House, openHouse, openReceiver, type Received } from "./testing.ts";
import { startWorker } from "./worker.ts";

function start(t: TestContext, house: House): void {
  const worker = startWorker(house);
  t.after(() => worker.stop());
}

const header = ({ headers }: Received, name: string): string => String(headers[name]);
const eventIds = (received: readonly Received[]) => received.map((one) => header(one, "service-event-id"));
const ctxOf = async (house: House, of: Organisation) => contextFor(await house.organisation(of), SYSTEM);
const status = (code: number) => (response: ServerResponse) => {
  response.statusCode = code;
  response.end("no");
};
const pause = () => sleep(400);

/** The other form of the signature, as its libraries check it. */
function standardSignature(received: Received, secret: string): string {
  const signed = `${header(received, "webhook-id")}.${header(received, "webhook-timestamp")}.${received.body}`;
  return `v1,${createHmac("sha256", Buffer.from(secret.slice("whsec_".length), "base64"))
    .update(signed)
    .digest("base64")}`;
}

test("an event reaches the endpoints that take it, signed in both forms, with its envelope", async (t) => {
  const house = await openHouse(t);
  const organisation = await house.addOrganisation();
  const [all, some, none] = [await openReceiver(t), await openReceiver(t), await openReceiver(t)];
  const { secret } = await house.addEndpoint(organisation, all.url);
  await house.addEndpoint(organisation, some.url, ["payment.failed", "payment.complete"]);
  await house.addEndpoint(organisation, none.url, ["payment.failed"]);
  start(t, house);
  const at = instant("2026-11-20T10:00:00.123Z");
  const id = await house.happen(organisation, "payment.complete", "TEFO-1", { reference: "TEFO-1", amount: 115.5 }, at);
  await eventually("two deliveries", () => all.received.length === 1 && some.received.length === 1);
  await pause();
  assert.equal(none.received.length, 0);

  const [received] = all.received;
  assert(received);
  assert.deepEqual(JSON.parse(received.body), {
    id,
    type: "payment.complete",
    created: "2026-11-20T10:00:00.123Z",
    data: { reference: "TEFO-1", amount: 115.5 },
  });
  const now = Math.floor(Date.now() / 1000);
  assert.equal(verifySignature(header(received, "service-signature"), received.body, secret, now), true);
  assert.equal(header(received, "webhook-signature"), standardSignature(received, secret));
  assert.equal(header(received, "webhook-id"), id);
  assert.equal(header(received, "service-event-id"), id);
  assert.equal(header(received, "service-event-type"), "payment.complete");
  assert.equal(header(received, "user-agent"), "Tefo/1.2.3");
  assert.equal(header(received, "content-type"), "application/json");

  const deliveries = await house.deliveries(organisation);
  assert.deepEqual(
    deliveries.map((delivery) => [delivery.eventId, delivery.status, delivery.nextAttemptAt, delivery.attempts.length]),
    [
      [id, "delivered", null, 1],
      [id, "delivered", null, 1],
    ],
  );
  const [attempt] = deliveries[0]?.attempts ?? [];
  assert.deepEqual([attempt?.statusCode, attempt?.error, attempt?.responseExcerpt], [200, null, "ok"]);
  assert.deepEqual(await house.query("select 1 from due_work"), [], "nothing is left to do");
});

test("fanning out twice makes one delivery an endpoint, and nothing without the REST API", async (t) => {
  const house = await openHouse(t);
  const { db } = house.services;
  for (const [plan, expected] of [
    ["growth", 1],
    ["starter", 0],
  ] as const) {
    const organisation = await house.addOrganisation({ plan });
    await house.addEndpoint(organisation, "http://127.0.0.1:9/hook");
    const id = await house.happen(organisation, "payment.failed", "TEFO-1");
    const ctx = await ctxOf(house, organisation);
    for (let time = 0; time < 2; time++)
      await db.transaction(organisation.id, async (tx) => fanOut(tx, ctx, await readEvents(tx, [id])));
    assert.equal((await house.deliveries(organisation)).length, expected, plan);
  }
});

test("a failing endpoint is tried again by the table, a body never changes, and a success ends it", async (t) => {
  const house = await openHouse(t);
  const organisation = await house.addOrganisation({ clockAt: instant("2026-11-20T10:00:00Z") });
  let code = 500;
  const receiver = await openReceiver(t, (response) => status(code)(response));
  const { endpoint } = await house.addEndpoint(organisation, receiver.url);
  start(t, house);
  await house.happen(organisation, "payment.complete", "TEFO-1", { amount: 1 });
  await eventually("first attempt", async () => (await house.deliveries(organisation))[0]?.attempts.length === 1);
  const [delivery] = await house.deliveries(organisation);
  assert(delivery?.nextAttemptAt);
  const wait = delivery.nextAttemptAt.getTime() - Date.parse("2026-11-20T10:00:00Z");
  assert.ok(wait >= 10_000 && wait <= 12_000, `again after ${wait} ms`);
  assert.deepEqual(delivery.attempts[0], { ...delivery.attempts[0], at: "2026-11-20T10:00:00.000Z", statusCode: 500 });
  const failing = await house.query<{ failing_since: Date }>("select failing_since from webhook_endpoints");
  assert.deepEqual(failing, [{ failing_since: new Date("2026-11-20T10:00:00Z") }]);
  await pause();
  assert.equal(receiver.received.length, 1, "its clock stands still, and so does its retry");

  code = 204;
  const ran = await house.services.runDue(organisation.id, instant("2026-11-20T10:01:00Z"));
  assert.deepEqual(ran, { "webhook.deliver": 1 });
  const [after] = await house.deliveries(organisation);
  assert.deepEqual([after?.status, after?.attempts.length], ["delivered", 2]);
  assert.equal(receiver.received[0]?.body, receiver.received[1]?.body);
  const signed = header(receiver.received[1]!, "service-signature");
  assert.ok(Math.abs(Number(/^t=(\d+)/.exec(signed)?.[1]) - Date.now() / 1000) < 60, "t is real time");
  assert.deepEqual(await house.query("select failing_since from webhook_endpoints"), [{ failing_since: null }]);
  assert.equal(endpoint.failingSince, null);
});

test("Retry-After lengthens the wait, up to the next step", async (t) => {
  const house = await openHouse(t);
  const organisation = await house.addOrganisation({ clockAt: instant("2026-11-20T10:00:00Z") });
  const receiver = await openReceiver(t, (response) => {
    response.writeHead(503, { "retry-after": "45" }).end();
  });
  await house.addEndpoint(organisation, receiver.url);
  start(t, house);
  await house.happen(organisation, "payment.complete", "TEFO-1");
  await eventually("first attempt", async () => (await house.deliveries(organisation))[0]?.attempts.length === 1);
  const [delivery] = await house.deliveries(organisation);
  assert.equal(toTimestamp(delivery!.nextAttemptAt!), "2026-11-20T10:00:45.000Z");
});

test("every retry of two days is attempted at its time by one move of the clock, then the delivery is parked", async (t) => {
  const house = await openHouse(t);
  const begin = instant("2026-11-20T10:00:00Z");
  const organisation = await house.addOrganisation({ clockAt: begin });
  const receiver = await openReceiver(t, status(500));
  await house.addEndpoint(organisation, receiver.url);
  await house.happen(organisation, "payment.complete", "TEFO-1");
  const ran = await house.services.runDue(organisation.id, addSeconds(begin, 3 * 86_400));
  assert.deepEqual(ran, { "event.react": 1, "webhook.deliver": 11 });
  const [delivery] = await house.deliveries(organisation);
  assert.deepEqual([delivery?.status, delivery?.nextAttemptAt], ["parked", null]);
  const steps = [10, 60, 300, 1800, 3600, 7200, 14_400, 28_800, 43_200, 72_000];
  const times = delivery!.attempts.map(({ at }) => Date.parse(at) / 1000);
  for (const [index, step] of steps.entries()) {
    const wait = times[index + 1]! - times[index]!;
    assert.ok(wait >= step && wait <= step * 1.2 + 0.001, `wait ${index + 1}: ${wait} s for ${step} s`);
  }
  assert.deepEqual(await house.query("select 1 from due_work"), []);
});

test("410 switches the endpoint off, fails what waits for it, and its owners are told", async (t) => {
  const house = await openHouse(t);
  const organisation = await house.addOrganisation({ clockAt: instant("2026-11-20T10:00:00Z") });
  const { db } = house.services;
  await db.transaction(organisation.id, (tx) =>
    insertMember(tx, {
      id: newId("mem"),
      userId: "u1",
      email: "owner@shop.example",
      name: "Thandi",
      role: "owner",
      createdAt: machineNow(),
    }),
  );
  let code = 500;
  const receiver = await openReceiver(t, (response) => status(code)(response));
  const { endpoint } = await house.addEndpoint(organisation, receiver.url);
  start(t, house);
  await house.happen(organisation, "payment.complete", "TEFO-1");
  await eventually("failed once", async () => (await house.deliveries(organisation))[0]?.attempts.length === 1);
  code = 410;
  await house.happen(organisation, "payment.complete", "TEFO-2");
  await eventually("switched off", async () => {
    const [row] = await house.query<{ enabled: boolean; disabled_reason: string }>("select * from webhook_endpoints");
    return row?.enabled === false && row.disabled_reason === "gone";
  });
  const deliveries = await house.deliveries(organisation);
  assert.deepEqual(
    deliveries.map((delivery) => [delivery.status, delivery.nextAttemptAt, delivery.attempts.at(-1)?.statusCode]),
    [
      ["failed", null, 410],
      ["failed", null, 500],
    ],
  );
  assert.deepEqual(await house.query("select 1 from due_work"), []);
  const mails = await house.query<{ recipients: string[]; subject: string; text_body: string }>("select * from emails");
  assert.equal(mails.length, 1);
  assert.deepEqual(mails[0]?.recipients, ["owner@shop.example"]);
  assert.match(mails[0]?.text_body ?? "", new RegExp(`${endpoint.url}[\\s\\S]*HTTP 410`));

  await house.happen(organisation, "payment.complete", "TEFO-3");
  await pause();
  assert.equal(receiver.received.length, 2, "nothing more is sent");
});

test("an endpoint is switched off at the first failure more than five days after the first, not before", async (t) => {
  const house = await openHouse(t);
  const begin = instant("2026-11-20T10:00:00Z");
  const organisation = await house.addOrganisation({ clockAt: begin });
  const { db } = house.services;
  await db.transaction(organisation.id, (tx) =>
    insertMember(tx, {
      id: newId("mem"),
      userId: "u1",
      email: "owner@shop.example",
      name: "Thandi",
      role: "owner",
      createdAt: machineNow(),
    }),
  );
  const receiver = await openReceiver(t, status(500));
  await house.addEndpoint(organisation, receiver.url);
  const failOnDay = async (day: number) => {
    const at = addSeconds(begin, day * 86_400);
    await house.services.runDue(organisation.id, at);
    await house.happen(organisation, "payment.complete", `TEFO-${day}`);
    await house.services.runDue(organisation.id, at);
    const [row] = await house.query<{ enabled: boolean; disabled_reason: string | null; failing_since: Date }>(
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
  assert.deepEqual(await house.query("select 1 from emails"), []);
  const sixth = await failOnDay(5.1);
  assert.deepEqual([sixth?.enabled, sixth?.disabled_reason], [false, "failing"]);
  const mails = await house.query<{ text_body: string }>("select * from emails");
  assert.equal(mails.length, 1);
  assert.match(mails[0]?.text_body ?? "", /Failing since: 20 November 2026, 12:00/);
});

test("switched off or deleted by staff, an endpoint's waiting deliveries fail; switched on, new events go there", async (t) => {
  const house = await openHouse(t);
  const organisation = await house.addOrganisation({ clockAt: instant("2026-11-20T10:00:00Z") });
  const { db } = house.services;
  let code = 500;
  const receiver = await openReceiver(t, (response) => status(code)(response));
  const { endpoint } = await house.addEndpoint(organisation, receiver.url);
  start(t, house);
  await house.happen(organisation, "payment.complete", "TEFO-1");
  await eventually("failed once", async () => (await house.deliveries(organisation))[0]?.attempts.length === 1);
  const ctx = await ctxOf(house, organisation);
  const change = (patch: object) =>
    db.transaction(organisation.id, (tx) => changeEndpoint(tx, ctx, endpoint.id, patch));
  await change({ enabled: false });
  assert.deepEqual(
    (await house.deliveries(organisation)).map((delivery) => [delivery.status, delivery.nextAttemptAt]),
    [["failed", null]],
  );
  code = 200;
  const { after } = await change({ enabled: true });
  assert.equal(after.failingSince, null);
  await house.happen(organisation, "payment.complete", "TEFO-2");
  await eventually("sent", () => receiver.received.length === 2);

  code = 500;
  const third = await house.happen(organisation, "payment.complete", "TEFO-3");
  await eventually("failing", async () => {
    const [last] = await house.deliveries(organisation);
    return last?.eventId === third && last.attempts.length === 1;
  });
  await db.transaction(organisation.id, (tx) => removeEndpoint(tx, endpoint.id));
  assert.equal((await house.deliveries(organisation))[0]?.status, "failed");
  assert.deepEqual(await house.query("select 1 from due_work"), []);
});

test("a delivery can be sent again, whatever came of it", async (t) => {
  const house = await openHouse(t);
  const organisation = await house.addOrganisation();
  const { db } = house.services;
  const receiver = await openReceiver(t);
  const { endpoint } = await house.addEndpoint(organisation, receiver.url);
  start(t, house);
  await house.happen(organisation, "payment.complete", "TEFO-1");
  const delivered = (attempts: number) => async () => {
    const [one] = await house.deliveries(organisation);
    return one?.status === "delivered" && one.attempts.length === attempts;
  };
  await eventually("delivered", delivered(1));
  const [delivery] = await house.deliveries(organisation);
  assert(delivery);
  const ctx = await ctxOf(house, organisation);
  const resend = () => db.transaction(organisation.id, (tx) => resendDelivery(tx, ctx, delivery.id));
  const { after } = await resend();
  assert.equal(after.status, "pending");
  await eventually("again", delivered(2));
  assert.equal(receiver.received[0]?.body, receiver.received[1]?.body);

  await house.query("update webhook_deliveries set status = 'parked'");
  await resend();
  await eventually("after parking", delivered(3));
  await db.transaction(organisation.id, (tx) => changeEndpoint(tx, ctx, endpoint.id, { enabled: false }));
  await assert.rejects(resend(), { status: 409, code: "invalid_state" });
  await db.transaction(organisation.id, (tx) => removeEndpoint(tx, endpoint.id));
  await assert.rejects(resend(), { status: 409, code: "invalid_state" });
});

test("after a rotation both secrets sign for 24 hours of the organisation's clock, then the new one alone", async (t) => {
  const house = await openHouse(t);
  const begin = instant("2026-11-20T10:00:00Z");
  const organisation = await house.addOrganisation({ clockAt: begin });
  const receiver = await openReceiver(t);
  const { endpoint, secret: old } = await house.addEndpoint(organisation, receiver.url);
  const ctx = await ctxOf(house, organisation);
  const { secret: current } = await house.services.db.transaction(organisation.id, (tx) =>
    rotateSecret(tx, ctx, house.services, endpoint.id),
  );
  assert.notEqual(current, old);
  const signedBy = async (hours: number) => {
    const at = addSeconds(begin, hours * 3600);
    await house.services.runDue(organisation.id, at);
    await house.happen(organisation, "payment.complete", `TEFO-${hours}`);
    await house.services.runDue(organisation.id, at);
    const received = receiver.received.at(-1);
    assert(received);
    const now = Math.floor(Date.now() / 1000);
    const standard = header(received, "webhook-signature").split(" ");
    return [current, old].map((secret) => [
      verifySignature(header(received, "service-signature"), received.body, secret, now),
      standard.includes(standardSignature(received, secret)),
    ]);
  };
  assert.deepEqual(await signedBy(0), [
    [true, true],
    [true, true],
  ]);
  assert.deepEqual(await signedBy(23), [
    [true, true],
    [true, true],
  ]);
  assert.deepEqual(await signedBy(24), [
    [true, true],
    [false, false],
  ]);
});

test("a test goes to its endpoint alone, whatever that takes", async (t) => {
  const house = await openHouse(t);
  const organisation = await house.addOrganisation();
  const [tested, other] = [await openReceiver(t), await openReceiver(t)];
  const { endpoint } = await house.addEndpoint(organisation, tested.url, ["payment.failed"]);
  await house.addEndpoint(organisation, other.url);
  start(t, house);
  const ctx = await ctxOf(house, organisation);
  const event = await house.services.db.transaction(organisation.id, (tx) => sendTest(tx, ctx, endpoint.id));
  assert.deepEqual([event.type, event.data], ["endpoint.test", { endpointId: endpoint.id }]);
  await eventually("tested", () => tested.received.length === 1);
  await pause();
  assert.equal(other.received.length, 0);
  assert.deepEqual(JSON.parse(tested.received[0]?.body ?? "").data, { endpointId: endpoint.id });
});

test("a live organisation's endpoint at a loopback address is refused when it is dialled", async (t) => {
  const house = await openHouse(t);
  const organisation = await house.addOrganisation({ sandbox: false });
  const receiver = await openReceiver(t);
  await assert.rejects(house.addEndpoint(organisation, receiver.url), { status: 400 });
  await house.addEndpoint(organisation, "https://shop.example/hook");
  await house.query("update webhook_endpoints set url = $1", receiver.url);
  start(t, house);
  await house.happen(organisation, "payment.complete", "TEFO-1");
  await eventually("attempted", async () => (await house.deliveries(organisation))[0]?.attempts.length === 1);
  const [delivery] = await house.deliveries(organisation);
  assert.equal(delivery?.attempts[0]?.statusCode, null);
  assert.match(delivery?.attempts[0]?.error ?? "", /https:\/\//);
  assert.equal(receiver.received.length, 0);
});

test("events of one subject arrive in order, however slowly the endpoint answers", async (t) => {
  const house = await openHouse(t);
  const organisation = await house.addOrganisation();
  const receiver = await openReceiver(t, (response) => {
    setTimeout(() => response.end(), Math.random() * 10);
  });
  await house.addEndpoint(organisation, receiver.url);
  const expected = new Map<string, string[]>();
  for (let round = 0; round < 8; round++)
    for (const subject of ["a", "b", "c", "d", "e"]) {
      const id = await house.happen(organisation, "payment.complete", subject);
      expected.set(subject, [...(expected.get(subject) ?? []), id]);
    }
  start(t, house);
  await eventually("all sent", () => receiver.received.length === 40);
  const order = eventIds(receiver.received);
  for (const [subject, ids] of expected)
    assert.deepEqual(
      order.filter((id) => ids.includes(id)),
      ids,
      subject,
    );
});

test("what has failed once holds up nothing after it", async (t) => {
  const house = await openHouse(t);
  const organisation = await house.addOrganisation();
  const receiver = await openReceiver(t, (response, { body }) =>
    status(JSON.parse(body).data.bad ? 500 : 200)(response),
  );
  await house.addEndpoint(organisation, receiver.url);
  start(t, house);
  await house.happen(organisation, "payment.failed", "a", { bad: true });
  const second = await house.happen(organisation, "payment.complete", "a");
  await eventually("the second", () => eventIds(receiver.received).includes(second));
});

test("an endpoint that never answers does not delay one that does", async (t) => {
  const house = await openHouse(t);
  const organisation = await house.addOrganisation();
  const dead = await openReceiver(t, () => {});
  const live = await openReceiver(t);
  await house.addEndpoint(organisation, dead.url);
  await house.addEndpoint(organisation, live.url);
  start(t, house);
  const count = 300;
  const began = performance.now();
  for (let index = 0; index < count; index++) await house.happen(organisation, "payment.complete", `TEFO-${index}`);
  await eventually("all delivered to the live one", () => live.received.length === count, 20);
  const seconds = (performance.now() - began) / 1000;
  assert.ok(seconds < 8, `${seconds} s, while one silence alone lasts ten`);
  assert.ok(dead.received.length <= 32, `${dead.received.length} under way at the silent one`);
  assert.equal(new Set(eventIds(live.received)).size, count);
});
