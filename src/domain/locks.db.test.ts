import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { cloneDatabase } from "../../test/support/database.ts";
import type { OrganisationId } from "../kernel/ids.ts";
import { type Database, openDatabase } from "../platform/database.ts";
import { checkLocks, LOCK_ORDER, lockAsGathered, locking, lockingSeveral, lockName, lockNames } from "./locks.ts";

const OURS = `org_${"a".repeat(26)}` as OrganisationId;
let db: Database;

before(async () => {
  const { url } = await cloneDatabase();
  db = openDatabase(url, { connections: 4 });
  const superuser = new pg.Client({ connectionString: url });
  await superuser.connect();
  await superuser.query(
    `insert into organisations (id, slug, name, plan, state, sandbox, token_key_sealed, created_at)
     values ($1, 'ours', 'Ours', 'growth', 'active', true, '', now())`,
    [OURS],
  );
  await superuser.end();
});
after(() => db.close());

test("what is locked is locked in one order; what is locked already, again whenever it is wanted", async () => {
  await db.transaction(OURS, async (tx) => {
    locking(tx, "EFT order");
    locking(tx, "invoice");
    locking(tx, "transaction");
    locking(tx, "invoice");
    assert.throws(() => locking(tx, "payment link"), /payment link is locked after invoice/);
  });
  await db.transaction(OURS, async (tx) => {
    for (const what of LOCK_ORDER) locking(tx, what);
  });
});

test("a violation that is only reported names both locks, and the transaction goes on", async (t) => {
  const found: string[] = [];
  t.after(() => checkLocks());
  checkLocks(({ message }) => found.push(message));
  await db.transaction(OURS, async (tx) => {
    locking(tx, "invoice");
    await locking(tx, "payment link").sql`select 1 as one`;
    locking(tx, "payment link");
    lockingSeveral(tx, "customer");
  });
  assert.deepEqual(
    found.map((message) => message.split(":")[0]),
    ["payment link is locked after invoice", "customer of several customers is locked without invoice number"],
  );
});

test("each work of a gathering begins the order anew", async () => {
  const work = () =>
    db.gathered(OURS, async (tx) => {
      locking(tx, "invoice number");
      lockAsGathered(tx);
      locking(tx, "customer balance");
      locking(tx, "customer");
    });
  await Promise.all([work(), work(), work()]);
});

test("a gathered work locks what it is gathered for, and then records of one customer", async () => {
  await db.transaction(OURS, async (tx) => {
    assert.throws(() => lockAsGathered(tx), /locks invoice number first/);
    locking(tx, "invoice number");
    lockAsGathered(tx);
    locking(tx, "invoice number");
    locking(tx, "customer balance");
    for (const shared of ["credit note number", "payment starts", "customer email", "webhook endpoint"] as const)
      assert.throws(() => locking(tx, shared), /locked by a gathered work/);
    locking(tx, "customer");
  });
});

test("who locks several customers has locked the numbers of invoices, for which others gather", async () => {
  await db.transaction(OURS, async (tx) => {
    assert.throws(() => lockingSeveral(tx, "customer balance"), /without invoice number/);
    locking(tx, "invoice number");
    lockingSeveral(tx, "customer balance");
  });
});

test("a name is locked until the transaction ends, another is not", async () => {
  const done: string[] = [];
  const begun = Promise.withResolvers<void>();
  const mayEnd = Promise.withResolvers<void>();
  const take = (name: string, then: () => Promise<void> | void = () => {}) =>
    db.transaction(OURS, async (tx) => {
      lockName(tx, "customer email", name);
      await tx.sql`select 1 as one`;
      await then();
      done.push(name);
    });
  const holder = take("a@b.example", () => {
    begun.resolve();
    return mayEnd.promise;
  });
  await begun.promise;
  const same = take("a@b.example", () => void done.push("waited"));
  await take("c@d.example");
  await sleep(100);
  mayEnd.resolve();
  await Promise.all([holder, same]);
  assert.deepEqual(done, ["c@d.example", "a@b.example", "waited", "a@b.example"]);
});

test("several names are locked in one order, whichever is given first: a transaction that waits for one holds no later one", async () => {
  const kind = "customer email";
  const slotOf = async (name: string): Promise<number> => {
    const rows = await db.transaction(OURS, async (tx) => {
      tx.queue`delete from lock_slots where organisation_id = ${tx.organisation} and kind = ${kind}`;
      lockName(tx, kind, name);
      return tx.sql<{
        slot: number;
      }>`select slot from lock_slots where organisation_id = ${tx.organisation} and kind = ${kind}`;
    });
    return rows[0]?.slot ?? assert.fail("a slot");
  };
  const bySlot = new Map([[await slotOf("a"), "a"] as const, [await slotOf("b"), "b"] as const]);
  const [earlier = "", later = ""] = [...bySlot].sort(([one], [other]) => one - other).map(([, name]) => name);
  assert.notEqual(later, "", "the names have different rows");
  const both = await db.transaction(OURS, async (tx) => {
    lockName(tx, kind, earlier);
    await tx.sql`select 1 as one`;
    const waiting = db.transaction(OURS, async (other) => lockNames(other, kind, [later, earlier]));
    await sleep(100);
    await db.transaction(OURS, async (other) => lockName(other, kind, later));
    return { waiting };
  });
  await both.waiting;
});
