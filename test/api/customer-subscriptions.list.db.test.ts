import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import { openSubscriptionShop } from "../support/customer-subscriptions.ts";

/* Interface 4.8: finding customer subscriptions. */

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => api.close());

const PATH = "/customer-subscriptions";

describe("the list", () => {
  test("is filtered, and paged by the last id", async () => {
    const shop = await openSubscriptionShop(api);
    const gold = await shop.addPlan({ code: "gold" });
    const silver = await shop.addPlan({ name: "Silver" });
    const other = await shop.shop.post<{ id: string }>("/customers", {
      email: "x@example.co.za",
      externalReference: "X1",
    });
    const a = await shop.subscribe({ plan: "gold", externalReference: "A" });
    const b = await shop.subscribe({
      planId: silver,
      customer: { externalReference: "X1" },
      collectionMethod: "manual",
    });
    const c = await shop.subscribe({ planId: gold, startDate: "2027-06-01" });
    const ids = async (query: string) => {
      const answer = await shop.shop.get<{ data: { id: string }[] }>(`${PATH}?${query}`);
      assert.equal(answer.status, 200, answer.text);
      return answer.body.data.map(({ id }) => id);
    };
    for (const [query, expected] of [
      ["", [c, b, a]],
      ["status=active", [b, a]],
      ["status=scheduled,trialing", [c]],
      ["status=paused", []],
      [`planId=${gold}`, [c, a]],
      [`packageId=${shop.packageId}`, [c, b, a]],
      ["packageId=pkg_none", []],
      [`customerId=${other.body.id}`, [b]],
      ["customerExternalReference=T1", [c, a]],
      ["externalReference=A", [a]],
      ["collectionMethod=manual", [b]],
      ["collectionMethod=manual,invoice", [c, b, a]],
      ["nextBillingFrom=2027-06-01", [c]],
      ["nextBillingTo=2027-05-31", [b, a]],
      ["nextBillingFrom=2027-02-28&nextBillingTo=2027-02-28", [b, a]],
      ["q=thandi", [c, a]],
    ] as const)
      assert.deepEqual(
        await ids(query),
        expected.map(({ id }) => id),
        query,
      );
    const first = await shop.shop.get<Record<string, unknown>>(`${PATH}?limit=2`);
    assert.deepEqual([first.body["hasMore"], first.body["nextCursor"]], [true, b.id]);
    const last = await shop.shop.get<Record<string, unknown>>(`${PATH}?limit=2&startingAfter=${b.id}`);
    assert.deepEqual(
      [last.body["hasMore"], last.body["nextCursor"], (last.body["data"] as { id: string }[])[0]?.id],
      [false, null, a.id],
    );
    for (const query of ["status=gone", "collectionMethod=cash", "nextBillingFrom=soon", "startingAfter=1"])
      assert.equal((await shop.shop.get(`${PATH}?${query}`)).status, 400, query);
  });

  test("finds by the next billing date that each shows, and none that ends with its period", async () => {
    const shop = await openSubscriptionShop(api);
    const planId = await shop.addPlan();
    const other = await shop.addPlan({ name: "Silver" });
    const goesOn = await shop.subscribe({ planId });
    const ending = await shop.subscribe({ planId });
    await shop.act(ending.id, "cancel", { when: "period_end" });
    const once = await shop.subscribe({ planId: await shop.addPlan({ cycles: 1 }) });
    const prolonged = await shop.subscribe({ planId: await shop.addPlan({ cycles: 1 }) });
    await shop.act(prolonged.id, "change-plan", { planId: other, proration: "next_renewal" });
    const later = await shop.subscribe({ planId, startDate: "2027-02-14", trialDays: 14 });
    const paused = await shop.subscribe({ planId });
    await shop.act(paused.id, "pause");
    const external = await shop.subscribe({
      planId,
      collectionMethod: "external",
      externalReference: "M",
      paidThrough: "2027-02-28",
      cancelAtPeriodEnd: true,
    });
    const dates = [goesOn, ending, once, prolonged, later, paused, external].map(
      async ({ id }) => (await shop.now(id))["nextBillingAt"],
    );
    const end = "2027-02-27T22:00:00.000Z";
    assert.deepEqual(await Promise.all(dates), [end, null, null, end, end, null, end]);
    const query = `${PATH}?nextBillingFrom=2027-02-28&nextBillingTo=2027-02-28`;
    const found = (await shop.shop.get<{ data: { id: string }[] }>(query)).body.data.map(({ id }) => id);
    assert.deepEqual(
      found,
      [external, later, prolonged, goesOn].map(({ id }) => id),
    );
    const ever = await shop.shop.get<{ data: unknown[] }>(
      `${PATH}?nextBillingFrom=2000-01-01&nextBillingTo=9000-01-01`,
    );
    assert.equal(ever.body.data.length, found.length);
  });

  test("and one, are of the organisation alone", async () => {
    const [shop, stranger] = await Promise.all([openSubscriptionShop(api), openSubscriptionShop(api)]);
    const { id } = await shop.subscribe({ planId: await shop.addPlan() });
    for (const path of [`${PATH}/${id}`, `${PATH}/${id}/invoices`])
      assert.equal((await stranger.shop.get(path)).status, 404);
    assert.deepEqual((await stranger.shop.get(PATH)).body["data"], []);
    const foreign = await stranger.shop.post(PATH, {
      customer: { id: stranger.customer },
      planId: await shop.addPlan(),
      collectionMethod: "invoice",
    });
    assert.equal(foreign.status, 400);
  });
});
