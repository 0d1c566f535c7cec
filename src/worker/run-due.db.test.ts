import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { addWrittenMail } from "../../test/support/mails.ts";
import { eventually, type Fixture, openFixture, openReceiver } from "../../test/support/worker.ts";
import { addSeconds, type Instant, instant, toTimestamp } from "../kernel/time.ts";
import { MAIL_SEND } from "../modules/emails/declarations.ts";
import { endMove } from "../modules/organisations/store.ts";
import type { Organisation } from "../modules/organisations/types.ts";
import { QUOTE_EXPIRE } from "../modules/quotes/declarations.ts";
import { REFUND_CHECK } from "../modules/refunds/declarations.ts";
import { claimWork, completeWork, endLongWaits, enqueue, ofBackground, retryLater } from "../platform/due-work.ts";
import { machineNow } from "../platform/machine-clock.ts";
import { createMailer } from "../platform/mailer.ts";
import { createRunDue } from "./run-due.ts";
import { startWorker } from "./worker.ts";

const BEGIN = instant("2026-11-20T10:00:00Z");
const hours = (count: number) => addSeconds(BEGIN, count * 3600);
const frozen = (fixture: Fixture, facts: Partial<Organisation> = {}) =>
  fixture.addOrganisation({ clockAt: BEGIN, ...facts });
const move = (fixture: Fixture, of: Organisation, until: Instant) => fixture.services.runDue(of.id, until);
const clockOf = async (fixture: Fixture, of: Organisation) => (await fixture.organisation(of)).clockAt;
const refused = (status: number) => (error: unknown) =>
  error instanceof Error && "status" in error && error.status === status;

test("the first move stops a clock that ran with real time", async (t) => {
  const fixture = await openFixture(t);
  const organisation = await fixture.addOrganisation();
  const until = addSeconds(machineNow(), 3600);
  assert.deepEqual(await move(fixture, organisation, until), {});
  assert.deepEqual(await clockOf(fixture, organisation), until);
  await sleep(50);
  assert.deepEqual(await clockOf(fixture, organisation), until);
  const [row] = await fixture.query<{ clock_moving_until: Date | null }>("select * from organisations");
  assert.equal(row?.clock_moving_until, null);
});

test("a clock that is set moves on, never back", async (t) => {
  const fixture = await openFixture(t);
  const organisation = await frozen(fixture);
  await assert.rejects(move(fixture, organisation, hours(-1)), refused(400));
  assert.deepEqual(await clockOf(fixture, organisation), BEGIN);
  await move(fixture, organisation, BEGIN);
  await move(fixture, organisation, hours(1));
  assert.deepEqual(await clockOf(fixture, organisation), hours(1));
});

test("all work runs at its due time, in order, also work asked for during the move", async (t) => {
  const fixture = await openFixture(t);
  const organisation = await frozen(fixture);
  const receiver = await openReceiver(t, (response, { body }) => {
    response.statusCode = JSON.parse(body).data.fails ? 500 : 200;
    response.end();
  });
  await fixture.addEndpoint(organisation, receiver.url);
  const late = await fixture.happen(organisation, "thing.failed", "late", { name: "late" }, hours(3.5));
  const early = await fixture.happen(organisation, "thing.failed", "early", { name: "early", fails: true }, hours(1));
  const ran = await move(fixture, organisation, hours(6));
  // The early one's sixth attempt is due between 2:36 and 2:55, its seventh between 4:36 and 5:19.
  const seen = receiver.received.map(({ body }) => JSON.parse(body).data.name as string);
  assert.deepEqual(seen, ["early", "early", "early", "early", "early", "early", "late", "early"]);
  assert.deepEqual(ran, { "event.react": 2, "webhook.deliver": 8 });
  const firstAt = async (event: string) =>
    (await fixture.deliveries(organisation)).find(({ eventId }) => eventId === event)?.attempts[0]?.at;
  assert.equal(await firstAt(early), toTimestamp(hours(1)), "by the clock as it stood then");
  assert.equal(await firstAt(late), toTimestamp(hours(3.5)));
  assert.deepEqual(await clockOf(fixture, organisation), hours(6));
});

test("runs later work only in a later move", async (t) => {
  const fixture = await openFixture(t);
  const organisation = await frozen(fixture);
  await fixture.happen(organisation, "thing.failed", "a", {}, hours(2));
  assert.deepEqual(await move(fixture, organisation, addSeconds(hours(2), -1)), {});
  assert.deepEqual(await move(fixture, organisation, hours(2)), { "event.react": 1 });
  assert.deepEqual(await move(fixture, organisation, hours(3)), {});
});

test("a worker leaves a set clock's later work alone, and does what is due by it", async (t) => {
  const fixture = await openFixture(t);
  const organisation = await frozen(fixture, { clockAt: hours(-24 * 365) });
  const worker = startWorker(fixture);
  t.after(() => worker.stop());
  const ids = async () =>
    (await fixture.query<{ subject: string }>("select subject from due_work")).map(({ subject }) => subject);
  const now = await fixture.happen(organisation, "thing.failed", "now");
  const later = await fixture.happen(organisation, "thing.failed", "later", {}, hours(-24 * 364));
  await eventually("the first is done", async () => !(await ids()).includes(now));
  await sleep(1300);
  assert.deepEqual(await ids(), [later], "real time has passed it long ago");
});

test("a move waits for work that a worker has leased, and runs nothing before it", async (t) => {
  const fixture = await openFixture(t);
  const organisation = await frozen(fixture);
  const { db } = fixture.services;
  const first = await fixture.happen(organisation, "thing.failed", "first", {}, hours(-1));
  await fixture.happen(organisation, "thing.failed", "second", {}, hours(1));
  const all = { limit: 10, laneLimit: 10, laneLimits: {}, kinds: {} };
  const [claimed] = (await claimWork(db, "worker", null, all)).claimed;
  assert.equal(claimed?.work.subject, first);
  await db.transaction(organisation.id, async (tx) => enqueue(tx, MAIL_SEND, "mail_none", BEGIN));
  let moved = false;
  const moving = move(fixture, organisation, hours(2)).then((ran) => {
    moved = true;
    return ran;
  });
  await eventually("the move has begun", async () => {
    const [row] = await fixture.query<{ moving: boolean }>(
      "select clock_moving_until is not null as moving from organisations",
    );
    return row?.moving ?? false;
  });
  await sleep(100);
  assert.equal(moved, false);
  assert.deepEqual(await clockOf(fixture, organisation), BEGIN);
  assert.deepEqual(
    (await claimWork(db, "another", null, all)).claimed,
    [],
    "no worker takes anything while the clock moves",
  );
  await db.transaction(organisation.id, async (tx) => completeWork(tx, [claimed.work]));
  assert.deepEqual(await moving, { "event.react": 1, "mail.send": 1 });
});

test("work that follows from a worker's leased work is part of the move, however much it is", async (t) => {
  const fixture = await openFixture(t);
  const organisation = await frozen(fixture);
  const { db } = fixture.services;
  await fixture.happen(organisation, "thing.failed", "first", {}, hours(-1));
  const [claimed] = (await claimWork(db, "worker", null, { limit: 1, laneLimit: 1, laneLimits: {}, kinds: {} }))
    .claimed;
  assert.ok(claimed);
  const moving = move(fixture, organisation, hours(2));
  await sleep(100);
  await ofBackground(db).transaction(organisation.id, async (tx) => {
    for (let n = 0; n < 300; n++) enqueue(tx, MAIL_SEND, `mail_${n}`, BEGIN);
    completeWork(tx, [claimed.work]);
  });
  assert.deepEqual(await moving, { "mail.send": 300 });
});

test("of two moves at once one gets 409; after a move whose process died the next one runs", async (t) => {
  const fixture = await openFixture(t);
  const organisation = await frozen(fixture);
  await fixture.happen(organisation, "thing.failed", "a", {}, hours(1));
  const hold = await fixture.services.db.hold(`move of ${organisation.id}`);
  await assert.rejects(move(fixture, organisation, hours(1)), refused(409));
  // The process ends, and with it its connection; its leases stay.
  await hold?.release();
  await fixture.query(
    "update organisations set clock_at = $1, clock_moving_until = clock_timestamp() + interval '30 seconds'",
    toTimestamp(hours(1)),
  );
  await fixture.query(
    "update due_work set is_due = true, waits_for_clock = false, lease_token = gen_random_uuid(), lease_until = clock_timestamp() + interval '30 seconds'",
  );
  const from = performance.now();
  assert.deepEqual(await move(fixture, organisation, hours(1)), { "event.react": 1 });
  assert(performance.now() - from < 15_000, "neither the clock's lease nor the work's is waited for");
  assert.deepEqual(await clockOf(fixture, organisation), hours(1));
});

test("a move is ended by a request, and the same move goes on later", async (t) => {
  const fixture = await openFixture(t);
  const organisation = await frozen(fixture);
  for (let hour = 1; hour <= 40; hour++) await fixture.happen(organisation, "thing.failed", `${hour}`, {}, hours(hour));
  const moving = move(fixture, organisation, hours(50));
  const ended = assert.rejects(moving, refused(409));
  const { db } = fixture.services;
  await eventually("there is a move to end", () => db.transaction(organisation.id, (tx) => endMove(tx, machineNow())));
  await ended;
  assert((await clockOf(fixture, organisation))?.getTime() !== hours(50).getTime());
  await move(fixture, organisation, hours(50));
  assert.deepEqual(await clockOf(fixture, organisation), hours(50));
});

test("two moves at once: each piece of work runs once", async (t) => {
  const fixture = await openFixture(t);
  const organisation = await frozen(fixture);
  for (let hour = 1; hour <= 10; hour++) await fixture.happen(organisation, "thing.failed", `${hour}`, {}, hours(hour));
  const results = await Promise.allSettled([
    move(fixture, organisation, hours(12)),
    move(fixture, organisation, hours(12)),
    move(fixture, organisation, hours(12)),
  ]);
  const won = results.filter((result) => result.status === "fulfilled");
  const ran = won.reduce((sum, result) => sum + (result.value["event.react"] ?? 0), 0);
  assert.ok(won.length >= 1);
  assert.equal(ran, 10);
  for (const result of results) if (result.status === "rejected") assert.ok(refused(409)(result.reason));
});

test("work that fails is tried again during the move, parked, and does not stop the clock", async (t) => {
  const fixture = await openFixture(t);
  const organisation = await frozen(fixture);
  const id = await fixture.happen(organisation, "thing.failed", "a", {}, hours(1));
  await fixture.happen(organisation, "thing.failed", "b", {}, hours(2));
  // An event of a type that this version does not know.
  await fixture.query("update events set type = 'thing.unknown' where id = $1", id);
  const ran = await move(fixture, organisation, hours(3));
  assert.equal(ran["event.react"], 13);
  const rows = await fixture.query<{ subject: string; parked_at: Date | null; last_error: string }>(
    "select * from due_work",
  );
  assert.deepEqual(
    rows.map(({ subject, parked_at }) => [subject, parked_at !== null]),
    [[id, true]],
  );
  assert.deepEqual(await clockOf(fixture, organisation), hours(3));
});

test("a mail that its server puts off is tried once: no move of the clock waits for it", async (t) => {
  const fixture = await openFixture(t, { mailer: createMailer("smtp://127.0.0.1:1") });
  const organisation = await frozen(fixture);
  await fixture.services.db.transaction(organisation.id, async (tx) => {
    const about = { dedupeKey: "mail", kind: "receipt", recipients: ["payer@customer.example"], createdAt: hours(1) };
    await addWrittenMail(tx, { ...about, subject: "About", text: "Text" }, { sends: true });
  });
  await fixture.happen(organisation, "thing.failed", "later", {}, hours(2));
  assert.deepEqual(await move(fixture, organisation, hours(3)), { "mail.send": 1, "event.react": 1 });
  assert.deepEqual(await fixture.query("select status from emails"), [{ status: "queued" }]);
  assert.deepEqual(await move(fixture, organisation, hours(4)), {});
  assert.deepEqual(await fixture.query("select kind, attempts from due_work"), [{ kind: "mail.send", attempts: 1 }]);
});

test("work of any kind that a worker has put off after a failure delays no move", async (t) => {
  const fixture = await openFixture(t);
  const organisation = await frozen(fixture);
  const { db } = fixture.services;
  const failed = await fixture.happen(organisation, "thing.failed", "first", {}, hours(-1));
  await fixture.happen(organisation, "thing.done", "later", {}, hours(1));
  const all = { limit: 10, laneLimit: 10, laneLimits: {}, kinds: {} };
  const [claimed] = (await claimWork(db, "worker", null, all)).claimed;
  assert.equal(claimed?.work.subject, failed);
  const { work } = claimed;
  await db.transaction(organisation.id, async (tx) => retryLater(tx, work, 3600, "out of order"));
  assert.deepEqual(await move(fixture, organisation, hours(2)), { "event.react": 1 });
  assert.deepEqual(await clockOf(fixture, organisation), hours(2));
  await fixture.query("update due_work set lease_until = clock_timestamp() - interval '1 second'");
  assert.deepEqual(await move(fixture, organisation, hours(3)), { "event.react": 1 }, "its wait is over");
});

test("work that a request asks for during a move is not skipped", async (t) => {
  const fixture = await openFixture(t);
  const organisation = await frozen(fixture);
  const { db } = fixture.services;
  let hold = () => {};
  const held = new Promise<void>((resolve) => {
    hold = resolve;
  });
  let asked = () => {};
  const enqueued = new Promise<void>((resolve) => {
    asked = resolve;
  });
  await db.transaction(organisation.id, async (tx) => enqueue(tx, REFUND_CHECK, "ref_none", hours(30)));
  // A request that read the clock before the move makes work due earlier, and commits during it.
  const request = db.transaction(organisation.id, async (tx) => {
    // As `enqueue` writes it, before the commit.
    await tx.sql`select enqueue_due_work(${REFUND_CHECK.kind}, 'ref_none', ${hours(1)})`;
    asked();
    await held;
  });
  await enqueued;
  const moving = move(fixture, organisation, hours(2));
  await sleep(200);
  hold();
  await request;
  assert.deepEqual(await moving, { "refund.check": 1 });
  assert.deepEqual(await fixture.query("select 1 from due_work"), []);
});

test("work that a receiver asks for during a move is done at the clock's time", async (t) => {
  const fixture = await openFixture(t);
  const organisation = await frozen(fixture);
  const receiver = await openReceiver(t, async (response, { body }) => {
    const { name } = JSON.parse(body).data as { name: string };
    if (name.length < 4) await fixture.happen(organisation, "thing.failed", `${name}x`, { name: `${name}x` }, hours(1));
    response.end();
  });
  await fixture.addEndpoint(organisation, receiver.url);
  await fixture.happen(organisation, "thing.failed", "x", { name: "x" }, hours(1));
  await fixture.happen(organisation, "thing.failed", "last", { name: "last" }, hours(2));
  assert.deepEqual(await move(fixture, organisation, hours(3)), { "event.react": 5, "webhook.deliver": 5 });
  assert.deepEqual(
    receiver.received.map(({ body }) => JSON.parse(body).data.name),
    ["x", "xx", "xxx", "xxxx", "last"],
  );
});

test("a move over a day of events takes few transactions", async (t) => {
  const fixture = await openFixture(t);
  const organisation = await frozen(fixture);
  const receiver = await openReceiver(t);
  await fixture.addEndpoint(organisation, receiver.url);
  for (let minute = 0; minute < 300; minute++)
    await fixture.happen(organisation, "thing.failed", `s${minute}`, {}, addSeconds(BEGIN, minute * 60));
  let transactions = 0;
  const { db } = fixture.services;
  const counting: typeof db.transaction = (of, work) => {
    transactions++;
    return db.transaction(of, work);
  };
  const services = { ...fixture.services, db: { ...db, transaction: counting, gathered: counting } };
  const ran = await createRunDue({ ...fixture, services })(organisation.id, hours(24));
  assert.deepEqual(ran, { "event.react": 300, "webhook.deliver": 300 });
  assert.ok(transactions <= 3 * 600, `${transactions} transactions`);
  const received = receiver.received.map(({ body }) => JSON.parse(body).created as string);
  assert.deepEqual(received, received.toSorted());
});

test("work that waits for another system falls due by real time, although the organisation's clock stands", async (t) => {
  const fixture = await openFixture(t);
  const { db } = fixture.services;
  const organisation = await frozen(fixture);
  await db.transaction(organisation.id, async (tx) => {
    enqueue(tx, REFUND_CHECK, "ref_none", hours(1));
    enqueue(tx, QUOTE_EXPIRE, "quo_none", hours(1));
  });
  const waits = async (seconds: number) => {
    await fixture.query("update due_work set latest_at = latest_at - make_interval(secs => $1)", seconds);
    await endLongWaits(db);
    const { claimed } = await claimWork(db, "test", null, { limit: 9, laneLimit: 9, laneLimits: {}, kinds: {} });
    return claimed.map(({ work }) => work.subject);
  };
  assert.deepEqual(await waits(3000), [], "not before the hour is over");
  assert.deepEqual(await waits(601), ["ref_none"]);
  assert.deepEqual(await clockOf(fixture, organisation), BEGIN);
});

test("a move of the clock does such work as any other, and keeps it from workers meanwhile", async (t) => {
  const fixture = await openFixture(t);
  const { db } = fixture.services;
  const organisation = await frozen(fixture);
  await db.transaction(organisation.id, async (tx) => enqueue(tx, REFUND_CHECK, "ref_none", hours(1)));
  await fixture.query("update due_work set latest_at = now()");
  await fixture.query("update organisations set clock_moving_until = now() + interval '1 minute'");
  assert.equal(await endLongWaits(db), 0);
  await fixture.query("update organisations set clock_moving_until = null");
  assert.deepEqual(await move(fixture, organisation, hours(2)), { "refund.check": 1 });
});
