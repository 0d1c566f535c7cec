import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import { openSubscriptionShop, type SubscriptionShop } from "../support/customer-subscriptions.ts";
import { addActiveMandate, addMandate, mandateBody, mandateNow, openMandateShop } from "../support/mandates.ts";
import { closeVerified } from "../support/verified.ts";

/* Interface 4.4: customers who are inactive, for whom nothing new is made. */

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

interface Refused {
  readonly error?: string;
  readonly message?: string;
  readonly active?: boolean;
}
const patch = ({ shop, customer }: SubscriptionShop, body: object) =>
  shop.call<Refused>("PATCH", `/customers/${customer}`, { body });

/** A shop whose customer has a subscription and, where asked, more. */
async function opened(): Promise<{ shop: SubscriptionShop; id: string; invoices: () => Promise<number> }> {
  const shop = await openSubscriptionShop(api);
  const { id } = await shop.subscribe({ planId: await shop.addPlan() });
  return { shop, id, invoices: async () => (await shop.invoices(id)).length };
}

describe("deactivating a customer with something running", () => {
  test("is 409 and changes nothing, until onActive says what becomes of it", async () => {
    const { shop, id, invoices } = await opened();
    const refused = await patch(shop, { active: false, firstName: "Other" });
    assert.deepEqual([refused.status, refused.body.error], [409, "invalid_state"]);
    assert.match(refused.body.message ?? "", /1 subscription running.*onActive/);
    const again = await shop.shop.post<Refused>("/customers", { externalReference: "T1", active: false });
    assert.equal(again.status, 409);
    const { body } = await shop.shop.get<{ active: boolean; firstName: string }>(`/customers/${shop.customer}`);
    assert.deepEqual([body.active, body.firstName, (await shop.now(id)).status], [true, "Thandi", "active"]);
    assert.equal((await patch(shop, { active: false, onActive: "stop" })).status, 400);
    assert.equal(await invoices(), 1);
  });

  for (const [onActive, status, made] of [
    ["pause", "paused", 1],
    ["cancel", "cancelled", 1],
    ["keep", "active", 3],
  ] as const)
    test(`${onActive}: the subscription is ${status}`, async () => {
      const { shop, id, invoices } = await opened();
      const answer = await patch(shop, { active: false, onActive });
      assert.deepEqual([answer.status, answer.body.active], [200, false], answer.text);
      assert.equal((await shop.now(id)).status, status);
      await shop.move("2027-04-02");
      assert.equal(await invoices(), made);
      if (onActive === "keep") return;
      const action = onActive === "pause" ? "resume" : "reactivate";
      assert.equal((await shop.act(id, action)).body.error, "invalid_state");
      assert.equal((await patch(shop, { active: true })).status, 200);
      assert.equal((await shop.act(id, action)).body.status, "active");
    });

  test("several at once, by the upsert too", async () => {
    const { shop, id } = await opened();
    const planId = await shop.addPlan({ name: "Silver" });
    const others = [
      await shop.subscribe({ planId, trialDays: 9 }),
      await shop.subscribe({ planId, startDate: "2027-03-01" }),
    ];
    const answer = await shop.shop.post<Refused>("/customers", {
      externalReference: "T1",
      active: false,
      onActive: "pause",
    });
    assert.equal(answer.status, 200, answer.text);
    for (const one of [id, ...others.map((other) => other.id)]) assert.equal((await shop.now(one)).status, "paused");
    assert.equal((await patch(shop, { active: false })).status, 200, "it is inactive already");
  });

  test("by an upsert that finds them by email and gives them a reference", async () => {
    const shop = await openSubscriptionShop(api);
    const email = "nomsa@example.co.za";
    const { body } = await shop.shop.post<{ id: string }>("/customers", { email });
    await shop.subscribe({ planId: await shop.addPlan(), customer: { id: body.id } });
    const upsert = (more: object) => shop.shop.post<Refused>("/customers", { externalReference: "N1", email, ...more });
    assert.equal((await upsert({ active: false })).status, 409);
    const { body: paused } = await upsert({ active: false, onActive: "pause" });
    assert.equal(paused.active, false);
  });
});

test("mandates are paused or cancelled too; one that awaits its signature goes on to await it when paused", async () => {
  for (const [onActive, expected] of [
    ["pause", ["paused", "pending"]],
    ["cancel", ["cancelled", "cancelled"]],
    ["keep", ["active", "pending"]],
  ] as const) {
    const shop = await openMandateShop(api);
    const mandates = [await addActiveMandate(shop), await addMandate(shop)];
    const change = (body: object) => shop.shop.call<Refused>("PATCH", `/customers/${shop.customer}`, { body });
    assert.match((await change({ active: false })).body.message ?? "", /2 mandates running/);
    const answer = await change({ active: false, onActive });
    assert.equal(answer.status, 200, answer.text);
    const statuses = [];
    for (const mandate of mandates) statuses.push((await mandateNow(shop, mandate))["status"]);
    assert.deepEqual(statuses, expected);
    const link = await shop.shop.post("/payment-links", { customerId: shop.customer, amount: 5, title: "Once" });
    assert.equal(link.status, 400);
    assert.match(link.text, /inactive/);
  }
});

test("nothing new is made for an inactive customer; what corrects stays possible", async () => {
  const shop = await openSubscriptionShop(api);
  const planId = await shop.addPlan();
  const lines = [{ description: "Work", quantity: 1, unitPrice: 100 }];
  const customerId = shop.customer;
  const { body: invoice } = await shop.shop.post<{ id: string }>("/invoices", { customerId, send: true, lines });
  const { body: quote } = await shop.shop.post<{ id: string }>("/quotes", { customerId, lineItems: lines });
  assert.equal((await patch(shop, { active: false })).status, 200);
  for (const [path, body] of [
    ["/invoices", { customerId, lines }],
    ["/quotes", { customerId, lineItems: lines }],
    ["/customer-subscriptions", { customer: { id: customerId }, planId, collectionMethod: "invoice" }],
    ["/mandates", mandateBody(shop)],
  ] as const) {
    const answer = await shop.shop.post<Refused>(path, body);
    assert.equal(answer.status, 400, `${path} ${answer.text}`);
    assert.match(answer.text, /inactive/, path);
  }
  assert.equal((await shop.shop.post(`/quotes/${quote.id}/convert`, {})).status, 409);
  const note = await shop.staff("POST", "/credit-notes", { invoiceId: invoice.id, amount: 5, reason: "Sorry" });
  assert.equal(note.status, 201, note.text);
});
