import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openPages, type PageMerchant, standIn, type TestPages } from "../../../../test/support/pages.ts";
import type { TransactionId } from "../../../kernel/ids.ts";
import { HANDOFF_COLUMN, recordHandoff } from "../../../modules/payments/store/handoffs.ts";
import { machineNow } from "../../../platform/machine-clock.ts";

let pages: TestPages;
let shop: PageMerchant;
before(async () => {
  pages = await openPages();
  shop = await pages.addMerchant();
});
after(() => pages.close());

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
    assert.match(page.text, /name="b" value="2"><input type="hidden" name="a" value="&lt;1&gt;">/);
    assert.match(page.headers.get("content-security-policy") ?? "", /form-action [^;]*https:\/\/gateway\.example/);
    await pages.choose(gatewayPath, "complete");
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
      const back = await pages.get(await pages.choose(gatewayPath, outcome));
      assert.deepEqual([back.status, back.location], [303, `${returnUrl}&reference=${reference}&status=${expected}`]);
    });

  test("a refunded payment is shown as paid", async () => {
    const { path } = await shop.addLink({ returnUrl });
    const { gatewayPath, reference } = await shop.start(path);
    const back = await pages.choose(gatewayPath, "complete");
    for (const status of ["partially_refunded", "refunded"]) {
      await pages.query("update transactions set status = $1 where reference = $2", status, reference);
      assert.match((await pages.get(back)).location, /status=complete$/);
    }
  });

  test("pending: the page reloads, with and without script, and the gateway is asked at intervals", async (t) => {
    const { path } = await shop.addLink({ returnUrl });
    const { reference } = await shop.start(path);
    let asked = 0;
    await standIn(t, pages, (_request, response) => {
      asked += 1;
      response.writeHead(404).end();
    });
    const looks = await Promise.all(Array.from({ length: 8 }, () => pages.get(`${path}/result/${reference}`)));
    for (const page of looks) {
      assert.deepEqual([page.status, page.heading], [200, "Waiting for confirmation"]);
      assert.match(page.text, /<noscript><meta http-equiv="refresh" content="3">/);
      assert.match(page.text, /data-status="pending" data-poll="3"/);
    }
    assert.ok(asked === 1 || asked === 2, `asked ${asked} times: two windows may meet`);
  });

  test("pending: the gateway's outcome is found without its notification", async () => {
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

  test("cancelled by the payer, unless the gateway reports otherwise", async () => {
    const { path } = await shop.addLink({ returnUrl });
    const first = await shop.start(path);
    const cancelled = await pages.get(`${path}/cancel/${first.reference}`);
    assert.equal(cancelled.location, `${returnUrl}&reference=${first.reference}&status=cancelled`);
    assert.equal(await pages.statusOf(first.reference), "cancelled");
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

  test("cancelled while the gateway gives no clear answer: it is asked once in a while, however often the page is opened", async (t) => {
    const { path } = await shop.addLink({ returnUrl });
    const { reference } = await shop.start(path);
    let asked = 0;
    await standIn(t, pages, (_request, response) => {
      asked += 1;
      response.writeHead(400).end();
    });
    const looks = await Promise.all(Array.from({ length: 8 }, () => pages.get(`${path}/cancel/${reference}`)));
    for (const page of looks) assert.deepEqual([page.status, page.heading], [200, "Waiting for confirmation"]);
    assert.equal(await pages.statusOf(reference), "pending");
    assert.ok(asked === 1 || asked === 2, `asked ${asked} times: two windows may meet`);
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
    assert.equal(await pages.statusOf(reference), "pending");
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
    assert.equal(await pages.statusOf(reference), "pending");
  });
});
