import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, before, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import { mailsOf } from "../support/mails.ts";
import { closeVerified } from "../support/verified.ts";

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

test("a genuine notification of an unknown form is kept, answered 200, and mailed to staff once for each event", async () => {
  const shop = await api.addMerchant();
  const staff = await shop.signIn();
  const webhookSecret = "whsec_example";
  const { id } = await shop.addGateway({ type: "stripe", credentials: { secretKey: "sk_test_x", webhookSecret } });
  const send = (type: string, secret = webhookSecret) => {
    const body = JSON.stringify({ id: "evt_1", type, created: 1_700_000_000, data: { object: { strange: true } } });
    const t = Math.floor(Date.now() / 1000);
    const v1 = createHmac("sha256", secret).update(`${t}.${body}`).digest("hex");
    const headers = { "stripe-signature": `t=${t},v1=${v1}`, "content-type": "application/json" };
    return api.call("POST", `/api/webhooks/stripe?account=${id}`, { body, headers });
  };
  const answers = [await send("invoice.paid"), await send("invoice.paid"), await send("refund.updated")];
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200],
  );
  assert.equal((await send("invoice.paid", "whsec_other")).status, 400);
  const kept = await api.query(
    "select fact, outcome, problem from gateway_notifications where gateway_account_id = $1",
    id,
  );
  assert.equal(kept.length, 3);
  assert.deepEqual(kept[0], {
    fact: { about: "unread", gatewayWord: "invoice.paid" },
    outcome: "unknown_reference",
    problem: "The object of invoice.paid cannot be read.",
  });
  const mails = await mailsOf(api.services, shop.organisation, { kind: "staff_alert" });
  assert.deepEqual(
    mails.map(({ subject }) => /a gateway notification was not understood/.test(subject ?? "")),
    [true, true],
  );
  const health = await staff<{ notifications: { unknown: number } }>("GET", `/gateways/${id}/health`);
  assert.equal(health.body.notifications.unknown, 3);
});
