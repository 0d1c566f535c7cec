import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, test } from "node:test";
import { isReplay, LINK, replayed, setUpKeys } from "../support/idempotency.ts";
import { EMOJI } from "../support/text.ts";

const keys = setUpKeys();
const { addShop, count, newKey, send, stored } = keys;

describe("a retry is answered by the first reply", () => {
  test("201: same status, same bytes, one link", async () => {
    const links = await count("payment_links");
    const key = newKey();
    const [one, two, three] = [await send(key), await send(key), await send(key)];
    assert.equal(one.status, 201);
    replayed(one, two);
    replayed(one, three);
    assert.equal(two.headers["content-type"], one.headers["content-type"]);
    assert.ok(two.headers["x-ratelimit-remaining"], "a replay is an authenticated answer");
    assert.equal(await count("payment_links"), Number(links) + 1);
  });

  test("200: an upsert's", async () => {
    await send(newKey(), { externalReference: "a" }, "/customers");
    const key = newKey();
    const first = await send(key, { externalReference: "a", firstName: "x" }, "/customers");
    assert.equal(first.status, 200);
    await send(newKey(), { externalReference: "a", firstName: "y" }, "/customers");
    replayed(first, await send(key, { externalReference: "a", firstName: "x" }, "/customers"));
    const { body } = await keys.merchant.get(`/customers/${first.body["id"]}`);
    assert.equal(body["firstName"], "y", "the retry changed nothing");
  });

  const REFUSED: [string, unknown, string, number, string][] = [
    ["validation", { title: "", amount: 1 }, "/payment-links", 400, "invalid_request"],
    ["a rule of the business", { ...LINK, currency: "GBP" }, "/payment-links", 400, "invalid_request"],
    ["an unknown record named in the body", { ...LINK, customerId: "cus_x" }, "/payment-links", 400, "invalid_request"],
    ["an unknown record named in the path", {}, "/customers/cus_x/portal-link", 404, "not_found"],
    ["no body", "", "/payment-links", 400, "invalid_request"],
  ];
  for (const [name, body, path, status, error] of REFUSED)
    test(`${status} ${error}: ${name}`, async () => {
      const key = newKey();
      const first = await send(key, body, path);
      assert.deepEqual([first.status, first.body.error], [status, error]);
      replayed(first, await send(key, body, path));
      assert.deepEqual(
        (await stored(key)).map((row) => row.status),
        [status],
      );
    });

  test("a refusal is replayed although its reason is gone", async () => {
    const shop = await addShop();
    const [currency, shut] = [newKey(), newKey()];
    const refused = await send(currency, { ...LINK, currency: "EUR" }, "/payment-links", shop);
    await shop.addGateway({ currencies: ["EUR"] });
    replayed(refused, await send(currency, { ...LINK, currency: "EUR" }, "/payment-links", shop));
    await shop.change({ state: "suspended" });
    const restricted = await send(shut, LINK, "/payment-links", shop);
    assert.equal(restricted.body.error, "account_restricted");
    await shop.change({ state: "active" });
    replayed(restricted, await send(shut, LINK, "/payment-links", shop));
  });

  test("a plan_limit is replayed", async () => {
    const shop = await keys.api.addMerchant({ limits: { customers: 0 } });
    const key = newKey();
    const first = await send(key, {}, "/customers", shop);
    assert.deepEqual([first.status, first.body.error], [403, "plan_limit"]);
    await shop.change({ limits: {} });
    replayed(first, await send(key, {}, "/customers", shop));
  });

  test("a replay is there on a read-only account, and so is the conflict", async () => {
    const shop = await addShop();
    const key = newKey();
    const first = await send(key, LINK, "/payment-links", shop);
    await shop.change({ state: "cancelled" });
    replayed(first, await send(key, LINK, "/payment-links", shop));
    assert.equal((await send(key, {}, "/payment-links", shop)).body.error, "idempotency_conflict");
    assert.equal((await send(newKey(), LINK, "/payment-links", shop)).body.error, "account_restricted");
  });

  test("what is stored cannot be read in the database", async () => {
    const key = newKey();
    await send(key, { ...LINK, title: "Quite secret" });
    const [row] = await stored(key);
    assert.match(row?.reply_sealed ?? "", /^v1\./);
    assert.ok(!JSON.stringify(row).includes("Quite secret"));
  });
});

describe("409 idempotency_conflict", () => {
  const text = JSON.stringify(LINK);
  const OTHERS: [string, string][] = [
    ["another amount", JSON.stringify({ ...LINK, amount: 251 })],
    ["a space more", `${text} `],
    ["fields in another order", '{"amount":250,"title":"Deposit"}'],
    ["250.0 for 250", text.replace("250", "250.0")],
    ["an escape", text.replace("D", "\\u0044")],
    ["no body", ""],
    ["a body that is refused", '{"title":""}'],
  ];
  for (const [name, other] of OTHERS)
    test(name, async () => {
      const key = newKey();
      const first = await send(key, text);
      const { status, body, headers } = await send(key, other);
      assert.deepEqual([status, body.error], [409, "idempotency_conflict"]);
      assert.ok(headers["x-ratelimit-limit"]);
      assert.equal(headers["idempotent-replayed"], undefined);
      replayed(first, await send(key, text));
    });

  test("a stored refusal conflicts too", async () => {
    const key = newKey();
    assert.equal((await send(key, { title: "" })).status, 400);
    assert.equal((await send(key)).status, 409);
  });
});

describe("the key", () => {
  const TAKEN: [string, string][] = [
    ["200 characters", "k".repeat(200)],
    ["200 emoji", EMOJI.repeat(200)],
    ["one", "1"],
    ["spaces and quotes", `a "b" 'c' \\ %00 {}`],
    ["SQL", "'; drop table idempotency_keys; --"],
  ];
  for (const [name, text] of TAKEN)
    test(`of ${name} is taken`, async () => {
      const key = Buffer.from(text).toString("latin1");
      const first = await send(key);
      assert.equal(first.status, 201, first.text);
      replayed(first, await send(key));
      assert.equal((await stored(text)).length, 1);
    });

  for (const [name, text] of [
    ["201 characters", "k".repeat(201)],
    ["201 emoji", EMOJI.repeat(201)],
  ] as const)
    test(`400 invalid_request: of ${name}`, async () => {
      const links = await count("payment_links");
      const { status, body } = await send(Buffer.from(text).toString("latin1"));
      assert.deepEqual([status, body.error], [400, "invalid_request"]);
      assert.equal(await count("payment_links"), links);
      assert.deepEqual(await stored(text), []);
    });

  test("in Latin-1 differs by its letters", async () => {
    const [one, two] = [await send("caf\u00e9"), await send("caf\u00e8")];
    assert.notEqual(one.body["id"], two.body["id"]);
    replayed(one, await send("caf\u00e9"));
  });

  test("an empty one is none", async () => {
    const [one, two] = [await send(""), await send("  ")];
    assert.notEqual(one.body["id"], two.body["id"]);
  });

  test("differs by case", async () => {
    const key = newKey();
    assert.notEqual((await send(key)).body["id"], (await send(key.toUpperCase())).body["id"]);
  });

  test("is each organisation's own", async () => {
    const other = await addShop();
    const key = newKey();
    const [mine, theirs] = [await send(key), await send(key, { ...LINK, title: "Theirs" }, "/payment-links", other)];
    assert.deepEqual([theirs.status, isReplay(theirs)], [201, false]);
    assert.notEqual(mine.body["id"], theirs.body["id"]);
  });

  test("is each organisation's, whatever its API key", async () => {
    const { key: second } = await keys.merchant.addKey();
    const key = newKey();
    const first = await send(key);
    replayed(
      first,
      await keys.merchant.post("/payment-links", LINK, { key: second, headers: { "idempotency-key": key } }),
    );
  });

  test("belongs to one exact path", async () => {
    const key = newKey();
    const customers = [await send(newKey(), {}, "/customers"), await send(newKey(), {}, "/customers")];
    const [a = "", b = ""] = customers.map(({ body }) => String(body["id"]));
    const paths = [
      "/payment-links",
      "/customers",
      `/customers/${a}/portal-link`,
      `/customers/${b}/portal-link`,
      `/customers/${a.replace("_", "%5F")}/portal-link`,
    ];
    for (const path of paths) {
      const answer = await send(key, path === "/payment-links" ? LINK : {}, path);
      assert.deepEqual([answer.status, isReplay(answer)], [201, false], path);
    }
  });

  test("is kept for a path of any length", async () => {
    const [key, id] = [Buffer.from(EMOJI.repeat(200)).toString("latin1"), randomBytes(9000).toString("base64url")];
    const first = await send(key, {}, `/customers/${id}/portal-link`);
    assert.equal(first.status, 404, first.text);
    replayed(first, await send(key, {}, `/customers/${id}/portal-link`));
    assert.equal(isReplay(await send(key, {}, `/customers/${id}x/portal-link`)), false);
  });

  test("a query is no part of the path", async () => {
    const key = newKey();
    replayed(await send(key), await send(key, LINK, "/payment-links?again=1"));
  });
});

describe("24 hours", () => {
  /** Makes the stored reply of the key older. */
  async function age(key: string, seconds: number): Promise<void> {
    await keys.api.query(
      `select add_partition('idempotency_keys', 'idempotency_keys_' || to_char(d, 'YYYYMMDD'), d::text || ' UTC', (d + interval '1 day')::text || ' UTC')
         from generate_series(date_trunc('day', now() at time zone 'UTC') - interval '3 days', now() at time zone 'UTC', interval '1 day') d`,
    );
    // In the first minutes of a day the key also has a row of the day before, without a reply.
    await keys.api.query("delete from idempotency_keys where key = $1 and status is null", key);
    const moved = await keys.api.query(
      `update idempotency_keys set recorded_at = date_trunc('day', claimed_at - make_interval(secs => $2), 'UTC'),
         claimed_at = claimed_at - make_interval(secs => $2) where key = $1 returning key`,
      key,
      seconds,
    );
    assert.equal(moved.length, 1);
  }

  test("shortly before, the reply is still there", async () => {
    const key = newKey();
    const first = await send(key);
    await age(key, 86_400 - 30);
    replayed(first, await send(key));
    assert.equal((await send(key, {})).status, 409);
  });

  test("after them the key is free, for another body too, and remembers that one", async () => {
    const key = newKey();
    const first = await send(key);
    await age(key, 86_400);
    const second = await send(key, { ...LINK, amount: 1 });
    assert.deepEqual([second.status, isReplay(second)], [201, false]);
    assert.notEqual(second.body["id"], first.body["id"]);
    replayed(second, await send(key, { ...LINK, amount: 1 }));
    assert.equal((await send(key)).status, 409);
  });

  test("refusals are forgotten too", async () => {
    const key = newKey();
    const body = { ...LINK, currency: "USD" };
    assert.equal((await send(key, body)).status, 400);
    await keys.merchant.addGateway({ currencies: ["USD"] });
    await age(key, 86_400);
    assert.equal((await send(key, body)).status, 201);
  });

  test("they are real hours, whatever the organisation's clock", async () => {
    const shop = await addShop();
    const key = newKey();
    const first = await send(key, LINK, "/payment-links", shop);
    await shop.change({ clock_at: new Date(Date.now() + 90 * 86_400_000) });
    replayed(first, await send(key, LINK, "/payment-links", shop));
  });
});
