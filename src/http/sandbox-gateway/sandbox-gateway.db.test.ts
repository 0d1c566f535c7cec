import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { formTokenIn, openPages, type PageMerchant, type TestPages } from "../../../test/support/pages.ts";
import { eventually } from "../../../test/support/processes.ts";
import { gatewayCallOf, notifyUrlOf } from "../../flows/gateways/accounts.ts";
import { sendSandboxNotification } from "../../flows/sandbox-gateway/send-notification.ts";
import type { GatewayCall, PaymentIdentity, RefundRequest } from "../../gateways/contract.ts";
import { sandbox } from "../../gateways/sandbox/adapter.ts";
import { cents } from "../../kernel/money.ts";
import { instant } from "../../kernel/time.ts";
import { setClock } from "../../modules/organisations/store.ts";

let pages: TestPages;
let shop: PageMerchant;
before(async () => {
  pages = await openPages();
  shop = await pages.addMerchant();
});
after(() => pages.close());

interface Started {
  readonly reference: string;
  readonly gatewayPath: string;
  readonly path: string;
}
/** Starts a payment; the payer is on the gateway's page. */
async function start(merchant = shop, link: Record<string, unknown> = {}): Promise<Started> {
  const { path } = await merchant.addLink({ amount: 100, ...link });
  return { path, ...(await merchant.start(path)) };
}
const transaction = async (reference: string) =>
  (
    await pages.query<{ status: string; fee_cents: number | null; provider_ref: string | null; paid_at: Date | null }>(
      "select status, fee_cents::int, provider_ref, paid_at from transactions where reference = $1",
      reference,
    )
  )[0];
const events = (reference: string) =>
  pages
    .query<{ type: string }>("select type from events where subject = $1 order by sequence", reference)
    .then((rows) => rows.map(({ type }) => type));
const outcomes = (reference: string) =>
  pages
    .query<{ outcome: string }>("select outcome from gateway_notifications where reference = $1 order by id", reference)
    .then((rows) => rows.map(({ outcome }) => outcome).sort());

/** The call of an adapter for the merchant's account. */
async function callAs(merchant = shop, changes: Partial<GatewayCall> = {}): Promise<GatewayCall> {
  const { organisation, now } = await merchant.ctx();
  return { ...gatewayCallOf(pages.services, organisation, merchant.gateway, now), ...changes };
}
const identity = (reference: string): PaymentIdentity => ({
  reference,
  checkoutRef: null,
  providerRef: null,
  amount: cents(10_000),
  currency: "ZAR",
  startedAt: instant("2026-11-20T10:00:00Z"),
});

describe("the gateway's page", () => {
  test("says what is paid to whom, lists the test numbers, and has a button for each outcome", async () => {
    const { gatewayPath, reference } = await start(shop, { title: "Three novels" });
    const page = await pages.get(gatewayPath);
    assert.deepEqual([page.status, page.heading], [200, "Pay Karoo Books"]);
    assert.match(page.text, /Three novels/);
    assert.ok(page.text.includes(reference));
    for (const number of [
      "4242424242424242",
      "5555555555554444",
      "378282246310005",
      "36227206271667",
      "4000000000000341",
      "4000000000009979",
    ])
      assert.ok(page.text.includes(number), number);
    assert.deepEqual(
      [...page.text.matchAll(/name="outcome" value="(\w+)"/g)].map(([, value]) => value),
      ["complete", "failed", "cancelled"],
    );
    assert.match(page.text, /name="card".*name="expiry".*name="saveCard"/s);
    assert.equal(page.headers.get("referrer-policy"), "no-referrer");
  });

  test("completes with fee, card and time, and notifies the merchant at once", async () => {
    const { gatewayPath, reference } = await start();
    const page = await pages.get(gatewayPath);
    const fields = {
      outcome: "complete",
      card: "5555 5555 5555 4444",
      expiry: "08/29",
      saveCard: "true",
      formToken: formTokenIn(page),
    };
    const answer = await pages.post(gatewayPath, fields, { origin: "null" });
    assert.equal(answer.status, 303);
    const paid = await transaction(reference);
    assert.equal(paid?.status, "complete");
    assert.equal(paid?.fee_cents, 390);
    assert.match(paid?.provider_ref ?? "", /^sbp_[0-9a-f]{24}$/);
    assert.deepEqual(await events(reference), ["payment.complete"]);
    const fact = await sandbox.checkout?.query(identity(reference), await callAs());
    assert.partialDeepStrictEqual(fact, {
      kind: "paid",
      card: { brand: "mastercard", last4: "4444", expiryMonth: 8, expiryYear: 2029 },
    });
  });

  test("ignores a second choice: the payment is decided", async () => {
    const { gatewayPath, reference } = await start();
    await pages.post(gatewayPath, { outcome: "failed" });
    const again = await pages.post(gatewayPath, { outcome: "complete" });
    assert.deepEqual([again.status, again.heading], [200, "This payment has failed"]);
    assert.match(again.text, new RegExp(`href="${pages.baseUrl}/pay/[^"]+/result/${reference}"`));
    assert.doesNotMatch(again.text, /<form/);
    assert.equal((await transaction(reference))?.status, "failed");
    assert.equal((await pages.get(gatewayPath)).heading, "This payment has failed");
  });

  test("takes one of several choices at once", async () => {
    const { gatewayPath, reference } = await start();
    const answers = await Promise.all(
      ["complete", "failed", "cancelled", "complete"].map((outcome) => pages.post(gatewayPath, { outcome })),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 200, 303]);
    assert.equal((await events(reference)).length, 1);
  });

  test("shows an invalid form again with its problems, and decides nothing", async () => {
    const { gatewayPath, reference } = await start();
    const cases: [Record<string, string>, RegExp][] = [
      [{ outcome: "complete", card: "4111111111111111" }, /id="card-error">Use one of the test card numbers/],
      [
        { outcome: "complete", card: "4242424242424242", expiry: "13/29" },
        /id="expiry-error">Write the expiry date as MM\/YY/,
      ],
      [{ outcome: "refund" }, /Choose how the payment ends/],
      [{}, /Choose how the payment ends/],
      [{ outcome: "\0" }, /Choose how the payment ends/],
    ];
    for (const [fields, message] of cases) {
      const page = await pages.post(gatewayPath, fields);
      assert.equal(page.status, 400, JSON.stringify(fields));
      assert.match(page.text, message);
      if (fields["card"]) assert.match(page.text, new RegExp(`value="${fields["card"]}"`));
    }
    for (const headers of [{ origin: "https://evil.example" }, { origin: "null" }])
      assert.equal((await pages.post(gatewayPath, { outcome: "complete" }, headers)).status, 403);
    assert.equal((await transaction(reference))?.status, "pending");
  });

  test("is 404 for another checkout, another account, and a live organisation", async () => {
    const { gatewayPath } = await start();
    const other = await pages.addMerchant();
    const at = gatewayPath.length - 3;
    const tampered = gatewayPath.slice(0, at) + (gatewayPath[at] === "a" ? "b" : "a") + gatewayPath.slice(at + 1);
    for (const wrong of [
      tampered,
      gatewayPath.replace(shop.gateway.id, other.gateway.id),
      gatewayPath.replace(shop.gateway.id, "gw_x"),
      "/sandbox-gateway/pay/x",
      "/sandbox-gateway/pay/%00/%00",
    ])
      assert.equal((await pages.get(wrong)).status, 404, wrong);
    const live = await pages.addMerchant();
    const lived = await start(live);
    await pages.query("update organisations set sandbox = false where id = $1", live.organisation.id);
    assert.equal((await pages.get(lived.gatewayPath)).status, 404);
  });

  test("follows the organisation's clock", async () => {
    const merchant = await pages.addMerchant();
    await pages.services.db.transaction(merchant.organisation.id, async (tx) =>
      setClock(tx, instant("2031-03-01T10:00:00Z")),
    );
    const { gatewayPath, reference } = await start(merchant);
    await pages.post(gatewayPath, { outcome: "complete" });
    assert.equal((await transaction(reference))?.paid_at?.toISOString(), "2031-03-01T10:00:00.000Z");
  });
});

describe("the gateway's API", () => {
  const request = (reference: string, changes = {}) => ({
    reference,
    amount: cents(10_000),
    currency: "ZAR",
    description: "Membership",
    payer: { email: null, firstName: null, lastName: null, phone: null },
    returnUrl: `${pages.baseUrl}/pay/x/result/y`,
    cancelUrl: `${pages.baseUrl}/pay/x/cancel/y`,
    notifyUrl: notifyUrlOf(pages.services, shop.gateway),
    recurring: null,
    saveCard: false,
    startsSubscription: false,
    forCard: false,
    ...changes,
  });

  test("answers the same checkout for the same reference, and refuses another amount under it", async () => {
    const call = await callAs();
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => sandbox.checkout?.start(request("T-SAME"), call)),
    );
    for (const answer of answers) assert.deepEqual(answer, answers[0]);
    assert.equal(answers[0]?.kind, "redirect");
    const other = await sandbox.checkout?.start(request("T-SAME", { amount: cents(1) }), call);
    assert.deepEqual(other, { kind: "refused", reason: "This reference stands for another payment." });
  });

  test("works for its own service only: no address of others is ever called", async () => {
    const call = await callAs();
    for (const [field, url] of [
      ["notifyUrl", "http://169.254.169.254/latest"],
      ["notifyUrl", `${pages.baseUrl}.evil.example/`],
      ["returnUrl", "https://evil.example/"],
      ["cancelUrl", "https://evil.example/"],
    ] as const) {
      const answer = await sandbox.checkout?.start(request("T-ELSEWHERE", { [field]: url }), call);
      assert.equal(answer?.kind, "refused", url);
    }
    assert.equal(await sandbox.checkout?.query(identity("T-ELSEWHERE"), call), null);
  });

  test("authenticates its merchants by account, id and secret", async () => {
    const { reference } = await start();
    const good = await callAs();
    const other = await pages.addMerchant();
    const theirs = await callAs(other);
    const wrong: GatewayCall[] = [
      { ...good, credentials: { ...good.credentials, secret: "another-secret-of-16" } },
      { ...good, credentials: { ...good.credentials, merchantId: "sbm_other" } },
      { ...good, accountId: other.gateway.id },
      { ...good, accountId: "gw_x" },
      { ...good, accountId: "" },
    ];
    for (const call of wrong) {
      const answer = await sandbox.checkout?.start(request("T-STRANGER"), call);
      assert.deepEqual(answer, { kind: "refused", reason: "Account, merchant id and secret do not belong together." });
    }
    assert.equal(await sandbox.checkout?.query(identity(reference), theirs), null, "others' payments are unknown");
    for (const headers of [{}, { authorization: "Bearer x" }, { authorization: "Basic %%%" }]) {
      const answer = await pages.get(`/sandbox-gateway/api/payments/${reference}`, headers);
      assert.equal(answer.status, 401);
      assert.equal((JSON.parse(answer.text) as { error: string }).error, "unauthorized");
    }
  });

  test("refuses requests outside of its protocol", async () => {
    const { credentials } = await callAs();
    const headers = {
      authorization: `Basic ${Buffer.from(`${credentials["merchantId"]}:${credentials["secret"]}`).toString("base64")}`,
      "sandbox-account": shop.gateway.id,
      "content-type": "application/json",
    };
    for (const body of [
      "",
      "{",
      "[]",
      "{}",
      JSON.stringify(request("a\0b")),
      JSON.stringify(request("x".repeat(1001))),
    ]) {
      const answer = await pages.request("POST", "/sandbox-gateway/api/checkouts", headers, body);
      assert.equal(answer.status, 400, body.slice(0, 40));
    }
    assert.equal((await pages.get("/sandbox-gateway/api/payments/%00", headers)).status, 404);
    assert.equal((await pages.get("/sandbox-gateway/api/refunds/none", headers)).status, 404);
  });

  test("refunds the paid amount, each refund once, and never more", async () => {
    const { reference, gatewayPath } = await start();
    const call = await callAs();
    const refund = (refundId: string, amount: number): RefundRequest => ({
      payment: identity(reference),
      refundId,
      amount: cents(amount),
      reason: "Damaged",
      requestedAt: instant("2026-11-20T10:00:00Z"),
      notifyUrl: notifyUrlOf(pages.services, shop.gateway),
    });
    const early = await sandbox.refunds?.refund(refund("ref_early", 1), call);
    assert.partialDeepStrictEqual(early, {
      kind: "refused",
      reason: "The payment is pending: only a complete one can be refunded.",
    });
    await pages.post(gatewayPath, { outcome: "complete" });
    const done = await sandbox.refunds?.refund(refund("ref_1", 6_000), call);
    assert.partialDeepStrictEqual(done, {
      kind: "processed",
      refundId: "ref_1",
      reference,
      amount: 6_000,
      reason: "Damaged",
    });
    const again = await sandbox.refunds?.refund(refund("ref_1", 6_000), call);
    assert.equal(again?.providerRefundRef, done?.providerRefundRef);
    const tooMuch = await Promise.all([2, 3, 4].map((n) => sandbox.refunds?.refund(refund(`ref_${n}`, 3_000), call)));
    assert.deepEqual(tooMuch.map((fact) => fact?.kind).sort(), ["processed", "refused", "refused"]);
    assert.equal(
      (await sandbox.refunds?.refund(refund("ref_1", 1), call))?.kind,
      "refused",
      "another amount under the same id",
    );
    assert.partialDeepStrictEqual(
      await sandbox.refunds?.query({ ...refund("ref_1", 6_000), providerRefundRef: null }, call),
      { kind: "processed" },
    );
    assert.equal(await sandbox.refunds?.query({ ...refund("ref_none", 1), providerRefundRef: null }, call), null);
  });
});

describe("notifications on demand", () => {
  const send = (
    reference: string,
    status: "pending" | "complete" | "failed" | "cancelled",
    times = 1,
    merchant = shop,
  ) => sendSandboxNotification(pages.services, merchant.organisation, merchant.gateway, reference, status, times);

  test("twenty at once move the payment once and make one event", async () => {
    const { reference } = await start();
    const statuses = await send(reference, "complete", 20);
    assert.deepEqual(statuses, Array<number>(20).fill(200));
    assert.equal((await transaction(reference))?.status, "complete");
    assert.deepEqual(await events(reference), ["payment.complete"]);
    assert.deepEqual(await outcomes(reference), ["applied", ...Array<string>(19).fill("repeated")]);
    const entries = await pages.query("select from journal_entries where subject = $1", reference);
    assert.equal(entries.length, 1);
    const [link] = await pages.query<{ paid_count: number; active: boolean }>(
      "select l.* from payment_links l join transactions t on t.payment_link_id = l.id where t.reference = $1",
      reference,
    );
    assert.deepEqual([link?.paid_count, link?.active], [1, false]);
  });

  const orders: [string[], string, string[]][] = [
    [["pending", "complete"], "complete", ["payment.complete"]],
    [["complete", "failed", "cancelled", "pending", "complete"], "complete", ["payment.complete"]],
    [["cancelled", "failed", "complete"], "complete", ["payment.cancelled", "payment.failed", "payment.complete"]],
    [["failed", "cancelled", "failed"], "failed", ["payment.failed"]],
    [["cancelled", "cancelled"], "cancelled", ["payment.cancelled"]],
    [["pending", "pending"], "pending", []],
  ];
  for (const [order, end, told] of orders)
    test(`${order.join(", ")} ends ${end}`, async () => {
      const { reference } = await start();
      for (const status of order) assert.deepEqual(await send(reference, status as "pending"), [200]);
      assert.equal((await transaction(reference))?.status, end);
      assert.deepEqual(await events(reference), told);
    });

  test("all of them at once end in the right status, with each move reported once", async () => {
    const { reference } = await start();
    await Promise.all(
      (["failed", "complete", "cancelled", "complete", "failed"] as const).map((status) => send(reference, status, 4)),
    );
    assert.equal((await transaction(reference))?.status, "complete");
    const told = await events(reference);
    assert.equal(new Set(told).size, told.length);
    assert.equal(told.at(-1), "payment.complete");
  });

  test("decides a payment whose page was never opened, and a late payment is stored so that it can be refunded", async () => {
    const { reference, gatewayPath } = await start();
    await send(reference, "failed");
    assert.equal((await pages.get(gatewayPath)).heading, "This payment has failed");
    await send(reference, "complete");
    assert.equal((await pages.get(gatewayPath)).heading, "This payment is complete");
    await send(reference, "failed");
    assert.equal((await pages.get(gatewayPath)).heading, "This payment is complete", "contradiction is told, not kept");
    assert.equal((await transaction(reference))?.fee_cents, 390);
  });

  test("is null for a payment that the account does not know", async () => {
    const other = await pages.addMerchant();
    const { reference } = await start(other);
    assert.equal(await send(reference, "complete"), null);
    assert.equal(await send("TEFO-20261120-00000000", "complete"), null);
    const second = await other.addGateway({ type: "sandbox_cancel_only" });
    const third = await other.addGateway({ type: "sandbox" });
    for (const account of [second, third])
      assert.equal(
        await sendSandboxNotification(pages.services, other.organisation, account, reference, "complete", 1),
        null,
      );
  });

  test("is sent again when it was not acknowledged, and the payer is redirected meanwhile", async () => {
    const { reference, gatewayPath } = await start();
    pages.setGatewayUrl("http://127.0.0.1:1");
    const answer = await pages.post(gatewayPath, { outcome: "complete" });
    assert.equal(answer.status, 303);
    assert.equal((await transaction(reference))?.status, "pending");
    pages.setGatewayUrl(null);
    await eventually("it is complete", async () => (await transaction(reference))?.status === "complete");
  });
});
