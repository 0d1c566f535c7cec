import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { eventually, type Fixture, openFixture } from "../../test/support/worker.ts";
import { lockName } from "../domain/locks.ts";
import { addSeconds, type Instant, instant } from "../kernel/time.ts";
import { EFT_EXPIRE } from "../modules/eft-orders/declarations.ts";
import { insertEmails } from "../modules/emails/store.ts";
import type { Organisation } from "../modules/organisations/types.ts";
import { QUOTE_EXPIRE } from "../modules/quotes/declarations.ts";
import { cancelWork, enqueue } from "../platform/due-work.ts";
import { newId } from "../platform/new-id.ts";

/* What a move of the clock and transactions that write at the same moment wait for. */

const BEGIN = instant("2026-11-20T10:00:00Z");
const hours = (count: number) => addSeconds(BEGIN, count * 3600);
const frozen = (fixture: Fixture) => fixture.addOrganisation({ clockAt: BEGIN });
const move = (fixture: Fixture, of: Organisation, until: Instant) => fixture.services.runDue(of.id, until);
const clockOf = async (fixture: Fixture, of: Organisation) => (await fixture.organisation(of)).clockAt;

/** PostgreSQL then breaks no deadlock early: one shows as a lock that was not granted within ten seconds. */
const waitForDeadlocks = (fixture: Fixture) =>
  fixture.query(`alter database ${new URL(fixture.databaseUrl).pathname.slice(1)} set deadlock_timeout = '1min'`);

/** What one transaction of a test waits for until another one has come so far. */
function gate(): { readonly opened: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}

/** Waits until a backend waits for a lock in a statement that holds `text`. */
const waitsIn = (fixture: Fixture, text: string) =>
  eventually(`a statement with ${text} waits`, async () => {
    const rows = await fixture.query(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and position($1 in query) > 0",
      text,
    );
    return rows.length > 0;
  });

test("a move and a transaction that has inserted a record of the organisation do not wait for each other", async (t) => {
  const fixture = await openFixture(t);
  await waitForDeadlocks(fixture);
  const organisation = await frozen(fixture);
  const { db } = fixture.services;
  const inserted = gate();
  const clockHeld = gate();
  // The foreign key of what is inserted locks the organisation's key.
  const writer = db.transaction(organisation.id, async (tx) => {
    lockName(tx, "customer email", "thandi@customer.example");
    await tx.sql`select 1`;
    inserted.open();
    await clockHeld.opened;
    enqueue(tx, QUOTE_EXPIRE, "quo_1", hours(9));
  });
  await inserted.opened;
  const moving = move(fixture, organisation, hours(2));
  // Either the move is through, or it holds the clock and waits for the organisation.
  await Promise.race([moving, waitsIn(fixture, "from organisations")]);
  clockHeld.open();
  await writer;
  assert.deepEqual(await moving, {});
});

test("a move and a transaction that asks for a mail once do not wait for each other", async (t) => {
  const fixture = await openFixture(t);
  await waitForDeadlocks(fixture);
  const organisation = await frozen(fixture);
  const { db } = fixture.services;
  const asked = gate();
  const clockHeld = gate();
  const about = {
    kind: "receipt",
    recipients: ["payer@customer.example"],
    about: "once",
    facts: {},
    secretSealed: null,
  };
  const mail = { id: newId("mail"), dedupeKey: "once", createdAt: hours(9), ...about } as const;
  const writer = db.transaction(organisation.id, async (tx) => {
    insertEmails(tx, [mail], { send: false, once: true });
    await tx.sql`select 1`;
    asked.open();
    await clockHeld.opened;
    enqueue(tx, QUOTE_EXPIRE, "quo_1", hours(9));
  });
  await asked.opened;
  const moving = move(fixture, organisation, hours(2));
  await Promise.race([moving, waitsIn(fixture, "organisations")]);
  clockHeld.open();
  await writer;
  assert.deepEqual(await moving, {});
  const rows = await fixture.query("select kind, subject from due_work order by kind");
  assert.deepEqual(rows, [
    { kind: "mail.compose", subject: mail.id },
    { kind: "quote.expire", subject: "quo_1" },
  ]);
});

test("who holds the clock and waits for a transaction that waits for the clock is not kept by a move", async (t) => {
  const fixture = await openFixture(t);
  await waitForDeadlocks(fixture);
  const organisation = await frozen(fixture);
  const { db } = fixture.services;
  const [held, locked, waited] = [gate(), gate(), gate()];
  // As the second work of a gathering: the first one has written its due work.
  const gathering = db.transaction(organisation.id, async (tx) => {
    await tx.sql`select id from hold_clock(${organisation.id})`;
    held.open();
    await waited.opened;
    lockName(tx, "customer email", "thandi@customer.example");
  });
  const other = db.transaction(organisation.id, async (tx) => {
    await held.opened;
    lockName(tx, "customer email", "thandi@customer.example");
    await tx.sql`select 1`;
    locked.open();
    await waited.opened;
    enqueue(tx, QUOTE_EXPIRE, "quo_1", hours(9));
  });
  await locked.opened;
  const moving = move(fixture, organisation, hours(2));
  await waitsIn(fixture, "clock");
  waited.open();
  await Promise.all([gathering, other]);
  assert.deepEqual(await moving, {});
});

test("a move waits for a long transaction without keeping others from writing", { timeout: 60_000 }, async (t) => {
  const fixture = await openFixture(t);
  const organisation = await frozen(fixture);
  const { db } = fixture.services;
  const held = gate();
  const long = db.transaction(organisation.id, async (tx) => {
    await tx.sql`select id from hold_clock(${organisation.id})`;
    held.open();
    await tx.sql`select pg_sleep(12)`;
  });
  await held.opened;
  const moving = move(fixture, organisation, hours(2));
  await waitsIn(fixture, "clock");
  const from = performance.now();
  await db.transaction(organisation.id, async (tx) => enqueue(tx, QUOTE_EXPIRE, "quo_1", hours(9)));
  assert.ok(performance.now() - from < 5000, "the writer waits for a part of the time at most");
  await long;
  assert.deepEqual(await moving, {}, "although the transaction took longer than a lock is waited for");
});

test("a move skips work that is being cancelled, and nothing deadlocks", async (t) => {
  const fixture = await openFixture(t);
  await waitForDeadlocks(fixture);
  const organisation = await frozen(fixture);
  const { db } = fixture.services;
  await db.transaction(organisation.id, async (tx) => enqueue(tx, QUOTE_EXPIRE, "quo_1", hours(1)));
  const moved = await db.transaction(organisation.id, async (tx) => {
    cancelWork(tx, QUOTE_EXPIRE, "quo_1");
    await tx.sql`select 1`;
    const moving = move(fixture, organisation, hours(2));
    await eventually("the clock has come to the work", async () => {
      const [row] = await fixture.query<{ locked: boolean }>(
        "select not exists (select from organisations for share skip locked) as locked",
      );
      return row?.locked ?? false;
    });
    enqueue(tx, EFT_EXPIRE, "eft_1", hours(3));
    return { moving };
  });
  assert.deepEqual(await moved.moving, {});
});

test("writes that never end do not keep a move from the clock", async (t) => {
  const fixture = await openFixture(t);
  const organisation = await frozen(fixture);
  const { db } = fixture.services;
  let writing = true;
  // Each holds the clock until after the next one has it.
  const writer = async (name: string) => {
    while (writing)
      await db.transaction(organisation.id, async (tx) => {
        await tx.sql`select id from hold_clock(${organisation.id})`;
        await tx.sql`select pg_sleep(0.1 + random() / 5)`;
        enqueue(tx, QUOTE_EXPIRE, name, hours(100));
      });
  };
  const writers = ["a", "b", "c", "d", "e", "f", "g"].map(writer);
  await sleep(100);
  await move(fixture, organisation, hours(1)).finally(() => {
    writing = false;
  });
  await Promise.all(writers);
  assert.deepEqual(await clockOf(fixture, organisation), hours(1));
});
