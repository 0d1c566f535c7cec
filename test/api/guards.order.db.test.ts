import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type ApiMerchant, openApi, type Refusal, refusal, type TestApi } from "../support/api.ts";
import { stopClockForAll } from "../support/still-clock.ts";

let api: TestApi;
let merchant: ApiMerchant;
before(async () => {
  api = await openApi();
  merchant = await api.addMerchant();
  await merchant.addGateway();
});
after(() => api.close());
stopClockForAll();

describe("403 account_restricted, for writes alone", () => {
  const NOW = new Date("2027-03-01T10:00:00Z") as never;
  for (const [name, facts] of [
    ["suspended", { state: "suspended" }],
    ["cancelled", { state: "cancelled" }],
    ["trial over", { state: "trial", clockAt: NOW, trialEndsAt: NOW }],
  ] as const)
    test(name, async () => {
      const shop = await api.addMerchant();
      await shop.addGateway();
      const { body: customer } = await shop.post("/customers", {});
      const { body: link } = await shop.post("/payment-links", { title: "a", amount: 1 });
      const columns = { state: facts.state, ...("clockAt" in facts ? { clock_at: NOW, trial_ends_at: NOW } : {}) };
      await shop.change(columns);
      const writes = [
        shop.post<Refusal>("/customers", {}),
        shop.post<Refusal>("/payment-links", { title: "a", amount: 1 }),
        shop.call<Refusal>("PATCH", `/customers/${customer["id"]}`, { body: {} }),
        shop.post<Refusal>(`/customers/${customer["id"]}/portal-link`, {}),
      ];
      for (const answer of await Promise.all(writes)) {
        assert.deepEqual(refusal(answer), [403, "account_restricted"]);
        assert.ok(answer.headers["x-ratelimit-limit"]);
      }
      const reads = [
        "/me",
        "/customers",
        `/customers/${customer["id"]}`,
        `/customers/${customer["id"]}/standing`,
        "/payment-links",
        `/payment-links/${link["id"]}`,
      ];
      for (const path of reads) assert.equal((await shop.get(path)).status, 200, path);
    });

  test("a trial that is not over writes, to its last millisecond", async () => {
    const shop = await api.addMerchant({
      state: "trial",
      trialEndsAt: new Date("2027-03-01T10:00:00.001Z") as never,
      clockAt: NOW,
    });
    assert.equal((await shop.post("/customers", {})).status, 201);
    await shop.change({ clock_at: "2027-03-01T10:00:00.001Z" });
    assert.equal((await shop.post("/customers", {})).status, 403);
  });
});

describe("the order of refusals (interface 7.4)", () => {
  const big = JSON.stringify({ a: "b".repeat(100_000) });
  const longKey = { "idempotency-key": "k".repeat(201) };
  let starter: ApiMerchant;
  let shut: ApiMerchant;
  before(async () => {
    starter = await api.addMerchant({ plan: "starter" });
    shut = await api.addMerchant({ state: "suspended" });
  });
  const post = (of: ApiMerchant, body: unknown, headers: Record<string, string> = {}) =>
    of.post<Refusal>("/payment-links", body, { headers });
  const TEXT = { "content-type": "text/plain" };

  test("address window, then key", async () => {
    const guarded = await openApi({ IP_RATE_LIMIT: "1" });
    try {
      const from = "203.0.113.9";
      assert.equal((await guarded.call("GET", "/api/v1/me", { from })).status, 401);
      assert.equal((await guarded.call("GET", "/api/v1/me", { from })).status, 429);
    } finally {
      await guarded.close();
    }
  });

  test("key, then its window", async () => {
    const shop = await api.addMerchant({ rateLimit: 1 });
    await shop.get("/me");
    assert.equal(
      (await shop.get("/me", { key: shop.key.slice(0, -1) + (shop.key.endsWith("A") ? "B" : "A") })).status,
      401,
    );
  });

  test("window, then plan", async () => {
    const shop = await api.addMerchant({ plan: "starter", rateLimit: 1 });
    assert.deepEqual(refusal(await shop.get<Refusal>("/me")), [403, "plan_restricted"]);
    assert.deepEqual(refusal(await shop.get<Refusal>("/me")), [429, "rate_limited"]);
  });

  test("plan, then 413", async () => assert.deepEqual(refusal(await post(starter, big)), [403, "plan_restricted"]));
  test("plan, then what is larger than is ever read", async () =>
    assert.deepEqual(refusal(await post(starter, "x".repeat(500_000))), [403, "plan_restricted"]));
  test("413, then 415", async () =>
    assert.deepEqual(refusal(await post(merchant, big, TEXT)), [413, "invalid_request"]));
  test("415, then JSON", async () =>
    assert.deepEqual(refusal(await post(merchant, "{", TEXT)), [415, "invalid_request"]));
  test("415, then UTF-8", async () =>
    assert.deepEqual(refusal(await post(merchant, Buffer.from([0xff]), TEXT)), [415, "invalid_request"]));

  test("JSON, then the Idempotency-Key", async () => {
    const answer = await post(merchant, "{", longKey);
    assert.deepEqual(refusal(answer), [400, "invalid_request"]);
    assert.match(answer.body.message, /must be JSON/);
  });

  test("Idempotency-Key, then account", async () => {
    const answer = await post(shut, {}, longKey);
    assert.deepEqual(refusal(answer), [400, "invalid_request"]);
    assert.match(answer.body.message, /Idempotency-Key/);
  });

  test("account, then validation", async () =>
    assert.deepEqual(refusal(await post(shut, {})), [403, "account_restricted"]));
  test("account, then 404", async () =>
    assert.deepEqual(refusal(await shut.call<Refusal>("PATCH", "/customers/x", { body: {} })), [
      403,
      "account_restricted",
    ]));
  test("validation, then 404", async () =>
    assert.deepEqual(refusal(await merchant.call<Refusal>("PATCH", "/customers/%00", { body: [] })), [
      400,
      "invalid_request",
    ]));

  test("what comes before the Idempotency-Key is not stored under it", async () => {
    const headers = { "idempotency-key": "early" };
    const shop = await api.addMerchant({ plan: "starter", rateLimit: 4 });
    await shop.addGateway();
    const good = { title: "a", amount: 1 };
    const statuses = [(await post(shop, good, headers)).status];
    await shop.change({ plan: "growth" });
    statuses.push((await post(shop, big, headers)).status, (await post(shop, "{}", { ...TEXT, ...headers })).status);
    statuses.push((await post(shop, "{", headers)).status, (await post(shop, good, headers)).status);
    await shop.change({ rate_limit: 1000 });
    const wrong = await shop.post("/payment-links", good, { key: null, headers });
    const done = await post(shop, good, headers);
    assert.deepEqual([...statuses, wrong.status, done.status], [403, 413, 415, 400, 429, 401, 201]);
    assert.equal(done.headers["idempotent-replayed"], undefined);
  });
});
