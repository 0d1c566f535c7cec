import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { cloneDatabase } from "../../test/support/database.ts";
import type { OrganisationId } from "../kernel/ids.ts";
import { type Instant, instant } from "../kernel/time.ts";
import { type Database, openDatabase, type Tx } from "./database.ts";
import { claimKey, findKept, isStored } from "./idempotency-keys.ts";

const ORGANISATION = "org_00000000000000000000000001" as OrganisationId;
const SCOPE = { method: "POST", path: "/api/v1/payment-links" };
/** The partitions of both days exist: they are created a week ahead. */
const MIDNIGHT = Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth(), new Date().getUTCDate() + 1);
const at = (seconds: number): Instant => instant(new Date(MIDNIGHT + seconds * 1000));

let db: Database;

before(async () => {
  db = openDatabase((await cloneDatabase()).url, { connections: 3 });
});
after(() => db.close());

/**
 * Claims a key in a transaction that stays open until `end`; when that rejects, it rolls back. Answers whether the key
 * could be claimed.
 */
async function claim(key: string, moment: Instant, end: () => Promise<void> = async () => {}): Promise<string | null> {
  try {
    await db.transaction(ORGANISATION, async (tx) => {
      claimKey(tx, { key, ...SCOPE }, Buffer.from("body"), null, moment);
      await tx.sql`select`;
      await end();
    });
    return "claimed";
  } catch (error) {
    return isStored(error) ? "stored" : String(error);
  }
}

/** The answer of a second claim that is made while the first transaction is open; it must wait until that one ends. */
async function meet(key: string, first: Instant, second: Instant, rollback: boolean): Promise<string | null> {
  const [claimed, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const one = claim(key, first, () => {
    claimed.resolve();
    return ended.promise;
  });
  // A claim that fails ends here, in place of being waited for.
  await Promise.race([claimed.promise, one.then((outcome) => assert.fail(String(outcome)))]);
  let answered = false;
  const other = claim(key, second).finally(() => {
    answered = true;
  });
  await sleep(150);
  assert.equal(answered, false, "the second waits for the first");
  if (rollback) ended.reject(new Error("rolled back"));
  else ended.resolve();
  assert.equal(await one, rollback ? "Error: rolled back" : "claimed");
  return other;
}

const MOMENTS: [string, number, number][] = [
  ["the same day", -300, -299],
  ["a day apart: one before midnight, one after", -1, 1],
  ["long before midnight and shortly after", -290, 300],
  ["by a machine whose clock is ahead and one whose is behind", 20, -20],
];
for (const [name, first, second] of MOMENTS) {
  test(`the second of two claims waits, and finds the key taken: ${name}`, async () => {
    assert.equal(await meet(`kept ${name}`, at(first), at(second), false), "stored");
  });

  test(`the second of two claims waits, and gets the key when the first rolls back: ${name}`, async () => {
    assert.equal(await meet(`undone ${name}`, at(first), at(second), true), "claimed");
  });
}

const AGES: [string, number, number, string][] = [
  ["a second before 24 hours are over", 3_600, 3_600 + 86_399, "stored"],
  ["after 24 hours", 3_600, 3_600 + 86_400, "claimed"],
  ["a second before 24 hours are over, shortly after midnight", 60, 60 + 86_399, "stored"],
  ["after 24 hours, shortly after midnight", 60, 60 + 86_400, "claimed"],
];
for (const [name, first, second, expected] of AGES)
  test(`a key is ${expected === "claimed" ? "free" : "taken"} ${name}`, async () => {
    assert.equal(await claim(name, at(first)), "claimed");
    assert.equal(await claim(name, at(second)), expected);
  });

test("a key can be claimed in the first minutes after midnight in a database that was made then", async () => {
  assert.equal(await claim("first minutes", at(60 - 86_400)), "claimed");
});

test("a key that is claimed again after 24 hours keeps neither the reply nor the intent of the earlier request", async () => {
  const key = "used again";
  assert.equal(await claim(key, at(60)), "claimed");
  await db.transaction(
    ORGANISATION,
    async (tx) =>
      tx.queue`
      update idempotency_keys set status = 200, reply_sealed = 'x', intent = 'ref_1', intent_settled = true
       where organisation_id = ${tx.organisation} and key = ${key}`,
  );
  assert.equal(await claim(key, at(60 + 86_400)), "claimed");
  const rows = await db.read(
    ORGANISATION,
    (tx) => tx.sql`
      select status, reply_sealed, intent, intent_settled from idempotency_keys
       where organisation_id = ${tx.organisation} and key = ${key} order by recorded_at`,
  );
  const unused = { status: null, reply_sealed: null, intent: null, intent_settled: false };
  // Shortly after midnight the row of the day before, which the earlier request had, is claimed too.
  assert.deepEqual(rows.at(-1), unused);
  assert.deepEqual(rows.at(-2), unused);
});

test("a key is looked for in the partitions of two days only", async () => {
  let plan = "";
  await db.read(ORGANISATION, async (tx) => {
    const explained: Tx["sql"] = async (strings, ...values) => {
      const texts = [`explain (analyze) ${strings[0]}`, ...strings.slice(1)];
      const rows = await tx.sql<{ "QUERY PLAN": string }>(Object.assign(texts, { raw: texts }), ...values);
      plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
      return [];
    };
    await findKept({ ...tx, sql: explained }, { key: "k", ...SCOPE }, at(-12 * 3600));
  });
  assert.equal(new Set(plan.match(/idempotency_keys_\d{8}/g)).size, 2, plan);
});
