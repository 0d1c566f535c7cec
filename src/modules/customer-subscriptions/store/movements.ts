// Writes nothing (movements are written with the subscriptions). Reads: customer_subscriptions,
// customer_subscription_movements, invoices (which were missed).

import { joinCustomer } from "../../../domain/customer-name.ts";
import { fromDaySums } from "../../../domain/day-sums.ts";
import { IN_OPEN } from "../../../domain/invoices.ts";
import { type Named, newestFirst, onPage } from "../../../domain/lists.ts";
import type { CustomerSubscriptionMovementsRow } from "../../../domain/rows.ts";
import type { CustomerId } from "../../../kernel/ids.ts";
import type { Instant } from "../../../kernel/time.ts";
import { type Part, part, type Tx, when } from "../../../platform/database.ts";
import type { CohortMovement } from "../rules/cohorts.ts";
import type { MovementOfDay } from "../rules/revenue-over-time.ts";
import type { MovementQueried } from "../schema/subscriptions.ts";
import type { CountedAmount, Movement, MovementKind } from "../types.ts";

/** The monthly recurring revenue of active subscriptions, by currency. */
export async function recurringRevenue(tx: Tx): Promise<readonly CountedAmount[]> {
  return tx.sql<CountedAmount>`
    select currency, sum(amount_cents)::bigint as amount, sum(records)::integer as count
      ${fromDaySums(tx, "recurring")} group by 1 having sum(records) <> 0 order by 1`;
}

/** The movements since `from`, by kind and currency. */
export async function movementTotals(
  tx: Tx,
  from: Instant,
): Promise<readonly (CountedAmount & { readonly kind: MovementKind })[]> {
  return tx.sql<CountedAmount & { readonly kind: MovementKind }>`
    select kind, currency, sum(amount_cents)::bigint as amount, count(*)::integer as count
      from customer_subscription_movements where organisation_id = ${tx.organisation} and happened_at >= ${from}
     group by 1, 2 order by 1, 2`;
}

/** The movements since `from` in a currency, by kind and South African day. */
export const movementsByDay = (tx: Tx, from: Instant, currency: string): Promise<MovementOfDay[]> =>
  tx.sql<MovementOfDay>`
    select kind, day_of(happened_at) as day, sum(amount_cents)::bigint as amount, count(*)::integer as count
      from customer_subscription_movements
     where organisation_id = ${tx.organisation} and happened_at >= ${from} and currency = ${currency} group by 1, 2 order by 2, 1`;

/**
 * What moved the recurring revenue of the subscriptions that started from `from` on and before `until`, up to then, by the month in which
 * they started and that in which it moved. A subscription starts when it first has recurring revenue.
 */
export const cohortMovements = (
  tx: Tx,
  { from, until, currency }: { readonly from: Instant; readonly until: Instant; readonly currency: string },
): Promise<CohortMovement[]> => tx.sql<CohortMovement>`
  select date_trunc('month', day_of(f.happened_at))::date as started, date_trunc('month', day_of(m.happened_at))::date as month,
         m.kind, sum(m.amount_cents)::bigint as amount, count(*)::integer as count
    from customer_subscription_movements f
    join customer_subscription_movements m on m.organisation_id = ${tx.organisation}
     and m.customer_subscription_id = f.customer_subscription_id
   where f.organisation_id = ${tx.organisation} and f.kind = 'new' and f.currency = ${currency}
     and f.happened_at >= ${from} and f.happened_at < ${until} and m.happened_at < ${until}
   group by 1, 2, 3 order by 1, 2, 3`;

/**
 * Invoices of subscriptions whose collection failed, by currency: `failed` since `from` and still unpaid, with the
 * amount due; or `recovered`, paid since `from`, with their totals. Those that failed before `failedFrom` are not read.
 */
export async function missedTotals(
  tx: Tx,
  from: Instant,
  failedFrom: Instant,
): Promise<readonly (CountedAmount & { readonly outcome: "failed" | "recovered" })[]> {
  return tx.sql<CountedAmount & { readonly outcome: "failed" | "recovered" }>`
    select 'failed' as outcome, currency, sum(total_cents - paid_cents)::bigint as amount, count(*)::integer as count from invoices
     where organisation_id = ${tx.organisation} and missed_at >= ${from} and status ${IN_OPEN} group by 2
     union all
    select 'recovered', currency, sum(total_cents)::bigint, count(*)::integer from invoices
     where organisation_id = ${tx.organisation} and missed_at >= ${failedFrom} and status = 'paid' and paid_at >= ${from} group by 2
     order by 1, 2`;
}

interface WholeRow extends CustomerSubscriptionMovementsRow {
  customer_id: CustomerId;
  customer_reference: string | null;
  customer_email: string | null;
}

/** Newest first; `q` finds those of a subscription, by its id or reference, or of customers. */
export async function listMovements(
  tx: Tx,
  query: MovementQueried,
  { from, until }: { readonly from?: Instant | undefined; readonly until?: Instant | undefined } = {},
): Promise<Movement[]> {
  const rows = await tx.sql<WholeRow>`
    select m.*, s.customer_id, c.external_reference as customer_reference, c.email as customer_email
      from customer_subscription_movements m
      join customer_subscriptions s on s.organisation_id = ${tx.organisation} and s.id = m.customer_subscription_id
      ${joinCustomer(tx, part`s.customer_id`)}
     where m.organisation_id = ${tx.organisation}
      ${when(query.kind, (kind) => part`and m.kind = ${kind}`)}
      ${when(query.currency, (currency) => part`and m.currency = ${currency}`)}
      ${when(from, (value) => part`and m.happened_at >= ${value}`)}
      ${when(until, (value) => part`and m.happened_at < ${value}`)}
      ${onPage(query, part`m.id`)}
      ${when(query.q || null, (q) => part`and m.customer_subscription_id = any (${subscriptionsNamed(tx, q, query.named)})`)}
     ${newestFirst(query, part`m.id`)}`;
  return rows.map((row) => ({
    id: row.id,
    kind: row.kind,
    subscriptionId: row.customer_subscription_id,
    customer: { id: row.customer_id, externalReference: row.customer_reference, email: row.customer_email },
    currency: row.currency,
    amount: row.amount_cents,
    happenedAt: row.happened_at,
  }));
}

/** Array of the ids of the subscriptions that a search text matches; an index finds each. */
const subscriptionsNamed = (tx: Tx, q: string, named: Named | null | undefined): Part => part`
  array(select id from customer_subscriptions where organisation_id = ${tx.organisation} and external_reference = ${q}
    union all select id from customer_subscriptions where organisation_id = ${tx.organisation}
        and customer_id = any (${named?.customers ?? []}::text[])
    union all select ${q})`;
