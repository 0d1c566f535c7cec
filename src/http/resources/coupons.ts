import { z } from "zod";
import { changeCoupon, createCoupon, deleteCoupon } from "../../flows/coupons/coupon-steps.ts";
import { listExport } from "../../flows/exports/csv-export.ts";
import { notFound } from "../../kernel/errors.ts";
import { toTimestamp } from "../../kernel/time.ts";
import { CouponCreate, CouponObject, CouponPatch, CouponQuery } from "../../modules/coupons/schema.ts";
import { findCoupon, listCoupons } from "../../modules/coupons/store.ts";
import type { Coupon } from "../../modules/coupons/types.ts";
import { couponView } from "../../modules/coupons/view.ts";
import { listEndpoint, PAGING } from "../csv-export.ts";
import { endpoint } from "../endpoint.ts";
import { listed, listOf } from "../lists.ts";
import { changed, created, removed } from "../replies.ts";

const common = {
  audience: "staff",
  feature: "coupons",
  tag: { name: "Coupons", about: "Codes that lower a price." },
} as const;
const params = z.object({ id: z.string() });

const numberOf = (value: number | null | undefined): string | null => (value == null ? null : String(value));

/** Coupons. */
const couponsCsv = listExport<Coupon, typeof CouponQuery>({
  columns: {
    id: (row) => row.id,
    code: (row) => row.code,
    name: (row) => row.name,
    percent: (row) => row.percent,
    amount: (row) => row.amount,
    currency: (row) => row.currency,
    duration: (row) => row.duration,
    cycles: (row) => numberOf(row.cycles),
    startsAt: (row) => row.startsOn,
    endsAt: (row) => row.endsOn,
    maxRedemptions: (row) => numberOf(row.maxRedemptions),
    maxRedemptionsPerCustomer: (row) => numberOf(row.maxRedemptionsPerCustomer),
    redemptions: (row) => numberOf(row.redemptions),
    planIds: (row) => row.planIds.join(" "),
    productIds: (row) => row.productIds.join(" "),
    enabled: (row) => String(row.enabled),
    createdAt: (row) => toTimestamp(row.createdAt),
    updatedAt: (row) => toTimestamp(row.updatedAt),
  },
  list: listCoupons,
});

/** The endpoints of interface 14.2, coupons. */
export const couponEndpoints = [
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/coupons",
    summary: "List coupons, newest first",
    permission: "coupons:read",
    query: CouponQuery,
    replies: { 200: listOf(CouponObject) },
    async handle(call, tx) {
      return listed(call, (wanted) => listCoupons(tx, wanted), couponView);
    },
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "POST",
    path: "/coupons",
    summary: "Create a coupon",
    permission: "coupons:write",
    idempotent: true,
    body: CouponCreate,
    replies: { 201: CouponObject },
    async handle({ ctx, body }, tx) {
      return created(couponView(await createCoupon(tx, ctx, body)));
    },
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/coupons/{id}",
    summary: "Get a coupon",
    permission: "coupons:read",
    params,
    replies: { 200: CouponObject },
    async handle({ params: { id } }, tx) {
      const coupon = await findCoupon(tx, id);
      if (!coupon) throw notFound("coupon");
      return { status: 200, body: couponView(coupon) };
    },
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "PATCH",
    path: "/coupons/{id}",
    edits: true,
    summary: "Change a coupon",
    permission: "coupons:write",
    params,
    body: CouponPatch,
    replies: { 200: CouponObject },
    async handle({ ctx, params: { id }, body }, tx) {
      const { before, after } = await changeCoupon(tx, ctx, id, body);
      return changed(couponView(before), couponView(after));
    },
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "DELETE",
    path: "/coupons/{id}",
    summary: "Delete a coupon that was never redeemed",
    permission: "coupons:write",
    params,
    replies: { 200: CouponObject },
    async handle({ params: { id } }, tx) {
      return removed(couponView(await deleteCoupon(tx, id)));
    },
  }),
  listEndpoint("coupons", "Coupons", "coupons:read", CouponQuery.omit(PAGING), couponsCsv, "coupons"),
];
