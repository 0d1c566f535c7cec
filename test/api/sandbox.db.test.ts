import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { freePort } from "../../src/app/listen.ts";
import { RECORDS } from "../../src/catalogue.ts";
import { registerNotifications } from "../../src/http/notifications.ts";
import { registerPayPages } from "../../src/http/pages/pay/routes.ts";
import { auditLogEndpoints } from "../../src/http/resources/audit-log.ts";
import { gatewayEndpoints } from "../../src/http/resources/gateways.ts";
import { paymentLinkEndpoints } from "../../src/http/resources/payment-links.ts";
import { sandboxEndpoints } from "../../src/http/resources/sandbox.ts";
import { transactionEndpoints } from "../../src/http/resources/transactions.ts";
import { registerSandboxApi } from "../../src/http/sandbox-gateway/routes.ts";
import { addMerchant, dataOf, issuePath, type Merchant, openMerchant } from "../support/merchant.ts";

describe("POST /sandbox/notify", () => {
  let merchant: Merchant;
  let baseUrl: string;
  before(async () => {
    const resources = [
      sandboxEndpoints,
      gatewayEndpoints,
      paymentLinkEndpoints,
      transactionEndpoints,
      auditLogEndpoints(RECORDS),
    ];
    const endpoints = resources.flat();
    const port = await freePort("127.0.0.1");
    baseUrl = `http://127.0.0.1:${port}`;
    merchant = await openMerchant(endpoints, { sandbox: true }, { baseUrl });
    const { app, services } = merchant.dashboard;
    Object.assign(services, { gatewayUrl: () => baseUrl });
    const options = { trustedProxies: 0, ipRateLimit: 1000 };
    registerPayPages(app, services, options);
    registerNotifications(app, services, options);
    registerSandboxApi(app, services);
    await app.listen({ host: "127.0.0.1", port });
    for (const type of ["sandbox_cancel_only", "sandbox"])
      assert.equal((await merchant.call("POST", "/gateways", { type })).status, 201);
  });
  after(() => merchant.close());

  /** Starts a payment; the payer is on the gateway's page. */
  async function start(): Promise<{ link: string; reference: string }> {
    const { body: link } = await merchant.call("POST", "/payment-links", { title: "Order", amount: 120 });
    const page = await (await fetch(String(link["url"]))).text();
    const [, formToken = ""] = /name="formToken" value="([^"]+)"/.exec(page) ?? [];
    const gateway = dataOf(await merchant.call("GET", "/gateways?q=sandbox")).at(-1)?.["id"];
    const posted = await fetch(String(link["url"]), {
      method: "POST",
      redirect: "manual",
      body: new URLSearchParams({ gateway: String(gateway), formToken }),
    });
    assert.equal(posted.status, 303, await posted.text());
    const [payment] = await payments(link["id"]);
    return { link: String(link["id"]), reference: String(payment?.reference) };
  }
  const payments = async (link: unknown) =>
    (await merchant.call("GET", `/payment-links/${link}`)).body["payments"] as { reference: string; status: string }[];
  const notify = (body: object, as = merchant) => as.call("POST", "/sandbox/notify", body);

  test("reports over HTTP, several times at once, with effect once", async () => {
    const { link, reference } = await start();
    const sent = await notify({ reference, status: "complete", times: 5 });
    assert.deepEqual(
      [sent.status, sent.body],
      [200, { reference, status: "complete", answers: [200, 200, 200, 200, 200] }],
    );
    const { body } = await merchant.call("GET", `/payment-links/${link}`);
    assert.deepEqual([body["paidCount"], body["active"]], [1, false]);
    assert.deepEqual(
      (await payments(link)).map(({ status }) => status),
      ["complete"],
    );
    const [entry] = dataOf(await merchant.call("GET", `/audit-log?subject=${reference}`));
    assert.equal(entry?.["action"], "POST /sandbox/notify");
  });

  test("late and contradictory notifications are sent, once by default", async () => {
    const { link, reference } = await start();
    const status = async () => (await payments(link))[0]?.status;
    assert.deepEqual((await notify({ reference, status: "pending" })).body["answers"], [200]);
    assert.equal(await status(), "pending");
    assert.deepEqual((await notify({ reference, status: "failed" })).body["answers"], [200]);
    assert.equal(await status(), "failed");
    assert.deepEqual((await notify({ reference, status: "complete" })).body["answers"], [200]);
    assert.equal(await status(), "complete");
    assert.deepEqual((await notify({ reference, status: "cancelled" })).body["answers"], [200]);
    assert.equal(await status(), "complete");
  });

  test("a payment that the gateway has under its own id only is found by its transaction's reference", async () => {
    const { link, reference } = await start();
    assert.equal((await notify({ reference, status: "complete" })).status, 200);
    const { db } = merchant.dashboard.services;
    // As of a renewal: its reference is the service's own, which the gateway was never given.
    const renewal = reference.replace(/.$/, "X");
    await db.transaction(merchant.organisation.id, async (tx) => {
      tx.queue`
        update transactions set reference = ${renewal} where organisation_id = ${tx.organisation} and reference = ${reference}`;
      tx.queue`
        update sandbox_payments set reference = 'unknown' where organisation_id = ${tx.organisation} and reference = ${reference}`;
    });
    const sent = await notify({ reference: renewal, status: "complete", times: 2 });
    assert.deepEqual([sent.status, sent.body["answers"]], [200, [200, 200]]);
    assert.equal((await payments(link))[0]?.status, "complete");
  });

  test("a dispute takes back a payment that is complete, once, and no other", async () => {
    const { reference } = await start();
    const early = await notify({ reference, status: "disputed" });
    assert.deepEqual([early.status, issuePath(early)], [400, ["status"]]);
    await notify({ reference, status: "complete" });
    const sent = await notify({ reference, status: "disputed", times: 3 });
    assert.deepEqual([sent.status, sent.body], [200, { reference, status: "disputed", answers: [200, 200, 200] }]);
    const { body } = await merchant.call("GET", `/transactions/${reference}`);
    const taken = { amount: 120, reason: "The payer disputed the payment at the bank.", code: "disputed" };
    assert.partialDeepStrictEqual(body, { status: "complete", reversals: [taken] });
    assert.equal((body["reversals"] as object[]).length, 1);
  });

  const REFUSED: [string, object, number, unknown][] = [
    ["an unknown reference", { reference: "TEFO-20260101-00000000", status: "complete" }, 404, undefined],
    ["no reference", { status: "complete" }, 400, ["reference"]],
    ["a status that is none", { reference: "a", status: "refunded" }, 400, ["status"]],
    ["no times", { reference: "a", status: "failed", times: 0 }, 400, ["times"]],
    ["too many times", { reference: "a", status: "failed", times: 51 }, 400, ["times"]],
    ["half a time", { reference: "a", status: "failed", times: 1.5 }, 400, ["times"]],
  ];
  for (const [what, body, status, path] of REFUSED)
    test(`${what}: ${status}`, async () => {
      const answer = await notify(body);
      assert.deepEqual([answer.status, issuePath(answer)], [status, path]);
    });

  test("is for sandbox organisations, their own payments and those who may", async () => {
    const { reference } = await start();
    const body = { reference, status: "complete" };
    const live = await notify(body, await addMerchant(merchant.dashboard));
    assert.deepEqual([live.status, live.body["error"]], [403, "permission_required"]);
    assert.equal((await notify(body, await addMerchant(merchant.dashboard, { sandbox: true }))).status, 404);
    assert.equal((await merchant.call("POST", "/sandbox/notify", body, "support")).status, 403);
  });
});
