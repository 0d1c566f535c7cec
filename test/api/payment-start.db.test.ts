import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { LinkPaymentStart } from "../../src/flows/payment-links/start-link-payment.ts";
import type { ApiMerchant } from "../support/api.ts";
import { BANK } from "../support/eft.ts";
import { addPayment, notify, reportedPayment } from "../support/payments.ts";
import { NOW, referenceOf, setUpStartedPayments } from "../support/started-payments.ts";

const started = setUpStartedPayments();
const { addShop, addLink, start, shown, events, nextCheckOf } = started;
const at = (iso: string) => new Date(iso) as never;
const attempts = async (shop: ApiMerchant) =>
  (await started.api.query("select from transactions where organisation_id = $1", shop.organisation.id)).length;

describe("starting a payment", () => {
  test("an attempt is recorded, and the gateway told of it under its reference", async () => {
    const shop = await addShop();
    const linkId = await addLink(shop, {
      externalReference: "o-1",
      metadata: { a: "b" },
      customerEmail: "c@example.org",
    });
    const begun = await start(shop, linkId);
    assert.deepEqual([begun.kind, "url" in begun && begun.url], ["redirect", "https://pay.example/x"]);
    const reference = referenceOf(begun);
    assert.match(reference, /^TEFO-20270301-[0-9A-F]{8}$/);
    const [call, ...more] = started.gateway.calls;
    assert.deepEqual(more, []);
    assert.equal(call?.idempotencyKey, reference);
    const { amount, currency, notifyUrl } = call?.body ?? {};
    assert.deepEqual(
      [amount, currency, notifyUrl],
      [10_000, "ZAR", `${started.api.baseUrl}/api/webhooks/sandbox?account=${shop.account.id}`],
    );
    const transaction = await shown(shop, reference);
    assert.deepEqual(
      ["status", "amount", "externalReference", "metadata", "payerEmail", "paymentLinkId", "type", "createdAt"].map(
        (field) => transaction[field],
      ),
      ["pending", 100, "o-1", { a: "b" }, "payer@example.org", linkId, "once", NOW],
    );
    assert.deepEqual(await events(reference), []);
    assert.equal(await nextCheckOf(reference), "2027-03-01T10:01:00.000Z");
    const { body } = await shop.get<{ payments: unknown[] }>(`/payment-links/${linkId}`);
    assert.deepEqual(body.payments, [
      { reference, status: "pending", amount: 100, currency: "ZAR", paidAt: null, createdAt: NOW },
    ]);
  });

  test("each attempt has its own reference; the link shows them newest first", async () => {
    const shop = await addShop();
    const linkId = await addLink(shop);
    const references = [];
    for (let n = 0; n < 3; n++) references.push(referenceOf(await start(shop, linkId)));
    const { body } = await shop.get<{ payments: { reference: string }[] }>(`/payment-links/${linkId}`);
    assert.deepEqual(
      body.payments.map(({ reference }) => reference),
      references.reverse(),
    );
  });

  test("a gateway that refuses: failed, told once", async () => {
    const shop = await addShop();
    started.gateway.replies.set("POST checkouts", () => ({ status: 400, json: { error: "x", message: "No." } }));
    const begun = await start(shop, await addLink(shop));
    assert.equal(begun.kind, "refused");
    const reference = referenceOf(begun);
    assert.equal((await shown(shop, reference))["status"], "failed");
    assert.deepEqual(await events(reference), ["payment.failed"]);
    assert.equal(await nextCheckOf(reference), null);
  });

  for (const [name, reply] of [
    ["hangs up", "hang up"],
    ["answers 500", { status: 500, json: {} }],
    ["answers words", { text: "<html>" }],
    ["answers 429", { status: 429, json: {} }],
  ] as const)
    test(`a gateway that ${name}: pending, and asked about until it is clear`, async () => {
      const shop = await addShop();
      started.gateway.replies.set("POST checkouts", () => reply);
      const begun = await start(shop, await addLink(shop));
      assert.equal(begun.kind, "unclear");
      const reference = referenceOf(begun);
      assert.equal((await shown(shop, reference))["status"], "pending");
      assert.deepEqual(await events(reference), []);
      assert.equal(await nextCheckOf(reference), "2027-03-01T10:01:00.000Z");
      assert.equal(
        new Set(started.gateway.calls.map(({ idempotencyKey }) => idempotencyKey)).size,
        1,
        "tries under one key",
      );
    });
});

describe("a link that cannot be paid (interface 3.2)", () => {
  const WHYS: [string, object, Record<string, unknown>, string][] = [
    ["deactivated", {}, { active: false }, "deactivated"],
    ["expired to the millisecond", { expiresAt: "2027-03-01T11:00:00Z" }, { clock: "2027-03-01T11:00:00Z" }, "expired"],
    ["paid", {}, { active: false, paid_count: 1 }, "paid"],
    ["of a suspended account", {}, { state: "suspended" }, "account"],
    ["of a cancelled account", {}, { state: "cancelled" }, "account"],
    ["without a gateway", {}, { gateway: false }, "gateway"],
    ["past the month's quota", {}, { quota: 0 }, "quota"],
  ];
  for (const [name, fields, change, why] of WHYS)
    test(`${name}: ${why}, and no attempt`, async () => {
      const shop = await addShop();
      const linkId = await addLink(shop, fields);
      const { active, paid_count, clock, state, gateway: enabled, quota } = change;
      if (active !== undefined)
        await started.api.query(
          "update payment_links set active = $2, paid_count = $3 where id = $1",
          linkId,
          active,
          paid_count ?? 0,
        );
      if (clock) await shop.change({ clock_at: clock });
      if (state) await shop.change({ state });
      if (enabled !== undefined)
        await started.api.query("update gateway_accounts set enabled = false where id = $1", shop.account.id);
      if (quota !== undefined) await shop.change({ limits: { monthlyTransactions: quota } });
      assert.deepEqual(await start(shop, linkId), { kind: "unavailable", why });
      assert.equal(await attempts(shop), 0);
      assert.deepEqual(started.gateway.calls, []);
    });

  test("a millisecond before its expiry it can", async () => {
    const shop = await addShop();
    const linkId = await addLink(shop, { expiresAt: "2027-03-01T11:00:00Z" });
    await shop.change({ clock_at: "2027-03-01T10:59:59.999Z" });
    assert.equal((await start(shop, linkId)).kind, "redirect");
  });

  test("a gateway that is not offered: another organisation's, a disabled one, one of another currency", async () => {
    const [shop, other] = [await addShop(), await addShop()];
    const linkId = await addLink(shop, { currency: "USD" });
    const zar = await shop.addGateway({ currencies: ["ZAR"] });
    const off = await shop.addGateway({ currencies: ["USD"], enabled: false });
    for (const id of [other.account.id, zar.id, off.id, "", "gw_x"])
      assert.deepEqual(await start(shop, linkId, id), { kind: "not_offered" }, id);
    assert.equal(await attempts(shop), 0);
  });

  test("twenty payers at once on a single-use link may all begin; of one that is paid none", async () => {
    const shop = await addShop();
    const linkId = await addLink(shop);
    const begun = await Promise.all(Array.from({ length: 20 }, () => start(shop, linkId)));
    assert.equal(new Set(begun.map(referenceOf)).size, 20);
    await notify(started.api, shop.account, {
      payment: reportedPayment(referenceOf(begun[0] as LinkPaymentStart), "complete"),
    });
    assert.deepEqual(await start(shop, linkId), { kind: "unavailable", why: "paid" });
  });
});

describe("the month's limit: payments of the South African month that are complete, or that began half an hour ago", () => {
  const NONE_LEFT: LinkPaymentStart = { kind: "unavailable", why: "quota" };

  test("those that failed or were cancelled make room; one that was let start is honoured", async () => {
    const shop = await addShop({ limits: { monthlyTransactions: 3 } });
    const linkId = await addLink(shop, { singleUse: false });
    const references: string[] = [];
    for (let n = 0; n < 3; n++) references.push(referenceOf(await start(shop, linkId)));
    assert.deepEqual(await start(shop, linkId), NONE_LEFT);
    const outcomes = ["failed", "cancelled", "complete"] as const;
    for (const [n, outcome] of outcomes.entries())
      await notify(started.api, shop.account, { payment: reportedPayment(references[n] ?? "", outcome) });
    for (let n = 0; n < 2; n++) references.push(referenceOf(await start(shop, linkId)));
    assert.deepEqual(await start(shop, linkId), NONE_LEFT);
    for (const reference of references) {
      await notify(started.api, shop.account, { payment: reportedPayment(reference, "complete") });
      assert.equal((await shown(shop, reference))["status"], "complete");
    }
  });

  test("one left pending counts for half an hour, by the organisation's clock", async () => {
    const shop = await addShop({ limits: { monthlyTransactions: 1 } });
    const linkId = await addLink(shop, { singleUse: false });
    const reference = referenceOf(await start(shop, linkId));
    await shop.change({ clock_at: "2027-03-01T10:29:59.999Z" });
    assert.deepEqual(await start(shop, linkId), NONE_LEFT);
    await shop.change({ clock_at: "2027-03-01T10:30:00.000Z" });
    assert.equal((await start(shop, linkId)).kind, "redirect");
    await notify(started.api, shop.account, { payment: reportedPayment(reference, "complete") });
    assert.equal((await shown(shop, reference))["status"], "complete", "a late success counts all the same");
  });

  test("of eight who start together on links of their own, as many go on as are left", async () => {
    const shop = await addShop({ limits: { monthlyTransactions: 4 } });
    await addPayment(started.api, shop, shop.account, { status: "complete", paidAt: NOW });
    const links = await Promise.all(Array.from({ length: 8 }, () => addLink(shop)));
    const begun = await Promise.all(links.map((link) => start(shop, link)));
    assert.deepEqual(begun.map(({ kind }) => kind).sort(), [
      ...Array.from({ length: 3 }, () => "redirect"),
      ...Array.from({ length: 5 }, () => "unavailable"),
    ]);
  });

  test("a bank transfer begun on a page counts, one that the merchant asked for does not", async () => {
    const shop = await addShop({ limits: { monthlyTransactions: 1 } });
    const bank = await shop.addGateway({ type: "manual_eft", credentials: BANK });
    await shop.post("/eft-orders", { amount: 100 });
    const linkId = await addLink(shop, { singleUse: false });
    assert.equal((await start(shop, linkId, bank.id)).kind, "transfer");
    assert.deepEqual(await start(shop, linkId), NONE_LEFT);
  });

  test("refunded payments were completed", async () => {
    const shop = await addShop({ limits: { monthlyTransactions: 1 } });
    await addPayment(started.api, shop, shop.account, { status: "refunded", paidAt: "2027-03-01T09:00:00Z" });
    assert.deepEqual(await start(shop, await addLink(shop)), { kind: "unavailable", why: "quota" });
  });

  const EDGES: [string, string, boolean][] = [
    ["2027-02-28T21:59:59.999Z", "2027-03-01T10:00:00Z", true],
    ["2027-02-28T22:00:00.000Z", "2027-03-01T10:00:00Z", false],
    ["2027-03-31T21:59:59.000Z", "2027-03-31T21:59:59.999Z", false],
    ["2027-03-31T21:59:59.000Z", "2027-03-31T22:00:00.000Z", true],
    ["2027-12-31T21:59:59.999Z", "2027-12-31T22:00:00.000Z", true],
  ];
  for (const [paidAt, now, payable] of EDGES)
    test(`paid ${paidAt}, now ${now}: ${payable ? "free" : "used up"}`, async () => {
      const shop = await addShop({ limits: { monthlyTransactions: 1 }, clockAt: at(now) });
      await addPayment(started.api, shop, shop.account, { status: "complete", paidAt });
      assert.equal((await start(shop, await addLink(shop))).kind, payable ? "redirect" : "unavailable");
    });

  test("another organisation's payments do not count, and no quota is no limit", async () => {
    const [busy, shop] = [await addShop(), await addShop({ limits: { monthlyTransactions: 1 } })];
    await addPayment(started.api, busy, busy.account, { status: "complete", paidAt: NOW });
    assert.equal((await start(shop, await addLink(shop))).kind, "redirect");
    const big = await addShop({ plan: "enterprise" });
    await addPayment(started.api, big, big.account, { status: "complete", paidAt: NOW });
    assert.equal((await start(big, await addLink(big))).kind, "redirect");
  });
});
