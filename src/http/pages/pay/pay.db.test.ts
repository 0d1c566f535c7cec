import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, type TestContext, test } from "node:test";
import { formTokenIn, openPages, type PageMerchant, type TestPages } from "../../../../test/support/pages.ts";
import { changeSettings } from "../../../flows/organisations/settings.ts";
import type { TransactionId } from "../../../kernel/ids.ts";
import { machineNow } from "../../../kernel/time.ts";
import { deactivatePaymentLink } from "../../../modules/payment-links/store.ts";
import { HANDOFF_COLUMN, recordHandoff } from "../../../modules/payments/store.ts";

let pages: TestPages;
let shop: PageMerchant;
before(async () => {
  pages = await openPages();
  shop = await pages.addMerchant();
});
after(() => pages.close());

/** A gateway in place of the sandbox's own side, until the test ends. */
async function standIn(t: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.close();
    pages.setGatewayUrl(null);
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The payer's choice on the sandbox gateway's page, then the page they come back to. */
async function choose(gatewayPath: string, outcome: string): Promise<string> {
  const { status, location } = await pages.post(gatewayPath, { outcome });
  assert.equal(status, 303);
  return location;
}
const statusOf = async (reference: string): Promise<string | undefined> =>
  (await pages.query<{ status: string }>("select status from transactions where reference = $1", reference))[0]?.status;
const attempts = async (linkId: string): Promise<number> =>
  (
    await pages.query<{ n: number }>("select count(*)::int as n from transactions where payment_link_id = $1", linkId)
  )[0]?.n ?? -1;

describe("the pay page", () => {
  test("says what is paid, to whom, and how; asks for an address only because none is known", async () => {
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

  test("wears the merchant's colours", async () => {
    const merchant = await pages.addMerchant();
    await pages.services.db.transaction(merchant.organisation.id, async (tx) => {
      const branding = { companyName: "Karoo & Sons", accentColour: "#b4431f", supportEmail: "help@karoo.example" };
      await changeSettings(tx, await merchant.ctx(), { branding });
    });
    const page = await pages.get((await merchant.addLink()).path);
    assert.match(page.text, /Karoo &#38; Sons/);
    assert.match(page.text, /\/assets\/accent-b4431f\.css/);
    assert.match(page.text, /mailto:help@karoo\.example/);
  });

  test("carries the headers of a capability", async () => {
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

  test("a token changed in any character is 404, and says no more than one that never was", async () => {
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

  test("answers to GET and POST only", async () => {
    const { path } = await shop.addLink();
    for (const method of ["PUT", "PATCH", "DELETE"]) {
      const { status, headers } = await pages.request(method, path);
      assert.deepEqual([status, headers.get("allow")], [405, "GET, POST"]);
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
        await choose((await merchant.start(path)).gatewayPath, "complete");
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
  test("leads to the gateway by 303, and back to a result that is verified", async () => {
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
    assert.equal(sent.headers.get("referrer-policy"), "no-referrer");
    const [row] = await pages.query<{ reference: string; status: string; payer_email: string }>(
      "select reference, status, payer_email from transactions where payment_link_id = $1",
      link.id,
    );
    assert.deepEqual([row?.status, row?.payer_email], ["pending", "payer@example.co.za"]);
    const back = await choose(new URL(sent.location).pathname, "complete");
    assert.equal(back, `${pages.baseUrl}${path}/result/${row?.reference}`);
    assert.equal(await statusOf(row?.reference ?? ""), "complete", "known before the payer is back");
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
      const back = await choose(gatewayPath, outcome);
      assert.equal(back, `${pages.baseUrl}${path}/${outcome === "failed" ? "result" : "cancel"}/${reference}`);
      const result = await pages.get(back);
      assert.equal(result.heading, heading);
      assert.match(result.text, new RegExp(`href="${path}">Try again`));
      assert.equal((await pages.get(path)).heading, "Order 1042");
    });

  test("a receipt is promised where mail is sent", async () => {
    pages.setMail(true);
    const { path } = await shop.addLink({ customerEmail: "receipts@example.co.za" });
    const { gatewayPath } = await shop.start(path);
    const result = await pages.get(await choose(gatewayPath, "complete"));
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

  test("is limited to 15 submissions an address and page in 10 minutes; the 16th is the page with 429", async () => {
    const { link, path } = await shop.addLink();
    const headers = { "x-forwarded-for": "192.0.2.44" };
    const statuses = await Promise.all(
      Array.from({ length: 16 }, async () => (await pages.post(path, { gateway: "x" }, headers)).status),
    );
    assert.deepEqual(statuses.sort(), [...Array<number>(15).fill(400), 429]);
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
    const refusing = createServer((_request, response) =>
      response
        .writeHead(422, { "content-type": "application/json" })
        .end('{"error":"x","message":"The secret reason"}'),
    ).listen(0, "127.0.0.1");
    t.after(() => {
      refusing.close();
      pages.setGatewayUrl(null);
    });
    await new Promise((resolve) => refusing.once("listening", resolve));
    pages.setGatewayUrl(`http://127.0.0.1:${(refusing.address() as AddressInfo).port}`);
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

describe("a form that goes to the gateway", () => {
  const seal = async (merchant: PageMerchant, reference: string) => {
    const { services } = pages;
    const form = {
      action: "https://gateway.example/process",
      fields: [
        ["b", "2"],
        ["a", "<1>"],
      ],
    };
    const sealed = services.secrets.seal(JSON.stringify(form), {
      organisation: merchant.organisation.id,
      column: HANDOFF_COLUMN,
    });
    const [row] = await pages.query<{ id: TransactionId }>(
      "select id from transactions where reference = $1",
      reference,
    );
    await services.db.transaction(merchant.organisation.id, async (tx) =>
      recordHandoff(tx, row?.id ?? assert.fail(), { checkoutRef: null, sealed }),
    );
  };

  test("is handed over as it was made, while the payment is pending", async () => {
    const { path } = await shop.addLink();
    const { reference, gatewayPath } = await shop.start(path);
    assert.equal((await pages.get(`${path}/go/${reference}`)).status, 404, "this one goes by URL");
    await seal(shop, reference);
    const page = await pages.get(`${path}/go/${reference}`);
    assert.equal(page.status, 200);
    assert.match(page.text, /action="https:\/\/gateway\.example\/process" data-auto/);
    assert.match(page.text, /name="b" value="2"><input type="hidden" name="a" value="&#60;1&#62;">/);
    assert.match(page.headers.get("content-security-policy") ?? "", /form-action [^;]*https:\/\/gateway\.example/);
    await choose(gatewayPath, "complete");
    const late = await pages.get(`${path}/go/${reference}`);
    assert.deepEqual([late.status, late.location], [303, `${path}/result/${reference}`]);
  });

  test("belongs to its link", async () => {
    const { reference } = await shop.start((await shop.addLink()).path);
    await seal(shop, reference);
    assert.equal((await pages.get(`${(await shop.addLink()).path}/go/${reference}`)).status, 404);
  });
});

describe("coming back", () => {
  const returnUrl = "https://shop.example/back?order=1042&x=%20";

  for (const [outcome, expected] of [
    ["complete", "complete"],
    ["failed", "failed"],
    ["cancelled", "cancelled"],
  ] as const)
    test(`${outcome}: on to the merchant by 303 with reference and status`, async () => {
      const { path } = await shop.addLink({ returnUrl });
      const { gatewayPath, reference } = await shop.start(path);
      const back = await pages.get(await choose(gatewayPath, outcome));
      assert.deepEqual([back.status, back.location], [303, `${returnUrl}&reference=${reference}&status=${expected}`]);
    });

  test("a refunded payment was paid all the same", async () => {
    const { path } = await shop.addLink({ returnUrl });
    const { gatewayPath, reference } = await shop.start(path);
    const back = await choose(gatewayPath, "complete");
    for (const status of ["partially_refunded", "refunded"]) {
      await pages.query("update transactions set status = $1 where reference = $2", status, reference);
      assert.match((await pages.get(back)).location, /status=complete$/);
    }
  });

  test("pending: the page looks again, by script and without, and asks the gateway once in a while", async (t) => {
    const { path } = await shop.addLink({ returnUrl });
    const { reference } = await shop.start(path);
    let asked = 0;
    const gateway = await standIn(t, (_request, response) => {
      asked += 1;
      response.writeHead(404).end();
    });
    pages.setGatewayUrl(gateway);
    const looks = await Promise.all(Array.from({ length: 8 }, () => pages.get(`${path}/result/${reference}`)));
    for (const page of looks) {
      assert.deepEqual([page.status, page.heading], [200, "Waiting for confirmation"]);
      assert.match(page.text, /<noscript><meta http-equiv="refresh" content="3">/);
      assert.match(page.text, /data-status="pending" data-poll="3"/);
    }
    assert.ok(asked === 1 || asked === 2, `asked ${asked} times: two windows may meet`);
  });

  test("pending: what the gateway knows is found without its notification", async () => {
    const { path } = await shop.addLink({ returnUrl });
    const { reference, gatewayPath } = await shop.start(path);
    await pages.query("update gateway_accounts set name = 'Renamed' where id = $1", shop.gateway.id);
    await pages.query(
      "update sandbox_payments set status = 'complete', fee_cents = 100, decided_at = $1 where reference = $2",
      machineNow(),
      reference,
    );
    const back = await pages.get(`${path}/result/${reference}`);
    assert.equal(back.location, `${returnUrl}&reference=${reference}&status=complete`);
    assert.equal((await pages.get(gatewayPath)).heading, "This payment is complete");
  });

  test("cancelled by the payer, unless the gateway knows better", async () => {
    const { path } = await shop.addLink({ returnUrl });
    const first = await shop.start(path);
    const cancelled = await pages.get(`${path}/cancel/${first.reference}`);
    assert.equal(cancelled.location, `${returnUrl}&reference=${first.reference}&status=cancelled`);
    assert.equal(await statusOf(first.reference), "cancelled");
    const second = await shop.start(path);
    await pages.query(
      "update sandbox_payments set status = 'complete', fee_cents = 100, decided_at = $1 where reference = $2",
      machineNow(),
      second.reference,
    );
    const paid = await pages.get(`${path}/cancel/${second.reference}`);
    assert.match(paid.location, /status=complete$/);
    assert.match((await pages.get(`${path}/cancel/${second.reference}`)).location, /status=complete$/, "and stays so");
  });

  test("a gateway may send the payer back by POST, with anything in it", async () => {
    const { path } = await shop.addLink();
    const { reference } = await shop.start(path);
    for (const where of ["result", "cancel"])
      for (const type of [
        "application/x-www-form-urlencoded",
        "application/json",
        "text/plain",
        "multipart/form-data; boundary=x",
      ]) {
        const answer = await pages.post(`${path}/${where}/${reference}?status=complete`, "status=complete&x=%00", {
          "content-type": type,
          origin: "https://gateway.example",
        });
        assert.deepEqual([answer.status, answer.location], [303, `${path}/${where}/${reference}`]);
      }
    assert.equal(await statusOf(reference), "pending");
  });

  test("another link's payment, another organisation's, and none at all are 404", async () => {
    const mine = await shop.addLink();
    const { reference } = await shop.start((await shop.addLink()).path);
    const other = await pages.addMerchant();
    const theirs = await other.start((await other.addLink()).path);
    for (const wrong of [
      reference,
      theirs.reference,
      "TEFO-20261120-00000000",
      "%00",
      "x".repeat(300),
      "a%20b",
      "%F0%9F%93%9A",
    ])
      for (const where of ["result", "cancel", "go"])
        assert.equal((await pages.get(`${mine.path}/${where}/${wrong}`)).status, 404, `${where}/${wrong}`);
    assert.equal(await statusOf(reference), "pending");
  });
});
