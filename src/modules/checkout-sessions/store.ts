// Writes: checkout_sessions, checkout_payments, checkout_subscriptions. Reads nothing else.

import { type FunnelDay, funnelByDay, type Stage, wasViewed } from "../../domain/funnel.ts";
import { joinPayment } from "../../domain/joins.ts";
import { countOf } from "../../domain/list-totals.ts";
import { createdIn, hasMetadata, newestFirst, onPage, type PageQuery, type RecordFilter } from "../../domain/lists.ts";
import { locking } from "../../domain/locks.ts";
import type {
  CheckoutPaymentsRow,
  CheckoutSessionsRow,
  CheckoutSubscriptionsRow,
  TransactionsRow,
} from "../../domain/rows.ts";
import type { CheckoutSessionId, CustomerSubscriptionId, TransactionId } from "../../kernel/ids.ts";
import { containing } from "../../kernel/text.ts";
import type { Instant } from "../../kernel/time.ts";
import { NOTHING, type Part, part, type Tx, when } from "../../platform/database.ts";
import type { CheckoutSessionQueried } from "./schema.ts";
import type { CheckoutPayment, CheckoutSession, Prefill, ShownPayment, ShownSession } from "./types.ts";

const fromRow = (row: CheckoutSessionsRow): CheckoutSession => ({
  id: row.id,
  status: row.status,
  source: row.source,
  packageId: row.package_id,
  planId: row.plan_id,
  currency: row.currency,
  productId: row.product_id,
  customerId: row.customer_id,
  subscriptionId: row.subscription_id,
  couponCode: row.coupon_code,
  returnUrl: row.return_url,
  prefill: row.prefill as Prefill,
  entered: row.entered as CheckoutSession["entered"],
  metadata: row.metadata,
  transactionId: row.transaction_id,
  expiresAt: row.expires_at,
  usedAt: row.used_at,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

type Paid = Pick<CheckoutPaymentsRow, "transaction_id" | "discount_cents" | "tax_cents"> &
  Pick<TransactionsRow, "reference" | "status" | "amount_cents" | "currency" | "paid_at">;

const paymentFromRow = (row: Paid): ShownPayment => ({
  id: row.transaction_id,
  reference: row.reference,
  status: row.status,
  amount: row.amount_cents,
  currency: row.currency,
  discount: row.discount_cents,
  tax: row.tax_cents,
  paidAt: row.paid_at,
});

const attemptFromRow = (row: CheckoutPaymentsRow): CheckoutPayment => ({
  transactionId: row.transaction_id,
  sessionId: row.checkout_session_id,
  discount: row.discount_cents,
  tax: row.tax_cents,
  taxExempt: row.tax_exempt,
  couponId: row.coupon_id,
  couponSubject: row.coupon_subject,
  frequency: row.recurring_frequency,
});

const one = (rows: readonly CheckoutSessionsRow[]): CheckoutSession | null => (rows[0] ? fromRow(rows[0]) : null);

/** Inserts a session. False when there is one with the id, which stays as it is. */
export async function insertCheckoutSession(tx: Tx, session: CheckoutSession): Promise<boolean> {
  const rows = await tx.sql`
    insert into checkout_sessions (organisation_id, id, status, source, package_id, plan_id, currency, product_id, coupon_code, return_url,
      prefill, entered, metadata, expires_at, created_at, updated_at)
    values (${tx.organisation}, ${session.id}, ${session.status}, ${session.source}, ${session.packageId}, ${session.planId},
      ${session.currency}, ${session.productId}, ${session.couponCode}, ${session.returnUrl}, ${JSON.stringify(session.prefill)},
      ${JSON.stringify(session.entered)}, ${JSON.stringify(session.metadata)}, ${session.expiresAt},
      ${session.createdAt}, ${session.updatedAt})
    on conflict (organisation_id, id) do nothing returning id`;
  return rows.length > 0;
}

/** Null when absent or another organisation's. */
export async function findCheckoutSession(tx: Tx, id: string): Promise<CheckoutSession | null> {
  return one(
    await tx.sql<CheckoutSessionsRow>`
      select * from checkout_sessions where organisation_id = ${tx.organisation} and id = ${id}`,
  );
}

/** As `findCheckoutSession`, locked until the transaction ends. */
export async function lockCheckoutSession(tx: Tx, id: string): Promise<CheckoutSession | null> {
  return one(
    await locking(tx, "checkout session").sql<CheckoutSessionsRow>`
      select * from checkout_sessions where organisation_id = ${tx.organisation} and id = ${id} for no key update`,
  );
}

/** What a session has reached. One that began on the page itself was opened, and so was one whose form was sent. */
const stagesOf = (tx: Tx): Readonly<Record<Stage, Part>> => ({
  opened: part`(source = 'hosted' or used_at is not null or ${wasViewed(tx, part`checkout_sessions.id`)})`,
  started: part`used_at is not null`,
  paid: part`status = 'completed'`,
});

/** The sessions that were created in some time, by day. */
export const funnelOfCheckouts = (tx: Tx, created: RecordFilter): Promise<FunnelDay[]> =>
  funnelByDay(tx, {
    records: part`from checkout_sessions where organisation_id = ${tx.organisation}
      ${createdIn(created, "chk", { id: part`id`, createdAt: part`created_at` })}`,
    createdAt: part`created_at`,
    stages: stagesOf(tx),
  });

type SessionFilter = Omit<CheckoutSessionQueried, keyof PageQuery>;

/** Condition: the list's filters; `status` is that of `now`. `q` searches id, coupon code and the payer's data. */
function recordsWanted(tx: Tx, query: SessionFilter, now: Instant): Part {
  const search = query.q ? containing(query.q) : null;
  return part`
      ${statusIs(query.status, now)}
      ${when(query.customerId, (customerId) => part`and customer_id = ${customerId}`)}
      ${when(query.reached, (stage) => part`and ${stagesOf(tx)[stage]}`)}
      ${createdIn(query, "chk", { id: part`id`, createdAt: part`created_at` })}
      ${hasMetadata(query, part`metadata`)}
      ${when(search, (value) => part`and (id = ${query.q} or coupon_code ilike ${value} or prefill::text ilike ${value})`)}`;
}

/** Newest first, with their payments. */
export async function listCheckoutSessions(
  tx: Tx,
  query: CheckoutSessionQueried,
  now: Instant,
): Promise<ShownSession[]> {
  const rows = await tx.sql<CheckoutSessionsRow>`
    select * from checkout_sessions where organisation_id = ${tx.organisation}
      ${recordsWanted(tx, query, now)} ${onPage(query, part`id`)}
     ${newestFirst(query, part`id`)}`;
  return withPayments(tx, rows.map(fromRow));
}

/** How many sessions match. */
export const countCheckoutSessions = (tx: Tx, query: SessionFilter, now: Instant, countTo?: number) =>
  countOf(
    tx,
    part`from checkout_sessions where organisation_id = ${tx.organisation} ${recordsWanted(tx, query, now)}`,
    countTo,
  );

function statusIs(status: CheckoutSessionQueried["status"], now: Instant) {
  if (status === undefined) return NOTHING;
  if (status === "completed") return part`and status = 'completed'`;
  if (status === "expired")
    return part`and (status = 'expired' or status in ('pending', 'failed') and expires_at <= ${now})`;
  return part`and status = ${status} and expires_at > ${now}`;
}

/** Adds to sessions the payments that they show. */
export async function withPayments(tx: Tx, sessions: readonly CheckoutSession[]): Promise<ShownSession[]> {
  const ids = sessions.flatMap(({ transactionId }) => transactionId ?? []);
  const rows =
    ids.length === 0
      ? []
      : await tx.sql<Paid>`
        select p.transaction_id, p.discount_cents, p.tax_cents, t.reference, t.status, t.amount_cents, t.currency, t.paid_at
          from checkout_payments p ${joinPayment(tx, part`p.transaction_id`)}
         where p.organisation_id = ${tx.organisation} and p.transaction_id = any (${ids})`;
  const payments = new Map(rows.map((row) => [row.transaction_id, paymentFromRow(row)]));
  return sessions.map((session) => ({
    ...session,
    payment: (session.transactionId && payments.get(session.transactionId)) || null,
  }));
}

/** Saves all that changes of a session. The caller has locked it. */
export function updateCheckoutSession(tx: Tx, session: CheckoutSession): void {
  tx.queue`
    update checkout_sessions set status = ${session.status}, plan_id = ${session.planId}, customer_id = ${session.customerId},
      subscription_id = ${session.subscriptionId}, coupon_code = ${session.couponCode}, prefill = ${JSON.stringify(session.prefill)},
      entered = ${JSON.stringify(session.entered)}, transaction_id = ${session.transactionId},
      used_at = ${session.usedAt}, updated_at = ${session.updatedAt}
     where organisation_id = ${tx.organisation} and id = ${session.id}`;
}

/** Inserts a payment of a session; its transaction is inserted before. */
export function insertCheckoutPayment(tx: Tx, payment: CheckoutPayment): void {
  tx.queue`
    insert into checkout_payments (organisation_id, transaction_id, checkout_session_id, discount_cents, tax_cents,
                                   tax_exempt, coupon_id, coupon_subject, recurring_frequency)
    values (${tx.organisation}, ${payment.transactionId}, ${payment.sessionId}, ${payment.discount}, ${payment.tax},
            ${payment.taxExempt}, ${payment.couponId}, ${payment.couponSubject}, ${payment.frequency})`;
}

/** The session's attempt that is this payment; null for a payment of something else. */
export async function findCheckoutPayment(tx: Tx, transaction: TransactionId): Promise<CheckoutPayment | null> {
  const [row] = await tx.sql<CheckoutPaymentsRow>`
    select * from checkout_payments where organisation_id = ${tx.organisation} and transaction_id = ${transaction}`;
  return row ? attemptFromRow(row) : null;
}

/** Records that a session has made a customer subscription, which is inserted before. */
export function insertSessionSubscription(tx: Tx, id: CheckoutSessionId, subscription: CustomerSubscriptionId): void {
  tx.queue`
    insert into checkout_subscriptions (organisation_id, customer_subscription_id, checkout_session_id)
    values (${tx.organisation}, ${subscription}, ${id})`;
}

/** The customer subscriptions that a session has made, in the order of their ids. */
export async function subscriptionsOfSession(tx: Tx, id: CheckoutSessionId): Promise<CustomerSubscriptionId[]> {
  const rows = await tx.sql<CheckoutSubscriptionsRow>`
    select * from checkout_subscriptions
     where organisation_id = ${tx.organisation} and checkout_session_id = ${id} order by customer_subscription_id`;
  return rows.map((row) => row.customer_subscription_id);
}

/** Whether the payment was started on the session. */
export async function isPaymentOfCheckout(tx: Tx, id: CheckoutSessionId, transaction: TransactionId): Promise<boolean> {
  return (await findCheckoutPayment(tx, transaction))?.sessionId === id;
}
