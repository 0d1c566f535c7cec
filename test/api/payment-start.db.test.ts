import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { type LinkPaymentStart, startLinkPayment } from "../../src/flows/payment-links/start-link-payment.ts";
import { checkPayment } from "../../src/flows/payments/check-payment.ts";
import { returnFromGateway } from "../../src/flows/payments/return-from-gateway.ts";
import type { PaymentLinkId } from "../../src/kernel/ids.ts";
import type { GatewayAccount } from "../../src/modules/gateway-accounts/types.ts";
import type { Organisation } from "../../src/modules/organisations/types.ts";
import { type ApiMerchant, openApi, type TestApi } from "../support/api.ts";
import { BANK } from "../support/eft.ts";
import { addPayment, CREDENTIALS, notify, openStandIn, reportedPayment, type StandIn } from "../support/payments.ts";

const NOW = "2027-03-01T10:00:00.000Z";
const at = (iso: string) => new Date(iso) as never;

let gateway: StandIn;
let api: TestApi;
before(async () => {
  gateway = await openStandIn();
  api = await openApi({ GATEWAY_URL_SANDBOX: gateway.url });
});
after(async () => {
  await api.close();
  await gateway.close();
});
beforeEach(() => {
  gateway.calls.length = 0;
  gateway.replies.clear();
  gateway.replies.set("POST checkouts", ({ body }) => ({
    status: 201,
    json: { id: `sbc_${body["reference"]}`, redirectUrl: "https://pay.example/x" },
  }));
});

interface Shop extends ApiMerchant {
  readonly account: GatewayAccount;
}

async function addShop(facts: Partial<Organisation> = {}): Promise<Shop> {
  const shop = await api.addMerchant({ clockAt: at(NOW), ...facts });
  return { ...shop, account: await shop.addGateway({ credentials: CREDENTIALS, currencies: ["ZAR", "USD"] }) };
}

const addLink = async (shop: ApiMerchant, fields: object = {}) =>
  String((await shop.post("/payment-links", { title: "Deposit", amount: 100, ...fields })).body["id"]);

async function start(shop: Shop, linkId: string, gatewayId: string = shop.account.id): Promise<LinkPaymentStart> {
  const choice = { gatewayId, amount: null, email: "payer@example.org", firstName: "Nandi", lastName: null };
  const pages = (reference: string) => ({
    returnUrl: `${api.baseUrl}/back/${reference}`,
    cancelUrl: `${api.baseUrl}/no/${reference}`,
  });
  return startLinkPayment(api.services, await shop.ctx(), linkId as PaymentLinkId, choice, pages);
}
const referenceOf = (begun: LinkPaymentStart): string => {
  assert.ok("reference" in begun, JSON.stringify(begun));
  return begun.reference;
};
const shown = async (shop: ApiMerchant, reference: string) => (await shop.get(`/transactions/${reference}`)).body;
const attempts = async (shop: ApiMerchant) =>
  (await api.query("select from transactions where organisation_id = $1", shop.organisation.id)).length;
const events = async (reference: string) =>
  (await api.query<{ type: string }>("select type from events where subject = $1 order by id", reference)).map(
    ({ type }) => type,
  );
const idOf = async (reference: string) =>
  (await api.query<{ id: string }>("select id from transactions where reference = $1", reference))[0]?.id ?? "";
/** Time of the next query to the gateway; null: none is due. */
const nextCheckOf = async (reference: string) => {
  const [work] = await api.query<{ due_at: Date }>(
    "select due_at from due_work where kind = 'payment.check' and subject = $1",
    await idOf(reference),
  );
  return work?.due_at.toISOString() ?? null;
};

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
    const [call, ...more] = gateway.calls;
    assert.deepEqual(more, []);
    assert.equal(call?.idempotencyKey, reference);
    const { amount, currency, notifyUrl } = call?.body ?? {};
    assert.deepEqual(
      [amount, currency, notifyUrl],
      [10_000, "ZAR", `${api.baseUrl}/api/webhooks/sandbox?account=${shop.account.id}`],
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
    gateway.replies.set("POST checkouts", () => ({ status: 400, json: { error: "x", message: "No." } }));
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
      gateway.replies.set("POST checkouts", () => reply);
      const begun = await start(shop, await addLink(shop));
      assert.equal(begun.kind, "unclear");
      const reference = referenceOf(begun);
      assert.equal((await shown(shop, reference))["status"], "pending");
      assert.deepEqual(await events(reference), []);
      assert.equal(await nextCheckOf(reference), "2027-03-01T10:01:00.000Z");
      assert.equal(new Set(gateway.calls.map(({ idempotencyKey }) => idempotencyKey)).size, 1, "tries under one key");
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
        await api.query(
          "update payment_links set active = $2, paid_count = $3 where id = $1",
          linkId,
          active,
          paid_count ?? 0,
        );
      if (clock) await shop.change({ clock_at: clock });
      if (state) await shop.change({ state });
      if (enabled !== undefined)
        await api.query("update gateway_accounts set enabled = false where id = $1", shop.account.id);
      if (quota !== undefined) await shop.change({ limits: { monthlyTransactions: quota } });
      assert.deepEqual(await start(shop, linkId), { kind: "unavailable", why });
      assert.equal(await attempts(shop), 0);
      assert.deepEqual(gateway.calls, []);
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
    await notify(api, shop.account, {
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
      await notify(api, shop.account, { payment: reportedPayment(references[n] ?? "", outcome) });
    for (let n = 0; n < 2; n++) references.push(referenceOf(await start(shop, linkId)));
    assert.deepEqual(await start(shop, linkId), NONE_LEFT);
    for (const reference of references) {
      await notify(api, shop.account, { payment: reportedPayment(reference, "complete") });
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
    await notify(api, shop.account, { payment: reportedPayment(reference, "complete") });
    assert.equal((await shown(shop, reference))["status"], "complete", "a late success counts all the same");
  });

  test("of eight who start together on links of their own, as many go on as are left", async () => {
    const shop = await addShop({ limits: { monthlyTransactions: 4 } });
    await addPayment(api, shop, shop.account, { status: "complete", paidAt: NOW });
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
    await addPayment(api, shop, shop.account, { status: "refunded", paidAt: "2027-03-01T09:00:00Z" });
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
      await addPayment(api, shop, shop.account, { status: "complete", paidAt });
      assert.equal((await start(shop, await addLink(shop))).kind, payable ? "redirect" : "unavailable");
    });

  test("another organisation's payments do not count, and no quota is no limit", async () => {
    const [busy, shop] = [await addShop(), await addShop({ limits: { monthlyTransactions: 1 } })];
    await addPayment(api, busy, busy.account, { status: "complete", paidAt: NOW });
    assert.equal((await start(shop, await addLink(shop))).kind, "redirect");
    const big = await addShop({ plan: "enterprise" });
    await addPayment(api, big, big.account, { status: "complete", paidAt: NOW });
    assert.equal((await start(big, await addLink(big))).kind, "redirect");
  });
});

describe("asking about a payment left pending (docs/architecture.md, The path of a payment)", () => {
  async function pending() {
    const shop = await addShop();
    const reference = referenceOf(await start(shop, await addLink(shop)));
    const ask = async () =>
      (await checkPayment(api.services, await shop.ctx(), await idOf(reference)))?.toISOString() ?? null;
    return { shop, reference, ask };
  }
  const answer = (reference: string, status: "pending" | "complete" | "failed" | "cancelled", facts = {}) =>
    gateway.replies.set("GET payments", () => ({ status: 200, json: reportedPayment(reference, status, facts) }));

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
    gateway.replies.delete("GET payments");
    assert.equal(await ask(), "2027-03-01T10:01:00.000Z");
    gateway.replies.set("GET payments", () => "hang up");
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
    const other = referenceOf(await start(shop, await addLink(shop)));
    gateway.replies.set("GET payments", () => ({ status: 200, json: reportedPayment(other, "complete") }));
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
    await notify(api, shop.account, { payment: reportedPayment(reference, "complete") });
    assert.equal((await shown(shop, reference))["status"], "complete");
  });

  test("given up after three days: cancelled, unless the gateway does not answer; a late success replaces it", async () => {
    const { shop, reference, ask } = await pending();
    await shop.change({ clock_at: "2027-03-04T09:59:59Z" });
    assert.notEqual(await ask(), null);
    await shop.change({ clock_at: "2027-03-04T10:00:00Z" });
    gateway.replies.set("GET payments", () => "hang up");
    assert.notEqual(await ask(), null);
    assert.equal((await shown(shop, reference))["status"], "pending", "no answer is no word");
    gateway.replies.delete("GET payments");
    assert.equal(await ask(), null);
    assert.equal((await shown(shop, reference))["status"], "cancelled");
    await notify(api, shop.account, { payment: reportedPayment(reference, "complete") });
    assert.equal((await shown(shop, reference))["status"], "complete");
    assert.deepEqual(await events(reference), ["payment.cancelled", "payment.complete"]);
  });

  /** The payer opens the cancel page. */
  const cancel = async (shop: Shop, reference: string) =>
    (await returnFromGateway(api.services, await shop.ctx(), reference, true))?.status;

  test("cancelled by the payer: asked about further, until the gateway's word or for three days", async () => {
    for (const [word, status] of [
      ["complete", "complete"],
      ["failed", "failed"],
      ["cancelled", "cancelled"],
    ] as const) {
      gateway.replies.delete("GET payments");
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
      gateway.replies.delete("GET payments");
      const { shop, reference, ask } = await pending();
      assert.equal(await cancel(shop, reference), "cancelled");
      if (unclear) gateway.replies.set("GET payments", () => "hang up");
      await shop.change({ clock_at: "2027-03-04T09:59:59Z" });
      assert.notEqual(await ask(), null);
      await shop.change({ clock_at: "2027-03-04T10:00:00Z" });
      assert.equal(await ask(), null);
      assert.deepEqual(await events(reference), ["payment.cancelled"]);
    }
  });

  test("the cancel page leaves a payment pending while the gateway's answer is unclear or does not fit", async () => {
    const { shop, reference } = await pending();
    gateway.replies.set("GET payments", () => "hang up");
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
