import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { cloneDatabase } from "../../test/support/database.ts";

const ORGANISATION = "org_00000000000000000000000001";
const SCOPE = ["POST", "/api/v1/payment-links"];
/** The partitions of both days exist: they are created a week ahead. */
const MIDNIGHT = Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth(), new Date().getUTCDate() + 1);
const at = (seconds: number) => new Date(MIDNIGHT + seconds * 1000);

let url: string;
const clients: pg.Client[] = [];

before(async () => {
  ({ url } = await cloneDatabase());
});
after(() => Promise.all(clients.map((client) => client.end())));

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  clients.push(client);
  return client;
}

const claim = (client: pg.Client, key: string, moment: Date) =>
  client.query("select claim_idempotency_key($1, $2, $3, $4, 'body', $5)", [ORGANISATION, key, ...SCOPE, moment]).then(
    () => "claimed",
    ({ code }: { code: string }) => code,
  );

/** The answer of a second claim that is made while the first transaction is open; it must wait until that one ends by `end`. */
async function meet(key: string, first: Date, second: Date, end: "commit" | "rollback"): Promise<string> {
  const [one, two] = [await connect(), await connect()];
  await one.query("begin");
  assert.equal(await claim(one, key, first), "claimed");
  let answered = false;
  const other = claim(two, key, second).finally(() => {
    answered = true;
  });
  await sleep(150);
  assert.equal(answered, false, "the second waits for the first");
  await one.query(end);
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
    assert.equal(await meet(`kept ${name}`, at(first), at(second), "commit"), "TEFO1");
  });

  test(`the second of two claims waits, and gets the key when the first rolls back: ${name}`, async () => {
    assert.equal(await meet(`undone ${name}`, at(first), at(second), "rollback"), "claimed");
  });
}

const AGES: [string, number, number, string][] = [
  ["a second before 24 hours are over", 3_600, 3_600 + 86_399, "TEFO1"],
  ["after 24 hours", 3_600, 3_600 + 86_400, "claimed"],
  ["a second before 24 hours are over, shortly after midnight", 60, 60 + 86_399, "TEFO1"],
  ["after 24 hours, shortly after midnight", 60, 60 + 86_400, "claimed"],
];
for (const [name, first, second, expected] of AGES)
  test(`a key is ${expected === "claimed" ? "free" : "taken"} ${name}`, async () => {
    const client = await connect();
    assert.equal(await claim(client, name, at(first)), "claimed");
    assert.equal(await claim(client, name, at(second)), expected);
  });

test("a key that is claimed again after 24 hours keeps neither the reply nor the intent of the earlier request", async () => {
  const client = await connect();
  const [key, ...more] = ["used again", ...SCOPE];
  assert.equal(await claim(client, key, at(60)), "claimed");
  await client.query(
    `update idempotency_keys set status = 200, reply_sealed = 'x', intent = 'ref_1', intent_settled = true
      where organisation_id = $1 and key = $2 and method = $3 and path = $4`,
    [ORGANISATION, key, ...more],
  );
  assert.equal(await claim(client, key, at(60 + 86_400)), "claimed");
  const { rows } = await client.query(
    "select status, reply_sealed, intent, intent_settled from idempotency_keys where key = $1 order by recorded_at",
    [key],
  );
  const unused = { status: null, reply_sealed: null, intent: null, intent_settled: false };
  // Shortly after midnight the row of the day before, which the earlier request had, is claimed too.
  assert.deepEqual(rows.at(-1), unused);
  assert.deepEqual(rows.at(-2), unused);
});
