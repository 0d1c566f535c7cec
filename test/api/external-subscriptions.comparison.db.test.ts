import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import { NO_TRACES, openExternalShop } from "../support/external-subscriptions.ts";
import { closeVerified } from "../support/verified.ts";

/* Interface 4.8, mirror mode: what the service would have billed for each recorded period. */

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

interface ComparedPeriod {
  readonly id: string;
  readonly status: string;
  readonly periodStart: string;
  readonly periodEnd: string;
  readonly billedAmount: number | null;
  readonly shadow: { readonly lines: readonly { amount: number; reason: { days: object } }[]; readonly total: number };
  readonly difference: { readonly amount: number | null; readonly reason: string; readonly explanation: string };
}
type Page = { data: ComparedPeriod[]; hasMore: boolean; nextCursor: string | null };

describe("the comparison of a subscription", () => {
  test("says for each period what the service would have billed, beside what was billed", async () => {
    const shop = await openExternalShop(api);
    const items = [{ code: "seats", kind: "addon", description: "Seats", unitAmount: 10, quantity: 3 }];
    const { id } = await shop.record({ items, quantity: 2 });
    const first = { currentPeriodStart: "2027-01-15", currentPeriodEnd: "2027-02-15" };
    assert.equal((await shop.sync(id, { ...first, billedAmount: 264.5 })).status, 200);
    for (const [start, end, billedAmount] of [
      ["2027-02-15", "2027-03-15", 230],
      ["2027-03-15", "2027-04-01", undefined],
    ] as const)
      await shop.sync(id, { currentPeriodStart: start, currentPeriodEnd: end, billedAmount });
    const { body } = await shop.shop.get<Page>(`/customer-subscriptions/${id}/shadow`);
    assert.deepEqual(
      body.data.map((one) => [
        one.periodStart,
        one.periodEnd,
        one.billedAmount,
        one.shadow.total,
        one.difference.amount,
        one.difference.reason,
      ]),
      [
        ["2027-03-15", "2027-04-01", null, 145.05, null, "not_reported"],
        ["2027-02-15", "2027-03-15", 230, 264.5, 34.5, "vat_left_out"],
        ["2027-01-15", "2027-02-15", 264.5, 264.5, 0, "none"],
      ],
    );
    const [shortened, , whole] = body.data;
    assert.deepEqual(
      whole?.shadow.lines.map(({ amount, reason }) => [amount, reason.days]),
      [
        [200, { billed: 31, of: 31 }],
        [30, { billed: 31, of: 31 }],
      ],
    );
    assert.deepEqual(shortened?.shadow.lines[0]?.reason.days, { billed: 17, of: 31 });
    assert.equal(whole?.difference.explanation, "Both amounts are the same.");
    const { periods: _, ...traces } = await shop.traces();
    assert.deepEqual(traces, { ...NO_TRACES, subscriptions: 1 });
  });

  test("has pages, newest period first", async () => {
    const shop = await openExternalShop(api);
    const { id } = await shop.record();
    await shop.sync(id, { currentPeriodStart: "2027-02-15", currentPeriodEnd: "2027-03-15" });
    const path = `/customer-subscriptions/${id}/shadow`;
    const { body: first } = await shop.shop.get<Page>(`${path}?limit=1`);
    assert.deepEqual([first.data[0]?.periodStart, first.hasMore], ["2027-02-15", true]);
    const { body: second } = await shop.shop.get<Page>(`${path}?limit=1&startingAfter=${first.nextCursor}`);
    assert.deepEqual([second.data[0]?.periodStart, second.hasMore, second.nextCursor], ["2027-01-15", false, null]);
  });

  test("a trial costs nothing, and a period that is corrected is compared anew", async () => {
    const shop = await openExternalShop(api);
    const { id } = await shop.record({ status: "trialing" });
    const of = async () => (await shop.shop.get<Page>(`/customer-subscriptions/${id}/shadow`)).body.data;
    const period = { currentPeriodStart: "2027-01-15", currentPeriodEnd: "2027-02-15" };
    await shop.sync(id, { ...period, billedAmount: 115 });
    const [trial] = await of();
    assert.deepEqual([trial?.shadow.total, trial?.difference.reason], [0, "trial"]);
    await shop.sync(id, { ...period, status: "active" });
    const [paid, ...others] = await of();
    assert.deepEqual(others, []);
    assert.equal(paid?.id, trial?.id);
    assert.deepEqual([paid?.shadow.total, paid?.billedAmount, paid?.difference.reason], [115, 115, "none"]);
    await shop.sync(id, { ...period, currentPeriodEnd: "2027-03-15" });
    const [longer] = await of();
    assert.deepEqual([longer?.shadow.total, longer?.billedAmount], [242.32, 115]);
  });

  test("a period is replaced by what overlaps it, and a gap stays a gap", async () => {
    const shop = await openExternalShop(api);
    const { id } = await shop.record();
    const starts = async () =>
      (await shop.shop.get<Page>(`/customer-subscriptions/${id}/shadow`)).body.data.map(
        ({ periodStart }) => periodStart,
      );
    const sync = (currentPeriodStart: string, currentPeriodEnd: string, status = "active") =>
      shop.sync(id, { currentPeriodStart, currentPeriodEnd, status });
    await sync("2027-02-10", "2027-03-10");
    assert.deepEqual(await starts(), ["2027-02-10"]);
    await sync("2027-04-01", "2027-05-01");
    assert.deepEqual(await starts(), ["2027-04-01", "2027-02-10"]);
    await sync("2027-02-10", "2027-03-10", "past_due");
    assert.deepEqual(await starts(), ["2027-02-10"]);
  });

  test("an amount below zero, beyond limits, or of text is 400", async () => {
    const shop = await openExternalShop(api);
    const { id } = await shop.record();
    for (const billedAmount of [-1, 1_000_000_001, "115", null])
      assert.equal(
        (await shop.sync(id, { currentPeriodStart: "2027-01-15", currentPeriodEnd: "2027-02-15", billedAmount }))
          .status,
        400,
        String(billedAmount),
      );
  });
});

describe("the comparison of a package", () => {
  test("sums the periods of its external subscriptions, for each and for all", async () => {
    const shop = await openExternalShop(api);
    const [a, b] = [await shop.record({ externalReference: "A" }), await shop.record({ externalReference: "B" })];
    const period = { currentPeriodStart: "2027-01-15", currentPeriodEnd: "2027-02-15" };
    await shop.sync(a.id, { ...period, billedAmount: 115 });
    await shop.sync(a.id, { currentPeriodStart: "2027-02-15", currentPeriodEnd: "2027-03-15", billedAmount: 100 });
    await shop.staff("PATCH", `/packages/${shop.packageId}`, { enabled: true });
    await shop.subscribe({ planId: await shop.addPlan() });
    const { body } = await shop.shop.get<Record<string, unknown>>(`/packages/${shop.packageId}/shadow`);
    const customer = { id: shop.customer, externalReference: "T1", email: "thandi@example.co.za" };
    const shared = { status: "active", customer, planId: shop.planId, currency: "ZAR" };
    const none = { periods: 1, reported: 0, differing: 0, billedAmount: 0, shadowAmount: 0, difference: 0 };
    const ofA = { periods: 2, reported: 2, differing: 1, billedAmount: 215, shadowAmount: 230, difference: 15 };
    assert.deepEqual(body, {
      data: [
        { subscriptionId: b.id, externalReference: "B", ...shared, ...none },
        { subscriptionId: a.id, externalReference: "A", ...shared, ...ofA },
      ],
      hasMore: false,
      nextCursor: null,
      totals: [{ currency: "ZAR", subscriptions: 2, ...ofA, periods: 3 }],
    });
    assert.equal((await shop.shop.get("/packages/pkg_none/shadow")).status, 404);
  });
});
