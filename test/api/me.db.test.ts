import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { PLANS, type PlanName } from "../../src/kernel/plans.ts";
import type { Organisation } from "../../src/modules/organisations/types.ts";
import { openApi, type TestApi } from "../support/api.ts";

interface Me {
  readonly tenant: { readonly status: string };
  readonly plan: { readonly name: string; readonly features: readonly string[] };
  readonly [field: string]: unknown;
}

const NOW = new Date("2027-03-01T10:00:00Z") as never;
const LATER = new Date("2027-03-01T10:00:01Z") as never;

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => api.close());

describe("GET /me", () => {
  test("200: the object of interface 4.1, every field there", async () => {
    const shop = await api.addMerchant({ name: "Box & Sons" });
    const { status, body } = await shop.get<Me>("/me");
    assert.equal(status, 200);
    const { capabilities, ...rest } = body;
    assert.deepEqual(rest, {
      apiVersion: "1.16.0",
      organisation: { id: shop.organisation.id, name: "Box & Sons", slug: shop.organisation.slug, sandbox: true },
      tenant: { status: "active" },
      plan: { name: "business", features: PLANS.business.features },
      key: { id: shop.keyId, name: "test", permissions: [], scopes: null, expiresAt: null, strict: false },
    });
    const names = ["accountStanding", "chargeSavedCards", "externalSubscriptions", "savedCards"];
    assert.deepEqual(Object.keys(capabilities as object).sort(), names);
    for (const value of Object.values(capabilities as object)) assert.equal(typeof value, "boolean");
  });

  test("the key that asks is shown, with its permissions", async () => {
    const shop = await api.addMerchant();
    const { id, key } = await shop.addKey(["charge_saved_cards"]);
    const { body } = await shop.get<Me>("/me", { key });
    const permissions = ["charge_saved_cards"];
    assert.deepEqual(body["key"], { id, name: "test", permissions, scopes: null, expiresAt: null, strict: false });
  });

  const STATUSES: [string, Partial<Organisation>][] = [
    ["trial", { state: "trial", clockAt: NOW, trialEndsAt: LATER }],
    ["expired", { state: "trial", clockAt: LATER, trialEndsAt: LATER }],
    ["trial", { state: "trial", trialEndsAt: null }],
    ["active", { state: "active", clockAt: LATER, trialEndsAt: NOW }],
    ["suspended", { state: "suspended" }],
    ["cancelled", { state: "cancelled" }],
  ];
  for (const [status, facts] of STATUSES)
    test(`tenant.status ${status} (interface 12.2): ${JSON.stringify(facts)}`, async () => {
      const answer = await (await api.addMerchant(facts)).get<Me>("/me");
      assert.deepEqual([answer.status, answer.body.tenant], [200, { status }]);
    });

  for (const plan of ["growth", "business", "enterprise"] as const satisfies PlanName[])
    test(`plan ${plan}`, async () => {
      const { body } = await (await api.addMerchant({ plan })).get<Me>("/me");
      assert.deepEqual(body.plan, { name: plan, features: PLANS[plan].features });
    });

  test("403 plan_restricted: starter has no REST API", async () => {
    const { status, body, headers } = await (await api.addMerchant({ plan: "starter" })).get<Me>("/me");
    assert.deepEqual([status, body["error"]], [403, "plan_restricted"]);
    assert.ok(headers["x-ratelimit-limit"]);
  });
});
