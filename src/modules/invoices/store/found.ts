// Writes nothing. Reads: invoices, subscription_collections (which are retried).

import { IN_OPEN, OPEN_ARRAY } from "../../../domain/invoices.ts";
import type { InvoiceId } from "../../../kernel/ids.ts";
import type { BusinessDay } from "../../../kernel/time.ts";
import { NOTHING, type Part, part, type Tx } from "../../../platform/database.ts";
import { begins, NEAREST, pageOfFound } from "../../../platform/found.ts";
import type { ListFilter, ListQuery } from "../../../platform/schema.ts";
import type { Missed } from "../types.ts";

/** The filters of the list and the export of invoices, except times. */
export type InvoiceFilter = ListFilter<"customerId" | "externalReference" | "status" | "currency">;

/** Condition: `q` is the beginning of the number or the reference, or the total, the customer or the id. An index finds each of these. */
export function matches({ q, named }: InvoiceFilter): Part {
  if (!q) return NOTHING;
  return named
    ? part`and (${begins(part`i.number`, named.references)} or ${begins(part`i.external_reference`, [named.text])}
        or i.total_cents = ${named.amount}::bigint or i.customer_id = any (${named.customers}::text[]) or i.id = ${named.text})`
    : part`and false`;
}

/** The ids of the page of invoices that match `wanted` and `q`. */
const foundInvoices = (tx: Tx, query: InvoiceFilter & Pick<ListQuery, "limit">, wanted: Part) =>
  pageOfFound(
    query.limit,
    () => tx.sql<{ id: InvoiceId }>`
      select i.id from (select i.* from invoices i where i.organisation_id = ${tx.organisation} ${wanted} order by i.id desc limit ${NEAREST}) i
       where true ${matches(query)} order by i.id desc limit ${query.limit}`,
    () => tx.sql<{ id: InvoiceId }>`
      with found as materialized (select i.id from invoices i where i.organisation_id = ${tx.organisation} ${wanted} ${matches(query)})
      select id from found order by id desc limit ${query.limit}`,
  );

/** Condition: open invoices, or those of them that were due before a day. */
export const owingCondition = (dueBefore: BusinessDay | "any"): Part => part`
      and i.status ${IN_OPEN} ${dueBefore === "any" ? NOTHING : part`and i.due_date < ${dueBefore}`}`;

/** Filters of the list that are not columns; `dueBefore` finds open invoices. */
export interface InvoiceSpans {
  readonly missed?: Missed | null;
  readonly dueBefore?: BusinessDay | "any" | undefined;
}

/** Condition: the page of the invoices that match `wanted`. */
export async function pageCondition(
  tx: Tx,
  query: InvoiceFilter & Pick<ListQuery, "limit">,
  wanted: Part,
  { missed = null, dueBefore }: InvoiceSpans,
): Promise<Part> {
  if (query.q) return part`and i.id = any (${await foundInvoices(tx, query, wanted)})`;
  if (missed !== null) return newest(tx, query.limit, wanted);
  return dueBefore === undefined ? wanted : newestOpen(tx, query.limit, wanted);
}

/** Condition: the newest of the invoices that match `wanted`; they are found before other data of them is read. */
const newest = (tx: Tx, limit: number, wanted: Part): Part => part`
      and i.id = any (array(select i.id from invoices i where i.organisation_id = ${tx.organisation} ${wanted} order by i.id desc limit ${limit}))`;

/**
 * Condition: the newest of the open invoices that match `wanted`. The index of each state is read from its end, instead of sorting all open
 * invoices.
 */
const newestOpen = (tx: Tx, limit: number, wanted: Part): Part => part`
      and i.id = any (array(select newest.id from unnest(${OPEN_ARRAY}) state(status) cross join lateral (
        select i.id from invoices i where i.organisation_id = ${tx.organisation} and i.status = state.status ${wanted}
         order by i.id desc limit ${limit}) newest))`;

/** Invoices of subscriptions whose collection failed. Indexes find them by the time of the failure, or of the payment. */
export function missedCondition(tx: Tx, { outcome, from, failedFrom }: Missed): Part {
  if (outcome === "recovered")
    return part`and i.missed_at >= ${failedFrom} and i.status = 'paid' and i.paid_at >= ${from}`;
  const which =
    outcome === "failed"
      ? part`and i.missed_at >= ${from}`
      : part`and i.missed_at is not null and i.id = any (array(select k.invoice_id from subscription_collections k
          where k.organisation_id = ${tx.organisation} and k.missed_at is not null and k.ended is null))`;
  return part`${which} and i.status ${IN_OPEN}`;
}
