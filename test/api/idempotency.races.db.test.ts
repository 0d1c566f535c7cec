import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { openApi } from "../support/api.ts";
import { isReplay, LINK, setUpKeys } from "../support/idempotency.ts";

const keys = setUpKeys();
const { count, newKey, send, stored } = keys;

describe("at once", () => {
  const together = (times: number, key: string, body: unknown = LINK, path?: string) =>
    Promise.all(Array.from({ length: times }, () => send(key, body, path)));

  test("fifty with one key: one link, 49 replays, the same bytes", async () => {
    const [links, audited] = [await count("payment_links"), await count("audit_log")];
    const key = newKey();
    const answers = await together(50, key);
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
    assert.equal(answers.filter(isReplay).length, 49);
    assert.equal(await count("payment_links"), Number(links) + 1);
    assert.equal(await count("audit_log"), Number(audited) + 1);
    assert.equal((await stored(key)).length, 1);
  });

  test("fifty refusals: one of them the first, the same bytes", async () => {
    const key = newKey();
    const answers = await together(50, key, { ...LINK, customerId: "cus_x" });
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([400]));
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
    assert.equal(answers.filter(isReplay).length, 49);
    assert.equal((await stored(key)).length, 1);
  });

  test("two bodies with one key: one is done, the other conflicts", async () => {
    const [links, key] = [await count("payment_links"), newKey()];
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => send(key, { ...LINK, amount: 1 + (n % 2) })),
    );
    const done = answers.filter(({ status }) => status === 201);
    assert.deepEqual([done.length, answers.filter(({ status }) => status === 409).length], [10, 10]);
    assert.equal(new Set(done.map(({ text }) => text)).size, 1);
    assert.equal(await count("payment_links"), Number(links) + 1);
  });

  test("two processes: one link", async () => {
    const twin = await openApi(keys.api.environment);
    try {
      const [links, key] = [await count("payment_links"), newKey()];
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          (n % 2 ? keys.api : twin).call("POST", "/api/v1/payment-links", {
            key: keys.merchant.key,
            body: LINK,
            headers: { "idempotency-key": key },
          }),
        ),
      );
      // Each process writes its own base URL; both replay the first reply.
      assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
      assert.equal(await count("payment_links"), Number(links) + 1);
    } finally {
      await twin.close();
    }
  });

  test("many keys: each its own link", async () => {
    const links = await count("payment_links");
    const made = Array.from({ length: 20 }, newKey);
    const answers = await Promise.all([...made, ...made].map((key) => send(key)));
    assert.equal(answers.filter(isReplay).length, 20);
    assert.equal(await count("payment_links"), Number(links) + 20);
  });
});

describe("a request that fails before its commit", () => {
  /** Makes every insert into the table fail while `run` runs. */
  async function breaking(table: string, run: () => Promise<void>): Promise<void> {
    await keys.api.query(
      "create or replace function broken() returns trigger language plpgsql as $$ begin raise exception 'broken'; end $$",
    );
    await keys.api.query(`create trigger broken before insert on ${table} for each row execute function broken()`);
    await run().finally(() => keys.api.query(`drop trigger broken on ${table}`));
  }

  for (const table of ["payment_links", "customers"])
    test(`500 internal_error at ${table}: nothing is stored, and the retry does it`, async () => {
      const key = newKey();
      const body = { ...LINK, customerEmail: `${table}@example.org` };
      const tables = ["payment_links", "customers", "audit_log", "idempotency_keys"];
      const counts = () => Promise.all(tables.map((name) => count(name)));
      const before = await counts();
      await breaking(table, async () => {
        const broken = await send(key, body);
        assert.deepEqual([broken.status, broken.body.error], [500, "internal_error"]);
        assert.ok(!/broken|trigger|sql/i.test(broken.text), "the fault is not told");
        assert.ok(broken.headers["x-ratelimit-limit"]);
      });
      assert.deepEqual(await counts(), before);
      const done = await send(key, body);
      assert.deepEqual([done.status, isReplay(done)], [201, false]);
    });

  test("500 where the reply itself cannot be stored: the link is not there either", async () => {
    const [key, links] = [newKey(), await count("payment_links")];
    await breaking("idempotency_keys", async () => assert.equal((await send(key)).status, 500));
    assert.equal(await count("payment_links"), links);
    assert.equal((await send(key)).status, 201);
  });
});

describe("while the first is running", { concurrency: true }, () => {
  /** Runs a statement in an open transaction of another connection; `end` commits it. */
  async function holding(
    sql: string,
    values: unknown[],
    run: (end: () => Promise<void>) => Promise<void>,
  ): Promise<void> {
    const client = new pg.Client({ connectionString: keys.api.databaseUrl });
    await client.connect();
    try {
      await client.query("begin");
      await client.query("select set_config('app.organisation_id', $1, true)", [keys.merchant.organisation.id]);
      await client.query(sql, values);
      await run(async () => void (await client.query("commit")));
    } finally {
      await client.end();
    }
  }

  test("the second waits for it, then replays", async () => {
    const { body } = await send(newKey(), { externalReference: "held" }, "/customers");
    const key = newKey();
    const change = () => send(key, { externalReference: "held", firstName: "x" }, "/customers");
    await holding("select from customers where id = $1 for update", [body["id"]], async (end) => {
      let answered = 0;
      const both = [change(), change()].map((answer) => answer.finally(() => answered++));
      await sleep(400);
      assert.equal(answered, 0);
      await end();
      const answers = await Promise.all(both);
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200],
      );
      assert.equal(answers.filter(isReplay).length, 1);
    });
  });

  test("409 idempotency_conflict with Retry-After after ten seconds; nothing is stored", {
    timeout: 60_000,
  }, async () => {
    const key = newKey();
    const claim = `
      insert into idempotency_keys (organisation_id, key, method, path, recorded_at, claimed_at, body_hash)
      values ($1, $2, 'POST', '/api/v1/payment-links', date_trunc('day', now(), 'UTC'), now(), 'body')`;
    await holding(claim, [keys.merchant.organisation.id, key], async () => {
      const begun = performance.now();
      const { status, body, headers } = await send(key);
      assert.deepEqual([status, body.error], [409, "idempotency_conflict"]);
      assert.match(headers["retry-after"] ?? "", /^[1-9]\d*$/);
      const seconds = (performance.now() - begun) / 1000;
      assert.ok(seconds > 9, `${seconds} s`);
    });
    assert.deepEqual(await stored(key), []);
    assert.equal((await send(key)).status, 201);
  });

  test("503 when it waits ten seconds for something else: the key is not in use", { timeout: 60_000 }, async () => {
    const { body } = await send(newKey(), { externalReference: "elsewhere" }, "/customers");
    const key = newKey();
    const change = { externalReference: "elsewhere", firstName: "x" };
    await holding("select from customers where id = $1 for update", [body["id"]], async () => {
      const answer = await send(key, change, "/customers");
      assert.deepEqual([answer.status, answer.body.error], [503, "service_unavailable"]);
      assert.match(answer.headers["retry-after"] ?? "", /^[1-9]\d*$/);
    });
    assert.deepEqual(await stored(key), []);
    assert.equal((await send(key, change, "/customers")).status, 200);
  });
});
