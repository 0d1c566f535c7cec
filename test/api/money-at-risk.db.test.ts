import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import { openDebitedShop } from "../support/debited-subscriptions.ts";
import { type Invoicing, openInvoicing } from "../support/invoices.ts";
import { addActiveMandate, type MandateShop, openMandateShop, type Shown } from "../support/mandates.ts";
import { openStandIn, type StandIn } from "../support/payments.ts";
import { closeVerified } from "../support/verified.ts";

let gateway: StandIn;
/** Its sandbox gateway is the service's own. */
let api: TestApi;
/** Its gateway says what the tests say. */
let told: TestApi;
before(async () => {
  gateway = await openStandIn();
  api = await openApi();
  told = await openApi({ GATEWAY_URL_SANDBOX: gateway.url });
});
after(async () => {
  await closeVerified(api)
    .finally(() => closeVerified(told))
    .finally(() => gateway.close());
});

interface Overview {
  readonly asOf: string;
  readonly moneyAtRisk: [
    {
      readonly currency: string;
      readonly safe: { readonly amount: number; readonly count: number; readonly list: string };
      readonly atRisk: { readonly until: string | null; readonly days: object[]; readonly list: string } & object;
    },
  ];
}
const overview = async (shop: MandateShop) => {
  const answer = await shop.staff<Overview>("GET", "/overview");
  assert.equal(answer.status, 200, answer.text);
  return answer.body.moneyAtRisk[0];
};
/** The references of the list that a figure names. */
const listOf = async (shop: MandateShop, { list }: { readonly list: string }) => {
  const path = list.replace("/dashboard/api", "");
  return (await shop.staff<{ data: Shown[] }>("GET", path)).body.data.map(({ reference }) => reference);
};

describe("the overview", () => {
  test("is empty without debits", async () => {
    const shop = await openMandateShop(api);
    const { body } = await shop.staff<Overview>("GET", "/overview");
    const nothing = { amount: 0, count: 0 };
    assert.equal(body.asOf, "2027-03-01T10:00:00.000Z");
    assert.deepEqual(body.moneyAtRisk, [
      {
        currency: "ZAR",
        safe: { ...nothing, list: "/dashboard/api/transactions?risk=safe" },
        atRisk: { ...nothing, until: null, days: [], list: "/dashboard/api/transactions?risk=at_risk" },
      },
    ]);
  });

  test("says what debits collected, what of it can be disputed and until when, by the organisation's clock", async () => {
    const shop = await openMandateShop(api);
    const first = await addActiveMandate(shop, { debitDay: 4, frequency: "annually" });
    const second = await addActiveMandate(shop, { debitDay: 8, amount: 100, frequency: "annually" });
    const unpaid = { accountNumber: "62900417702" };
    await addActiveMandate(shop, { debitDay: 8, amount: 70, frequency: "annually" }, unpaid);
    // Debits settle two business days after their date: 8 and 10 March.
    await shop.move("2027-03-12T10:00:00Z");
    const references = [`${second["accountReference"]}-20270308`, `${first["accountReference"]}-20270304`];
    const running = await overview(shop);
    assert.partialDeepStrictEqual(running.safe, { amount: 0, count: 0 });
    assert.partialDeepStrictEqual(running.atRisk, {
      amount: 450.5,
      count: 2,
      until: "2027-05-09",
      days: [
        { until: "2027-05-07", amount: 350.5, count: 1 },
        { until: "2027-05-09", amount: 100, count: 1 },
      ],
    });
    assert.deepEqual((await listOf(shop, running.atRisk)).toSorted(), references.toSorted());
    assert.deepEqual(await listOf(shop, running.safe), []);
    const debit = (await shop.shop.get(`/transactions/${references[1]}`)).body;
    assert.equal(debit["disputableUntil"], "2027-05-07");

    await shop.move("2027-05-07T21:59:59Z");
    assert.partialDeepStrictEqual((await overview(shop)).atRisk, { amount: 450.5, count: 2 });
    await shop.move("2027-05-07T22:00:00Z");
    const passed = await overview(shop);
    assert.partialDeepStrictEqual(passed.safe, { amount: 350.5, count: 1 });
    assert.partialDeepStrictEqual(passed.atRisk, { amount: 100, count: 1, until: "2027-05-09" });
    assert.deepEqual(
      [await listOf(shop, passed.safe), await listOf(shop, passed.atRisk)],
      [[references[1]], [references[0]]],
    );

    const refund = { amount: 50.5, method: "manual" };
    for (const reference of references)
      assert.equal((await shop.staff("POST", `/transactions/${reference}/refunds`, refund)).status, 201);
    const refunded = await overview(shop);
    assert.equal(refunded.safe.amount, 300, "what was refunded is not kept");
    assert.partialDeepStrictEqual(refunded.atRisk, { amount: 100 }, "a bank takes a whole debit back");

    await shop.staff("POST", "/sandbox/notify", { reference: references[0], status: "failed" });
    const reversed = await overview(shop);
    assert.partialDeepStrictEqual(reversed.atRisk, { amount: 0, count: 0, until: null, days: [] });
    assert.deepEqual(await listOf(shop, reversed.atRisk), []);

    await shop.move("2027-06-04T10:00:00Z");
    assert.partialDeepStrictEqual((await overview(shop)).safe, { amount: 300, count: 1 });
    await shop.move("2027-06-06T10:00:00Z");
    assert.partialDeepStrictEqual((await overview(shop)).safe, { amount: 0, count: 0 }, "90 days later");
  });

  test("knows nothing of other organisations and other payments, and filters by the two risks alone", async () => {
    const shop = await openMandateShop(api);
    await addActiveMandate(shop, { debitDay: 4 });
    await shop.move("2027-03-12T10:00:00Z");
    const other = await openMandateShop(api);
    await other.move("2027-03-12T10:00:00Z");
    assert.partialDeepStrictEqual((await overview(other)).atRisk, { count: 0 });
    assert.equal((await shop.staff("GET", "/transactions?risk=high")).status, 400);
  });
});

describe("what was paid on an invoice", () => {
  const paymentsOf = (shop: Invoicing["merchant"], id: string | undefined) => shop.get(`/invoices/${id}/payments`);
  const shown = (body: Shown) =>
    (body["data"] as Shown[]).map(({ source, amount, reference, transactionReference, atRisk }) => [
      source,
      amount,
      reference,
      transactionReference,
      atRisk,
    ]);

  test("is safe when no debit is among it", async () => {
    const shop = await openInvoicing(told);
    const { id } = await shop.owe(300);
    assert.deepEqual((await paymentsOf(shop.merchant, id)).body, {
      amountPaid: 0,
      safe: 0,
      atRisk: 0,
      atRiskUntil: null,
      data: [],
      amountRefunded: 0,
      refunds: [],
    });
    assert.equal((await shop.payOffline(id, 30, { reference: "slip 7" })).status, 201);
    const card = await shop.payOnline(id, 70);
    const { body } = await paymentsOf(shop.merchant, id);
    assert.partialDeepStrictEqual(body, { amountPaid: 100, safe: 100, atRisk: 0, atRiskUntil: null });
    assert.deepEqual(shown(body), [
      ["offline", 30, "slip 7", null, 0],
      ["transaction", 70, null, card, 0],
    ]);
  });

  test("lists each payment, and says how much is safe, how much can still be taken back and until when", async () => {
    const shop = await openDebitedShop(api, { sub: { quantity: 3 } });
    const id = shop.sub.lastInvoice?.id;
    const slip = { amount: 100, method: "eft", reference: "slip 8" };
    assert.equal((await shop.shop.post(`/invoices/${id}/payments`, slip)).status, 201);
    await shop.move("2027-03-09T10:00:00Z");
    const debit = `${shop.mandate["accountReference"]}-20270305`;
    const { body } = await paymentsOf(shop.shop, id);
    assert.partialDeepStrictEqual(body, { amountPaid: 300, safe: 100, atRisk: 200, atRiskUntil: "2027-05-08" });
    assert.deepEqual(shown(body), [
      ["offline", 100, "slip 8", null, 0],
      ["transaction", 200, null, debit, 200],
    ]);
    await shop.staff("POST", "/sandbox/notify", { reference: debit, status: "failed" });
    const after = (await paymentsOf(shop.shop, id)).body;
    assert.partialDeepStrictEqual(after, { amountPaid: 100, safe: 100, atRisk: 0, atRiskUntil: null });
    assert.deepEqual(shown(after).at(-1), ["reversal", -200, null, debit, 0]);
  });

  test("is safe once the days are over", async () => {
    const shop = await openDebitedShop(api, { given: { endDate: "2027-03-06" } });
    await shop.move("2027-05-08T21:59:59Z");
    const id = shop.sub.lastInvoice?.id;
    assert.partialDeepStrictEqual((await paymentsOf(shop.shop, id)).body, { safe: 0, atRisk: 100 });
    await shop.move("2027-05-08T22:00:00Z");
    assert.partialDeepStrictEqual((await paymentsOf(shop.shop, id)).body, { safe: 100, atRisk: 0, atRiskUntil: null });
  });

  test("is 404 for another organisation's invoice", async () => {
    const [shop, other] = [await openInvoicing(told), await openInvoicing(told)];
    const { id } = await shop.owe(100);
    assert.equal((await paymentsOf(other.merchant, id)).status, 404);
  });
});
