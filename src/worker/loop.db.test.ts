import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { eventually, type Fixture, openFixture } from "../../test/support/worker.ts";
import { WORK } from "../catalogue.ts";
import { contextFor, SYSTEM } from "../flows/context.ts";
import { addSeconds, type Instant } from "../kernel/time.ts";
import { MAIL_SEND } from "../modules/emails/declarations.ts";
import type { Organisation } from "../modules/organisations/types.ts";
import { PAYMENT_CHECK } from "../modules/payments/declarations.ts";
import type { Tx } from "../platform/database.ts";
import {
  type ClaimLimits,
  claimWork,
  completeWork,
  type DueWork,
  enqueue,
  LeaseLost,
  renewLeases,
  requireLeased,
  type Work,
  workSummary,
} from "../platform/due-work.ts";
import { machineNow } from "../platform/machine-clock.ts";
import type { Handler, Handlers } from "./job.ts";
import { type Loop, startLoop } from "./loop.ts";
import { createReact } from "./react.ts";

const ALL = { limit: 1000, laneLimit: 1000, laneLimits: {}, kinds: {} };
const claim = async (fixture: Fixture, token: string, limits: ClaimLimits = ALL) =>
  (await claimWork(fixture.services.db, token, null, limits)).claimed.map(({ work }) => work);

/** The same handler for every kind. */
const handlersOf = (handler: Handler): Handlers =>
  new Map(WORK.map(({ work }) => [work.kind, { work, handle: handler }]));

/** Completes the work together with its effect, in one transaction. */
const finish = (fixture: Fixture, work: Work, effect: (tx: Tx) => void = () => {}) =>
  fixture.services.db.transaction(work.organisation, async (tx) => {
    await requireLeased(tx, work);
    effect(tx);
    completeWork(tx, [work]);
  });

/** A handler that completes its work after `work`. */
const completing =
  (fixture: Fixture, work: (job: Parameters<Handler>[0]) => Promise<void> | void): Handler =>
  async (job) => {
    await work(job);
    await finish(fixture, job.work);
    return "done";
  };

function start(t: TestContext, fixture: Fixture, handler: Handler): Loop {
  const loop = startLoop(fixture.services, handlersOf(handler));
  t.after(() => loop.stop());
  return loop;
}

const ask = (
  fixture: Fixture,
  of: Organisation,
  subjects: readonly string[],
  due: Instant = addSeconds(machineNow(), -1),
  kind: DueWork = MAIL_SEND,
) =>
  fixture.services.db.transaction(of.id, async (tx) => {
    for (const subject of subjects) enqueue(tx, kind, subject, due);
  });

const names = (count: number, prefix = "s") => Array.from({ length: count }, (_, index) => `${prefix}${index}`);
const left = async (fixture: Fixture) =>
  (await fixture.query<{ count: number }>("select count(*)::int as count from due_work"))[0]?.count;

/** A worker in a process of its own whose every job lasts forever; resolves when it has begun one. */
async function startEndlessProcess(t: TestContext, fixture: Fixture): Promise<ChildProcess> {
  const here = (file: string) => JSON.stringify(join(import.meta.dirname, file));
  const code = `
    const { openDatabase } = await import(${here("../platform/database.ts")});
    const { createLog } = await import(${here("../platform/log.ts")});
    const { WORK } = await import(${here("../catalogue.ts")});
    const { startLoop } = await import(${here("loop.ts")});
    const endless = () => { console.log("begun"); return new Promise(() => {}); };
    startLoop({ db: openDatabase(${JSON.stringify(fixture.databaseUrl)}, { connections: 2 }), log: createLog("silent") },
      new Map(WORK.map(({ work }) => [work.kind, { work, handle: endless }])));`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", code], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => void child.kill("SIGKILL"));
  await once(child.stdout, "data");
  return child;
}

test("what a killed process had begun is done by another, once its lease is over", async (t) => {
  const fixture = await openFixture(t);
  const organisation = await fixture.addOrganisation();
  await ask(fixture, organisation, ["a"]);
  const child = await startEndlessProcess(t, fixture);
  const done: Work[] = [];
  start(
    t,
    fixture,
    completing(fixture, ({ work }) => void done.push(work)),
  );
  child.kill("SIGKILL");
  await once(child, "exit");
  await sleep(300);
  assert.equal(done.length, 0, "the lease still holds");
  const [lease] = await fixture.query<{ seconds: number }>(
    "select extract(epoch from lease_until - clock_timestamp())::float as seconds from due_work",
  );
  assert.ok(lease && lease.seconds > 0 && lease.seconds <= 30, `leased for ${lease?.seconds} s more`);
  await fixture.query("update due_work set lease_until = lease_until - interval '30 seconds'");
  await eventually("taken over", () => done.length === 1);
  assert.equal(done[0]?.attempt, 2);
  await eventually("completed", async () => (await left(fixture)) === 0);
});

test("leases are renewed for their own tokens only", async (t) => {
  const fixture = await openFixture(t);
  const organisation = await fixture.addOrganisation();
  await ask(fixture, organisation, ["a"]);
  const { db } = fixture.services;
  const works = await claim(fixture, "mine");
  assert.equal(works.length, 1);
  const until = async () =>
    (await fixture.query<{ lease_until: Date }>("select lease_until from due_work"))[0]?.lease_until.getTime() ?? 0;
  await fixture.query("update due_work set lease_until = clock_timestamp()");
  const before = await until();
  await renewLeases(
    db,
    works.map((work) => ({ ...work, token: "another" })),
  );
  assert.equal(await until(), before);
  await renewLeases(db, works);
  assert.ok((await until()) >= before + 30_000);
});

test("renewing leases waits for no work that is just being completed", async (t) => {
  const fixture = await openFixture(t);
  const organisation = await fixture.addOrganisation();
  await ask(fixture, organisation, ["a", "b"]);
  const { db } = fixture.services;
  const works = await claim(fixture, "mine");
  const [completed] = works;
  assert.ok(completed && works.length === 2);
  await fixture.query("update due_work set lease_until = clock_timestamp()");
  await db.transaction(organisation.id, async (tx) => {
    await requireLeased(tx, completed);
    await renewLeases(db, works);
    completeWork(tx, [completed]);
  });
  const [rest] = await fixture.query<{ seconds: number }>(
    "select extract(epoch from lease_until - clock_timestamp())::float as seconds from due_work",
  );
  assert.ok(rest && rest.seconds > 25, "the other one was renewed");
});

test("a lease that was lost undoes the effect", async (t) => {
  const fixture = await openFixture(t);
  const organisation = await fixture.addOrganisation();
  await ask(fixture, organisation, ["a"]);
  const [first] = await claim(fixture, "slow");
  await fixture.query("update due_work set lease_until = clock_timestamp() - interval '1 second'");
  const [second] = await claim(fixture, "quick");
  assert(first && second);
  const effect = (subject: string) => (tx: Tx) => enqueue(tx, PAYMENT_CHECK, subject, machineNow());
  await assert.rejects(finish(fixture, first, effect("of the slow")), LeaseLost);
  await finish(fixture, second, effect("of the quick"));
  assert.deepEqual(await fixture.query("select subject from due_work"), [{ subject: "of the quick" }]);
});

test("a process that has lost the lease of an event does not react to it", async (t) => {
  const fixture = await openFixture(t);
  const organisation = await fixture.addOrganisation();
  await fixture.happen(organisation, "thing.failed", "TEFO-1");
  const [slow] = await claim(fixture, "slow");
  await fixture.query("update due_work set lease_until = clock_timestamp() - interval '1 second'");
  const [quick] = await claim(fixture, "quick");
  assert(slow && quick);
  const react = createReact(fixture);
  const jobOf = (work: Work) => ({
    work,
    ctx: contextFor(fixture.services, organisation, SYSTEM),
    stopping: new AbortController().signal,
  });
  await react(jobOf(quick));
  assert.equal(await left(fixture), 0);
  await fixture.addEndpoint(organisation, "http://127.0.0.1:9/hook");
  await react(jobOf(slow));
  assert.deepEqual(await fixture.deliveries(organisation), []);
});

test("two processes share the work, and do each piece once", async (t) => {
  const fixture = await openFixture(t);
  const organisations = await Promise.all(names(24).map(() => fixture.addOrganisation()));
  const done: string[][] = [[], []];
  // What a process runs at once is bounded, so that there is work left for the other.
  const both = Promise.withResolvers<void>();
  for (const mine of done)
    start(
      t,
      fixture,
      completing(fixture, async ({ work }) => {
        mine.push(`${work.organisation} ${work.subject}`);
        if (done.every((some) => some.length > 0)) both.resolve();
        await both.promise;
      }),
    );
  await Promise.all(organisations.map((organisation) => ask(fixture, organisation, names(10))));
  await eventually("all done", async () => (await left(fixture)) === 0);
  const [one = [], other = []] = done;
  assert.equal(new Set([...one, ...other]).size, 240);
  assert.equal(one.length + other.length, 240, "none twice");
});

test("an organisation with a long backlog does not delay another", async (t) => {
  const fixture = await openFixture(t);
  const [long, short] = [await fixture.addOrganisation(), await fixture.addOrganisation()];
  await ask(fixture, long, names(300), addSeconds(machineNow(), -3600));
  const order: string[] = [];
  await ask(fixture, short, ["only"]);
  start(
    t,
    fixture,
    completing(fixture, async ({ work }) => {
      order.push(work.organisation);
      await sleep(2);
    }),
  );
  await eventually("both begun", () => order.includes(short.id));
  assert.ok(order.indexOf(short.id) < 20, `begun as number ${order.indexOf(short.id)}`);
});

test("a lane is worked by one process at a time, and others work on other lanes", async (t) => {
  const fixture = await openFixture(t);
  const organisation = await fixture.addOrganisation();
  await ask(fixture, organisation, names(5));
  await ask(fixture, organisation, names(5), undefined, PAYMENT_CHECK);
  const one = await claim(fixture, "one", { ...ALL, laneLimit: 0, laneLimits: { "mail.send": 2 } });
  assert.deepEqual(
    one.map(({ subject }) => subject),
    ["s0", "s1"],
  );
  const other = await claim(fixture, "other");
  assert.deepEqual([...new Set(other.map(({ kind }) => kind))], ["payment.check"]);
  assert.equal((await claim(fixture, "one")).length, 3, "the one who has the lane goes on with it");
});

test("a claim keeps the limits of lane and kind, earliest first, and goes on in turn", async (t) => {
  const fixture = await openFixture(t);
  const organisations = await Promise.all(names(6).map(() => fixture.addOrganisation()));
  for (const [index, organisation] of organisations.entries()) {
    await ask(fixture, organisation, ["late"], addSeconds(machineNow(), -1));
    await ask(fixture, organisation, ["early"], addSeconds(machineNow(), -60));
    await ask(fixture, organisation, [`check${index}`], undefined, PAYMENT_CHECK);
  }
  const limits: ClaimLimits = { limit: 6, laneLimit: 2, laneLimits: {}, kinds: { "mail.send": 3 } };
  const { db } = fixture.services;
  const first = await claimWork(db, "one", null, limits);
  const mails = first.claimed.filter(({ work }) => work.kind === "mail.send");
  // Four mails and two checks stand in the first two organisations.
  assert.equal(mails.length, 3);
  assert.equal(first.claimed.length, 5);
  for (const { work } of mails.filter(({ work }) => work.subject === "late"))
    assert.ok(mails.some((other) => other.work.organisation === work.organisation && other.work.subject === "early"));
  const seen = new Set(first.claimed.map(({ work }) => work.organisation));
  for (let cursor = first.reached; cursor; ) {
    const next = await claimWork(db, "one", cursor, limits);
    for (const { work } of next.claimed) seen.add(work.organisation);
    cursor = next.reached;
  }
  assert.equal(seen.size, 6);
});

test("failed work is put off with its error, and parked after its last attempt", async (t) => {
  const fixture = await openFixture(t);
  const organisation = await fixture.addOrganisation();
  let begun = 0;
  const failing = async () => {
    begun++;
    throw new Error("the handler fails");
  };
  await ask(fixture, organisation, ["a"]);
  const from = machineNow().getTime();
  const first = start(t, fixture, async () => {
    // No second attempt: what is read below stays as it is.
    void first.stop();
    return failing();
  });
  interface Row {
    attempts: number;
    last_error: string;
    lease_until: Date | null;
    lease_token: string | null;
    parked_at: Date | null;
  }
  const read = async () => (await fixture.query<Row>("select * from due_work"))[0];
  await eventually("put off", async () => (await read())?.last_error !== null);
  await first.stop();
  const once = await read();
  assert.equal(once?.last_error, "the handler fails");
  assert.equal(once.attempts, 1);
  assert.equal(once.lease_token, null);
  const until = once.lease_until?.getTime() ?? 0;
  assert.ok(until >= from + 2_000 && until <= machineNow().getTime() + 2_400, `put off by ${until - from} ms`);

  await fixture.query("update due_work set attempts = 11, lease_until = null");
  start(t, fixture, failing);
  await eventually("parked", async () => (await read())?.parked_at !== null);
  assert.equal(begun, 2);
  const [summary] = await workSummary(fixture.services.db);
  assert.deepEqual([summary?.kind, summary?.failed, summary?.due], ["mail.send", 1, 0]);
  await sleep(1200);
  assert.equal(begun, 2, "parked work is left alone");

  await ask(fixture, organisation, ["a"]);
  await eventually("begun anew", () => begun === 3);
});

test("work that ends every process is parked without another attempt", async (t) => {
  const fixture = await openFixture(t);
  const organisation = await fixture.addOrganisation();
  await ask(fixture, organisation, ["a"]);
  await fixture.query("update due_work set attempts = 12, lease_until = clock_timestamp() - interval '1 minute'");
  start(t, fixture, async () => assert.fail("not begun"));
  await eventually("parked", async () => {
    const [row] = await fixture.query<{ parked_at: Date | null; last_error: string }>("select * from due_work");
    return row?.parked_at !== null && /ended before it was done/.test(row?.last_error ?? "");
  });
});

test("stopping begins no new work and waits for running work", async (t) => {
  const fixture = await openFixture(t);
  const organisation = await fixture.addOrganisation();
  await ask(fixture, organisation, names(40));
  const done: string[] = [];
  const go = Promise.withResolvers<void>();
  let begun = 0;
  const loop = start(
    t,
    fixture,
    completing(fixture, async ({ work }) => {
      begun++;
      await go.promise;
      done.push(work.subject);
    }),
  );
  await eventually("under way", () => begun > 0);
  const stopped = loop.stop();
  go.resolve();
  await stopped;
  assert.ok(begun < 40, "a lane has a bound");
  assert.equal(done.length, begun);
  assert.equal(await left(fixture), 40 - done.length);
  assert.deepEqual(
    await fixture.query("select 1 from due_work where lease_token is not null"),
    [],
    "nothing stays leased",
  );
  const before = done.length;
  await sleep(300);
  assert.equal(done.length, before);
});

test("is woken when work falls due, and finds work that falls due by time", async (t) => {
  const fixture = await openFixture(t);
  const organisation = await fixture.addOrganisation();
  const done = new Map<string, Instant>();
  // The loop polls when the test says so.
  t.mock.timers.enable({ apis: ["setInterval"] });
  start(
    t,
    fixture,
    completing(fixture, ({ work }) => void done.set(work.subject, machineNow())),
  );
  await eventually(
    "it listens",
    async () => (await fixture.query("select 1 from pg_stat_activity where query ilike 'listen %'")).length > 0,
  );
  for (const subject of names(5, "now")) {
    await ask(fixture, organisation, [subject], machineNow());
    await eventually(subject, () => done.has(subject));
  }

  const due = addSeconds(machineNow(), 1);
  await ask(fixture, organisation, ["soon"], due);
  await eventually("soon", () => {
    t.mock.timers.tick(1_000);
    return done.has("soon");
  });
  assert.ok((done.get("soon") ?? 0) >= due);
});
