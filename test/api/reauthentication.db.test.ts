import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import { openInvoicing } from "../support/invoices.ts";
import { openStandIn, type StandIn } from "../support/payments.ts";
import { closeVerified } from "../support/verified.ts";

/* decisions.md#reauthentication-before-the-key: who moves more than the limit has signed in within five minutes. */

let gateway: StandIn;
let api: TestApi;
before(async () => {
  gateway = await openStandIn();
  api = await openApi({ GATEWAY_URL_SANDBOX: gateway.url });
});
after(() => closeVerified(api).finally(() => gateway.close()));

/** Makes every session as old as this. */
const age = (minutes: number) =>
  api.query(`update identity.session set created_at = now() - make_interval(mins => $1)`, minutes);

describe("a change that moves much", () => {
  test("is asked for a fresh sign-in above the limit alone, and happens once under its key afterwards", async () => {
    const shop = await openInvoicing(api);
    const staff = await shop.merchant.signIn();
    const reference = await shop.payOnline((await shop.owe(500)).id, 500);
    const refund = (amount: number | undefined, key: string) =>
      staff("POST", `/transactions/${reference}/refunds`, { method: "manual", amount }, { "idempotency-key": key });
    await age(60);
    assert.equal((await refund(10, "before-the-limit")).status, 201, "nothing is asked without a limit");
    await age(0);
    assert.equal((await staff("PATCH", "/settings", { reauthenticationLimit: 100 })).status, 200);
    await age(6);
    for (const amount of [100.01, undefined]) {
      const refused = await refund(amount, `above-${amount}`);
      assert.deepEqual([refused.status, refused.body["error"]], [403, "reauthentication_required"]);
    }
    assert.equal((await refund(100, "at-the-limit")).status, 201);
    await age(4);
    assert.equal((await refund(100.01, "above-100.01")).status, 201, "the refusal is not kept under the key");
    const refunds = await api.query("select amount_cents::int as cents from refunds order by id");
    assert.deepEqual(refunds, [{ cents: 1000 }, { cents: 10_000 }, { cents: 10_001 }]);
  });

  test("that is refused anyway has its refusal kept under the key, as any other", async () => {
    const shop = await openInvoicing(api);
    const staff = await shop.merchant.signIn();
    assert.equal((await staff("PATCH", "/settings", { reauthenticationLimit: 0 })).status, 200);
    await age(6);
    const invoice = await shop.owe(500);
    const send = () =>
      staff(
        "POST",
        `/invoices/${invoice.id}/payments`,
        { amount: -1, method: "eft" },
        { "idempotency-key": "refused" },
      );
    const [first, again] = [await send(), await send()];
    assert.deepEqual([first.status, again.status], [400, 400]);
    assert.equal(again.headers["idempotent-replayed"], "true");
  });

  test("is a recorded payment, a cancellation, a credit note and a change of the limit too; API keys are not asked", async () => {
    const shop = await openInvoicing(api);
    const staff = await shop.merchant.signIn();
    const invoice = await shop.owe(500);
    await staff("PATCH", "/settings", { reauthenticationLimit: 0 });
    await age(6);
    for (const [method, path, body] of [
      ["POST", `/invoices/${invoice.id}/payments`, { amount: 1, method: "eft" }],
      ["POST", `/invoices/${invoice.id}/cancel`, { reason: "Twice" }],
      ["POST", "/credit-notes", { customerId: shop.customerId, amount: 1, reason: "Sorry" }],
      ["PATCH", "/settings", { reauthenticationLimit: null }],
    ] as const) {
      const refused = await staff(method, path, body);
      assert.deepEqual([refused.status, refused.body["error"]], [403, "reauthentication_required"], path);
    }
    assert.equal((await staff("PATCH", "/settings", { dueDays: 7 })).status, 200);
    assert.equal((await shop.payOffline(invoice.id, 500)).status, 201);
    await age(0);
    assert.equal((await staff("PATCH", "/settings", { reauthenticationLimit: null })).status, 200);
  });

  test("has a limit that is an amount, or none", async () => {
    const staff = await (await api.addMerchant()).signIn();
    for (const reauthenticationLimit of [-1, 0.001, "100", 1e12])
      assert.equal(
        (await staff("PATCH", "/settings", { reauthenticationLimit })).status,
        400,
        String(reauthenticationLimit),
      );
    assert.equal((await staff("GET", "/settings")).body["reauthenticationLimit"], null);
  });
});
