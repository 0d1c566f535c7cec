import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import type { Payment } from "../../src/gateways/sandbox/wire.ts";
import { setUpPayments } from "../support/paying.ts";
import { CREDENTIALS, notify, reportedPayment } from "../support/payments.ts";

const payments = setUpPayments();
const { addLink, pending, notifyOf, shown, link, events, entries, outcomes } = payments;

describe("a notification that does not match the payment is kept and flagged, never applied", () => {
  const ODD: [string, Payment["status"], Partial<Payment>][] = [
    ["a cent less", "complete", { amount: 9_999 }],
    ["a cent more", "complete", { amount: 10_001 }],
    ["another currency", "complete", { currency: "USD" }],
    ["a hundredfold", "complete", { amount: 1_000_000 }],
    ["a decline of another amount", "failed", { amount: 9_999 }],
    ["a cancellation in another currency", "cancelled", { currency: "USD" }],
  ];
  for (const [name, status, facts] of ODD)
    test(`${name}: 200, still pending, and a correct notification is applied later`, async () => {
      const id = await addLink();
      const reference = await pending({ linkId: id });
      assert.equal((await notifyOf(reference, status, facts)).status, 200);
      const odd = await shown(reference);
      assert.deepEqual([odd["status"], odd["flags"], odd["paidAt"]], ["pending", ["notification_mismatch"], null]);
      assert.deepEqual(await events(reference), []);
      assert.equal(await entries(reference), 0);
      assert.deepEqual(await outcomes(reference), ["mismatch"]);
      assert.equal((await link(id))["active"], true);

      await notifyOf(reference, "complete");
      const paid = await shown(reference);
      assert.deepEqual([paid["status"], paid["flags"]], ["complete", ["notification_mismatch"]]);
      assert.equal((await events(reference)).length, 1);
    });

  test("reported twenty times it is flagged once", async () => {
    const reference = await pending();
    await Promise.all(Array.from({ length: 20 }, () => notifyOf(reference, "complete", { amount: 1 })));
    assert.deepEqual((await shown(reference))["flags"], ["notification_mismatch"]);
  });

  test("after the payment is complete it is flagged, and stays complete", async () => {
    const reference = await pending();
    await notifyOf(reference, "complete");
    await notifyOf(reference, "complete", { amount: 1 });
    const { status, flags } = await shown(reference);
    assert.deepEqual([status, flags], ["complete", ["notification_mismatch"]]);
    assert.equal(await entries(reference), 1);
  });

  test("reported by another account of the organisation", async () => {
    const second = await payments.shop.addGateway({ type: "sandbox_cancel_only", credentials: CREDENTIALS });
    const reference = await pending();
    assert.equal((await notify(payments.api, second, { payment: reportedPayment(reference, "complete") })).status, 200);
    const { status, flags } = await shown(reference);
    assert.deepEqual([status, flags], ["pending", ["notification_mismatch"]]);
  });

  test("reported by another organisation's account: its own reference is unknown there", async () => {
    const other = await payments.api.addMerchant();
    const theirs = await other.addGateway({ credentials: CREDENTIALS });
    const reference = await pending();
    assert.equal((await notify(payments.api, theirs, { payment: reportedPayment(reference, "complete") })).status, 200);
    const { status, flags } = await shown(reference);
    assert.deepEqual([status, flags], ["pending", []]);
    assert.deepEqual(await outcomes(reference), ["unknown_reference"]);
  });

  test("a notification with an unknown reference is kept", async () => {
    assert.equal((await notifyOf("TEFO-20270101-NOBODY00", "complete")).status, 200);
    assert.deepEqual(await outcomes("TEFO-20270101-NOBODY00"), ["unknown_reference"]);
  });
});

describe("a notification that is not authentic is refused", () => {
  let reference: string;
  before(async () => {
    reference = await pending();
  });
  const body = () =>
    JSON.stringify({
      id: "sbn_1",
      merchantId: CREDENTIALS.merchantId,
      type: "payment",
      payment: reportedPayment(reference, "complete"),
    });
  const post = (query: string, headers = {}, text = body(), type = "sandbox") =>
    payments.api.call("POST", `/api/webhooks/${type}${query}`, { body: text, headers });

  test("400: no signature, another secret, another body, words", async () => {
    const query = `?account=${payments.account.id}`;
    const statuses = [
      await post(query),
      await notify(
        payments.api,
        payments.account,
        { payment: reportedPayment(reference, "complete") },
        "another-secret-of-an-account",
      ),
      await post(query, { "sandbox-signature": `t=${Math.floor(Date.now() / 1000)},v1=${"0".repeat(64)}` }),
      await post(query, { "sandbox-signature": "\u00ff" }),
      await post(query, {}, "hello"),
      await post(query, {}, ""),
    ].map(({ status }) => status);
    assert.deepEqual(new Set(statuses), new Set([400]));
  });

  test("404: no account, an unknown account, one of another type, an unknown type", async () => {
    const other = await payments.shop.addGateway({ type: "sandbox_cancel_only", credentials: CREDENTIALS });
    for (const [query, type] of [
      ["", "sandbox"],
      ["?account=", "sandbox"],
      ["?account=gw_00000000000000000000000000", "sandbox"],
      ["?account=%00", "sandbox"],
      [`?account=${other.id}`, "sandbox"],
      [`?account=${payments.account.id}`, "payfast"],
      [`?account=${payments.account.id}&account=${payments.account.id}`, "sandbox"],
    ] as const)
      assert.equal((await post(query, {}, body(), type)).status, 404, `${type}${query}`);
  });

  test("nothing moved, and nothing is kept", async () => {
    assert.equal((await shown(reference))["status"], "pending");
    assert.deepEqual(await outcomes(reference), []);
  });
});
