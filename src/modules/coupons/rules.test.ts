import assert from "node:assert/strict";
import { test } from "node:test";
import { decimalOf } from "../../kernel/decimal.ts";
import type { PlanId, ProductId } from "../../kernel/ids.ts";
import { cents } from "../../kernel/money.ts";
import { instant, parseCalendarDay } from "../../kernel/time.ts";
import { type CouponRefusal, mayRedeem, type Sale } from "./rules.ts";
import type { Coupon } from "./types.ts";

const day = (text: string) => {
  const parsed = parseCalendarDay(text);
  assert(parsed);
  return parsed;
};
const PLAN = "plan_1" as PlanId;
const PRODUCT = "prod_1" as ProductId;
const COUPON: Coupon = {
  id: "cpn_1" as Coupon["id"],
  code: "WELCOME",
  name: null,
  percent: decimalOf("20"),
  amount: null,
  currency: "ZAR",
  duration: "first",
  cycles: null,
  startsOn: null,
  endsOn: null,
  maxRedemptions: null,
  maxRedemptionsPerCustomer: null,
  redemptions: 7,
  planIds: [],
  productIds: [],
  enabled: true,
  createdAt: instant("2027-03-01T10:00:00Z"),
  updatedAt: instant("2027-03-01T10:00:00Z"),
};
const SALE: Sale = { today: day("2027-03-10"), currency: "ZAR", sold: { planId: PLAN }, ofCustomer: 2 };
const ONCE = { productId: PRODUCT, recurring: false };
const AGAIN = { productId: PRODUCT, recurring: true };
const AMOUNT = { percent: null, amount: cents(500) };

const TABLE: readonly [what: string, coupon: Partial<Coupon>, sale: Partial<Sale>, refusal: CouponRefusal | null][] = [
  ["a plan", {}, {}, null],
  ["a product", {}, { sold: ONCE }, null],
  ["a coupon that is not enabled", { enabled: false }, {}, "disabled"],
  ["the day before the first", { startsOn: day("2027-03-11") }, {}, "not_begun"],
  ["the first day", { startsOn: day("2027-03-10") }, {}, null],
  ["the last day", { endsOn: day("2027-03-10") }, {}, null],
  ["the day after the last", { endsOn: day("2027-03-09") }, {}, "ended"],
  ["one of its plans", { planIds: ["plan_0" as PlanId, PLAN] }, {}, null],
  ["another plan", { planIds: ["plan_0" as PlanId] }, {}, "not_for_this"],
  ["a product, of a coupon for plans", { planIds: [PLAN] }, { sold: ONCE }, "not_for_this"],
  ["a plan, of a coupon for products", { productIds: [PRODUCT] }, {}, "not_for_this"],
  ["one of its products", { productIds: [PRODUCT] }, { sold: ONCE }, null],
  ["a percentage of another currency", {}, { currency: "USD" }, null],
  ["an amount of its own currency", AMOUNT, {}, null],
  ["an amount of another currency", AMOUNT, { currency: "USD" }, "other_currency"],
  ["a recurring product, of a coupon for the first charge", {}, { sold: AGAIN }, "every_charge_only"],
  [
    "a recurring product, of a coupon for some cycles",
    { duration: "cycles", cycles: 3 },
    { sold: AGAIN },
    "every_charge_only",
  ],
  ["a recurring product, of a coupon for every charge", { duration: "every" }, { sold: AGAIN }, null],
  ["one redemption left", { maxRedemptions: 8 }, {}, null],
  ["no redemption left", { maxRedemptions: 7 }, {}, "used_up"],
  ["more than the limit, as late ones are", { maxRedemptions: 6 }, {}, "used_up"],
  ["one left for the customer", { maxRedemptionsPerCustomer: 3 }, {}, null],
  ["none left for the customer", { maxRedemptionsPerCustomer: 2 }, {}, "used_by_customer"],
  ["a customer who is not known yet", { maxRedemptionsPerCustomer: 2 }, { ofCustomer: null }, null],
  ["several reasons: the first of them", { enabled: false, maxRedemptions: 1 }, { currency: "USD" }, "disabled"],
];
for (const [what, coupon, sale, refusal] of TABLE)
  test(`${what}: ${refusal ?? "redeemed"}`, () => {
    assert.equal(mayRedeem({ ...COUPON, ...coupon }, { ...SALE, ...sale }), refusal);
  });
