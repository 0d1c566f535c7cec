import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import { openSubscriptionShop, type SubscriptionShop } from "../support/customer-subscriptions.ts";
import { closeVerified } from "../support/verified.ts";

/*
 * Interface 16.1: a subscription in a currency without decimals bills, credits and counts whole units. `closeVerified`
 * verifies all of them.
 */

let api: TestApi;
let shop: SubscriptionShop;
before(async () => {
  api = await openApi();
  shop = await openSubscriptionShop(api);
});
after(() => closeVerified(api));

const CALLS = { code: "calls", kind: "metered", description: "Calls", unitAmount: 0.3 };
const SEATS = { code: "seats", kind: "addon", description: "Seats", quantity: 3, unitAmount: 0.5 };

/** Subscribes to a plan in yen. */
async function subscribed(plan: object, fields: object = {}): Promise<string> {
  const planId = await shop.addPlan({ name: "Yen", currency: "JPY", ...plan });
  return (await shop.subscribe({ planId, ...fields })).id;
}

/** The subtotal, VAT and total of each invoice, oldest first; whatever they are, they are whole, and so are their lines. */
async function totals(id: string): Promise<unknown[][]> {
  const invoices = await shop.invoices(id);
  for (const { lines, subtotal, taxAmount, total } of invoices) {
    const amounts = (lines as { amount: number }[]).map(({ amount }) => amount);
    for (const amount of [...amounts, subtotal, taxAmount, total])
      assert.ok(Number.isInteger(amount), JSON.stringify(lines));
  }
  return invoices.map(({ subtotal, taxAmount, total }) => [subtotal, taxAmount, total]).toReversed();
}

test("a plan of 101 with 15 % on top costs 116; add-ons, usage and a discount are rounded to whole yen", async () => {
  const id = await subscribed({ amount: 101 }, { items: [CALLS, SEATS] });
  assert.deepEqual(await totals(id), [[103, 15, 118]]);
  await shop.act(id, "items/calls/usage", { quantity: 5 });
  await shop.act(id, "discount", { percent: 33, description: "Sorry" });
  await shop.move("2027-02-28");
  // 101 less 33, add-ons of 2 less 1, and usage of 2 less 1.
  assert.deepEqual((await totals(id))[1], [70, 10, 80]);
});

test("unused days, their credit and what uses it are whole, also between plans with and without VAT", async () => {
  const id = await subscribed({ amount: 101 });
  const inclusive = await shop.addPlan({ name: "With VAT", currency: "JPY", amount: 37, taxInclusive: true });
  await shop.move("2027-03-12");
  for (const wanted of [{ quantity: 2 }, { planId: inclusive }, { quantity: 3 }, { quantity: 1 }]) {
    const { status } = await shop.act(id, "change-plan", { proration: "now", invoiceNow: true, ...wanted });
    assert.equal(status, 200);
    assert.ok(Number.isInteger((await shop.now(id))["credit"]), JSON.stringify(wanted));
  }
  await shop.move("2027-04-30");
  assert.ok((await totals(id)).length > 1);
  assert.ok(Number.isInteger((await shop.now(id))["credit"]));
});

test("a credit of a part of a yen is refused", async () => {
  const id = await subscribed({ amount: 101 });
  const give = (amount: number) => shop.act(id, "credit", { amount, description: "Sorry" });
  const refused = await give(0.5);
  assert.deepEqual([refused.status, refused.body.issues?.[0]?.path], [400, ["amount"]]);
  assert.equal((await give(7)).status, 200);
});

test("an invoice is credited in part, one that used credit is cancelled, and the days that are left are worth whole yen", async () => {
  const id = await subscribed({ amount: 103 });
  await shop.act(id, "credit", { amount: 7, description: "Sorry" });
  const [first] = await shop.invoices(id);
  const note = (amount: number) =>
    shop.staff("POST", "/credit-notes", { invoiceId: first?.["id"], amount, reason: "Late" });
  assert.equal((await note(0.5)).status, 400);
  assert.equal((await note(37)).status, 201);
  const [made] = await api.query<{ tax_cents: number }>(
    "select tax_cents from credit_notes where invoice_id = $1",
    first?.["id"],
  );
  assert.equal(Number(made?.tax_cents), 500);
  await shop.act(id, "change-plan", { quantity: 2, proration: "now", invoiceNow: true });
  await shop.act(id, "change-plan", { quantity: 1, proration: "now", invoiceNow: true });
  const newest = (await shop.invoices(id))[0];
  assert.equal((await shop.shop.post(`/invoices/${newest?.["id"]}/cancel`, {})).status, 200);
  assert.ok(Number.isInteger((await shop.now(id))["credit"]));
  await totals(id);
});

test("a yearly plan's monthly revenue is whole yen", async () => {
  const id = await subscribed({ amount: 100, frequency: "annually" });
  const [row] = await api.query<{ mrr_cents: number }>(
    "select mrr_cents from customer_subscriptions where id = $1",
    id,
  );
  assert.equal(Number(row?.mrr_cents), 800);
});
