import { toTimestamp, toTimestampOrNull } from "../../kernel/time.ts";
import type { CheckoutSessionQuery } from "../../modules/checkout-sessions/schema.ts";
import { asOf } from "../../modules/checkout-sessions/states.ts";
import { listCheckoutSessions } from "../../modules/checkout-sessions/store.ts";
import type { ShownSession } from "../../modules/checkout-sessions/types.ts";
import type { CouponQuery } from "../../modules/coupons/schema.ts";
import { listCoupons } from "../../modules/coupons/store.ts";
import type { Coupon } from "../../modules/coupons/types.ts";
import type { PackageQuery } from "../../modules/packages/schema.ts";
import { listPackages } from "../../modules/packages/store.ts";
import type { Package, Plan } from "../../modules/packages/types.ts";
import type { ProductQuery } from "../../modules/products/schema.ts";
import { listProducts } from "../../modules/products/store.ts";
import type { Product } from "../../modules/products/types.ts";
import { taxedToday } from "../organisations/settings.ts";
import { listExport } from "./csv-export.ts";

/* Exports of lists of products, packages and coupons, and of checkout sessions. */

const numberOf = (value: number | null | undefined): string | null => (value == null ? null : String(value));

/** Products. */
export const productsCsv = listExport<Product, typeof ProductQuery>({
  columns: {
    id: (row) => row.id,
    name: (row) => row.name,
    description: (row) => row.description,
    amount: (row) => row.amount,
    currency: (row) => row.currency,
    taxRate: (row) => row.taxRate,
    taxExempt: (row) => String(row.taxExempt),
    taxInclusive: (row) => String(row.taxInclusive),
    frequency: (row) => row.recurring?.frequency ?? null,
    enabled: (row) => String(row.enabled),
    createdAt: (row) => toTimestamp(row.createdAt),
    updatedAt: (row) => toTimestamp(row.updatedAt),
  },
  list: async (tx, query, ctx) => (await listProducts(tx, query)).map((one) => taxedToday(ctx, one)),
});

/** A package with one of its plans; null for a package without any. */
interface PlanRow extends Omit<Package, "plans"> {
  readonly plan: Plan | null;
}

/** Packages, a row for each plan. */
export const packagesCsv = listExport<PlanRow, typeof PackageQuery>({
  columns: {
    id: (row) => row.id,
    name: (row) => row.name,
    description: (row) => row.description,
    enabled: (row) => String(row.enabled),
    planId: (row) => row.plan?.id ?? null,
    planCode: (row) => row.plan?.code ?? null,
    planName: (row) => row.plan?.name ?? null,
    planEnabled: (row) => row.plan && String(row.plan.enabled),
    amount: (row) => row.plan?.amount ?? null,
    currency: (row) => row.plan?.currency ?? null,
    frequency: (row) => row.plan?.frequency ?? null,
    setupFee: (row) => row.plan?.setupFee ?? null,
    trialDays: (row) => numberOf(row.plan?.trialDays),
    cycles: (row) => numberOf(row.plan?.cycles),
    taxRate: (row) => row.plan?.taxRate ?? null,
    taxExempt: (row) => row.plan && String(row.plan.taxExempt),
    taxInclusive: (row) => row.plan && String(row.plan.taxInclusive),
    createdAt: (row) => toTimestamp(row.createdAt),
    updatedAt: (row) => toTimestamp(row.updatedAt),
  },
  list: async (tx, query, ctx) =>
    (await listPackages(tx, query)).flatMap(({ plans, ...one }) =>
      (plans.length === 0 ? [null] : plans).map((plan) => ({ ...one, plan: plan && taxedToday(ctx, plan) })),
    ),
});

/** Coupons. */
export const couponsCsv = listExport<Coupon, typeof CouponQuery>({
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

/** Checkout sessions, with their status now; without their addresses, which give access to the payment. */
export const checkoutSessionsCsv = listExport<ShownSession, typeof CheckoutSessionQuery>({
  columns: {
    id: (row) => row.id,
    status: (row) => row.status,
    source: (row) => row.source,
    packageId: (row) => row.packageId,
    planId: (row) => row.planId,
    productId: (row) => row.productId,
    customerId: (row) => row.customerId,
    subscriptionId: (row) => row.subscriptionId,
    couponCode: (row) => row.couponCode,
    email: (row) => row.prefill.email ?? null,
    firstName: (row) => row.prefill.firstName ?? null,
    lastName: (row) => row.prefill.lastName ?? null,
    company: (row) => row.prefill.company ?? null,
    phone: (row) => row.prefill.phone ?? null,
    transactionReference: (row) => row.payment?.reference ?? null,
    transactionStatus: (row) => row.payment?.status ?? null,
    amount: (row) => row.payment?.amount ?? null,
    currency: (row) => row.payment?.currency ?? null,
    discountAmount: (row) => row.payment?.discount ?? null,
    taxAmount: (row) => row.payment?.tax ?? null,
    paidAt: (row) => toTimestampOrNull(row.payment?.paidAt ?? null),
    expiresAt: (row) => toTimestamp(row.expiresAt),
    usedAt: (row) => toTimestampOrNull(row.usedAt),
    createdAt: (row) => toTimestamp(row.createdAt),
  },
  async list(tx, query, { now }) {
    const sessions = await listCheckoutSessions(tx, query, now);
    return sessions.map((session) => asOf(session, now));
  },
});
