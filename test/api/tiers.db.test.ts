import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type Refusal, type TestApi } from "../support/api.ts";
import { openSubscriptionShop, type SubscriptionShop } from "../support/customer-subscriptions.ts";
import { closeVerified } from "../support/verified.ts";

/* Interface 16.23: prices by tiers, of plans, add-ons and metered items. */

interface ShownLine {
  readonly description: string;
  readonly quantity: number;
  readonly unitPrice: number;
  readonly amount: number;
  readonly reason: { readonly tier?: { readonly number: number } };
}

let api: TestApi;
let shop: SubscriptionShop;
before(async () => {
  api = await openApi();
  shop = await openSubscriptionShop(api);
});
after(() => closeVerified(api));

const STEPS = [
  { upTo: 10, unitAmount: 5 },
  { upTo: 20, unitAmount: 4, flatAmount: 7 },
  { upTo: null, unitAmount: 3 },
];
const SHOWN = STEPS.map((tier) => ({ ...tier, flatAmount: tier.flatAmount ?? 0 }));

const linesOf = async (id: string, place = 0) =>
  (((await shop.invoices(id))[place]?.["lines"] ?? []) as ShownLine[]).map(
    ({ description, quantity, unitPrice, amount }) => [description, quantity, unitPrice, amount],
  );
const use = async (id: string, quantity: number) => {
  const answer = await shop.act(id, "items/calls/usage", { quantity });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
};

describe("tiers", () => {
  test("price the quantity of a plan beside its base amount; lines name the tier", async () => {
    const plan = await shop.shop.post<Record<string, unknown>>(`/packages/${shop.packageId}/plans`, {
      name: "Seats",
      amount: 50,
      frequency: "monthly",
      taxRate: 15,
      tiers: STEPS,
      includedUnits: 2,
    });
    assert.equal(plan.status, 201, plan.text);
    assert.deepEqual([plan.body["tiers"], plan.body["tierMode"], plan.body["includedUnits"]], [SHOWN, "graduated", 2]);
    const { id, ...shown } = await shop.subscribe({ planId: plan.body["id"], quantity: 15 });
    assert.equal(shown["amount"], 50 + 50 + 12 + 7);
    assert.deepEqual(await linesOf(id), [
      ["Seats", 1, 50, 50],
      ["Seats: included", 2, 0, 0],
      ["Seats: tier 1, up to 10", 10, 5, 50],
      ["Seats: tier 2, over 10 up to 20", 3, 4, 12],
      ["Seats: tier 2, over 10 up to 20, flat amount", 1, 7, 7],
    ]);
    const [first] = await shop.invoices(id);
    assert.equal(first?.["total"], 119 * 1.15);
    const tiers = ((first?.["lines"] ?? []) as ShownLine[]).map(({ reason }) => reason.tier?.number);
    assert.deepEqual(tiers, [undefined, 0, 1, 2, 2]);
  });

  test("price add-ons and usage in each mode", async () => {
    const planId = await shop.addPlan({ amount: 0 });
    const items = [
      { code: "seats", kind: "addon", description: "Seats", quantity: 11, tiers: STEPS, tierMode: "volume" },
      {
        code: "calls",
        kind: "metered",
        description: "Calls",
        tiers: [{ upTo: 100, unitAmount: 25 }],
        tierMode: "package",
        includedUnits: 50,
      },
      { kind: "metered", code: "data", description: "Data", unitAmount: 2, includedUnits: 10 },
    ];
    const { id } = await shop.subscribe({ planId, items });
    const [seats, calls, data] = (await shop.now(id))["items"] as Record<string, unknown>[];
    assert.deepEqual([seats?.["unitAmount"], seats?.["tiers"], seats?.["tierMode"]], [0, SHOWN, "volume"]);
    assert.deepEqual([calls?.["includedUnits"], data?.["unitAmount"], data?.["includedUnits"]], [50, 2, 10]);
    await use(id, 251);
    await shop.act(id, "items/data/usage", { quantity: 12.5 });
    await shop.move("2027-02-28");
    assert.deepEqual(await linesOf(id), [
      ["Gold", 1, 0, 0],
      ["Seats: tier 2 for all units, over 10 up to 20", 11, 4, 44],
      ["Seats: tier 2, over 10 up to 20, flat amount", 1, 7, 7],
      ["Calls: included", 50, 0, 0],
      ["Calls: tier 1, packages of 100", 3, 25, 75],
      ["Data: included", 10, 0, 0],
      ["Data", 2.5, 2, 5],
    ]);
  });

  test("are previewed, changed and prorated as they are billed", async () => {
    await shop.move("2027-03-31");
    const planId = await shop.addPlan({ amount: 0, tiers: STEPS });
    const { id } = await shop.subscribe({ planId, quantity: 10 });
    const change = { quantity: 25, proration: "now" };
    const preview = await shop.act(id, "preview-change", change);
    const done = await shop.act(id, "change-plan", change);
    assert.equal(done.status, 200);
    const { subscriptionId: _id, ...previewed } = preview.body as Record<string, unknown>;
    const { subscriptionId: _other, ...changed } = done.body["change"] as Record<string, unknown>;
    assert.deepEqual(previewed, changed);
    assert.equal(done.body["amount"], 50 + 40 + 7 + 15);
    // The whole period is left: the new price in full, less the old one.
    assert.equal((done.body["charge"] as { amount: number }).amount, Math.round((112 - 50) * 115) / 100);
    await shop.move("2027-04-15");
    const less = await shop.act(id, "change-plan", { quantity: 5, proration: "now" });
    assert.equal(less.body["amount"], 25);
    // 15 of 30 days: 56.00 less 12.50.
    assert.equal(less.body["credit"], 43.5);
  });

  test("of a plan change with its price, for those who subscribe from then on", async () => {
    const planId = await shop.addPlan({ amount: 0, tiers: STEPS });
    const { id } = await shop.subscribe({ planId, quantity: 3 });
    const path = `/packages/${shop.packageId}/plans/${planId}`;
    const same = await shop.staff("PATCH", path, { tiers: STEPS, name: "Gold" });
    assert.equal((same.body as { version: number }).version, 1);
    const patched = await shop.staff("PATCH", path, { tierMode: "volume", tiers: [{ upTo: null, unitAmount: 9 }] });
    assert.deepEqual([patched.status, (patched.body as { version: number }).version], [200, 2], patched.text);
    assert.equal((await shop.now(id))["amount"], 15);
    assert.equal((await shop.subscribe({ planId, quantity: 3 }))["amount"], 27);
    const moved = await shop.act(id, "change-plan", { planId, proration: "next_renewal" });
    assert.equal((moved.body["pendingChange"] as { amount: number }).amount, 27);
    const plain = await shop.staff("PATCH", path, { tiers: null, amount: 4 });
    assert.deepEqual([plain.status, "tiers" in (plain.body as object)], [200, false], plain.text);
    assert.equal((await shop.subscribe({ planId, quantity: 3 }))["amount"], 12);
  });

  test("with a coupon and VAT in the price come to the plain sum", async () => {
    const planId = await shop.addPlan({ amount: 0, taxInclusive: true, tiers: STEPS });
    const coupon = await shop.staff("POST", "/coupons", { code: "TENTH", percent: 10, duration: "every" });
    assert.equal(coupon.status, 201, coupon.text);
    const { id } = await shop.subscribe({ planId, quantity: 12, couponCode: "TENTH" });
    const [first] = await shop.invoices(id);
    assert.equal(first?.["total"], (50 + 8 + 7) * 0.9);
  });

  test("that cannot be are refused, with where and why", async () => {
    const planId = await shop.addPlan();
    const item = { kind: "addon", description: "Seats", quantity: 2 };
    const wrong: [object, string][] = [
      [{ ...item }, "unitAmount"],
      [{ ...item, tiers: [] }, "tiers"],
      [{ ...item, tiers: "x" }, "tiers"],
      [{ ...item, tiers: STEPS, unitAmount: 5 }, "unitAmount"],
      [{ ...item, tierMode: "volume", unitAmount: 5 }, "tierMode"],
      [{ ...item, tiers: STEPS, tierMode: "stairs" }, "tierMode"],
      [{ ...item, tiers: [{ upTo: 5, unitAmount: 1 }] }, "tiers.0.upTo"],
      [
        {
          ...item,
          tiers: [
            { upTo: null, unitAmount: 1 },
            { upTo: null, unitAmount: 1 },
          ],
        },
        "tiers.0.upTo",
      ],
      [
        {
          ...item,
          tiers: [
            { upTo: 5, unitAmount: 1 },
            { upTo: 5, unitAmount: 1 },
            { upTo: null, unitAmount: 1 },
          ],
        },
        "tiers.1.upTo",
      ],
      [{ ...item, tiers: [{ upTo: null, unitAmount: -1 }] }, "tiers.0.unitAmount"],
      [{ ...item, tiers: [{ upTo: null }] }, "tiers.0.unitAmount"],
      [{ ...item, tiers: [{ upTo: null, unitAmount: 1, flatAmount: -1 }] }, "tiers.0.flatAmount"],
      [{ ...item, tiers: STEPS, tierMode: "package" }, "tiers"],
      [{ ...item, tiers: [{ upTo: null, unitAmount: 1 }], tierMode: "package" }, "tiers.0.upTo"],
      [{ ...item, unitAmount: 1, includedUnits: -1 }, "includedUnits"],
      [{ ...item, kind: "one_time", unitAmount: 1, tiers: STEPS }, "tiers"],
      [{ ...item, kind: "one_time", unitAmount: 1, minimumAmount: 5 }, "minimumAmount"],
      [{ ...item, unitAmount: 1, minimumAmount: -5 }, "minimumAmount"],
    ];
    const { id } = await shop.subscribe({ planId });
    for (const [body, path] of wrong) {
      const answer = await shop.shop.call<Refusal>("POST", `/customer-subscriptions/${id}/items`, { body });
      assert.equal(answer.status, 400, JSON.stringify(body));
      assert.equal(answer.body.issues?.[0]?.path.join("."), path, answer.text);
    }
    const plan = { name: "x", amount: 1, frequency: "monthly" };
    for (const [fields, path] of [
      [{ includedUnits: 5 }, "includedUnits"],
      [{ tierMode: "volume" }, "tierMode"],
      [{ tiers: [{ upTo: 5, unitAmount: 1 }] }, "tiers.0.upTo"],
    ] as const) {
      const answer = await shop.shop.call<Refusal>("POST", `/packages/${shop.packageId}/plans`, {
        body: { ...plan, ...fields },
      });
      assert.deepEqual([answer.status, answer.body.issues?.[0]?.path.join(".")], [400, path], answer.text);
    }
  });

  test("of an item come and go; usage is charged at the price at which it was recorded", async () => {
    const planId = await shop.addPlan({ amount: 0 });
    const { id } = await shop.subscribe({
      planId,
      items: [{ code: "calls", kind: "metered", description: "Calls", unitAmount: 1 }],
    });
    await use(id, 4);
    const patch = (body: object) =>
      shop.shop.call<Refusal>("PATCH", `/customer-subscriptions/${id}/items/calls`, { body });
    assert.equal((await patch({ tiers: STEPS })).status, 200);
    await use(id, 12);
    assert.equal((await patch({ tiers: null })).status, 400);
    assert.equal((await patch({ tiers: null, unitAmount: 2 })).status, 200);
    await use(id, 3);
    const [calls] = (await shop.now(id))["items"] as Record<string, unknown>[];
    assert.deepEqual([calls?.["unitAmount"], calls?.["tiers"], calls?.["quantity"]], [2, undefined, 3]);
    await shop.move(String((await shop.now(id))["nextBillingAt"]));
    assert.deepEqual(
      (await linesOf(id)).slice(1).map(([description, , , amount]) => [description, amount]),
      [
        ["Calls", 4],
        ["Calls: tier 1, up to 10", 50],
        ["Calls: tier 2, over 10 up to 20", 8],
        ["Calls: tier 2, over 10 up to 20, flat amount", 7],
        ["Calls", 6],
      ],
    );
  });

  test("a minimum is billed in a period in which less was used, and previews show it", async () => {
    const planId = await shop.addPlan({ amount: 0 });
    const item = { code: "calls", kind: "metered", description: "Calls", tiers: STEPS, minimumAmount: 100 };
    const { id, items } = await shop.subscribe({ planId, items: [item] });
    assert.equal((items as Record<string, unknown>[])[0]?.["minimumAmount"], 100);
    await use(id, 12);
    const preview = await shop.shop.call<{ nextInvoice: { lines: ShownLine[] } }>(
      "POST",
      `/customer-subscriptions/${id}/preview-change`,
      { body: { planId, proration: "none" } },
    );
    assert.equal(preview.body.nextInvoice.lines.at(-1)?.amount, 35, preview.text);
    await shop.move(String((await shop.now(id))["nextBillingAt"]));
    assert.deepEqual((await linesOf(id)).slice(1), [
      ["Calls: tier 1, up to 10", 10, 5, 50],
      ["Calls: tier 2, over 10 up to 20", 2, 4, 8],
      ["Calls: tier 2, over 10 up to 20, flat amount", 1, 7, 7],
      ["Calls: up to the minimum of R\u00a0100.00", 1, 35, 35],
    ]);
    const [invoice] = await shop.invoices(id);
    const lines = (invoice?.["lines"] ?? []) as { reason: { minimum?: object } }[];
    assert.deepEqual(lines.at(-1)?.reason.minimum, { amount: 100, days: null });
    await shop.move(String((await shop.now(id))["nextBillingAt"]));
    assert.deepEqual((await linesOf(id)).slice(1), [["Calls: up to the minimum of R\u00a0100.00", 1, 100, 100]]);
    const removed = await shop.shop.call("PATCH", `/customer-subscriptions/${id}/items/calls`, {
      body: { minimumAmount: 0 },
    });
    assert.equal(removed.status, 200, removed.text);
    assert.equal(((await shop.now(id))["items"] as Record<string, unknown>[])[0]?.["minimumAmount"], undefined);
  });

  test("a plan and an add-on have a minimum with tiers and without, which recurring revenue counts", async () => {
    const plan = await shop.shop.post<Record<string, unknown>>(`/packages/${shop.packageId}/plans`, {
      name: "Team",
      amount: 50,
      frequency: "monthly",
      taxRate: 15,
      minimumAmount: 120,
    });
    assert.deepEqual([plan.status, plan.body["minimumAmount"], plan.body["tiers"]], [201, 120, undefined], plan.text);
    const { id, ...shown } = await shop.subscribe({
      planId: plan.body["id"],
      quantity: 2,
      items: [{ kind: "addon", description: "Seats", quantity: 3, tiers: STEPS, minimumAmount: 40 }],
    });
    assert.equal(shown["amount"], 160);
    assert.deepEqual(await linesOf(id), [
      ["Team", 2, 50, 100],
      ["Team: up to the minimum of R\u00a0120.00", 1, 20, 20],
      ["Seats: tier 1, up to 10", 3, 5, 15],
      ["Seats: up to the minimum of R\u00a040.00", 1, 25, 25],
    ]);
  });
});
