// Writes: external_periods. Reads: customer_subscriptions.

import { joinCustomer } from "../../domain/customer-name.ts";
import { joinPlan } from "../../domain/joins.ts";
import { type ListQuery, newestFirst, onPage } from "../../domain/lists.ts";
import type { ExternalPeriodsRow } from "../../domain/rows.ts";
import type { CustomerId, CustomerSubscriptionId, PackageId, PlanId } from "../../kernel/ids.ts";
import type { Cents } from "../../kernel/money.ts";
import { part, type Tx } from "../../platform/database.ts";
import type { ComparedSubscription, ComparisonLine, ComparisonTotals, ExternalPeriod } from "./types.ts";

const fromRow = (row: ExternalPeriodsRow): ExternalPeriod => ({
  id: row.id,
  subscriptionId: row.customer_subscription_id,
  status: row.status,
  start: row.period_start,
  next: row.period_next,
  cycle: row.cycle,
  billed: row.billed_cents,
  comparison: {
    subtotal: row.subtotal_cents,
    tax: row.tax_cents,
    total: row.total_cents,
    taxInclusive: row.tax_inclusive,
    lines: row.lines as readonly ComparisonLine[],
  },
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

/**
 * Records a period; it replaces what was recorded from its start on. A period with the same start keeps its id and the
 * time of its first record. The caller has locked the subscription.
 */
export function saveExternalPeriod(tx: Tx, p: ExternalPeriod): void {
  tx.queue`
    delete from external_periods
     where organisation_id = ${tx.organisation} and customer_subscription_id = ${p.subscriptionId}
       and period_next > ${p.start} and period_start <> ${p.start}`;
  tx.queue`
    insert into external_periods (organisation_id, id, customer_subscription_id, status, period_start, period_next, cycle, billed_cents,
      subtotal_cents, tax_cents, total_cents, tax_inclusive, lines, created_at, updated_at)
    values (${tx.organisation}, ${p.id}, ${p.subscriptionId}, ${p.status}, ${p.start}, ${p.next}, ${p.cycle}, ${p.billed},
      ${p.comparison.subtotal}, ${p.comparison.tax}, ${p.comparison.total}, ${p.comparison.taxInclusive},
      ${JSON.stringify(p.comparison.lines)}, ${p.createdAt}, ${p.updatedAt})
    on conflict (organisation_id, customer_subscription_id, period_start) do update set status = excluded.status,
      period_next = excluded.period_next,
      cycle = excluded.cycle, billed_cents = excluded.billed_cents, subtotal_cents = excluded.subtotal_cents,
      tax_cents = excluded.tax_cents, total_cents = excluded.total_cents, tax_inclusive = excluded.tax_inclusive,
      lines = excluded.lines, updated_at = excluded.updated_at`;
}

/** The recorded period that starts on a day; null when there is none. */
export async function findExternalPeriod(
  tx: Tx,
  id: CustomerSubscriptionId,
  start: ExternalPeriod["start"],
): Promise<ExternalPeriod | null> {
  const [row] = await tx.sql<ExternalPeriodsRow>`
    select * from external_periods
     where organisation_id = ${tx.organisation} and customer_subscription_id = ${id} and period_start = ${start}`;
  return row ? fromRow(row) : null;
}

/** Newest first. */
export async function listExternalPeriods(
  tx: Tx,
  id: CustomerSubscriptionId,
  query: ListQuery,
): Promise<ExternalPeriod[]> {
  const rows = await tx.sql<ExternalPeriodsRow>`
    select * from external_periods
     where organisation_id = ${tx.organisation} and customer_subscription_id = ${id}
       ${onPage(query, part`id`)}
     ${newestFirst(query, part`id`)}`;
  return rows.map(fromRow);
}

interface SumsRow {
  periods: number;
  reported: number;
  differing: number;
  billed: Cents;
  comparison: Cents;
}

/** Counts and sums of recorded periods `r`; the sums are of the periods whose billed amount was reported. */
const SUMS = part`
  count(r.id)::integer as periods, count(r.billed_cents)::integer as reported,
  count(*) filter (where r.billed_cents <> r.total_cents)::integer as differing,
  coalesce(sum(r.billed_cents), 0)::bigint as billed,
  coalesce(sum(r.total_cents) filter (where r.billed_cents is not null), 0)::bigint as comparison`;

/** External subscriptions `s` of a package, with their customers `c` and periods `r`; a condition may follow. */
const ofPackage = (tx: Tx, id: PackageId) => part`
    from customer_subscriptions s
    ${joinPlan(tx, part`s.plan_id`)} and p.package_id = ${id}
    ${joinCustomer(tx, part`s.customer_id`)}
    left join external_periods r on r.organisation_id = ${tx.organisation} and r.customer_subscription_id = s.id
   where s.organisation_id = ${tx.organisation} and s.collection_method = 'external'`;

const CURRENCY = part`s.state -> 'terms' -> 'price' ->> 'currency'`;

/** External subscriptions of a package with the sums of their recorded periods, newest first. */
export async function listCompared(tx: Tx, id: PackageId, query: ListQuery): Promise<ComparedSubscription[]> {
  const rows = await tx.sql<
    SumsRow & {
      id: CustomerSubscriptionId;
      external_reference: string;
      status: string;
      plan_id: PlanId;
      currency: string;
      customer_id: CustomerId;
      customer_reference: string | null;
      customer_email: string | null;
    }
  >`
    select s.id, s.external_reference, s.status, s.plan_id, ${CURRENCY} as currency, c.id as customer_id,
           c.external_reference as customer_reference, c.email as customer_email, ${SUMS}
      ${ofPackage(tx, id)}
       ${onPage(query, part`s.id`)}
     group by s.organisation_id, s.id, c.organisation_id, c.id
     ${newestFirst(query, part`s.id`)}`;
  return rows.map(({ customer_id, customer_reference, customer_email, external_reference, plan_id, ...row }) => ({
    ...row,
    externalReference: external_reference,
    planId: plan_id,
    customer: { id: customer_id, externalReference: customer_reference, email: customer_email },
  }));
}

/** Sums over all external subscriptions of a package, for each currency. */
export function sumCompared(tx: Tx, id: PackageId): Promise<ComparisonTotals[]> {
  return tx.sql<ComparisonTotals>`
    select ${CURRENCY} as currency, count(distinct s.id)::integer as subscriptions, ${SUMS}
      ${ofPackage(tx, id)}
     group by 1 order by 1`;
}
