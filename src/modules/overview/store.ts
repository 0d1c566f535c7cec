// Writes nothing. Reads: day_sums (kept by triggers), subscription_collections, invoices, eft_orders, mandates, webhook_deliveries.

import { IN_OPEN } from "../../domain/invoices.ts";
import type { BusinessDay, Instant } from "../../kernel/time.ts";
import type { Tx } from "../../platform/database.ts";
import type { CurrencyTotal, DayTotal, OwedTotal } from "./types.ts";

/**
 * The amounts paid since the day `from`, by currency and South African day, oldest first; later refunds and reversals
 * are not subtracted.
 */
export const collectedByDay = (tx: Tx, from: BusinessDay): Promise<DayTotal[]> => tx.sql<DayTotal>`
  select currency, day, sum(amount_cents)::bigint as amount, sum(records)::integer as count from day_sums
   where organisation_id = ${tx.organisation} and figure = 'collected' and day >= ${from}
   group by 1, 2 having sum(records) <> 0 order by 1, 2`;

/** The amounts due of open invoices, by currency; the part that was due before `today` is overdue. */
export const owedTotals = (tx: Tx, today: BusinessDay): Promise<OwedTotal[]> => tx.sql<OwedTotal>`
  select currency, sum(amount_cents)::bigint as amount, sum(records)::integer as count,
         coalesce(sum(amount_cents) filter (where day < ${today}), 0)::bigint as overdue,
         coalesce(sum(records) filter (where day < ${today}), 0)::integer as "overdueCount"
    from day_sums where organisation_id = ${tx.organisation} and figure = 'open' group by 1 having sum(records) <> 0 order by 1`;

/** The amount due of subscriptions' invoices whose collection failed and is retried, by currency. */
export const retriedTotals = (tx: Tx): Promise<CurrencyTotal[]> => tx.sql<CurrencyTotal>`
  select currency, sum(total_cents - paid_cents)::bigint as amount, count(*)::integer as count from invoices
   where organisation_id = ${tx.organisation} and missed_at is not null and status ${IN_OPEN}
     and id = any (array(select k.invoice_id from subscription_collections k
           where k.organisation_id = ${tx.organisation} and k.missed_at is not null and k.ended is null))
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
  // The index of deliveries is of those that are not delivered.
  const [row] = await tx.sql<{ count: number; endpoints: number }>`
    select count(*)::integer as count, count(distinct endpoint_id)::integer as endpoints from webhook_deliveries
     where organisation_id = ${tx.organisation} and status in ('failed', 'parked') and status <> 'delivered' and created_at >= ${from}`;
  return row ?? { count: 0, endpoints: 0 };
}
