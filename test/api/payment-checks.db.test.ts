import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { checkPayment } from "../../src/flows/payments/check-payment.ts";
import { returnFromGateway } from "../../src/flows/payments/return-from-gateway.ts";
import type { ApiMerchant } from "../support/api.ts";
import { notify, reportedPayment } from "../support/payments.ts";
import { setUpStartedPayments } from "../support/started-payments.ts";

const started = setUpStartedPayments();
const { addShop, shown, events, idOf, nextCheckOf } = started;

describe("asking about a payment left pending (docs/architecture.md, The path of a payment)", () => {
  async function pending() {
    const shop = await addShop();
    const reference = await started.started(shop);
    const ask = async () =>
      (await checkPayment(started.api.services, await shop.ctx(), await idOf(reference)))?.toISOString() ?? null;
    return { shop, reference, ask };
  }
  const answer = (reference: string, status: "pending" | "complete" | "failed" | "cancelled", facts = {}) =>
    started.gateway.replies.set("GET payments", () => ({
      status: 200,
      json: reportedPayment(reference, status, facts),
    }));

  for (const status of ["complete", "failed", "cancelled"] as const)
    test(`${status}: it ends so, once, and is not asked about again`, async () => {
      const { shop, reference, ask } = await pending();
      answer(reference, status);
      assert.deepEqual(await Promise.all([ask(), ask(), ask()]), [null, null, null]);
      assert.equal((await shown(shop, reference))["status"], status);
      assert.deepEqual(await events(reference), [`payment.${status}`]);
      assert.equal(await nextCheckOf(reference), null);
    });

  test("pending, unknown or unclear: it stays, and is asked about later", async () => {
    const { shop, reference, ask } = await pending();
    answer(reference, "pending");
    assert.equal(await ask(), "2027-03-01T10:01:00.000Z");
    started.gateway.replies.delete("GET payments");
    assert.equal(await ask(), "2027-03-01T10:01:00.000Z");
    started.gateway.replies.set("GET payments", () => "hang up");
    assert.equal(await ask(), "2027-03-01T10:01:00.000Z");
    assert.equal((await shown(shop, reference))["status"], "pending");
  });

  test("an answer about other money is flagged, not applied, and asked about again", async () => {
    const { shop, reference, ask } = await pending();
    answer(reference, "complete", { amount: 1 });
    assert.equal(await ask(), "2027-03-01T10:01:00.000Z");
    const { status, flags } = await shown(shop, reference);
    assert.deepEqual([status, flags], ["pending", ["notification_mismatch"]]);
  });

  test("an answer about another payment changes neither, and counts as no answer", async () => {
    const { shop, reference, ask } = await pending();
    const other = await started.started(shop);
    started.gateway.replies.set("GET payments", () => ({ status: 200, json: reportedPayment(other, "complete") }));
    assert.equal(await ask(), "2027-03-01T10:01:00.000Z");
    for (const each of [reference, other]) assert.equal((await shown(shop, each))["status"], "pending");
  });

  test("an answer about other money: cancelled after three days, and flagged; the right money completes it after all", async () => {
    const { shop, reference, ask } = await pending();
    answer(reference, "complete", { amount: 1 });
    await shop.change({ clock_at: "2027-03-04T09:59:59Z" });
    assert.notEqual(await ask(), null);
    await shop.change({ clock_at: "2027-03-04T10:00:00Z" });
    assert.equal(await ask(), null);
    const { status, flags } = await shown(shop, reference);
    assert.deepEqual([status, flags], ["cancelled", ["notification_mismatch"]]);
    await notify(started.api, shop.account, { payment: reportedPayment(reference, "complete") });
    assert.equal((await shown(shop, reference))["status"], "complete");
  });

  test("given up after three days: cancelled, unless the gateway does not answer; a late success replaces it", async () => {
    const { shop, reference, ask } = await pending();
    await shop.change({ clock_at: "2027-03-04T09:59:59Z" });
    assert.notEqual(await ask(), null);
    await shop.change({ clock_at: "2027-03-04T10:00:00Z" });
    started.gateway.replies.set("GET payments", () => "hang up");
    assert.notEqual(await ask(), null);
    assert.equal((await shown(shop, reference))["status"], "pending", "no answer is no word");
    started.gateway.replies.delete("GET payments");
    assert.equal(await ask(), null);
    assert.equal((await shown(shop, reference))["status"], "cancelled");
    await notify(started.api, shop.account, { payment: reportedPayment(reference, "complete") });
    assert.equal((await shown(shop, reference))["status"], "complete");
    assert.deepEqual(await events(reference), ["payment.cancelled", "payment.complete"]);
  });

  /** The payer opens the cancel page. */
  const cancel = async (shop: ApiMerchant, reference: string) =>
    (await returnFromGateway(started.api.services, await shop.ctx(), reference, true))?.status;

  test("cancelled by the payer: asked about further, until the gateway's word or for three days", async () => {
    for (const [word, status] of [
      ["complete", "complete"],
      ["failed", "failed"],
      ["cancelled", "cancelled"],
    ] as const) {
      started.gateway.replies.delete("GET payments");
      const { shop, reference, ask } = await pending();
      assert.equal(await cancel(shop, reference), "cancelled");
      assert.equal(await nextCheckOf(reference), "2027-03-01T10:01:00.000Z");
      assert.equal(await ask(), "2027-03-01T10:01:00.000Z", "the gateway does not know it yet");
      answer(reference, word);
      assert.equal(await ask(), null);
      assert.equal((await shown(shop, reference))["status"], status);
      assert.equal(await nextCheckOf(reference), null);
    }
    for (const unclear of [false, true]) {
      started.gateway.replies.delete("GET payments");
      const { shop, reference, ask } = await pending();
      assert.equal(await cancel(shop, reference), "cancelled");
      if (unclear) started.gateway.replies.set("GET payments", () => "hang up");
      await shop.change({ clock_at: "2027-03-04T09:59:59Z" });
      assert.notEqual(await ask(), null);
      await shop.change({ clock_at: "2027-03-04T10:00:00Z" });
      assert.equal(await ask(), null);
      assert.deepEqual(await events(reference), ["payment.cancelled"]);
    }
  });

  test("the cancel page leaves a payment pending while the gateway's answer is unclear or does not fit", async () => {
    const { shop, reference } = await pending();
    started.gateway.replies.set("GET payments", () => "hang up");
    assert.equal(await cancel(shop, reference), "pending");
    answer(reference, "complete", { amount: 1 });
    assert.equal(await cancel(shop, reference), "pending");
    assert.deepEqual(await events(reference), []);
    assert.equal(await nextCheckOf(reference), "2027-03-01T10:01:00.000Z");
    answer(reference, "cancelled");
    assert.equal(await cancel(shop, reference), "cancelled");
    assert.equal(await nextCheckOf(reference), null, "the gateway's own word is final");
  });
});
