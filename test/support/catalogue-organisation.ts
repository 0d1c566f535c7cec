import type { Ctx } from "../../src/flows/context.ts";
import {
  createCoupon,
  honourRedemption,
  redeemCoupon,
  releaseRedemption,
} from "../../src/flows/coupons/coupon-steps.ts";
import { upsertCustomer } from "../../src/flows/customers/save-customer.ts";
import { createPackage } from "../../src/flows/packages/save-package.ts";
import { changePlan, createPlan } from "../../src/flows/packages/save-plan.ts";
import type { Services } from "../../src/flows/services.ts";
import { assert } from "../../src/kernel/assert.ts";
import type { CustomerId } from "../../src/kernel/ids.ts";
import { CouponCreate } from "../../src/modules/coupons/schema.ts";
import { CustomerBody } from "../../src/modules/customers/schema.ts";
import { PackageCreate, PlanCreate, PlanPatch } from "../../src/modules/packages/schema.ts";
import type { Tx } from "../../src/platform/database.ts";
import type { PlantedFault } from "./planted-faults.ts";

/**
 * Adds a package by the product's own flows, with the plans `fixed`, and `repriced` of two versions, and a coupon that is used up, with a
 * redemption beyond that, which came late.
 */
export async function addCatalogue({ db }: Services, ctx: Ctx): Promise<void> {
  const write = <T>(work: (tx: Tx) => Promise<T>) => db.transaction(ctx.organisation.id, work);
  const { id } = await write(async (tx) => createPackage(tx, ctx, PackageCreate.parse({ name: "Hosting" })));
  const add = (code: string) =>
    write((tx) => createPlan(tx, ctx, id, PlanCreate.parse({ name: code, code, amount: 100, frequency: "monthly" })));
  await add("fixed");
  const { id: planId } = await add("repriced");
  const coupon = await write((tx) => createCoupon(tx, ctx, CouponCreate.parse({ ...COUPON, planIds: [planId] })));
  const customers: CustomerId[] = [];
  for (const externalReference of ["coupon-1", "coupon-2"])
    customers.push(
      (await write((tx) => upsertCustomer(tx, ctx, CustomerBody.parse({ externalReference })))).customer.id,
    );
  const [one, other] = customers;
  assert(one && other, "they were just made");
  const redeem = (subject: string, customerId: CustomerId) =>
    write((tx) =>
      redeemCoupon(tx, ctx, { couponId: coupon.id, subject, customerId, sold: { planId }, currency: "ZAR" }),
    );
  await redeem("kept", one);
  await redeem("late", other);
  const late = { couponId: coupon.id, subject: "late" };
  await write((tx) => releaseRedemption(tx, ctx, late));
  await redeem("taken", one);
  await write((tx) => honourRedemption(tx, late));
  await write((tx) => changePlan(tx, ctx, { id, planId }, PlanPatch.parse({ amount: 120 })));
}

const COUPON = { code: "TWICE", percent: 10, maxRedemptions: 2, maxRedemptionsPerCustomer: 2 };
const plan = (code: string) => `(select id from plans where code = '${code}')`;
const version = (code: string, number: number) =>
  `(select id from plan_versions where plan_id = ${plan(code)} and number = ${number})`;

const TWICE = "(select id from coupons where code = 'TWICE')";

/** Of what `addCatalogue` made: at least one for every rule about plans and coupons. */
export const CATALOGUE_FAULTS: readonly PlantedFault[] = [
  [
    "plans.plan_version_newest",
    plan("repriced"),
    `update plans set plan_version_id = ${version("repriced", 1)} where code = 'repriced'`,
  ],
  [
    "plans.plan_version_newest",
    plan("fixed"),
    `update plans set plan_version_id = ${version("repriced", 2)} where code = 'fixed'`,
  ],
  ["coupons.coupon_redemptions", TWICE, "update coupons set redemptions = redemptions - 1"],
  ["coupons.coupon_redemptions", TWICE, "delete from coupon_redemptions where subject = 'kept'"],
  [
    "coupons.coupon_redemptions",
    TWICE,
    "update coupon_redemptions set released_at = redeemed_at where subject = 'late'",
  ],
  ["coupons.coupon_redemptions_at_most", TWICE, "update coupon_redemptions set late = false"],
  ["coupons.coupon_redemptions_at_most", TWICE, "update coupons set max_redemptions = 1"],
  ["coupons.coupon_redemptions_of_customer", TWICE, "update coupons set max_redemptions_per_customer = 1"],
  ["coupons.coupon_restrictions_exist", TWICE, "update coupons set plan_ids = '{plan_gone}'"],
  ["plans.plan_versions_numbered", plan("repriced"), `delete from plan_versions where id = ${version("repriced", 1)}`],
];
