import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import { openSubscriptionShop, type SubscriptionShop } from "../support/customer-subscriptions.ts";
import { closeVerified } from "../support/verified.ts";

/* Interface 4.8: a change that leaves everything as it is does nothing, so that the same change sent many times is made once. */

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

const ITEMS = [
  { kind: "addon", description: "Backups", unitAmount: 20, quantity: 2 },
  { kind: "addon", description: "Backups", unitAmount: 20, quantity: 2 },
  { kind: "metered", description: "Traffic", unitAmount: 0.5 },
  { code: "seat", kind: "addon", description: "Seats", unitAmount: 5 },
];

describe("the same change eight times at once", () => {
  let shop: SubscriptionShop;
  let elm: string;
  let oak: string;
  let yearly: string;
  before(async () => {
    shop = await openSubscriptionShop(api);
    elm = await shop.addPlan({ name: "Elm", amount: 310, taxRate: 0 });
    oak = await shop.addPlan({ name: "Oak", amount: 620, taxRate: 0 });
    yearly = await shop.addPlan({ name: "Yearly", amount: 3650, taxRate: 0, frequency: "annually" });
  });

  const CHANGES: readonly [what: string, body: () => object, charges: number, event: string][] = [
    ["another plan, now", () => ({ planId: oak, proration: "now" }), 1, "plan_changed"],
    ["another plan, from the renewal on", () => ({ planId: oak }), 0, "plan_changed"],
    ["another plan, with the renewal", () => ({ planId: oak, proration: "next_renewal" }), 0, "updated"],
    ["another frequency", () => ({ planId: yearly, proration: "now" }), 1, "plan_changed"],
    ["charged later", () => ({ planId: oak, proration: "now", invoiceNow: false }), 0, "plan_changed"],
    ["items without codes", () => ({ items: ITEMS, proration: "now" }), 1, "plan_changed"],
  ];
  for (const [what, body, charges, event] of CHANGES)
    test(`${what}: ${charges} charges, one event, and one state`, async () => {
      const { id } = await shop.subscribe({ planId: elm });
      const answers = await Promise.all(
        Array.from({ length: 8 }, () =>
          shop.shop.post<{ charge: object | null }>(`/customer-subscriptions/${id}/change-plan`, body()),
        ),
      );
      assert.deepEqual(
        answers.map(({ status }) => status),
        answers.map(() => 200),
      );
      assert.equal(answers.filter(({ body: { charge } }) => charge !== null).length, charges);
      assert.equal((await shop.invoices(id)).length, 1 + charges);
      assert.deepEqual(await shop.told(id), ["created", "activated", event]);
    });
});

describe("a change that changes nothing", () => {
  let shop: SubscriptionShop;
  let elm: string;
  before(async () => {
    shop = await openSubscriptionShop(api);
    elm = await shop.addPlan({ name: "Elm", amount: 310 });
  });

  test("of plan, quantity, items or dates sends no event, and keeps the usage", async () => {
    const { id } = await shop.subscribe({ planId: elm, quantity: 2, items: ITEMS, billingAnchorDay: 15 });
    const items = (await shop.now(id))["items"] as { id: string; kind: string }[];
    const traffic = items.find(({ kind }) => kind === "metered")?.id;
    await shop.act(id, `items/${traffic}/usage`, { quantity: 7 });
    const was = await shop.now(id);
    const told = await shop.told(id);
    for (const proration of ["none", "now", "next_renewal"])
      for (const body of [
        { planId: elm },
        { quantity: 2 },
        { items: ITEMS },
        { planId: elm, quantity: 2, items: ITEMS },
      ]) {
        const answer = await shop.act(id, "change-plan", { ...body, proration });
        assert.equal(answer.status, 200, JSON.stringify(answer.body));
        const { change, charge, ...rest } = answer.body;
        assert.deepEqual([rest, charge], [was, null], JSON.stringify({ ...body, proration }));
        assert.equal((change as { requestedProration: string }).requestedProration, proration);
      }
    const seat = { description: "Seats", unitAmount: 5, quantity: 1 };
    const call = (path: string, body: object) =>
      shop.shop.call("PATCH", `/customer-subscriptions/${id}${path}`, { body });
    assert.equal((await call("/items/seat", seat)).status, 200);
    assert.equal((await call("", { nextBillingAt: was["nextBillingAt"], billingAnchorDay: 15 })).status, 200);
    assert.deepEqual(await shop.now(id), was);
    assert.deepEqual(await shop.told(id), told);
  });

  test("what changes anything else is made: a pending change is taken back, a new price is charged", async () => {
    const oak = await shop.addPlan({ name: "Oak", amount: 620 });
    const { id } = await shop.subscribe({ planId: elm });
    await shop.act(id, "change-plan", { planId: oak });
    const charged = await shop.act(id, "change-plan", { planId: oak, proration: "now" });
    assert.equal((charged.body["charge"] as { amount: number } | null)?.amount, 356.5);
    assert.deepEqual(await shop.told(id), ["created", "activated", "plan_changed", "plan_changed"]);
  });

  test("an upgrade of one that is to be cancelled says so in the preview and the answer, beside why nothing is prorated", async () => {
    const oak = await shop.addPlan({ name: "Oak", amount: 620 });
    const { id } = await shop.subscribe({ planId: elm });
    await shop.act(id, "cancel", { when: "period_end" });
    await shop.act(id, "pause");
    const ends = "The subscription is still cancelled at the end of its period, 2027-02-27.";
    const paused =
      "The subscription is paused: nothing is charged or credited until it resumes. The days that are then left of its period are prorated on that day.";
    for (const [body, note] of [
      [{ planId: oak }, ends],
      [{ planId: oak, proration: "now" }, `${paused} ${ends}`],
    ] as const) {
      const previewed = await shop.act(id, "preview-change", body);
      assert.deepEqual([previewed.body["note"], previewed.body["nextInvoice"]], [note, null]);
    }
    const changed = await shop.act(id, "change-plan", { planId: oak });
    assert.equal((changed.body["change"] as { note: string }).note, ends);
  });
});
