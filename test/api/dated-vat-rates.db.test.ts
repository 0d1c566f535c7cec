import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import { openSubscriptionShop, type SubscriptionShop } from "../support/customer-subscriptions.ts";
import { closeVerified } from "../support/verified.ts";

/* Interface 14.2 and 16.11: the standard rate of VAT by day, and the registration for VAT. */

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

const FROM_APRIL = [
  { from: "2018-04-01", rate: 15 },
  { from: "2027-04-01", rate: 16 },
];
type Line = { description: string; amount: number; taxRate: number };
interface Invoice {
  readonly subtotal: number;
  readonly taxAmount: number;
  readonly total: number;
  readonly lines: readonly Line[];
}

const settings = async ({ staff }: SubscriptionShop, body: object) => {
  const answer = await staff<Record<string, unknown>>("PATCH", "/settings", body);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
};
const totals = ({ subtotal, taxAmount, total }: Invoice) => [subtotal, taxAmount, total];
const invoicesOf = async ({ shop }: SubscriptionShop, id: string) =>
  (await shop.get<{ data: Invoice[] }>(`/customer-subscriptions/${id}/invoices`)).body.data;
const billed = async (shop: SubscriptionShop, id: string) => (await invoicesOf(shop, id)).toReversed().map(totals);
const invoiced = (shop: SubscriptionShop, fields: object, line: object = {}) =>
  shop.shop.post<Invoice>("/invoices", {
    ...{
      customerId: shop.customer,
      send: true,
      lines: [{ description: "Work", quantity: 1, unitPrice: 100, ...line }],
    },
    ...fields,
  });

describe("a rate that changes by law on a day", () => {
  let shop: SubscriptionShop;
  before(async () => {
    shop = await openSubscriptionShop(api);
    const { vatRate, vatRates } = await settings(shop, { vatRates: FROM_APRIL });
    assert.deepEqual([vatRate, vatRates], [15, FROM_APRIL]);
  });

  test("plans and subscriptions without a rate of their own follow it, without a change and without an event", async () => {
    const [standard, inclusive, own] = await Promise.all([
      shop.addPlan({ name: "Standard", taxRate: undefined }),
      shop.addPlan({ name: "Inclusive", amount: 115, taxInclusive: true, taxRate: undefined }),
      shop.addPlan({ name: "Own" }),
    ]);
    const subs = [];
    for (const planId of [standard, inclusive, own])
      subs.push(await shop.subscribe({ planId, billingAnchorDay: 15, startDate: "2027-02-15" }));
    const [first, second, third] = subs.map(({ id }) => id) as [string, string, string];
    await shop.move("2027-03-31T21:00:00Z");
    const planNow = async (id: string) => {
      const { data } = (
        await shop.shop.get<{ data: { id: string; taxRate: number; standardRate: boolean }[] }>("/plans")
      ).body;
      const { taxRate, standardRate } = data.find((one) => one.id === id) ?? assert.fail(id);
      return [taxRate, standardRate];
    };
    assert.deepEqual(await planNow(standard), [15, true]);
    const sent = (await shop.events(first)).length;
    await shop.move("2027-04-01");
    assert.deepEqual(
      [await planNow(standard), await planNow(own)],
      [
        [16, true],
        [15, false],
      ],
    );
    assert.equal((await shop.events(first)).length, sent);
    await shop.move("2027-04-15");
    assert.deepEqual(await billed(shop, first), [
      [100, 15, 115],
      [100, 15, 115],
      [100, 16, 116],
    ]);
    assert.deepEqual(await billed(shop, second), [
      [100, 15, 115],
      [100, 15, 115],
      [99.14, 15.86, 115],
    ]);
    assert.deepEqual(await billed(shop, third), [
      [100, 15, 115],
      [100, 15, 115],
      [100, 15, 115],
    ]);
    assert.equal((await shop.told(first)).filter((type) => type === "renewed").length, 2);
    assert.equal((await shop.told(first)).includes("plan_changed"), false);
    assert.equal((await settings(shop, {}))["vatRate"], 16);
  });

  test("the usage of a period that spans the day has the rate of each of its days, and the return adds up", async () => {
    const other = await openSubscriptionShop(api);
    await settings(other, { vatRates: FROM_APRIL });
    const planId = await other.addPlan({ taxRate: undefined });
    const calls = { code: "calls", kind: "metered", description: "Calls", unitAmount: 0.31 };
    await other.move("2027-03-15");
    const { id } = await other.subscribe({ planId, items: [calls] });
    await other.shop.post(`/customer-subscriptions/${id}/items/calls/usage`, { quantity: 100, action: "set" });
    await other.move("2027-04-15");
    const [newest] = await invoicesOf(other, id);
    assert.deepEqual(newest && totals(newest), [131, 20.79, 151.79]);
    assert.deepEqual(
      newest?.lines.map(({ description, amount, taxRate }) => [description, amount, taxRate]),
      [
        ["Gold", 100, 16],
        ["Calls (17 of 31 days)", 17, 15],
        ["Calls (14 of 31 days)", 14, 16],
      ],
    );
    const finance = await other.shop.signIn("finance");
    const { figures } = (
      await finance<{ figures: { field: string; amount: number }[] }>("GET", "/accounting/vat201/2027-04?months=2")
    ).body;
    const field = (name: string) => figures.find((one) => one.field === name)?.amount;
    assert.deepEqual(
      [field("1"), field("4"), field("20")],
      [266.79, 35.79, 35.79],
      "115.00 of March and 151.79 of April",
    );
  });

  test("a line without a rate has that of the invoice's day, a quote that of its own, which its invoice keeps", async () => {
    for (const [issueDate, expected] of [
      ["2027-03-31", 15],
      ["2027-04-01", 16],
    ] as const) {
      const dates = { issueDate, dueDate: "2027-12-31" };
      assert.equal((await invoiced(shop, dates)).body.taxAmount, expected, issueDate);
      assert.equal((await invoiced(shop, dates, { taxRate: 5 })).body.taxAmount, 5);
      const { body } = await shop.shop.post<{ id: string; taxAmount: number }>("/quotes", {
        ...{ customerId: shop.customer, issueDate, lineItems: [{ description: "Work", quantity: 1, unitPrice: 100 }] },
      });
      assert.equal(body.taxAmount, expected);
      const { body: converted } = await shop.shop.post<{ invoice: Invoice }>(`/quotes/${body.id}/convert`, {});
      assert.equal(converted.invoice.taxAmount, expected);
    }
  });
});

describe("the settings", () => {
  test("rates ascend, those before the first given one stay, and vatRate corrects the one in force", async () => {
    const shop = await openSubscriptionShop(api);
    for (const vatRates of [
      [],
      [
        { from: "2027-04-01", rate: 16 },
        { from: "2027-04-01", rate: 17 },
      ],
      [{ from: "2027-02-30", rate: 16 }],
      [{ from: "2027-04-01", rate: 101 }],
    ])
      assert.equal((await shop.staff("PATCH", "/settings", { vatRates })).status, 400, JSON.stringify(vatRates));
    const later = await settings(shop, { vatRates: [{ from: "2027-04-01", rate: 16 }] });
    assert.deepEqual([later["vatRate"], later["vatRates"]], [15, FROM_APRIL]);
    const corrected = await settings(shop, { vatRate: 14 });
    assert.deepEqual(
      [corrected["vatRate"], corrected["vatRates"]],
      [14, [{ from: "2018-04-01", rate: 14 }, FROM_APRIL[1]]],
    );
    assert.deepEqual((await settings(shop, { vatRates: null }))["vatRates"], [FROM_APRIL[0]]);
  });

  test("who is not registered has rate 0, and a rate above 0 is refused, for the day of the supply", async () => {
    const shop = await openSubscriptionShop(api);
    const planId = await shop.addPlan({ taxRate: undefined });
    const own = await shop.addPlan({ taxRate: 15 });
    const off = await settings(shop, { vatRegistered: false });
    assert.deepEqual([off["vatRate"], off["vatRegistered"], off["vatRegisteredFrom"]], [0, false, null]);
    for (const plan of [planId, own]) {
      const { id } = await shop.subscribe({ planId: plan });
      assert.deepEqual(await billed(shop, id), [[100, 0, 100]]);
    }
    assert.deepEqual(totals((await invoiced(shop, {})).body), [100, 0, 100]);
    const plan = (taxRate: number) =>
      shop.shop.post(`/packages/${shop.packageId}/plans`, { name: "P", amount: 1, frequency: "monthly", taxRate });
    const product = (taxRate: number) => shop.staff("POST", "/products", { name: "P", amount: 1, taxRate });
    const quote = (taxRate: number) =>
      shop.shop.post("/quotes", {
        ...{ customerId: shop.customer, lineItems: [{ description: "Work", quantity: 1, unitPrice: 100, taxRate }] },
      });
    const line = (taxRate: number) => invoiced(shop, {}, { taxRate });
    for (const make of [plan, product, quote, line]) {
      const refused = await make(15);
      assert.equal(refused.status, 400, refused.text);
      assert.match(refused.text, /not registered for VAT/);
      assert.equal((await make(0)).status, 201);
    }
    await settings(shop, { vatRegistered: true, vatRegisteredFrom: "2027-02-10" });
    assert.equal(
      (await invoiced(shop, { issueDate: "2027-02-09", dueDate: "2027-12-31" }, { taxRate: 15 })).status,
      400,
    );
    assert.equal((await invoiced(shop, { issueDate: "2027-02-10", dueDate: "2027-12-31" })).body.taxAmount, 15);
    await shop.move("2027-02-10");
    const { id } = await shop.subscribe({ planId });
    assert.deepEqual(await billed(shop, id), [[100, 15, 115]]);
  });
});
