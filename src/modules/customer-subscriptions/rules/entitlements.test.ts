import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fc } from "../../../../test/support/property.ts";
import type { CustomerSubscriptionId, PlanId } from "../../../kernel/ids.ts";
import { type Entitling, entitlementsOf, grantTheSame, type PlanFeature } from "./entitlements.ts";

type Value = PlanFeature["value"];
const typeOf = (value: Value) => (typeof value === "boolean" ? "boolean" : "limit");
const sub = (name: string, features: Readonly<Record<string, Value>>): Entitling => ({
  subscriptionId: `csub_${name}` as CustomerSubscriptionId,
  planId: `plan_${name}` as PlanId,
  features: Object.entries(features).map(([key, value]) => ({ key, type: typeOf(value), value })),
});

describe("the best value of a feature", () => {
  for (const [first, second, best] of [
    [true, false, "a"],
    [false, true, "b"],
    [false, false, "a"],
    [5, 20, "b"],
    [20, 5, "a"],
    [0, null, "b"],
    [null, 1_000_000, "a"],
    [7, 7, "a"],
    // One key of two types, which two plans may have.
    [false, 0, "b"],
    [3, true, "b"],
  ] as const)
    test(`of ${first} and ${second} is that of ${best}`, () => {
      const [found] = entitlementsOf([sub("a", { seats: first }), sub("b", { seats: second })]);
      assert.equal(found?.subscriptionId, `csub_${best}`);
      assert.equal(found?.value, best === "a" ? first : second);
    });
});

test("each key is there once, in order, whatever the order of the subscriptions", () => {
  const values = fc.dictionary(fc.constantFrom("a", "b", "c", "d"), fc.option(fc.nat(9)), { noNullPrototype: true });
  fc.assert(
    fc.property(fc.array(values, { maxLength: 5 }), (plans) => {
      const subs = plans.map((features, place) => sub(String(place), features));
      const found = entitlementsOf(subs);
      const keys = found.map(({ key }) => key);
      assert.deepEqual(keys, [...new Set(plans.flatMap((features) => Object.keys(features)))].toSorted());
      assert(grantTheSame(found, entitlementsOf(subs.toReversed())));
    }),
  );
});
