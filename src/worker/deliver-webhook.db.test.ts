import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { isSigned } from "../../test/support/signature.ts";
import {
  eventually,
  type Fixture,
  headerOf,
  openFixture,
  openReceiver,
  type Received,
  startIn,
} from "../../test/support/worker.ts";
import { contextFor, SYSTEM } from "../flows/context.ts";
import { changeEndpoint, removeEndpoint, rotateSecret } from "../flows/webhooks/change-endpoint.ts";
import { fanOut } from "../flows/webhooks/fan-out.ts";
import { resendDelivery, sendEvent, sendTest } from "../flows/webhooks/send-again.ts";
import { addSeconds, instant } from "../kernel/time.ts";
import { readEvents } from "../modules/events/store.ts";
import type { Organisation } from "../modules/organisations/types.ts";
import { createOutbound } from "../platform/outbound.ts";

const eventIds = (received: readonly Received[]) => received.map((one) => headerOf(one, "service-event-id"));
const ctxOf = async (fixture: Fixture, of: Organisation) =>
  contextFor(fixture.services, await fixture.organisation(of), SYSTEM);

/** The other form of the signature, as libraries of Standard Webhooks check it. */
function standardSignature(received: Received, secret: string): string {
  const signed = `${headerOf(received, "webhook-id")}.${headerOf(received, "webhook-timestamp")}.${received.body}`;
  return `v1,${createHmac("sha256", Buffer.from(secret.slice("whsec_".length), "base64"))
    .update(signed)
    .digest("base64")}`;
}

test("an event is sent to the endpoints that subscribe to it, signed in both forms, with its envelope", async (t) => {
  const fixture = await openFixture(t);
  const organisation = await fixture.addOrganisation();
  const [all, some, none] = [await openReceiver(t), await openReceiver(t), await openReceiver(t)];
  const { secret } = await fixture.addEndpoint(organisation, all.url);
  await fixture.addEndpoint(organisation, some.url, ["thing.failed", "thing.done"]);
  await fixture.addEndpoint(organisation, none.url, ["thing.failed"]);
  startIn(t, fixture);
  const at = instant("2026-11-20T10:00:00.123Z");
  const id = await fixture.happen(
    organisation,
    "thing.done",
    "TEFO-1",
    { reference: "TEFO-1", amount: 115.5, url: null, id: "x" },
    at,
  );
  await eventually("two deliveries", () => all.received.length === 1 && some.received.length === 1);
  await eventually("nothing is left to do", async () => (await fixture.query("select 1 from due_work")).length === 0);
  assert.equal(none.received.length, 0);

  const [received] = all.received;
  assert(received);
  const expected = {
    id,
    type: "thing.done",
    created: "2026-11-20T10:00:00.123Z",
    subject: "TEFO-1",
    sequence: 1,
    apiVersion: "1.16.0",
    sandbox: organisation.sandbox,
    organisation: { id: organisation.id, slug: organisation.slug },
    data: { reference: "TEFO-1", amount: 115.5, url: null, id: "x" },
  };
  assert.equal(received.body, JSON.stringify(expected), "fields in the order in which the event had them");
  assert.ok(isSigned(headerOf(received, "service-signature"), received.body, secret));
  assert.equal(headerOf(received, "webhook-signature"), standardSignature(received, secret));
  assert.equal(headerOf(received, "webhook-id"), id);
  assert.equal(headerOf(received, "service-event-id"), id);
  assert.equal(headerOf(received, "service-event-type"), "thing.done");
  assert.equal(headerOf(received, "user-agent"), "Tefo/1.2.3");
  assert.equal(headerOf(received, "content-type"), "application/json");

  const deliveries = await fixture.deliveries(organisation);
  assert.deepEqual(
    deliveries.map((delivery) => [delivery.eventId, delivery.status, delivery.nextAttemptAt, delivery.attempts.length]),
    [
      [id, "delivered", null, 1],
      [id, "delivered", null, 1],
    ],
  );
  const [attempt] = deliveries[0]?.attempts ?? [];
  assert.deepEqual([attempt?.statusCode, attempt?.error, attempt?.responseExcerpt], [200, null, "ok"]);
});

test("fanning out twice makes one delivery per endpoint, and none without the feature REST API", async (t) => {
  const fixture = await openFixture(t);
  const { db } = fixture.services;
  for (const [plan, expected] of [
    ["growth", 1],
    ["starter", 0],
  ] as const) {
    const organisation = await fixture.addOrganisation({ plan });
    await fixture.addEndpoint(organisation, "http://127.0.0.1:9/hook");
    const id = await fixture.happen(organisation, "thing.failed", "TEFO-1");
    const ctx = await ctxOf(fixture, organisation);
    for (let time = 0; time < 2; time++)
      await db.transaction(organisation.id, async (tx) => fanOut(tx, ctx, await readEvents(tx, [id])));
    assert.equal((await fixture.deliveries(organisation)).length, expected, plan);
  }
});

const WAITS = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";

test("an event that is replayed while it goes out for the first time has one delivery", async (t) => {
  const fixture = await openFixture(t);
  const { db } = fixture.services;
  const organisation = await fixture.addOrganisation();
  const { endpoint } = await fixture.addEndpoint(organisation, "http://127.0.0.1:9/hook");
  const id = await fixture.happen(organisation, "thing.done", "TEFO-1");
  const ctx = await ctxOf(fixture, organisation);
  const replay = () =>
    db.transaction(organisation.id, (tx) => sendEvent(tx, ctx, id, endpoint.id).then(() => undefined));
  const fanningOut = (meanwhile: () => Promise<unknown>) =>
    db.transaction(organisation.id, async (tx) => {
      await fanOut(tx, ctx, await readEvents(tx, [id]));
      const other = meanwhile();
      await eventually("the other waits", async () => (await fixture.query(WAITS)).length > 0);
      return { other };
    });
  await (await fanningOut(replay)).other;
  assert.equal((await fixture.deliveries(organisation)).length, 1);
});

test("a delivery can be sent again, whatever its outcome", async (t) => {
  const fixture = await openFixture(t);
  const organisation = await fixture.addOrganisation();
  const { db } = fixture.services;
  const receiver = await openReceiver(t);
  const { endpoint } = await fixture.addEndpoint(organisation, receiver.url);
  startIn(t, fixture);
  await fixture.happen(organisation, "thing.done", "TEFO-1");
  const delivered = (attempts: number) => async () => {
    const [one] = await fixture.deliveries(organisation);
    return one?.status === "delivered" && one.attempts.length === attempts;
  };
  await eventually("delivered", delivered(1));
  const [delivery] = await fixture.deliveries(organisation);
  assert(delivery);
  const ctx = await ctxOf(fixture, organisation);
  const resend = () => db.transaction(organisation.id, (tx) => resendDelivery(tx, ctx, delivery.id));
  const { after } = await resend();
  assert.equal(after.status, "pending");
  await eventually("again", delivered(2));
  assert.equal(receiver.received[0]?.body, receiver.received[1]?.body);

  await fixture.query("update webhook_deliveries set status = 'parked'");
  await resend();
  await eventually("after parking", delivered(3));
  await db.transaction(organisation.id, (tx) => changeEndpoint(tx, ctx, endpoint.id, { enabled: false }));
  await assert.rejects(resend(), { status: 409, code: "invalid_state" });
  await db.transaction(organisation.id, (tx) => removeEndpoint(tx, endpoint.id));
  await assert.rejects(resend(), { status: 409, code: "invalid_state" });
});

test("after a rotation both secrets sign for 24 hours of the organisation's clock, then the new one alone", async (t) => {
  const fixture = await openFixture(t);
  const begin = instant("2026-11-20T10:00:00Z");
  const organisation = await fixture.addOrganisation({ clockAt: begin });
  const receiver = await openReceiver(t);
  const { endpoint, secret: old } = await fixture.addEndpoint(organisation, receiver.url);
  const ctx = await ctxOf(fixture, organisation);
  const { secret: current } = await fixture.services.db.transaction(organisation.id, (tx) =>
    rotateSecret(tx, ctx, endpoint.id),
  );
  assert.notEqual(current, old);
  const signedBy = async (hours: number) => {
    const at = addSeconds(begin, hours * 3600);
    await fixture.services.runDue(organisation.id, at);
    await fixture.happen(organisation, "thing.done", `TEFO-${hours}`);
    await fixture.services.runDue(organisation.id, at);
    const received = receiver.received.at(-1);
    assert(received);
    const standard = headerOf(received, "webhook-signature").split(" ");
    return [current, old].map((secret) => [
      isSigned(headerOf(received, "service-signature"), received.body, secret),
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

test("a test is sent to its endpoint only, whatever it subscribes to", async (t) => {
  const fixture = await openFixture(t);
  const organisation = await fixture.addOrganisation();
  const [tested, other] = [await openReceiver(t), await openReceiver(t)];
  const { endpoint } = await fixture.addEndpoint(organisation, tested.url, ["thing.failed"]);
  await fixture.addEndpoint(organisation, other.url);
  startIn(t, fixture);
  const ctx = await ctxOf(fixture, organisation);
  const event = await fixture.services.db.transaction(organisation.id, (tx) => sendTest(tx, ctx, endpoint.id));
  assert.deepEqual([event.type, event.data], ["endpoint.test", { endpointId: endpoint.id }]);
  await eventually("tested", () => tested.received.length === 1);
  await eventually("nothing is left to do", async () => (await fixture.query("select 1 from due_work")).length === 0);
  assert.equal(other.received.length, 0);
  assert.deepEqual(JSON.parse(tested.received[0]?.body ?? "").data, { endpointId: endpoint.id });
});

test("a live organisation's endpoint at a loopback address is refused when it is dialled", async (t) => {
  const fixture = await openFixture(t);
  const organisation = await fixture.addOrganisation({ sandbox: false });
  const receiver = await openReceiver(t);
  await assert.rejects(fixture.addEndpoint(organisation, receiver.url), { status: 400 });
  await fixture.addEndpoint(organisation, "https://shop.example/hook");
  await fixture.query("update webhook_endpoints set url = $1", receiver.url);
  startIn(t, fixture);
  await fixture.happen(organisation, "thing.done", "TEFO-1");
  await eventually("attempted", async () => (await fixture.deliveries(organisation))[0]?.attempts.length === 1);
  const [delivery] = await fixture.deliveries(organisation);
  assert.equal(delivery?.attempts[0]?.statusCode, null);
  assert.match(delivery?.attempts[0]?.error ?? "", /https:\/\//);
  assert.equal(receiver.received.length, 0);
});

test("events of one subject arrive in order, each after the answer to the one before", async (t) => {
  const fixture = await openFixture(t);
  const organisation = await fixture.addOrganisation();
  const open = new Set<string>();
  let together = 0;
  let answered = 0;
  const receiver = await openReceiver(t, (response, { body }) => {
    const { subject } = JSON.parse(body).data as { subject: string };
    if (open.has(subject)) together++;
    open.add(subject);
    setTimeout(
      () => {
        open.delete(subject);
        response.end();
      },
      (answered++ * 7) % 10,
    );
  });
  await fixture.addEndpoint(organisation, receiver.url);
  const expected = new Map<string, string[]>();
  for (let round = 0; round < 8; round++)
    for (const subject of ["a", "b", "c", "d", "e"]) {
      const id = await fixture.happen(organisation, "thing.done", subject, { subject });
      expected.set(subject, [...(expected.get(subject) ?? []), id]);
    }
  startIn(t, fixture);
  await eventually("all sent", () => receiver.received.length === 40);
  assert.equal(together, 0, "two of one subject under way at once");
  const order = eventIds(receiver.received);
  for (const [subject, ids] of expected)
    assert.deepEqual(
      order.filter((id) => ids.includes(id)),
      ids,
      subject,
    );
});

test("an endpoint that never answers does not delay one that does", async (t) => {
  // A silence that nothing ends: whatever waits for it once never comes, however long the test waits.
  const fixture = await openFixture(t, { outbound: createOutbound({ timeoutMs: 3_600_000 }) });
  const organisation = await fixture.addOrganisation();
  const dead = await openReceiver(t, () => {});
  const live = await openReceiver(t);
  await fixture.addEndpoint(organisation, dead.url);
  await fixture.addEndpoint(organisation, live.url);
  startIn(t, fixture);
  const count = 300;
  for (let index = 0; index < count; index++) await fixture.happen(organisation, "thing.done", `TEFO-${index}`);
  await eventually("all delivered to the live one", () => live.received.length === count);
  await eventually("the silent one is asked", () => dead.received.length > 0);
  assert.ok(dead.received.length <= 32, `${dead.received.length} under way at the silent one`);
  assert.equal(new Set(eventIds(live.received)).size, count);
});
