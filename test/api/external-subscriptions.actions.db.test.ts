import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import {
  type ExternalAnswer,
  type ExternalShop,
  NO_TRACES,
  openExternalShop,
} from "../support/external-subscriptions.ts";
import { closeVerified } from "../support/verified.ts";

/* Interface 4.8, mirror mode: what else can be done with an external subscription. */

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

const act = (
  { shop }: ExternalShop,
  id: string,
  path: string,
  body?: object,
  method = "POST",
): Promise<ExternalAnswer> =>
  shop.call(method, `/customer-subscriptions/${id}${path}`, body === undefined ? {} : { body });

/** Asserts that nothing was billed, mailed or told, and that no work waits that could do so. */
async function requireSilence(shop: ExternalShop): Promise<void> {
  const { subscriptions: _, periods: _periods, ...traces } = await shop.traces();
  assert.deepEqual(traces, NO_TRACES);
  const work = await api.query(
    "select kind from due_work where organisation_id = $1 and kind like 'customer\\_subscription%'",
    shop.shop.organisation.id,
  );
  assert.deepEqual(work, []);
}

const ADDON = { kind: "addon", code: "seats", description: "Seats", unitAmount: 10, quantity: 2 };

/* The record has the add-on "seats". */
const REFUSED: readonly [what: string, method: string, path: string, body: object | undefined][] = [
  ["pause", "POST", "/pause", undefined],
  ["resume", "POST", "/resume", undefined],
  ["a credit", "POST", "/credit", { amount: 10, description: "Sorry" }],
  ["a discount", "POST", "/discount", { percent: 10, description: "Sorry" }],
  ["a one-time item", "POST", "/items", { kind: "one_time", description: "Fee", unitAmount: 5 }],
  ["a credit as an item", "POST", "/items", { kind: "one_time", description: "Fee", unitAmount: -5 }],
  ["a metered item", "POST", "/items", { kind: "metered", description: "Data", unitAmount: 5 }],
  ["one-time items of a change", "POST", "/change-plan", { items: [{ ...ADDON, kind: "one_time" }] }],
  [
    "metered items of a change",
    "POST",
    "/change-plan",
    { items: [{ code: "d", kind: "metered", description: "Data", unitAmount: 5 }] },
  ],
  ["usage of an item", "POST", "/items/seats/usage", { quantity: 1, action: "increment" }],
  ["usage of an item that it has not", "POST", "/items/data/usage", { quantity: 1, action: "increment" }],
  ["another billing date", "PATCH", "", { nextBillingAt: "2027-03-01" }],
  ["another billing day", "PATCH", "", { billingAnchorDay: 3 }],
  ["another reference", "PATCH", "", { externalReference: "P2" }],
  ["no reference", "PATCH", "", { externalReference: null }],
  ["another billing date beside metadata", "PATCH", "", { metadata: { a: "b" }, nextBillingAt: "2027-03-01" }],
];

describe("refused with 409 external_subscription:", () => {
  for (const [what, method, path, body] of REFUSED)
    test(what, async () => {
      const shop = await openExternalShop(api);
      const { created: _, ...made } = await shop.record({ items: [ADDON] });
      const answer = await act(shop, made.id, path, body, method);
      assert.deepEqual([answer.status, answer.body.error], [409, "external_subscription"], answer.text);
      assert.deepEqual(await shop.now(made.id), made);
      await requireSilence(shop);
    });

  for (const fields of [{ chargeNow: true }, { nextBillingAt: "2027-04-01" }])
    test(`reactivate with ${JSON.stringify(fields)}`, async () => {
      const shop = await openExternalShop(api);
      const { id } = await shop.record();
      await act(shop, id, "/cancel", { when: "now", sendEmail: false });
      const answer = await act(shop, id, "/reactivate", fields);
      assert.deepEqual([answer.status, answer.body.error], [409, "external_subscription"]);
      assert.equal((await shop.now(id)).status, "cancelled");
    });
});

describe("a change of plan", () => {
  for (const proration of [undefined, "none", "now"])
    test(`with proration ${proration} is recorded at once, without a charge; the plan may be disabled`, async () => {
      const shop = await openExternalShop(api);
      const silver = await shop.addPlan({
        code: "silver",
        name: "Silver",
        amount: 200,
        frequency: "quarterly",
        enabled: false,
      });
      const { id } = await shop.record();
      const body = { plan: "silver", quantity: 2, items: [ADDON], ...(proration && { proration }) };
      const preview = await act(shop, id, "/preview-change", body);
      assert.equal(preview.status, 200, preview.text);
      const { status, body: changed, text } = await act(shop, id, "/change-plan", body);
      assert.equal(status, 200, text);
      for (const [field, expected] of Object.entries({
        plan: { id: silver, name: "Silver", packageId: shop.packageId, packageName: "Hosting" },
        amount: 420,
        quantity: 2,
        billingPeriod: "quarterly",
        status: "active",
        currentPeriodStart: "2027-01-15",
        currentPeriodEnd: "2027-02-15",
        nextBillingAt: "2027-02-14T22:00:00.000Z",
        charge: null,
        pendingChange: null,
      }))
        assert.deepEqual(changed[field], expected, field);
      const change = changed["change"] as Record<string, unknown>;
      assert.deepEqual(change, preview.body);
      assert.deepEqual(
        [change["requestedProration"], change["proration"], change["prorationInvoice"], change["nextInvoice"]],
        [proration ?? "none", "none", null, null],
      );
      await requireSilence(shop);
    });

  test("of a trial or a past due one leaves the status", async () => {
    const shop = await openExternalShop(api);
    for (const status of ["trialing", "past_due"]) {
      const { id } = await shop.record({ status, externalReference: status });
      assert.equal((await act(shop, id, "/change-plan", { quantity: 3 })).body.status, status);
    }
    await requireSilence(shop);
    await shop.move("2027-02-14");
    await requireSilence(shop);
  });

  test("with proration next_renewal waits for the renewal that is reported", async () => {
    const shop = await openExternalShop(api);
    const silver = await shop.addPlan({ code: "silver", name: "Silver", amount: 200, enabled: false });
    const { id } = await shop.record();
    const { body } = await act(shop, id, "/change-plan", { plan: "silver", proration: "next_renewal" });
    assert.deepEqual(body["pendingChange"], {
      effectiveAt: "2027-02-14T22:00:00.000Z",
      plan: { id: silver, name: "Silver" },
      quantity: 1,
      items: [],
      amount: 200,
    });
    assert.equal(body["amount"], 100);
    await shop.sync(id, { currentPeriodStart: "2027-01-15", currentPeriodEnd: "2027-02-20" });
    assert.notEqual((await shop.now(id))["pendingChange"], null, "a correction is no renewal");
    const { body: renewed } = await shop.sync(id, { currentPeriodStart: "2027-02-20", currentPeriodEnd: "2027-03-20" });
    assert.deepEqual([renewed["pendingChange"], renewed["amount"]], [null, 200]);
    assert.deepEqual(renewed["plan"], {
      id: silver,
      name: "Silver",
      packageId: shop.packageId,
      packageName: "Hosting",
    });
    const { body: shadow } = await shop.shop.get<{ data: { shadow: { total: number } }[] }>(
      `/customer-subscriptions/${id}/shadow`,
    );
    assert.deepEqual(
      shadow.data.map((one) => one.shadow.total),
      [230, 115 + 18.55],
    );
    await requireSilence(shop);
  });

  test("that waits is removed", async () => {
    const shop = await openExternalShop(api);
    const { id } = await shop.record();
    await act(shop, id, "/change-plan", { quantity: 2, proration: "next_renewal" });
    const { status, body } = await act(shop, id, "/pending-change", undefined, "DELETE");
    assert.deepEqual([status, body["pendingChange"]], [200, null]);
    await requireSilence(shop);
  });
});

describe("add-ons", () => {
  test("are recorded, changed and removed", async () => {
    const shop = await openExternalShop(api);
    const { id } = await shop.record();
    assert.equal((await act(shop, id, "/items", ADDON)).body["amount"], 120);
    assert.equal((await act(shop, id, "/items/seats", { quantity: 5 }, "PATCH")).body["amount"], 150);
    assert.equal((await act(shop, id, "/items/seats", undefined, "DELETE")).body["amount"], 100);
    await requireSilence(shop);
  });
});

test("metadata may change, and who bills with it; the same reference may be sent", async () => {
  const shop = await openExternalShop(api);
  const { id } = await shop.record();
  const patch = { metadata: { importedFrom: "Other" }, externalReference: "P1" };
  const { status, body } = await act(shop, id, "", patch, "PATCH");
  assert.deepEqual([status, body["billedBy"]], [200, "Other"]);
  await requireSilence(shop);
});

describe("a cancellation", () => {
  test("now, and its undoing, are silent", async () => {
    const shop = await openExternalShop(api);
    const { id } = await shop.record();
    const cancelled = await act(shop, id, "/cancel", { when: "now", reason: "left", sendEmail: false });
    assert.deepEqual(
      [cancelled.status, cancelled.body.status, cancelled.body["nextBillingAt"]],
      [200, "cancelled", null],
    );
    const again = await act(shop, id, "/reactivate", {});
    assert.deepEqual(
      [again.status, again.body.status, again.body["currentPeriodEnd"], again.body["nextBillingAt"]],
      [200, "active", "2027-02-15", "2027-02-14T22:00:00.000Z"],
    );
    const next = await shop.sync(id, { currentPeriodStart: "2027-02-15", currentPeriodEnd: "2027-03-15" });
    assert.equal(next.body["cyclesBilled"], 1);
    await requireSilence(shop);
  });

  for (const body of [{ when: "period_end", sendEmail: true }, { atPeriodEnd: true }])
    test(`at the period's end (${JSON.stringify(body)}) moves with the period, and is silent`, async () => {
      const shop = await openExternalShop(api);
      const { id } = await shop.record();
      const asked = await act(shop, id, "/cancel", body);
      assert.deepEqual([asked.body.status, asked.body["cancelAtPeriodEnd"]], ["active", true]);
      await shop.sync(id, { currentPeriodStart: "2027-02-15", currentPeriodEnd: "2027-03-15" });
      await shop.move("2027-03-14");
      assert.equal((await shop.now(id)).status, "active");
      await shop.move("2027-03-15");
      assert.equal((await shop.now(id)).status, "cancelled");
      assert.equal((await act(shop, id, "/reactivate")).body.status, "active");
      await requireSilence(shop);
    });

  test("that is to come is undone", async () => {
    const shop = await openExternalShop(api);
    const { id } = await shop.record({ cancelAtPeriodEnd: true });
    const { body } = await act(shop, id, "/reactivate", {});
    assert.deepEqual([body.status, body["cancelAtPeriodEnd"]], ["active", false]);
    await shop.move("2027-02-20");
    assert.equal((await shop.now(id)).status, "active");
    await requireSilence(shop);
  });
});

test("a mandate for it is 409 external_subscription, and none is made", async () => {
  const shop = await openExternalShop(api);
  await shop.shop.addGateway();
  const { id } = await shop.record();
  const bank = { branchCode: "250655", accountNumber: "62001234567", accountHolder: "T Nkosi" };
  const body = { customerId: shop.customer, bank, amount: 100, subscriptionId: id };
  const refused = await shop.shop.post<{ error: string }>("/mandates", body);
  assert.deepEqual([refused.status, refused.body.error], [409, "external_subscription"], refused.text);
  assert.equal((await shop.shop.post("/mandates", { ...body, startDate: "2020-01-01" })).status, 400);
  assert.deepEqual((await shop.shop.get<{ data: unknown[] }>("/mandates")).body.data, []);
});
