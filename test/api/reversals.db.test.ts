import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import { type Invoicing, openInvoicing } from "../support/invoices.ts";
import { mailsOf } from "../support/mails.ts";
import {
  addPayment,
  notify,
  openStandIn,
  reportedPayment,
  reportedReversal,
  type StandIn,
} from "../support/payments.ts";
import { closeVerified } from "../support/verified.ts";

let gateway: StandIn;
let api: TestApi;
before(async () => {
  gateway = await openStandIn();
  api = await openApi({ GATEWAY_URL_SANDBOX: gateway.url });
});
after(async () => {
  await closeVerified(api).finally(gateway.close);
});

const takeBack = async (shop: Invoicing, reference: string, rand: number, facts: object = {}) => {
  const reversal = reportedReversal(reference, { amount: Math.round(rand * 100), ...facts });
  assert.equal((await notify(api, shop.account, { reversal })).status, 200);
};
const shown = async (shop: Invoicing, reference: string) =>
  (await shop.merchant.get(`/transactions/${reference}`)).body;
const eventsOf = async (shop: Invoicing, reference: string) => (await shop.eventsOf(reference)).map(({ type }) => type);
const REVERSED = { reason: "Not provided for.", code: "02", reversedAt: "2027-03-01T10:00:00.000Z" };

describe("a payment that a bank takes back", () => {
  test("stays complete and says so; its invoice is owed again, with a link; staff are told; told five times, it happens once", async () => {
    const shop = await openInvoicing(api);
    await shop.merchant.signIn();
    const { id, payUrl } = await shop.owe(100);
    const reference = await shop.payOnline(id, 100);
    assert.equal((await shop.show(id)).payUrl, null);
    await Promise.all(
      [1, 2, 3, 4, 5].map((day) => takeBack(shop, reference, 100, { occurredAt: `2027-01-0${day}T10:00:00.000Z` })),
    );
    const payment = await shown(shop, reference);
    assert.deepEqual([payment["status"], payment["reversals"]], ["complete", [{ amount: 100, ...REVERSED }]]);
    assert.partialDeepStrictEqual(payment["invoice"], { id, status: "sent" });
    const invoice = await shop.show(id);
    assert.deepEqual(
      [invoice.status, invoice.amountPaid, invoice.amountDue, invoice["paidAt"]],
      ["sent", 0, 100, null],
    );
    assert.ok(invoice.payUrl && invoice.payUrl !== payUrl);
    assert.deepEqual(await eventsOf(shop, reference), ["payment.complete", "payment.reversed"]);
    assert.deepEqual(await shop.books(), {
      gateway_clearing: -390,
      gateway_fees: 390,
      receivable: 10_000,
      revenue: -10_000,
    });
    assert.equal((await shop.standing())["status"], "owing");
    const alerts = await mailsOf(api.services, shop.merchant.organisation, { kind: "staff_alert" });
    assert.deepEqual(
      alerts.map(({ subject }) => subject.split(": ").at(-1)?.replace(/\s/, " ")),
      ["a bank reversed R 100.00"],
    );
  });

  test("is overdue again when its due date has passed, and reminded of when it has not", async () => {
    const shop = await openInvoicing(api);
    const late = await shop.owe(100, { dueDate: "2027-02-01", issueDate: "2027-01-01" });
    const soon = await shop.owe(100);
    for (const { id } of [late, soon]) await takeBack(shop, await shop.payOnline(id, 100), 100);
    assert.deepEqual([(await shop.show(late.id)).status, (await shop.show(soon.id)).status], ["overdue", "sent"]);
    const work = await api.query<{ kind: string }>(
      "select kind from due_work where organisation_id = $1 and subject = $2 order by kind",
      shop.merchant.organisation.id,
      soon.id,
    );
    assert.ok(work.some(({ kind }) => kind === "invoice.overdue"));
    assert.equal((await shop.standing())["status"], "overdue");
  });

  test("can be taken back in parts, up to its amount: what was overpaid first, then what its invoice got", async () => {
    const shop = await openInvoicing(api);
    const { id } = await shop.owe(70);
    const reference = await shop.payOnline(id, 100);
    await takeBack(shop, reference, 40, { code: "1" });
    assert.deepEqual([(await shop.show(id)).status, (await shop.show(id)).amountDue], ["partially_paid", 10]);
    assert.equal((await shop.books())["customer_credit"], undefined);
    await takeBack(shop, reference, 80, { code: "2" });
    assert.deepEqual([(await shop.show(id)).status, (await shop.show(id)).amountDue], ["sent", 70]);
    const { reversals } = (await shown(shop, reference)) as { reversals: { amount: number }[] };
    assert.deepEqual(
      reversals.map(({ amount }) => amount),
      [40, 60],
    );
    assert.equal((await shop.books())["gateway_clearing"], -390);
  });

  test("is refunded no further than what is left of it", async () => {
    const shop = await openInvoicing(api);
    const staff = await shop.merchant.signIn();
    const { id } = await shop.owe(100);
    const reference = await shop.payOnline(id, 100);
    await takeBack(shop, reference, 60);
    const refund = (amount: number) =>
      staff("POST", `/transactions/${reference}/refunds`, { amount, method: "manual" });
    assert.equal((await refund(40.01)).status, 400);
    assert.equal((await refund(40)).status, 201);
    assert.equal((await refund(0.01)).status, 400);
    assert.deepEqual((await shop.books())["refunds"], 4_000);
  });

  test("reduces revenue and VAT when it was for a product", async () => {
    const shop = await openInvoicing(api);
    const product = await (await shop.merchant.signIn())("POST", "/products", {
      name: "Course",
      amount: 115,
      taxRate: 15,
    });
    assert.equal(product.status, 201, product.text);
    const [link] = await api.query<{ id: string }>(
      `insert into payment_links (organisation_id, id, title, amount_cents, currency, single_use, active, metadata, created_at, product_id)
       values ($1, 'plink_01m81gd911n6h7vgkxmq9y2g7g', 'Course', 11500, 'ZAR', false, true, '{}', now(), $2) returning id`,
      shop.merchant.organisation.id,
      (product.body as { id: string }).id,
    );
    const row = { linkId: link?.id ?? null, customerId: shop.customerId, cents: 11_500 };
    const reference = await addPayment(api, shop.merchant, shop.account, row);
    await shop.complete(reference, 115);
    assert.equal((await shop.books())["vat_output"], -1_500);
    for (const [rand, code] of [
      [33.33, "a"],
      [81.67, "b"],
    ] as const)
      await takeBack(shop, reference, rand, { code });
    assert.deepEqual(await shop.books(), { gateway_clearing: -390, gateway_fees: 390 });
  });
});

describe("a reversal", () => {
  test("that comes before its payment has completed waits for it, and is not shown", async () => {
    const shop = await openInvoicing(api);
    const { id } = await shop.owe(100);
    const reference = await shop.attempt(id, 100);
    await takeBack(shop, reference, 100);
    assert.deepEqual([(await shown(shop, reference))["reversals"], await eventsOf(shop, reference)], [undefined, []]);
    await shop.complete(reference, 100);
    assert.deepEqual(await eventsOf(shop, reference), ["payment.complete", "payment.reversed"]);
    assert.deepEqual([(await shop.show(id)).status, (await shop.show(id)).amountDue], ["sent", 100]);
    const failed = await shop.attempt(id, 100);
    await takeBack(shop, failed, 100);
    await notify(api, shop.account, { payment: reportedPayment(failed, "failed") });
    assert.deepEqual(await eventsOf(shop, failed), ["payment.failed"]);
  });

  test("of more than the payment, or of an unknown one, is recorded and not applied", async () => {
    const shop = await openInvoicing(api);
    const { id } = await shop.owe(100);
    const reference = await shop.payOnline(id, 100);
    await takeBack(shop, reference, 100.01);
    await takeBack(shop, reference, 100, { paymentId: "sbp_other" });
    await takeBack(shop, "TEFO-20270101-00000000", 100);
    const payment = await shown(shop, reference);
    assert.deepEqual([payment["reversals"], payment["flags"]], [undefined, ["notification_mismatch"]]);
    assert.equal((await shop.show(id)).status, "paid");
    const heard = await api.query<{ outcome: string }>(
      "select outcome from gateway_notifications where organisation_id = $1 order by id",
      shop.merchant.organisation.id,
    );
    assert.deepEqual(
      heard.map(({ outcome }) => outcome),
      ["applied", "mismatch", "unknown_reference", "unknown_reference"],
    );
  });
});
