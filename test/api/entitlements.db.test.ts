import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import { openSubscriptionShop } from "../support/customer-subscriptions.ts";
import { closeVerified } from "../support/verified.ts";

/* Interface 4.8, entitlements: what the plans of a customer's subscriptions include. */

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

interface Entitlement {
  readonly key: string;
  readonly type: string;
  readonly value: boolean | number | null;
  readonly planId: string;
  readonly subscriptionId: string;
}
interface Plan extends Record<string, unknown> {
  readonly id: string;
}

const boolean = (key: string, value = true) => ({ key, type: "boolean", value });
const limit = (key: string, value: number | null) => ({ key, type: "limit", value });

async function opened() {
  const shop = await openSubscriptionShop(api);
  const { body: pack } = await shop.shop.post<{ id: string }>("/packages", { name: "Software" });
  const addPlan = (features: object, fields: object = {}) =>
    shop.shop.post<Plan>(`/packages/${pack.id}/plans`, {
      name: "Plan",
      amount: 100,
      frequency: "monthly",
      features,
      ...fields,
    });
  const has = async (id = shop.customer) => {
    const { status, body, text } = await shop.shop.get<{ data: Entitlement[] }>(`/customers/${id}/entitlements`);
    assert.equal(status, 200, text);
    return body.data;
  };
  const values = async () => (await has()).map(({ key, value }) => [key, value]);
  /** What was told, oldest first, after everything that is due has run. */
  let minute = 0;
  const told = async () => {
    minute += 1;
    await shop.move(`2027-01-31T10:${String(minute).padStart(2, "0")}:00.000Z`);
    const rows = await api.query<{ data: { customerId: string; data: Entitlement[] } }>(
      "select data from events where organisation_id = $1 and type = 'customer.entitlements.changed' order by id",
      shop.shop.organisation.id,
    );
    return rows.map(({ data }) => data.data.map(({ key, value }) => [key, value]));
  };
  const patchPlan = (id: string, body: object) => shop.staff<Plan>("PATCH", `/packages/${pack.id}/plans/${id}`, body);
  return { ...shop, addPlan, patchPlan, has, values, told };
}
type Stage = Awaited<ReturnType<typeof opened>>;

describe("features of a plan", () => {
  let stage: Stage;
  before(async () => {
    stage = await opened();
  });

  test("are shown, changed for everyone, and make no new version", async () => {
    const features = [boolean("api_access"), limit("seats", 5), limit("storage", null)];
    const { body } = await stage.addPlan(features);
    assert.deepEqual(body["features"], features);
    const { body: after, text } = await stage.patchPlan(body.id, { features: [limit("seats", 6)] });
    assert.deepEqual([after["features"], after["version"]], [[limit("seats", 6)], 1], text);
    const { body: same } = await stage.patchPlan(body.id, { name: "Other" });
    assert.deepEqual(same["features"], [limit("seats", 6)]);
    assert.deepEqual((await stage.patchPlan(body.id, { features: [] })).body["features"], []);
  });

  for (const [what, features, path] of [
    ["no list", {}, "features"],
    ["a type that is none", [{ key: "a", type: "text", value: "b" }], "features.0.type"],
    ["a boolean with a number", [{ key: "a", type: "boolean", value: 1 }], "features.0.value"],
    ["a boolean without a value", [{ key: "a", type: "boolean" }], "features.0.value"],
    ["a boolean of null", [{ key: "a", type: "boolean", value: null }], "features.0.value"],
    ["a limit below zero", [limit("a", -1)], "features.0.value"],
    ["a limit that is not whole", [limit("a", 1.5)], "features.0.value"],
    ["a limit of true", [{ key: "a", type: "limit", value: true }], "features.0.value"],
    ["a limit without a value", [{ key: "a", type: "limit" }], "features.0.value"],
    ["a key with a space", [boolean("api access")], "features.0.key"],
    ["an empty key", [boolean("")], "features.0.key"],
    ["a key of 61 characters", [boolean("a".repeat(61))], "features.0.key"],
    ["one key twice", [boolean("a"), limit("a", 1)], "features"],
  ] as const)
    test(`are refused: ${what}`, async () => {
      const { status, body } = await stage.addPlan(features);
      const [issue] = (body["issues"] ?? []) as { path: unknown[] }[];
      assert.deepEqual([status, issue?.path.join(".")], [400, path]);
    });
});

describe("entitlements of a customer", () => {
  test("are the best values of active and trialing subscriptions", async () => {
    const stage = await opened();
    const { body: small } = await stage.addPlan([boolean("sso", false), limit("seats", 5), limit("apps", 0)]);
    const { body: large } = await stage.addPlan([boolean("sso"), limit("seats", 20), limit("apps", null)]);
    assert.deepEqual(await stage.has(), []);
    const one = await stage.subscribe({ planId: small.id });
    assert.deepEqual(await stage.has(), [
      { ...limit("apps", 0), planId: small.id, subscriptionId: one.id },
      { ...limit("seats", 5), planId: small.id, subscriptionId: one.id },
      { ...boolean("sso", false), planId: small.id, subscriptionId: one.id },
    ]);
    const two = await stage.subscribe({ planId: large.id, trialDays: 14 });
    assert.deepEqual(
      (await stage.has()).map(({ key, value, subscriptionId }) => [key, value, subscriptionId]),
      [
        ["apps", null, two.id],
        ["seats", 20, two.id],
        ["sso", true, two.id],
      ],
    );
    await stage.subscribe({ planId: large.id, startDate: "2027-06-01" });
    await stage.act(two.id, "cancel");
    assert.deepEqual(await stage.values(), [
      ["apps", 0],
      ["seats", 5],
      ["sso", false],
    ]);
    const page = async (query: string) => {
      const { body } = await stage.shop.get(`/customers/${stage.customer}/entitlements?${query}`);
      return [(body["data"] as Entitlement[]).map(({ key }) => key), body["hasMore"], body["nextCursor"]];
    };
    assert.deepEqual(await page(""), [["apps", "seats", "sso"], false, null]);
    assert.deepEqual(await page("limit=2"), [["apps", "seats"], true, "seats"]);
    assert.deepEqual(await page("limit=2&startingAfter=seats"), [["sso"], false, null]);
    assert.deepEqual(await page("limit=1&endingBefore=sso"), [["seats"], true, "seats"]);
    const unknown = await stage.shop.get(`/customers/${stage.customer}/entitlements?startingAfter=nope`);
    assert.equal(unknown.status, 400);
    assert.equal((await stage.shop.get("/customers/cus_unknown/entitlements")).status, 404);
    const other = await api.addMerchant();
    assert.equal((await other.get(`/customers/${stage.customer}/entitlements`)).status, 404);
  });

  test("are told once for each real change", async () => {
    const stage = await opened();
    const { body: small } = await stage.addPlan([limit("seats", 5)]);
    const { body: large } = await stage.addPlan([limit("seats", 20)]);
    const { body: twin } = await stage.addPlan([limit("seats", 20)], { amount: 120 });
    const { body: plain } = await stage.addPlan([]);
    const expected: unknown[] = [];
    const tells = async (next: unknown[] | null, why: string) => {
      if (next) expected.push(next);
      assert.deepEqual(await stage.told(), expected, why);
    };
    await stage.subscribe({ planId: plain.id });
    await tells(null, "a plan without features");
    const { id } = await stage.subscribe({ planId: small.id });
    await tells([["seats", 5]], "begun");
    await stage.act(id, "credit", { amount: 5, description: "Sorry" });
    await tells(null, "a credit");
    await stage.act(id, "change-plan", { planId: large.id });
    await tells([["seats", 20]], "another plan");
    await stage.act(id, "change-plan", { planId: twin.id });
    await tells(null, "another plan with the same");
    await stage.act(id, "pause");
    await tells([], "paused");
    await stage.act(id, "resume");
    await tells([["seats", 20]], "resumed");
    await stage.patchPlan(twin.id, { features: [boolean("sso"), limit("seats", 20)] });
    await tells(
      [
        ["seats", 20],
        ["sso", true],
      ],
      "the plan's features",
    );
    await stage.patchPlan(twin.id, { features: [limit("seats", 20), boolean("sso")] });
    await tells(null, "the same features in another order");
    await stage.patchPlan(twin.id, { features: [] });
    await tells([], "no features any more");
    await stage.patchPlan(twin.id, { features: [limit("seats", 1)] });
    await tells([["seats", 1]], "again");
    await stage.act(id, "cancel");
    await tells([], "cancelled");
  });
});
