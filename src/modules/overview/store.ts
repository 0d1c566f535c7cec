// Writes nothing. Reads: transactions, open_invoice_totals, subscription_collections, invoices, eft_orders, mandates, webhook_deliveries.

import type { BusinessDay, Instant } from "../../kernel/time.ts";
import type { Tx } from "../../platform/database.ts";
import type { CurrencyTotal, DayTotal, OwedTotal } from "./types.ts";

/** What payments brought in since `from`, by currency and South African day, oldest first; what was given back later is in it. */
export const collectedByDay = (tx: Tx, from: Instant): Promise<DayTotal[]> => tx.sql<DayTotal>`
  select t.currency, ((d.begins at time zone 'UTC') + interval '2 hours')::date as day, t.amount, t.count
    from (select greatest(max(paid_at), ${from}::timestamptz) as newest from transactions where organisation_id = ${tx.organisation} and paid_at is not null) n
   cross join lateral generate_series(${from}::timestamptz, n.newest, interval '24 hours') as d(begins)
   cross join lateral (select currency, sum(amount_cents)::bigint as amount, count(*)::integer as count from transactions
     where organisation_id = ${tx.organisation} and paid_at >= d.begins and paid_at < d.begins + interval '24 hours' group by currency) t
   order by 1, 2`;

/** What open invoices owe, by currency; what was due before `today` is overdue. */
export const owedTotals = (tx: Tx, today: BusinessDay): Promise<OwedTotal[]> => tx.sql<OwedTotal>`
  select currency, sum(open_cents)::bigint as amount, sum(open_invoices)::integer as count,
         coalesce(sum(open_cents) filter (where due_date < ${today}), 0)::bigint as overdue,
         coalesce(sum(open_invoices) filter (where due_date < ${today}), 0)::integer as "overdueCount"
    from open_invoice_totals where organisation_id = ${tx.organisation} group by 1 order by 1`;

/** What is due of subscriptions' invoices whose collection failed and is tried again, by currency. */
export const retriedTotals = (tx: Tx): Promise<CurrencyTotal[]> => tx.sql<CurrencyTotal>`
  select i.currency, sum(i.total_cents - i.paid_cents)::bigint as amount, count(*)::integer as count
    from subscription_collections k join invoices i on i.organisation_id = ${tx.organisation} and i.id = k.invoice_id
   where k.organisation_id = ${tx.organisation} and k.missed_at is not null and k.ended is null and i.status in ('sent', 'overdue', 'partially_paid')
   group by 1 order by 1`;

/** Bank transfers that wait for a review, by currency. */
export const transfersToReview = (tx: Tx): Promise<CurrencyTotal[]> => tx.sql<CurrencyTotal>`
  select currency, sum(amount_cents)::bigint as amount, count(*)::integer as count
    from eft_orders where organisation_id = ${tx.organisation} and status = 'awaiting_review' group by 1 order by 1`;

/** The mandates that are debited next, with their date; null when none is. */
export async function nextDebits(
  tx: Tx,
): Promise<(Omit<CurrencyTotal, "currency"> & { readonly date: BusinessDay }) | null> {
  const [row] = await tx.sql<Omit<CurrencyTotal, "currency"> & { readonly date: BusinessDay }>`
    select m.next_debit_date as date, sum(m.amount_cents)::bigint as amount, count(*)::integer as count
      from mandates m where m.organisation_id = ${tx.organisation} and m.next_debit_date = (
        select min(n.next_debit_date) from mandates n where n.organisation_id = ${tx.organisation} and n.next_debit_date is not null)
     group by 1`;
  return row ?? null;
}

/** How many deliveries of webhooks since `from` were given up, and to how many endpoints. */
export async function failedDeliveries(tx: Tx, from: Instant): Promise<{ count: number; endpoints: number }> {
  const [row] = await tx.sql<{ count: number; endpoints: number }>`
    select count(*)::integer as count, count(distinct endpoint_id)::integer as endpoints from webhook_deliveries
     where organisation_id = ${tx.organisation} and status in ('failed', 'parked') and status <> 'delivered' and created_at >= ${from}`;
  return row ?? { count: 0, endpoints: 0 };
}
