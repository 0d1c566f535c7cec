import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { chargeDueInvoice } from "../../src/flows/invoices/charge-due-invoices.ts";
import { openApi, type TestApi } from "../support/api.ts";
import { addCard, addCardCustomer, type CardShop, openCardShop, type Shown, VISA } from "../support/cards.ts";
import { EXCHANGE } from "../support/invoices.ts";
import { faultsOf } from "../support/verified.ts";

// The clock stands at Monday 1 March 2027, 10:00. Invoices are of 115.00.
let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => api.close());

const set = async ({ staff }: CardShop, on: boolean) =>
  assert.equal((await staff("PATCH", "/settings", { chargeDefaultCardWhenDue: on })).status, 200);

async function owe({ shop, customer }: CardShop, dueDate: string, fields: object = {}): Promise<string> {
  const lines = [{ description: "Atlas", quantity: 1, unitPrice: 115, taxRate: 0 }];
  const answer = await shop.post("/invoices", { customerId: customer, lines, dueDate, send: true, ...fields });
  assert.equal(answer.status, 201, answer.text);
  return String(answer.body["id"]);
}

const charges = ({ shop }: CardShop) =>
  api.query<{ invoice: string; cents: string; status: string; at: Date }>(
    `select c.due_invoice_id as invoice, t.amount_cents as cents, t.status, t.created_at as at from card_charges c
       join transactions t on t.organisation_id = c.organisation_id and t.id = c.transaction_id
      where c.organisation_id = $1 order by c.id`,
    shop.organisation.id,
  );
const charged = async (shop: CardShop) => (await charges(shop)).map(({ invoice }) => invoice);
const invoiceNow = async ({ shop }: CardShop, id: string): Promise<Shown> => (await shop.get(`/invoices/${id}`)).body;

describe("the setting chargeDefaultCardWhenDue", () => {
  test("charges the balance on the due date, once, whatever the bank says; the invoice is paid when it settles", async () => {
    const shop = await openCardShop(api);
    await set(shop, true);
    await addCard(shop);
    const id = await owe(shop, "2027-03-10");
    await shop.move("2027-03-09T21:59:00.000Z");
    assert.deepEqual(await charges(shop), []);
    await shop.move("2027-03-09T22:00:00.000Z");
    const [row, ...more] = await charges(shop);
    // The 1.00 of the set-up was credited on it.
    assert.deepEqual([row?.invoice, row?.cents, row?.status, more.length], [id, "11400", "pending", 0]);
    await shop.move("2027-03-12T10:00:00.000Z");
    assert.equal((await invoiceNow(shop, id))["status"], "paid");
    await shop.move("2027-04-12T10:00:00.000Z");
    assert.equal((await charges(shop)).length, 1);
    assert.deepEqual(await faultsOf(api, shop.shop.organisation), []);
  });

  for (const [card, expected] of [
    [VISA, ["before"]],
    ["4000000000000341", ["before", "after"]],
  ] as const)
    test(`no reminder is mailed while ${card} is charged for the invoice, and one once it has failed`, async () => {
      const shop = await openCardShop(api);
      await set(shop, true);
      await addCard(shop, card);
      await owe(shop, "2027-03-10");
      await shop.move("2027-03-30T10:00:00.000Z");
      const { body } = await shop.staff<{ data: { kind: string; subject: string }[] }>("GET", "/emails?limit=100");
      const reminders = body.data.filter(({ kind }) => kind === "invoice_reminder");
      const kinds = reminders.map(({ subject }) => (subject.includes("Overdue") ? "after" : "before"));
      assert.deepEqual(kinds.toReversed(), expected);
    });

  test("does not try again when the bank declines", async () => {
    const shop = await openCardShop(api);
    await set(shop, true);
    await addCard(shop, "4000000000000341");
    const id = await owe(shop, "2027-03-10");
    await shop.move("2027-04-12T10:00:00.000Z");
    assert.deepEqual(
      (await charges(shop)).map(({ status }) => status),
      ["failed"],
    );
    assert.equal((await invoiceNow(shop, id))["status"], "partially_paid");
    assert.deepEqual(await faultsOf(api, shop.shop.organisation), []);
  });

  test("turned on later, it charges invoices that are due already from the next day on; turned off, it charges nothing more", async () => {
    const shop = await openCardShop(api);
    await addCard(shop);
    const overdue = await owe(shop, "2027-03-01");
    await owe(shop, "2027-03-20");
    await shop.move("2027-03-05T10:00:00.000Z");
    await set(shop, true);
    assert.deepEqual(await charged(shop), []);
    await shop.move("2027-03-06T10:00:00.000Z");
    assert.deepEqual(await charged(shop), [overdue]);
    await set(shop, false);
    await shop.move("2027-04-06T10:00:00.000Z");
    assert.deepEqual(await charged(shop), [overdue]);
    assert.deepEqual(await faultsOf(api, shop.shop.organisation), []);
  });

  test("a customer who saves a card after the due date is charged on the next day", async () => {
    const shop = await openCardShop(api);
    await set(shop, true);
    const id = await owe(shop, "2027-03-03");
    await shop.move("2027-03-08T10:00:00.000Z");
    assert.deepEqual(await charged(shop), []);
    await addCard(shop);
    await shop.move("2027-03-08T22:00:00.000Z");
    assert.deepEqual(await charged(shop), [id]);
  });

  test("leaves alone drafts, other currencies, more than a million, paid and cancelled ones, cards that are no default, inactive customers", async () => {
    const shop = await openCardShop(api, {}, { currencies: ["ZAR", "USD"] });
    await set(shop, true);
    await addCard(shop);
    await owe(shop, "2027-03-03", { send: false });
    await owe(shop, "2027-03-03", { currency: "USD", exchange: EXCHANGE });
    await owe(shop, "2027-03-03", { lines: [{ description: "House", quantity: 1, unitPrice: 1_000_002, taxRate: 0 }] });
    const paid = await owe(shop, "2027-03-03");
    await shop.shop.post(`/invoices/${paid}/payments`, { amount: 115, method: "cash" });
    await shop.shop.post(`/invoices/${await owe(shop, "2027-03-03")}/cancel`, {});
    const other = await addCardCustomer(shop.shop);
    await addCard(shop, VISA, { of: other, body: { makeDefault: false } });
    await owe(shop, "2027-03-03", { customerId: other });
    const inactive = await addCardCustomer(shop.shop);
    await addCard(shop, VISA, { of: inactive });
    await owe(shop, "2027-03-03", { customerId: inactive });
    await shop.shop.call("PATCH", `/customers/${inactive}`, { body: { active: false, onActive: "keep" } });
    await shop.move("2027-03-06T10:00:00.000Z");
    assert.deepEqual(await charged(shop), []);
  });

  test("leaves an invoice alone while a payment of it is under way, and looks again the next day", async () => {
    const shop = await openCardShop(api);
    await set(shop, true);
    await addCard(shop);
    const id = await owe(shop, "2027-03-02");
    const { payUrl } = await invoiceNow(shop, id);
    const answer = await api.call("POST", new URL(String(payUrl)).pathname, {
      body: new URLSearchParams({ gateway: shop.account.id }).toString(),
      headers: { "content-type": "application/x-www-form-urlencoded", origin: api.baseUrl },
    });
    assert.equal(answer.status, 303, answer.text);
    await shop.move("2027-03-03T10:00:00.000Z");
    assert.deepEqual(await charged(shop), []);
    // After three days the payment is given up.
    await shop.move("2027-03-05T10:00:00.000Z");
    assert.deepEqual(await charged(shop), [id]);
  });

  test("leaves invoices alone while the plan's payments of the month are used up", async () => {
    const shop = await openCardShop(api, { limits: { monthlyTransactions: 1 } });
    await set(shop, true);
    await addCard(shop);
    const [first, second] = [await owe(shop, "2027-03-02"), await owe(shop, "2027-03-02")];
    await shop.move("2027-03-31T21:59:00.000Z");
    assert.deepEqual(await charged(shop), [], "the set-up was the one payment of March");
    await shop.move("2027-03-31T22:00:00.000Z");
    assert.equal((await charged(shop)).length, 1);
    await shop.move("2027-04-01T22:00:00.000Z");
    // What was begun more than half an hour ago and is pending does not count.
    assert.deepEqual((await charged(shop)).toSorted(), [first, second].toSorted());
  });

  test("20 workers at once charge an invoice once", async () => {
    const shop = await openCardShop(api);
    await set(shop, true);
    await addCard(shop);
    const id = await owe(shop, "2027-03-01");
    const ctx = await shop.shop.ctx();
    await Promise.all(Array.from({ length: 20 }, () => chargeDueInvoice(api.services, ctx, id)));
    assert.deepEqual(await charged(shop), [id]);
  });
});
