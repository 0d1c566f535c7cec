import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { FastifyRequest } from "fastify";
import { clientApi } from "../../src/http/client-api.ts";
import { meEndpoints } from "../../src/http/resources/me.ts";
import {
  type Answer,
  type ApiMerchant,
  openApi,
  type Refusal,
  refusal,
  type Sent,
  type TestApi,
} from "../support/api.ts";
import { stopClockForAll } from "../support/still-clock.ts";

const RATE = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"] as const;
const rateOf = ({ headers }: Answer<unknown>) => RATE.map((name) => headers[name]);

let api: TestApi;
let merchant: ApiMerchant;
before(async () => {
  api = await openApi();
  merchant = await api.addMerchant();
  await merchant.addGateway();
});
after(() => api.close());
stopClockForAll();

const together = <T>(count: number, run: (n: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, n) => run(n)));

describe("401 unauthorized", () => {
  const secret = "A".repeat(43);
  const MALFORMED: [string, string | undefined][] = [
    ["no header", undefined],
    ["empty", ""],
    ["no scheme", `tefo_0123abcd_${secret}`],
    ["Basic", `Basic ${Buffer.from(`tefo_0123abcd_${secret}:`).toString("base64")}`],
    ["Bearer alone", "Bearer"],
    ["Bearer and a space", "Bearer "],
    ["another prefix", `Bearer sk_0123abcd_${secret}`],
    ["upper-case hex", `Bearer tefo_0123ABCD_${secret}`],
    ["seven hex", `Bearer tefo_0123abc_${secret}`],
    ["a short secret", `Bearer tefo_0123abcd_${secret.slice(1)}`],
    ["a long secret", `Bearer tefo_0123abcd_${secret}A`],
    ["another character", `Bearer tefo_0123abcd_${secret.slice(1)}+`],
    ["two keys", `Bearer tefo_0123abcd_${secret} tefo_0123abcd_${secret}`],
    ["a comma", `Bearer tefo_0123abcd_${secret},`],
    ["quotes", `Bearer "tefo_0123abcd_${secret}"`],
    ["words", "Bearer let me in"],
    ["10 kB", `Bearer ${"a".repeat(10_000)}`],
    ["bytes that are no ASCII", "Bearer tefo_\u00e9\u00ff"],
  ];
  let missing: Refusal;
  let unknown: Refusal;
  before(async () => {
    missing = (await merchant.get<Refusal>("/me", { key: null })).body;
    unknown = (await merchant.get<Refusal>("/me", { key: `tefo_00000000_${secret}` })).body;
  });

  for (const [name, authorization] of MALFORMED)
    test(`malformed: ${name}`, async () => {
      const answer = await merchant.get<Refusal>("/me", { key: null, headers: { authorization } });
      assert.deepEqual(refusal(answer), [401, "unauthorized"]);
      assert.deepEqual({ ...answer.body, requestId: "" }, { ...missing, requestId: "" });
      assert.deepEqual(rateOf(answer), [undefined, undefined, undefined]);
      assert.equal(answer.headers["www-authenticate"], "Bearer");
    });

  const WRONG: [string, () => Promise<string>][] = [
    ["unknown", async () => `tefo_ffffffff_${secret}`],
    ["with another secret", async () => merchant.key.slice(0, 14) + secret],
    ["with one character changed", async () => merchant.key.slice(0, -1) + (merchant.key.endsWith("A") ? "B" : "A")],
    [
      "revoked",
      async () => {
        const { id, key } = await merchant.addKey();
        assert.equal((await merchant.get("/me", { key })).status, 200);
        await api.query("update api_keys set revoked_at = now() where id = $1", id);
        return key;
      },
    ],
  ];
  for (const [name, make] of WRONG)
    test(`a key that is ${name}`, async () => {
      const answer = await merchant.get<Refusal>("/me", { key: await make() });
      assert.deepEqual(refusal(answer), [401, "unauthorized"]);
      assert.deepEqual({ ...answer.body, requestId: "" }, { ...unknown, requestId: "" });
      assert.deepEqual(rateOf(answer), [undefined, undefined, undefined]);
    });

  test("missing and invalid have different messages, which do not contain the key", () => {
    assert.notEqual(missing.message, unknown.message);
    assert.match(missing.message, /missing or malformed/i);
    assert.match(unknown.message, /invalid/i);
    assert.ok(!unknown.message.includes("00000000"));
  });

  for (const scheme of ["Bearer", "bearer", "BEARER", "Bearer  "])
    test(`200: the scheme written ${JSON.stringify(scheme)}`, async () => {
      const answer = await merchant.get("/me", { key: null, headers: { authorization: `${scheme} ${merchant.key}` } });
      assert.equal(answer.status, 200);
    });

  test("a wrong secret uses up nothing of the key's window", async () => {
    const shop = await api.addMerchant({ rateLimit: 3 });
    await together(10, () => shop.get("/me", { key: shop.key.slice(0, 14) + secret }));
    assert.equal((await shop.get("/me")).headers["x-ratelimit-remaining"], "2");
  });
});

describe("429 rate_limited, by key", () => {
  test("120 a minute: each answer counts down, the 121st is refused with Retry-After", async () => {
    const shop = await api.addMerchant({ rateLimit: null });
    const answers = await together(120, () => shop.get<Refusal>("/me"));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    const remaining = answers.map(({ headers }) => Number(headers["x-ratelimit-remaining"]));
    assert.deepEqual(
      remaining.sort((a, b) => b - a),
      Array.from({ length: 120 }, (_, n) => 119 - n),
    );
    const resets = new Set(answers.map(({ headers }) => Number(headers["x-ratelimit-reset"])));
    assert.equal(resets.size, 1);
    const [reset = 0] = resets;
    assert.equal(reset % 60, 0);
    assert.ok(reset > Date.now() / 1000 - 1 && reset <= Date.now() / 1000 + 60);

    const over = await shop.get<Refusal>("/me");
    assert.deepEqual(refusal(over), [429, "rate_limited"]);
    assert.deepEqual(rateOf(over), ["120", "0", String(reset)]);
    const wait = Number(over.headers["retry-after"]);
    assert.ok(Number.isInteger(wait) && wait >= 1 && wait <= 60, String(wait));
    assert.ok(!/network/i.test(over.body.message));

    const second = await shop.addKey();
    assert.deepEqual(
      rateOf(await shop.get("/me", { key: second.key })).slice(0, 2),
      ["120", "119"],
      "a key has its own window",
    );
  });

  test("150 at once: 120 pass, whatever the endpoint and the process", async () => {
    const shop = await api.addMerchant({ rateLimit: null });
    const twin = await openApi(api.environment);
    try {
      const paths = ["/me", "/customers", "/payment-links", "/transactions/x", "/customers/x"];
      const answers = await together(150, (n) =>
        (n % 2 ? api : twin).call<Refusal>("GET", `/api/v1${paths[n % 5]}`, { key: shop.key }),
      );
      assert.equal(answers.filter(({ status }) => status === 429).length, 30);
    } finally {
      await twin.close();
    }
  });

  test("refusals count and carry the headers: 403, 404, 400, 415", async () => {
    const shop = await api.addMerchant({ rateLimit: 10, state: "suspended" });
    const answers = [
      await shop.post("/customers", {}),
      await shop.get("/customers/x"),
      await shop.post("/customers", "{"),
      await shop.post("/customers", "{}", { headers: { "content-type": "text/plain" } }),
    ];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [403, 404, 400, 415],
    );
    assert.deepEqual(
      answers.map(({ headers }) => headers["x-ratelimit-remaining"]),
      ["9", "8", "7", "6"],
    );
  });

  test("the window begins anew with the minute", async () => {
    const shop = await api.addMerchant({ rateLimit: 1 });
    assert.deepEqual([(await shop.get("/me")).status, (await shop.get("/me")).status], [200, 429]);
    await api.query("update rate_windows set window_start = window_start - 60 where scope = $1", `key:${shop.keyId}`);
    const next = await shop.get("/me");
    assert.deepEqual([next.status, next.headers["x-ratelimit-remaining"]], [200, "0"]);
  });

  test("a request at the end of a minute gets the headers of the window that has counted it", async (t) => {
    const shop = await api.addMerchant();
    const clients = clientApi(api.services, { ipRateLimit: 600, trustedProxies: 0 });
    const [endpoint] = meEndpoints;
    assert.ok(endpoint);
    const turn = Math.ceil(Date.now() / 60_000) * 60_000;
    let asked = 0;
    t.mock.method(Date, "now", () => (asked++ === 0 ? turn - 1 : turn + 1));
    const request = {
      headers: { authorization: `Bearer ${shop.key}` },
      socket: { remoteAddress: "203.0.113.77" },
      id: "x",
    };
    const { headers } = await clients.admit(request as FastifyRequest, endpoint);
    const [{ window_start: counted } = { window_start: "" }] = await api.query<{ window_start: string }>(
      "select window_start from rate_windows where scope = $1",
      `key:${shop.keyId}`,
    );
    assert.equal(Number(headers["x-ratelimit-reset"]), Number(counted) + 60);
  });

  test("an organisation's own rate holds in place of 120", async () => {
    const shop = await api.addMerchant({ rateLimit: 2 });
    assert.deepEqual((await together(3, () => shop.get("/me"))).map(({ status }) => status).sort(), [200, 200, 429]);
    assert.equal((await shop.get("/me")).headers["x-ratelimit-limit"], "2");
  });
});

describe("429 rate_limited, by address", () => {
  let guarded: TestApi;
  let shop: ApiMerchant;
  before(async () => {
    guarded = await openApi({ IP_RATE_LIMIT: "5" });
    shop = await guarded.addMerchant({ rateLimit: null });
  });
  after(() => guarded.close());
  const get = (from: string, sent: Sent = {}) => shop.get<Refusal>("/me", { from, ...sent });

  test("the sixth of an address: its own message, headers of the address's window", async () => {
    const answers = await together(5, () => get("203.0.113.1"));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    assert.equal(answers[0]?.headers["x-ratelimit-limit"], "120", "what passes shows the key's window");
    const over = await get("203.0.113.1");
    assert.deepEqual(refusal(over), [429, "rate_limited"]);
    assert.match(over.body.message, /too many requests from this network/i);
    const [limit, remaining, reset] = rateOf(over);
    assert.deepEqual([limit, remaining, Number(reset) % 60], ["5", "0", 0]);
    assert.ok(Number(over.headers["retry-after"]) >= 1 && Number(over.headers["retry-after"]) <= 60);
    assert.equal((await get("203.0.113.2")).status, 200, "another address goes on");
  });

  test("requests without a key count, and are told so only as long as the address may ask", async () => {
    const statuses = [];
    for (let n = 0; n < 7; n++) statuses.push((await get("203.0.113.3", { key: null })).status);
    assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429, 429]);
    assert.equal((await get("203.0.113.3")).status, 429, "a good key does not help");
  });

  test("what the address may not ask is not counted against the key", async () => {
    const other = await guarded.addMerchant({ rateLimit: null });
    await together(8, () => other.get("/me", { from: "203.0.113.4" }));
    const { headers } = await other.get("/me", { from: "203.0.113.5" });
    assert.equal(headers["x-ratelimit-remaining"], "114");
  });

  /** Behind one proxy the right-most entry is the address that the proxy has seen; the client can write the others itself. */
  const SAME: [string, string][] = [
    ["198.51.100.1", "198.51.100.1"],
    ["1.1.1.1, 198.51.100.2", "2.2.2.2, 3.3.3.3,198.51.100.2"],
    ["2001:db8:1::1", " 2001:db8:1::1 "],
    ["2001:db8:2::1", "2001:DB8:2:0:0:0:0:0001"],
    ["2001:db8:3::1", "2001:db8:3:0:ffff:ffff:ffff:ffff"],
    ["198.51.100.5", "::ffff:198.51.100.5"],
    ["::ffff:198.51.100.6", "[::FFFF:c633:6406]:443"],
    ["198.51.100.3:50001", "198.51.100.3:50002"],
    ["198.51.100.4", "198.51.100.4:443"],
    ["[2001:db8:4::2]:50001", "2001:db8:4::2"],
  ];
  for (const [first, second] of SAME)
    test(`${first} and ${second} are one address`, async () => {
      assert.deepEqual(
        (await together(5, () => get(first))).map(({ status }) => status),
        Array(5).fill(200),
      );
      assert.equal((await get(second)).status, 429);
    });

  test("the next /64 is another client", async () => {
    await together(6, () => get("2001:db8:5::1"));
    assert.equal((await get("2001:db8:5:1::1")).status, 200);
  });

  test("an entry that is no address is the proxy's own", async () => {
    const answers = [];
    for (const from of ["unknown", "_hidden", "<script>", "", "a".repeat(500), "198.51.100.9, x"])
      answers.push(await get(from));
    assert.equal(answers.at(-1)?.status, 429);
  });

  for (const proxies of ["0", "2"])
    test(`TRUSTED_PROXIES=${proxies}`, async () => {
      const service = await openApi({ IP_RATE_LIMIT: "3", TRUSTED_PROXIES: proxies });
      try {
        const { key } = await service.addMerchant();
        const ask = (from: string) => service.call("GET", "/api/v1/me", { key, from });
        const entries =
          proxies === "0"
            ? ["1.1.1.1", "2.2.2.2", "3.3.3.3", "4.4.4.4"]
            : ["9.9.9.9, 1.1.1.1, 5.5.5.5", "8.8.8.8,1.1.1.1,6.6.6.6", "1.1.1.1, 7.7.7.7", "1.1.1.1 , 8.8.8.8"];
        const statuses = [];
        for (const entry of entries) statuses.push((await ask(entry)).status);
        assert.deepEqual(statuses, [200, 200, 200, 429]);
      } finally {
        await service.close();
      }
    });
});
