// Writes: coupon_redemptions, coupons. Reads: customer_subscription_bills.

import { IN_ENDED } from "../../domain/customer-subscriptions.ts";
import { joinInvoice, joinSubscription } from "../../domain/joins.ts";
import { createdIn, type ListQuery, newestFirst, onPage } from "../../domain/lists.ts";
import { locking, lockName } from "../../domain/locks.ts";
import type { CouponRedemptionsRow, CouponsRow } from "../../domain/rows.ts";
import { decimalOf } from "../../kernel/decimal.ts";
import type { CouponId, CustomerId, PlanId, ProductId } from "../../kernel/ids.ts";
import { containing } from "../../kernel/text.ts";
import { part, type Tx, when } from "../../platform/database.ts";
import type { Coupon, CouponTerms, Redemption } from "./types.ts";

const termsFromRow = (row: CouponsRow | CouponRedemptionsRow): CouponTerms => ({
  percent: row.percent === null ? null : decimalOf(row.percent),
  amount: row.amount_cents,
  currency: row.currency,
  duration: row.duration,
  cycles: row.cycles,
});

const fromRow = (row: CouponsRow): Coupon => ({
  id: row.id,
  code: row.code,
  name: row.name,
  ...termsFromRow(row),
  startsOn: row.starts_on,
  endsOn: row.ends_on,
  maxRedemptions: row.max_redemptions,
  maxRedemptionsPerCustomer: row.max_redemptions_per_customer,
  redemptions: row.redemptions,
  planIds: row.plan_ids as readonly PlanId[],
  productIds: row.product_ids as readonly ProductId[],
  enabled: row.enabled,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const redemptionFromRow = (row: CouponRedemptionsRow): Redemption => ({
  couponId: row.coupon_id,
  subject: row.subject,
  customerId: row.customer_id,
  ...termsFromRow(row),
  redeemedAt: row.redeemed_at,
  releasedAt: row.released_at,
  late: row.late,
});

/** Identifies a redemption: of a coupon, by a subject. */
type RedemptionOf = Pick<Redemption, "couponId" | "subject">;

/** Null when absent or another organisation's. */
export async function findCoupon(tx: Tx, id: string): Promise<Coupon | null> {
  const [row] =
    await tx.sql<CouponsRow>`select * from coupons where organisation_id = ${tx.organisation} and id = ${id}`;
  return row ? fromRow(row) : null;
}

/** By its code, whatever the case of its letters. */
export async function findCouponByCode(tx: Tx, code: string): Promise<Coupon | null> {
  const [row] = await tx.sql<CouponsRow>`
    select * from coupons where organisation_id = ${tx.organisation} and lower(code) = lower(${code})`;
  return row ? fromRow(row) : null;
}

/** As `findCoupon`, and locks it until the transaction ends: its redemptions are counted under this lock. */
export async function lockCoupon(tx: Tx, id: string): Promise<Coupon | null> {
  const [row] = await locking(tx, "coupon").sql<CouponsRow>`
    select * from coupons where organisation_id = ${tx.organisation} and id = ${id} for update`;
  return row ? fromRow(row) : null;
}

/** Locks the code, so that two transactions that give a coupon the same code run one after the other. */
export function lockCouponCode(tx: Tx, code: string): void {
  lockName(tx, "coupon code", code.toLowerCase());
}

/** Newest first; `q` searches code and name. */
export async function listCoupons(tx: Tx, query: ListQuery): Promise<Coupon[]> {
  const search = query.q ? containing(query.q) : null;
  const rows = await tx.sql<CouponsRow>`
    select * from coupons where organisation_id = ${tx.organisation}
      ${onPage(query, part`id`)}
      ${createdIn(query, "cpn", { id: part`id`, createdAt: part`created_at` })}
      ${when(search, (value) => part`and (code ilike ${value} or name ilike ${value})`)}
     ${newestFirst(query, part`id`)}`;
  return rows.map(fromRow);
}

/** Inserts or updates a coupon; how often it was redeemed is counted by the functions below. */
export function saveCoupon(tx: Tx, coupon: Coupon): void {
  tx.queue`
    insert into coupons (organisation_id, id, code, name, percent, amount_cents, currency, duration, cycles, starts_on, ends_on,
      max_redemptions, max_redemptions_per_customer, redemptions, plan_ids, product_ids, enabled, created_at, updated_at)
    values (${tx.organisation}, ${coupon.id}, ${coupon.code}, ${coupon.name}, ${coupon.percent}, ${coupon.amount}, ${coupon.currency},
      ${coupon.duration}, ${coupon.cycles}, ${coupon.startsOn}, ${coupon.endsOn}, ${coupon.maxRedemptions},
      ${coupon.maxRedemptionsPerCustomer}, 0, ${coupon.planIds}, ${coupon.productIds}, ${coupon.enabled}, ${coupon.createdAt},
      ${coupon.updatedAt})
    on conflict (organisation_id, id) do update set code = excluded.code, name = excluded.name, percent = excluded.percent,
      amount_cents = excluded.amount_cents, currency = excluded.currency, duration = excluded.duration, cycles = excluded.cycles,
      starts_on = excluded.starts_on, ends_on = excluded.ends_on, max_redemptions = excluded.max_redemptions,
      max_redemptions_per_customer = excluded.max_redemptions_per_customer, plan_ids = excluded.plan_ids,
      product_ids = excluded.product_ids, enabled = excluded.enabled, updated_at = excluded.updated_at`;
}

/** Deletes a coupon that was never redeemed; false when it was. */
export async function deleteUnusedCoupon(tx: Tx, id: CouponId): Promise<boolean> {
  const rows = await tx.sql`
    delete from coupons c where organisation_id = ${tx.organisation} and id = ${id}
       and not exists (select from coupon_redemptions r where r.organisation_id = ${tx.organisation} and r.coupon_id = c.id)
     returning id`;
  return rows.length > 0;
}

/** Null when the subject never redeemed the coupon. */
export async function findRedemption(tx: Tx, couponId: CouponId, subject: string): Promise<Redemption | null> {
  const [row] = await tx.sql<CouponRedemptionsRow>`
    select * from coupon_redemptions where organisation_id = ${tx.organisation} and coupon_id = ${couponId} and subject = ${subject}`;
  return row ? redemptionFromRow(row) : null;
}

/** How often the customer has redeemed the coupon, without redemptions that were released. */
export async function countOfCustomer(tx: Tx, couponId: CouponId, customerId: CustomerId): Promise<number> {
  const [row] = await tx.sql<{ count: number }>`
    select count(*)::integer as count from coupon_redemptions
     where organisation_id = ${tx.organisation} and coupon_id = ${couponId} and customer_id = ${customerId} and released_at is null`;
  return row?.count ?? 0;
}

/** The most redemptions that one customer has. */
export async function mostOfOneCustomer(tx: Tx, couponId: CouponId): Promise<number> {
  const [row] = await tx.sql<{ most: number }>`
    select coalesce(max(count), 0)::integer as most from (select count(*) as count from coupon_redemptions
     where organisation_id = ${tx.organisation} and coupon_id = ${couponId} and released_at is null group by customer_id) counted`;
  return row?.most ?? 0;
}

/** Inserts a redemption, or restores one that was released, and counts it. The coupon must be locked. */
export function addRedemption(tx: Tx, redemption: Redemption): void {
  tx.queue`
    insert into coupon_redemptions (organisation_id, coupon_id, subject, customer_id, percent, amount_cents, currency, duration, cycles,
      redeemed_at, late)
    values (${tx.organisation}, ${redemption.couponId}, ${redemption.subject}, ${redemption.customerId}, ${redemption.percent},
      ${redemption.amount}, ${redemption.currency}, ${redemption.duration}, ${redemption.cycles}, ${redemption.redeemedAt},
      ${redemption.late})
    on conflict (organisation_id, coupon_id, subject) do update set customer_id = excluded.customer_id, percent = excluded.percent,
      amount_cents = excluded.amount_cents, currency = excluded.currency, duration = excluded.duration, cycles = excluded.cycles,
      redeemed_at = excluded.redeemed_at, late = excluded.late, released_at = null`;
  tx.queue`
    update coupons set redemptions = redemptions + 1 where organisation_id = ${tx.organisation} and id = ${redemption.couponId}`;
}

/** Releases a redemption: it no longer counts. The coupon must be locked, and the redemption must count. */
export function removeRedemption(tx: Tx, { couponId, subject, releasedAt }: Redemption): void {
  tx.queue`
    update coupon_redemptions set released_at = ${releasedAt}
     where organisation_id = ${tx.organisation} and coupon_id = ${couponId} and subject = ${subject}`;
  tx.queue`
    update coupons set redemptions = redemptions - 1 where organisation_id = ${tx.organisation} and id = ${couponId}`;
}

/**
 * The redemptions of these subscriptions whose coupon never took effect: the subscription has ended, and no charge that
 * the coupon lowered was paid or became zero.
 */
export const unpaidRedemptions = (tx: Tx, subscriptions: readonly string[]): Promise<RedemptionOf[]> =>
  tx.sql<RedemptionOf>`
    select r.coupon_id as "couponId", r.subject from coupon_redemptions r
      ${joinSubscription(tx, part`r.subject`)}
     where r.organisation_id = ${tx.organisation} and r.subject = any (${subscriptions}) and r.released_at is null and s.status ${IN_ENDED}
       and not exists (
         select from customer_subscription_bills b
           left ${joinInvoice(tx, part`b.invoice_id`)}
          where b.organisation_id = ${tx.organisation} and b.customer_subscription_id = s.id
            and case when b.invoice_id is null then b.lines @> '[{"reason": {"less": [{"by": "coupon"}]}}]' else i.paid_cents > 0 end)
     order by r.coupon_id, r.subject`;

/**
 * The released redemptions that are in use after all: the subscription is one of these and continues, or one of these
 * invoices, which was paid later, bills it.
 */
export const redemptionsInUse = (
  tx: Tx,
  { subscriptions = [], invoices = [] }: { subscriptions?: readonly string[]; invoices?: readonly string[] },
): Promise<RedemptionOf[]> =>
  tx.sql<RedemptionOf>`
    select distinct r.coupon_id as "couponId", r.subject from coupon_redemptions r
      ${joinSubscription(tx, part`r.subject`)}
     where r.organisation_id = ${tx.organisation} and r.released_at is not null
       and (r.subject = any (${subscriptions}) and s.status not ${IN_ENDED}
         or r.subject in (
           select b.customer_subscription_id from customer_subscription_bills b
            where b.organisation_id = ${tx.organisation} and b.invoice_id = any (${invoices})))
     order by r.coupon_id, r.subject`;
