import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { addClockedMerchant, callAs } from "../../../test/support/clocked-merchant.ts";
import { openPages, type PageMerchant, type TestPages } from "../../../test/support/pages.ts";
import { notifyUrlOf } from "../../flows/gateways/accounts.ts";
import { settleCharge } from "../../flows/sandbox-gateway/settle-charge.ts";
import type { ChargeRequest, GatewayCall, RefundRequest } from "../../gateways/contract.ts";
import { sandbox } from "../../gateways/sandbox/adapter.ts";
import { cents } from "../../kernel/money.ts";

// A Thursday; the second business day after it is Monday the 23rd.
const NOW = "2026-11-19T10:00:00.000Z";
const BEFORE_DAY = "2026-11-22T21:59:59.000Z";
const ON_DAY = "2026-11-22T22:00:00.000Z";

let pages: TestPages;
before(async () => {
  pages = await openPages();
});
after(() => pages.close());

const token = (last4: string, prefix = "sct") => `${prefix}_${"0".repeat(24)}_${last4}`;
const request = (merchant: PageMerchant, reference: string, changes: Partial<ChargeRequest> = {}): ChargeRequest => ({
  reference,
  card: { token: token("4242"), brand: "visa", last4: "4242" },
  amount: cents(10_000),
  currency: "ZAR",
  description: "Membership",
  payer: { email: "p@example.com", firstName: null, lastName: null, phone: null },
  notifyUrl: notifyUrlOf(pages.services, merchant.gateway),
  ...changes,
});
const withToken = (token: string) => ({ card: { token, brand: "visa", last4: "4242" } }) as const;
const callOf = (merchant: PageMerchant, gateway = merchant.gateway) => callAs(pages, merchant, gateway);
const identityOf = ({ reference, amount, currency }: ChargeRequest, call: GatewayCall) => ({
  reference,
  amount,
  currency,
  checkoutRef: null,
  providerRef: null,
  startedAt: call.now,
});
const { charge, query } = sandbox.storedCards ?? assert.fail();

describe("a charge by token", () => {
  const ENDS: [string, string, object][] = [
    ["4242", "paid", { fee: 390, amount: 10_000, currency: "ZAR" }],
    ["4444", "paid", { fee: 390 }],
    ["0341", "declined", { gatewayWord: "declined", hard: false }],
    ["9979", "declined", { gatewayWord: "card_token_error", hard: true }],
  ];
  for (const [last4, kind, facts] of ENDS)
    test(`of card ${last4} is pending, then ${kind} on the second business day`, async () => {
      const shop = await addClockedMerchant(pages, NOW);
      const call = await callOf(shop);
      const asked = request(shop, `TEFOC-${last4}`, withToken(token(last4)));
      const answered = await charge(asked, call);
      assert.partialDeepStrictEqual(answered, { kind: "pending", reference: asked.reference, amount: 10_000 });
      assert.match(answered.providerRef ?? "", /^sbp_[0-9a-f]{24}$/);
      await shop.move(BEFORE_DAY);
      assert.deepEqual(await shop.told(), []);
      assert.partialDeepStrictEqual(await query(identityOf(asked, call), call), { kind: "pending" });
      assert.equal((await shop.move(ON_DAY))["sandbox.settle"], 1);
      const [told, ...more] = await shop.told();
      assert.deepEqual(more, []);
      const expected = {
        kind,
        reference: asked.reference,
        providerRef: answered.providerRef,
        occurredAt: ON_DAY,
        ...facts,
      };
      assert.partialDeepStrictEqual(told, expected);
      assert.partialDeepStrictEqual(await query(identityOf(asked, call), call), { kind, ...facts });
      assert.deepEqual(await shop.move("2027-01-31T10:00:00Z"), {}, "nothing more comes of it");
    });

  test("of a subscription's token is settled at once, without a notification", async () => {
    const shop = await addClockedMerchant(pages, NOW);
    const call = await callOf(shop);
    const paid = await charge(request(shop, "R-1", withToken(token("4242", "sst"))), call);
    assert.partialDeepStrictEqual(paid, { kind: "paid", fee: 390 });
    const declined = await charge(request(shop, "R-2", withToken(token("0341", "sst"))), call);
    assert.partialDeepStrictEqual(declined, { kind: "declined", hard: false });
    assert.deepEqual(await shop.move("2026-12-31T10:00:00Z"), {});
    assert.deepEqual(await shop.told(), []);
  });

  test("is one charge for one reference, however often and from how many it is asked for", async () => {
    const shop = await addClockedMerchant(pages, NOW);
    const call = await callOf(shop);
    const answers = await Promise.all(Array.from({ length: 20 }, () => charge(request(shop, "C-1"), call)));
    assert.equal(new Set(answers.map(({ providerRef }) => providerRef)).size, 1);
    assert.equal((await shop.move(ON_DAY))["sandbox.settle"], 1);
    assert.equal((await shop.told()).length, 1);
    const again = await charge(request(shop, "C-1"), call);
    assert.partialDeepStrictEqual(again, { kind: "paid", providerRef: answers[0]?.providerRef });
    const other = await charge(request(shop, "C-1", { amount: cents(1) }), call);
    assert.partialDeepStrictEqual(other, { kind: "declined", reason: "This reference stands for another payment." });
  });

  test("is refused for a token of others, an address elsewhere, and an account that charges no cards", async () => {
    const shop = await addClockedMerchant(pages, NOW);
    const call = await callOf(shop);
    for (const strange of ["", "AUTH_1", token("0000"), `${token("4242")}0`]) {
      const answer = await charge(request(shop, "C-1", withToken(strange)), call);
      assert.partialDeepStrictEqual(answer, { kind: "declined", gatewayWord: "refused" }, strange);
    }
    const elsewhere = await charge(request(shop, "C-1", { notifyUrl: "http://169.254.169.254/" }), call);
    assert.equal(elsewhere.kind, "declined");
    const cancelOnly = await shop.addGateway({ type: "sandbox_cancel_only" });
    const refused = await charge(request(shop, "C-1"), await callOf(shop, cancelOnly));
    assert.partialDeepStrictEqual(refused, { reason: "This account charges no stored cards." });
    assert.equal(await query(identityOf(request(shop, "C-1"), call), call), null);
  });

  test("is refunded like any other payment, once it is complete", async () => {
    const shop = await addClockedMerchant(pages, NOW);
    const call = await callOf(shop);
    const asked = request(shop, "C-1");
    await charge(asked, call);
    const refund: RefundRequest = {
      payment: identityOf(asked, call),
      refundId: "ref_1",
      amount: cents(10_000),
      reason: null,
      requestedAt: call.now,
      notifyUrl: asked.notifyUrl,
    };
    assert.equal((await sandbox.refunds?.refund(refund, call))?.kind, "refused");
    await shop.move(ON_DAY);
    assert.equal((await sandbox.refunds?.refund(refund, call))?.kind, "processed");
  });

  test("is made and settled by what a process that ended had left", async () => {
    const shop = await addClockedMerchant(pages, NOW);
    const call = await callOf(shop);
    const { providerRef } = await charge(request(shop, "C-1"), call);
    await shop.move(BEFORE_DAY);
    const ctx = await shop.ctx();
    // Two at once, as after a lost lease; then one more, as after a crash before the work was completed.
    await Promise.all([1, 2].map(() => settleCharge(pages.services, ctx, providerRef ?? "")));
    await settleCharge(pages.services, ctx, providerRef ?? "");
    const told = await shop.told();
    assert.deepEqual(
      told.map(({ kind }) => kind),
      ["paid", "paid", "paid"],
    );
    assert.deepEqual(told[0], told[1]);
  });

  test("is reported again until it is acknowledged, and the clock waits for it", async () => {
    const shop = await addClockedMerchant(pages, NOW);
    await charge(request(shop, "C-1"), await callOf(shop));
    pages.setGatewayUrl("http://127.0.0.1:1");
    const moved = shop.move(ON_DAY);
    setTimeout(() => pages.setGatewayUrl(null), 500);
    await moved;
    assert.deepEqual(
      (await shop.told()).map(({ kind }) => kind),
      ["paid"],
    );
  });
});

describe("notifications of a charge on demand", () => {
  const NEWS: ["complete" | "failed" | "cancelled", string, string, object][] = [
    ["complete", "4242", "paid", { fee: 390 }],
    ["complete", "0341", "paid", { fee: 390 }],
    ["failed", "4242", "declined", { gatewayWord: "declined" }],
    ["failed", "9979", "declined", { gatewayWord: "card_token_error", hard: true }],
    ["cancelled", "4242", "abandoned", {}],
  ];
  for (const [status, last4, kind, facts] of NEWS)
    test(`${status} of card ${last4} ends it, and it does not settle again by itself`, async () => {
      const shop = await addClockedMerchant(pages, NOW);
      const call = await callOf(shop);
      const asked = request(shop, "C-1", withToken(token(last4)));
      await charge(asked, call);
      assert.deepEqual(await shop.notify("C-1", "pending"), [200]);
      assert.deepEqual(await shop.notify("C-1", status), [200]);
      assert.deepEqual(await shop.move("2026-12-31T10:00:00Z"), {});
      assert.deepEqual(
        (await shop.told()).map((fact) => fact.kind),
        ["pending", kind],
      );
      assert.partialDeepStrictEqual(await query(identityOf(asked, call), call), { kind, ...facts });
    });

  test("pending alone leaves it to settle", async () => {
    const shop = await addClockedMerchant(pages, NOW);
    await charge(request(shop, "C-1"), await callOf(shop));
    await shop.notify("C-1", "pending", 2);
    await shop.move(ON_DAY);
    assert.deepEqual(
      (await shop.told()).map((fact) => fact.kind),
      ["pending", "pending", "paid"],
    );
  });
});
