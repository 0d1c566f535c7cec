import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { formTokenIn, openPages, type PageMerchant, standIn, type TestPages } from "../../../../test/support/pages.ts";
import { stopClock } from "../../../../test/support/still-clock.ts";
import { changeSettings } from "../../../flows/organisations/settings.ts";
import { deactivatePaymentLink } from "../../../modules/payment-links/store.ts";

let pages: TestPages;
let shop: PageMerchant;
before(async () => {
  pages = await openPages();
  shop = await pages.addMerchant();
});
after(() => pages.close());

const attempts = async (linkId: string): Promise<number> =>
  (
    await pages.query<{ n: number }>("select count(*)::int as n from transactions where payment_link_id = $1", linkId)
  )[0]?.n ?? -1;

describe("the pay page", () => {
  test("shows what is paid, to whom, and how; asks for an address only because none is known", async () => {
    const { path } = await shop.addLink({ description: "Three novels" });
    const page = await pages.get(path);
    assert.equal(page.status, 200);
    assert.equal(page.heading, "Order 1042");
    assert.match(page.text, /Three novels/);
    assert.match(page.text, /Pay R\u00a01\u00a0234\.50<\/button>/);
    assert.match(page.text, new RegExp(`type="radio" name="gateway" value="${shop.gateway.id}"`));
    assert.match(page.text, /Sandbox Pay/);
    assert.match(page.text, /This is a test\. No money moves\./);
    assert.match(page.text, /<input type="email"(?![^>]* required)/);
    const customers = await shop.addLink({ customerEmail: "thandi@example.co.za" });
    assert.doesNotMatch((await pages.get(customers.path)).text, /name="email"/);
  });

  test("has the merchant's colours", async () => {
    const merchant = await pages.addMerchant();
    await pages.services.db.transaction(merchant.organisation.id, async (tx) => {
      const branding = { companyName: "Karoo & Sons", accentColour: "#b4431f", supportEmail: "help@karoo.example" };
      await changeSettings(tx, await merchant.ctx(), { branding });
    });
    const page = await pages.get((await merchant.addLink()).path);
    assert.match(page.text, /Karoo &amp; Sons/);
    assert.match(page.text, /\/assets\/accent-b4431f\.css/);
    assert.match(page.text, /mailto:help@karoo\.example/);
  });

  test("has the headers of a page whose URL is the permission", async () => {
    const { headers } = await pages.get((await shop.addLink()).path);
    assert.equal(headers.get("referrer-policy"), "no-referrer");
    assert.equal(headers.get("cache-control"), "no-store");
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.equal(headers.get("content-type"), "text/html; charset=utf-8");
    const policy = headers.get("content-security-policy") ?? "";
    assert.match(policy, /default-src 'none'/);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.match(policy, /script-src 'self';/);
  });

  test("a token changed in any character is 404, with the same page as an unknown one", async () => {
    const { path } = await shop.addLink();
    const never = await pages.get(`/pay/${"A".repeat(64)}`);
    assert.equal(never.status, 404);
    assert.equal(never.headers.get("content-type"), "text/html; charset=utf-8");
    for (let at = "/pay/".length; at < path.length; at++) {
      const other = path[at] === "A" ? "B" : "A";
      const page = await pages.get(path.slice(0, at) + other + path.slice(at + 1));
      assert.deepEqual([page.status, page.text], [404, never.text], `character ${at}`);
    }
    for (const wrong of [
      "",
      "x",
      path.slice(5, -1),
      `${path.slice(5)}A`,
      "A".repeat(10_000),
      "%00",
      "../pay",
      "%E0%A4",
      "a".repeat(900),
      "a".repeat(3000),
    ])
      assert.equal((await pages.get(`/pay/${wrong}`)).status, 404, wrong);
  });

  test("another organisation's link does not open with this one's key", async () => {
    const other = await pages.addMerchant();
    const { path } = await other.addLink();
    const bytes = Buffer.from(path.slice(5), "base64url");
    const mine = Buffer.from((await shop.addLink()).path.slice(5), "base64url");
    const forged = Buffer.concat([mine.subarray(0, 16), bytes.subarray(16)]).toString("base64url");
    assert.equal((await pages.get(`/pay/${forged}`)).status, 404);
  });

  test("answers to GET, HEAD and POST only", async () => {
    const { path } = await shop.addLink();
    const head = await pages.request("HEAD", path);
    assert.deepEqual([head.status, head.text], [200, ""]);
    for (const method of ["PUT", "PATCH", "DELETE", "OPTIONS"]) {
      const { status, headers } = await pages.request(method, path);
      assert.deepEqual([status, headers.get("allow")], [405, "GET, HEAD, POST"]);
    }
  });
});

describe("a link that cannot be paid is 200 without a form and says why:", () => {
  const cases: [string, (merchant: PageMerchant) => Promise<string>, string, RegExp][] = [
    [
      "deactivated",
      async (merchant) => {
        const { link, path } = await merchant.addLink();
        await pages.services.db.transaction(merchant.organisation.id, async (tx) => deactivatePaymentLink(tx, link.id));
        return path;
      },
      "This payment link is switched off",
      /no longer takes payments/,
    ],
    [
      "expired",
      async (merchant) => {
        const { link, path } = await merchant.addLink();
        await pages.query(
          "update payment_links set expires_at = $1 where id = $2",
          new Date("2026-01-05T10:00:00Z"),
          link.id,
        );
        return path;
      },
      "This payment link has expired",
      /5 January 2026, 12:00/,
    ],
    [
      "paid",
      async (merchant) => {
        const { path } = await merchant.addLink();
        await pages.choose((await merchant.start(path)).gatewayPath, "complete");
        return path;
      },
      "Already paid",
      /nothing more to pay/,
    ],
    [
      "the account is read-only",
      async (merchant) => {
        const { path } = await merchant.addLink();
        await pages.query("update organisations set state = 'suspended' where id = $1", merchant.organisation.id);
        return path;
      },
      "Payments are paused",
      /cannot take payments/,
    ],
    [
      "the plan's limit",
      async (merchant) => {
        const { path } = await merchant.addLink();
        const limits = JSON.stringify({ monthlyTransactions: 0 });
        await pages.query("update organisations set limits = $1 where id = $2", limits, merchant.organisation.id);
        return path;
      },
      "Payments are paused",
      /number of online payments/,
    ],
    [
      "no gateway",
      async (merchant) => {
        const { path } = await merchant.addLink();
        await pages.query("update gateway_accounts set enabled = false where id = $1", merchant.gateway.id);
        return path;
      },
      "No way to pay yet",
      /has not set up/,
    ],
  ];
  for (const [name, make, heading, why] of cases)
    test(name, async () => {
      const merchant = await pages.addMerchant();
      const path = await make(merchant);
      for (const page of [await pages.get(path), await pages.post(path, { gateway: merchant.gateway.id })]) {
        assert.equal(page.status, 200);
        assert.equal(page.heading, heading);
        assert.match(page.text, why);
        assert.doesNotMatch(page.text, /<form/);
      }
    });
});

describe("paying", () => {
  test("redirects to the gateway by 303, and back to a verified result", async () => {
    const { link, path } = await shop.addLink();
    const formToken = formTokenIn(await pages.get(path));
    const sent = await pages.post(
      path,
      { gateway: shop.gateway.id, email: " payer@example.co.za ", formToken },
      { origin: "null" },
    );
    assert.equal(sent.status, 303);
    assert.match(
      sent.location,
      new RegExp(`^${pages.baseUrl}/sandbox-gateway/pay/${shop.gateway.id}/sbc_[0-9a-f]{24}$`),
    );
    for (const [name, value] of [
      ["referrer-policy", "no-referrer"],
      ["cache-control", "no-store"],
      ["x-content-type-options", "nosniff"],
    ] as const)
      assert.equal(sent.headers.get(name), value, name);
    assert.match(sent.headers.get("content-security-policy") ?? "", /frame-ancestors 'none'/);
    const [row] = await pages.query<{ reference: string; status: string; payer_email: string }>(
      "select reference, status, payer_email from transactions where payment_link_id = $1",
      link.id,
    );
    assert.deepEqual([row?.status, row?.payer_email], ["pending", "payer@example.co.za"]);
    const back = await pages.choose(new URL(sent.location).pathname, "complete");
    assert.equal(back, `${pages.baseUrl}${path}/result/${row?.reference}`);
    assert.equal(await pages.statusOf(row?.reference ?? ""), "complete", "known before the payer is back");
    const result = await pages.get(back);
    assert.deepEqual([result.status, result.heading], [200, "Payment received"]);
    assert.doesNotMatch(result.text, /http-equiv|data-poll/);
    assert.doesNotMatch(result.text, /receipt/, "no mail is sent here, so none is promised");
  });

  for (const [outcome, heading] of [
    ["failed", "Payment failed"],
    ["cancelled", "Payment cancelled"],
  ] as const)
    test(`that is ${outcome} can be tried again`, async () => {
      const { path } = await shop.addLink();
      const { gatewayPath, reference } = await shop.start(path);
      const back = await pages.choose(gatewayPath, outcome);
      assert.equal(back, `${pages.baseUrl}${path}/${outcome === "failed" ? "result" : "cancel"}/${reference}`);
      const result = await pages.get(back);
      assert.equal(result.heading, heading);
      assert.match(result.text, new RegExp(`href="${path}">Try again`));
      assert.equal((await pages.get(path)).heading, "Order 1042");
    });

  test("the receipt is announced where mail is sent", async () => {
    const asking = await shop.addLink();
    assert.doesNotMatch((await pages.get(asking.path)).text, /receipt/);
    pages.setMail(true);
    assert.match((await pages.get(asking.path)).text, /Your receipt goes here/);
    const { path } = await shop.addLink({ customerEmail: "receipts@example.co.za" });
    const { gatewayPath } = await shop.start(path);
    const result = await pages.get(await pages.choose(gatewayPath, "complete"));
    pages.setMail(false);
    assert.match(result.text, /A receipt has been mailed to <bdi>receipts@example\.co\.za/);
  });

  test("is refused without a gateway of the page, and with an address that is none", async () => {
    const { link, path } = await shop.addLink();
    const other = await pages.addMerchant();
    for (const gateway of ["", "gw_x", other.gateway.id, "\0"]) {
      const page = await pages.post(path, { gateway });
      assert.equal(page.status, 400);
      assert.match(page.text, /role="alert".*Choose how to pay/s);
    }
    const wrong = await pages.post(path, { gateway: shop.gateway.id, email: "payer@" });
    assert.equal(wrong.status, 400);
    assert.match(wrong.text, /id="email"[^>]*aria-invalid="true"/);
    assert.match(wrong.text, /value="payer@"/);
    assert.equal(await attempts(link.id), 0);
  });

  test("comes from our own page only", async () => {
    const { link, path } = await shop.addLink();
    const gateway = shop.gateway.id;
    const formToken = formTokenIn(await pages.get(path));
    const strangers: [Record<string, string>, Record<string, string>][] = [
      [{ gateway, formToken }, { origin: "https://evil.example" }],
      [{ gateway, formToken }, { origin: "https://127.0.0.1.evil.example" }],
      [
        { gateway, formToken },
        { origin: "https://evil.example", host: "evil.example" },
      ],
      [{ gateway }, { origin: "null" }],
      [{ gateway, formToken: "x" }, { origin: "null" }],
      [{ gateway, formToken: formTokenIn(await pages.get((await shop.addLink()).path)) }, { origin: "null" }],
      [{ gateway }, { "sec-fetch-site": "cross-site" }],
    ];
    for (const [fields, headers] of strangers) {
      const page = await pages.post(path, fields, headers);
      assert.equal(page.status, 403, JSON.stringify(headers));
      assert.match(page.text, /role="alert"/);
      assert.match(page.text, /<form/, "the payer may send it again");
    }
    assert.equal(await attempts(link.id), 0);
    for (const origin of [pages.baseUrl, pages.baseUrl.replace("http:", "https:")])
      assert.equal((await pages.post(path, { gateway }, { origin })).status, 303, origin);
  });

  test("is limited to 120 submissions an address and page in 10 minutes; the 121st is the page with 429", async (t) => {
    stopClock(t);
    const { link, path } = await shop.addLink();
    const headers = { "x-forwarded-for": "192.0.2.44" };
    const statuses = await Promise.all(
      Array.from({ length: 121 }, async () => (await pages.post(path, { gateway: "x" }, headers)).status),
    );
    assert.deepEqual(statuses.sort(), [...Array<number>(120).fill(400), 429]);
    const limited = await pages.post(path, { gateway: shop.gateway.id }, headers);
    assert.equal(limited.status, 429);
    assert.ok(Number(limited.headers.get("retry-after")) > 0);
    assert.match(limited.text, /Too many attempts/);
    assert.match(limited.text, /<form/);
    assert.equal(await attempts(link.id), 0);
    assert.equal((await pages.post(path, { gateway: shop.gateway.id })).status, 303, "others are not");
    assert.equal((await pages.post((await shop.addLink()).path, { gateway: shop.gateway.id }, headers)).status, 303);
  });

  test("a gateway that refuses, or does not answer, brings the page back", async (t) => {
    const { path } = await shop.addLink();
    await standIn(t, pages, (_request, response) =>
      response
        .writeHead(422, { "content-type": "application/json" })
        .end('{"error":"x","message":"The secret reason"}'),
    );
    const refused = await pages.post(path, { gateway: shop.gateway.id });
    assert.equal(refused.status, 200);
    assert.match(refused.text, /Sandbox Pay did not take this payment/);
    assert.doesNotMatch(refused.text, /secret reason/);
    pages.setGatewayUrl("http://127.0.0.1:1");
    const unclear = await pages.post(path, { gateway: shop.gateway.id });
    assert.equal(unclear.status, 503);
    assert.equal(unclear.headers.get("retry-after"), "60");
    assert.match(unclear.text, /Sandbox Pay does not answer/);
    const rows = await pages.query<{ status: string }>(
      "select t.status from transactions t join payment_links l on l.id = t.payment_link_id where l.title = 'Order 1042' and t.checkout_ref is null and t.organisation_id = $1 order by t.id desc limit 2",
      shop.organisation.id,
    );
    assert.deepEqual(
      rows.map(({ status }) => status),
      ["pending", "failed"],
    );
  });
});
