import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import { NO_TRACES, openExternalShop } from "../support/external-subscriptions.ts";
import { closeVerified } from "../support/verified.ts";

/* Interface 4.8, mirror mode: recording subscriptions that another platform bills. */

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

const AT_ONCE = 20;
const PATH = "/customer-subscriptions";

describe("an external subscription", () => {
  test("is recorded with its period, and nothing else comes of it", async () => {
    const shop = await openExternalShop(api);
    const metadata = { importedFrom: "OldBilling", platformSubscriptionId: "77", mode: "mirror" };
    const items = [{ code: "seats", kind: "addon", description: "Seats", unitAmount: 10, quantity: 3 }];
    const { id, createdAt, created, items: shown, ...rest } = await shop.record({ metadata, items, quantity: 2 });
    assert.equal(created, true);
    assert.equal(createdAt, "2027-01-31T08:00:00.000Z");
    const [{ id: itemId, ...item } = { id: "" }] = shown as { id: string }[];
    assert.match(itemId, /^csi_/);
    assert.deepEqual(item, { code: "seats", kind: "addon", description: "Seats", unitAmount: 10, quantity: 3 });
    for (const [field, expected] of Object.entries({
      object: "customer_subscription",
      status: "active",
      customer: { id: shop.customer, externalReference: "T1", email: "thandi@example.co.za" },
      plan: { id: shop.planId, name: "Gold", packageId: shop.packageId, packageName: "Hosting" },
      collectionMethod: "external",
      collectedByService: false,
      billedBy: "OldBilling",
      billingPeriod: "monthly",
      amount: 230,
      quantity: 2,
      startDate: "2027-01-15",
      trialEnd: null,
      currentPeriodStart: "2027-01-15",
      currentPeriodEnd: "2027-02-15",
      nextBillingAt: "2027-02-14T22:00:00.000Z",
      cyclesBilled: 0,
      pendingChange: null,
      cancelAtPeriodEnd: false,
      externalReference: "P1",
      metadata,
      source: "api",
    }))
      assert.deepEqual(rest[field], expected, field);
    assert.deepEqual(await shop.now(id), { ...rest, id, createdAt, items: shown });
    await shop.move("2027-06-01");
    assert.deepEqual(await shop.now(id), { ...rest, id, createdAt, items: shown }, "it stays as it is reported");
    assert.deepEqual(await shop.traces(), { ...NO_TRACES, subscriptions: 1, periods: 1 });
  });

  test("is in lists, and found by its collection method", async () => {
    const shop = await openExternalShop(api);
    const { id } = await shop.record();
    for (const query of [
      "",
      "?collectionMethod=external",
      "?externalReference=P1",
      "?nextBillingTo=2027-02-15",
      "?collectedByService=false",
    ]) {
      const { body } = await shop.shop.get<{ data: { id: string }[] }>(`${PATH}${query}`);
      assert.deepEqual(
        body.data.map((one) => one.id),
        [id],
        query,
      );
    }
    for (const query of ["?collectionMethod=invoice,manual", "?collectedByService=true"])
      assert.deepEqual((await shop.shop.get<{ data: unknown[] }>(`${PATH}${query}`)).body.data, []);
    assert.equal((await shop.shop.get(`${PATH}?collectedByService=yes`)).status, 400);
  });

  test("is offered by the identity", async () => {
    const { shop } = await openExternalShop(api);
    const { body } = await shop.get<{ apiVersion: string; capabilities: Record<string, boolean> }>("/me");
    assert.equal(body.apiVersion, "1.16.0");
    assert.equal(body.capabilities["externalSubscriptions"], true);
  });
});

/* The clock stands at 10:00 South African time of 31 January 2027. */
const PERIODS: readonly [what: string, fields: object, shown: Record<string, unknown>][] = [
  ["active until a date", {}, { status: "active", currentPeriodStart: "2027-01-15", currentPeriodEnd: "2027-02-15" }],
  [
    "a date-time counts by its South African day",
    { paidThrough: "2027-02-14T23:00:00Z" },
    { currentPeriodStart: "2027-01-15", currentPeriodEnd: "2027-02-15", nextBillingAt: "2027-02-14T22:00:00.000Z" },
  ],
  ["with a start", { currentPeriodStart: "2027-01-31" }, { currentPeriodStart: "2027-01-31" }],
  [
    "paid further ahead than a cycle begins now",
    { paidThrough: "2027-12-01" },
    { currentPeriodStart: "2027-01-31", currentPeriodEnd: "2027-12-01" },
  ],
  [
    "past due with a period that is over",
    { status: "past_due", paidThrough: "2026-11-30" },
    { status: "past_due", currentPeriodStart: "2026-10-30", currentPeriodEnd: "2026-11-30" },
  ],
  ["past due with a period that runs", { status: "past_due" }, { status: "past_due", trialEnd: null }],
  [
    "trialing until paidThrough",
    { status: "trialing" },
    { status: "trialing", trialEnd: "2027-02-15", currentPeriodEnd: "2027-02-15" },
  ],
  [
    "trialEnd without a status",
    { paidThrough: undefined, trialEnd: "2027-02-20" },
    { status: "trialing", trialEnd: "2027-02-20", currentPeriodEnd: "2027-02-20", currentPeriodStart: "2027-01-20" },
  ],
  [
    "both on one South African day",
    { trialEnd: "2027-02-14T22:30:00Z" },
    { status: "trialing", trialEnd: "2027-02-15" },
  ],
  [
    "both on one UTC day",
    { paidThrough: "2027-02-15T01:00:00Z", trialEnd: "2027-02-15T23:30:00Z" },
    { status: "trialing", currentPeriodEnd: "2027-02-15" },
  ],
  ["to be cancelled", { cancelAtPeriodEnd: true }, { status: "active", cancelAtPeriodEnd: true }],
  [
    "by planId, with a mail that is never sent",
    { plan: undefined, planId: "PLAN", sendEmail: true },
    { billedBy: null },
  ],
];

describe("its period", () => {
  for (const [what, fields, shown] of PERIODS)
    test(what, async () => {
      const shop = await openExternalShop(api);
      const asked = "planId" in fields ? { ...fields, planId: shop.planId } : fields;
      const dry = await shop.create({ ...asked, dryRun: true });
      const made = await shop.record(asked);
      for (const [field, expected] of Object.entries(shown)) assert.deepEqual(made[field], expected, field);
      const { created: _, items, ...real } = made;
      assert.deepEqual(dry.body.subscription, { ...real, items, id: null, createdAt: null });
      assert.deepEqual(await shop.traces(), { ...NO_TRACES, subscriptions: 1, periods: 1 });
    });
});

const REFUSED: readonly [what: string, fields: object, field: string][] = [
  ["no reference", { externalReference: undefined }, "externalReference"],
  ["an empty reference", { externalReference: " " }, "externalReference"],
  ["no plan", { plan: undefined }, "plan"],
  ["two plans", { planId: "plan_x" }, "plan"],
  ["an unknown plan", { plan: "silver" }, "plan"],
  ["a code as planId", { plan: undefined, planId: "gold" }, "planId"],
  ["an unknown customer", { customer: { externalReference: "T2" } }, "customer"],
  ["no end", { paidThrough: undefined }, "paidThrough"],
  ["no end, trialing", { paidThrough: undefined, status: "trialing" }, "paidThrough"],
  ["an end today", { paidThrough: "2027-01-31" }, "paidThrough"],
  ["an end in the past", { paidThrough: "2027-01-01" }, "paidThrough"],
  ["a trial that is over", { status: "trialing", paidThrough: "2027-01-30" }, "paidThrough"],
  ["a trialEnd that is over", { paidThrough: undefined, trialEnd: "2027-01-30" }, "trialEnd"],
  ["a trialEnd on another day", { trialEnd: "2027-02-16" }, "trialEnd"],
  ["a trialEnd on another day in both zones", { trialEnd: "2027-02-16T23:00:00Z" }, "trialEnd"],
  ["a trialEnd of an active one", { status: "active", trialEnd: "2027-02-15" }, "trialEnd"],
  ["a start in the future", { currentPeriodStart: "2027-02-01" }, "currentPeriodStart"],
  [
    "a start at the end",
    { status: "past_due", paidThrough: "2027-01-05", currentPeriodStart: "2027-01-05" },
    "currentPeriodStart",
  ],
  ["an end in 9999", { paidThrough: "9999-12-31" }, "paidThrough"],
  ["a start in year 1", { currentPeriodStart: "0001-06-01" }, "currentPeriodStart"],
  ["a day that does not exist", { paidThrough: "2027-02-30" }, "paidThrough"],
  ["another status", { status: "paused" }, "status"],
  ["a quantity of 0", { quantity: 0 }, "quantity"],
  [
    "more than an invoice may be",
    { items: [{ kind: "addon", description: "x", unitAmount: 10_000_000, quantity: 200 }] },
    "items",
  ],
  [
    "an add-on at more than it may cost",
    { items: [{ kind: "addon", description: "x", unitAmount: 10_000_000.01 }] },
    "items",
  ],
  ["a negative add-on", { items: [{ kind: "addon", description: "x", unitAmount: -1 }] }, "items"],
  ["an item of another kind", { items: [{ kind: "gift", description: "x", unitAmount: 1 }] }, "items"],
  ["providerId", { providerId: "gw_x" }, "providerId"],
  ["mandateId", { mandateId: "man_x" }, "mandateId"],
  ["couponId", { couponId: "cpn_x" }, "couponId"],
  ["couponCode", { couponCode: "HALF" }, "couponCode"],
  ["startDate", { startDate: "2027-02-01" }, "startDate"],
  ["billingAnchorDay", { billingAnchorDay: 1 }, "billingAnchorDay"],
  ["trial", { trial: true }, "trial"],
  ["trialDays", { trialDays: 0 }, "trialDays"],
  ["a collection method that does not exist", { collectionMethod: "mirror" }, "collectionMethod"],
  ["no collection method", { collectionMethod: undefined }, "collectionMethod"],
];

describe("400 for", () => {
  for (const [what, fields, field] of REFUSED)
    test(what, async () => {
      const shop = await openExternalShop(api);
      for (const dryRun of [true, false]) {
        const { status, body, text } = await shop.create({ ...fields, dryRun });
        assert.equal(status, 400, text);
        assert.deepEqual([body.error, body.issues?.[0]?.path[0]], ["invalid_request", field], text);
      }
      assert.deepEqual(await shop.traces(), { ...NO_TRACES, subscriptions: 0, periods: 0 });
    });
});

describe("409 for", () => {
  for (const kind of ["metered", "one_time"])
    test(`${kind} items`, async () => {
      const shop = await openExternalShop(api);
      const items = [{ kind, description: "Data", unitAmount: -2 }];
      for (const dryRun of [true, false]) {
        const { status, body } = await shop.create({ items, dryRun });
        assert.deepEqual([status, body.error], [409, "external_subscription"]);
      }
    });

  test("a reference of a subscription that the service bills", async () => {
    const shop = await openExternalShop(api);
    const own = await shop.addPlan({ code: "own" });
    await shop.staff("PATCH", `/packages/${shop.packageId}`, { enabled: true });
    await shop.subscribe({ planId: own, externalReference: "P1" });
    for (const dryRun of [true, false]) {
      const { status, body } = await shop.create({ dryRun });
      assert.deepEqual([status, body.error], [409, "external_reference_conflict"]);
    }
  });

  test("a reference of another customer's, and another collection method for an external one", async () => {
    const shop = await openExternalShop(api);
    await shop.record();
    await shop.shop.post("/customers", { email: "b@example.co.za", externalReference: "T2" });
    for (const fields of [{ customer: { externalReference: "T2" } }, { collectionMethod: "manual", plan: "gold" }])
      for (const dryRun of [true, false]) {
        const { status, body, text } = await shop.create({ ...fields, dryRun });
        assert.deepEqual([status, body.error], [409, "external_reference_conflict"], text);
      }
    assert.equal((await shop.traces())["subscriptions"], 1);
  });
});

describe("the same reference again", () => {
  test("answers the existing record, whatever else is sent", async () => {
    const shop = await openExternalShop(api);
    const { created: _, ...first } = await shop.record();
    await shop.move("2027-04-01");
    const again = await shop.create({ plan: "silver", quantity: 7 });
    assert.equal(again.status, 200, again.text);
    assert.deepEqual(again.body, { ...first, created: false });
    const dry = await shop.create({ dryRun: true });
    assert.equal(dry.status, 200);
    const preview = { invoice: null, nextInvoice: null };
    assert.deepEqual(dry.body, { dryRun: true, action: "exists", subscription: first, preview });
  });

  test("twenty callers at once record one", async () => {
    const shop = await openExternalShop(api);
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => shop.create()));
    assert.equal(new Set(answers.map(({ body }) => body.id)).size, 1);
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [...Array(AT_ONCE - 1).fill(200), 201]);
    assert.deepEqual(await shop.traces(), { ...NO_TRACES, subscriptions: 1, periods: 1 });
  });

  test("another organisation has references of its own", async () => {
    const [one, other] = [await openExternalShop(api), await openExternalShop(api)];
    const { id } = await one.record();
    assert.notEqual((await other.record()).id, id);
  });
});

describe("a dry run", () => {
  test("of a new one writes nothing and stores no key", async () => {
    const shop = await openExternalShop(api);
    const body = {
      customer: { id: shop.customer },
      planId: shop.planId,
      collectionMethod: "external",
      externalReference: "P1",
      paidThrough: "2027-02-15",
      dryRun: true,
    };
    const { status, body: shown } = await shop.shop.post<Record<string, unknown>>(PATH, body, {
      headers: { "idempotency-key": "k" },
    });
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(shown).toSorted(), ["action", "dryRun", "preview", "subscription"]);
    assert.deepEqual([shown["dryRun"], shown["action"]], [true, "create"]);
    assert.deepEqual(await shop.traces(), { ...NO_TRACES, subscriptions: 0, periods: 0 });
  });

  test("needs customer and plan", async () => {
    const shop = await openExternalShop(api);
    for (const fields of [{ plan: "none" }, { customer: { id: "cus_none" } }])
      assert.equal((await shop.create({ ...fields, dryRun: true })).status, 400);
  });
});

test("a read-only account records nothing", async () => {
  const shop = await openExternalShop(api);
  const { id } = await shop.record();
  await shop.shop.change({ state: "suspended" });
  const period = { currentPeriodStart: "2027-02-15", currentPeriodEnd: "2027-03-15" };
  for (const answer of [await shop.create(), await shop.create({ dryRun: true }), await shop.sync(id, period)])
    assert.deepEqual([answer.status, answer.body.error], [403, "account_restricted"]);
  assert.equal((await shop.shop.get(`${PATH}/${id}/shadow`)).status, 200);
});
