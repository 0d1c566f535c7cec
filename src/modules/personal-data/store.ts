// Writes: erasures, retention. Reads: transactions, invoices, mandates, customer_subscriptions, gateway_subscriptions, refunds,
// credit_notes, reconciliation_items, mandate_agreements, eft_proofs, customers.
import { IN_ENDED } from "../../domain/customer-subscriptions.ts";
import { IN_OPEN } from "../../domain/invoices.ts";
import { locking } from "../../domain/locks.ts";
import { type Held, subjectsOf } from "../../domain/records.ts";
import { IN_UNDECIDED } from "../../domain/refunds.ts";
import type { ErasuresRow } from "../../domain/rows.ts";
import { isUnderWay } from "../../domain/under-way.ts";
import type { CustomerId } from "../../kernel/ids.ts";
import type { Instant } from "../../kernel/time.ts";
import { type Part, part, type Tx } from "../../platform/database.ts";
import type { Erasure, Kept, Removed, Unfinished } from "./types.ts";

/** The erasure of a customer; null when there is none. */
export async function findErasure(tx: Tx, customer: string): Promise<Erasure | null> {
  const [row] = await tx.sql<ErasuresRow>`
    select * from erasures where organisation_id = ${tx.organisation} and customer_id = ${customer}`;
  return row
    ? {
        customerId: row.customer_id,
        erasedAt: row.erased_at,
        erased: row.erased as Record<string, number>,
        kept: row.kept as Kept[],
        keptUntil: row.kept_until,
        keptErasedAt: row.kept_erased_at,
      }
    : null;
}

/** Inserts an erasure. */
export function insertErasure(tx: Tx, erasure: Erasure): void {
  tx.queue`
    insert into erasures (organisation_id, customer_id, erased_at, erased, kept, kept_until)
    values (${tx.organisation}, ${erasure.customerId}, ${erasure.erasedAt}, ${JSON.stringify(erasure.erased)},
            ${JSON.stringify(erasure.kept)}, ${erasure.keptUntil})`;
}

/** Locks the payments of a customer, before the customer is locked. */
export async function lockPaymentsOf(tx: Tx, customer: CustomerId): Promise<void> {
  await locking(tx, "transaction").sql`
    select id from transactions where organisation_id = ${tx.organisation} and customer_id = ${customer} order by id for no key update`;
}

/** The customer's unfinished records, each kind with the names of the first five. */
export async function unfinishedOf(tx: Tx, customer: string): Promise<Unfinished[]> {
  return tx.sql<Unfinished & Record<string, unknown>>`
    select what, count(*)::integer as count, (array_agg(name order by name))[1:5] as names from (
      select 1 as place, 'open invoice' as what, number as name from invoices
       where organisation_id = ${tx.organisation} and customer_id = ${customer} and (status = 'draft' or status ${IN_OPEN})
      union all
      select 2, 'mandate', account_reference from mandates
       where organisation_id = ${tx.organisation} and customer_id = ${customer} and status <> 'cancelled'
      union all
      select 3, 'subscription', id from customer_subscriptions
       where organisation_id = ${tx.organisation} and customer_id = ${customer} and status not ${IN_ENDED}
      union all
      select 3, 'subscription', id from gateway_subscriptions
       where organisation_id = ${tx.organisation} and customer_id = ${customer} and status <> 'cancelled'
      union all
      select 4, 'payment in progress', t.reference from transactions t
       where t.organisation_id = ${tx.organisation} and t.customer_id = ${customer} and ${isUnderWay(tx)}
      union all
      select 5, 'refund in progress', b.refund_number from transactions t
        join refunds b on b.organisation_id = ${tx.organisation} and b.transaction_id = t.id and b.status ${IN_UNDECIDED}
       where t.organisation_id = ${tx.organisation} and t.customer_id = ${customer}) u
     group by place, what order by place, what`;
}

/** How many records of each kind are kept of a customer, and when the newest of them was created. */
export async function retainedRecords(
  tx: Tx,
  customer: CustomerId,
): Promise<{ kept: Kept["what"]; count: number; last: Instant }[]> {
  return tx.sql<{ kept: Kept["what"]; count: number; last: Instant }>`
    select kept, count(*)::integer as count, max(max(made_at)) over () as last from (
      select 'taxDocuments' as kept, issued_at as made_at from invoices
       where organisation_id = ${tx.organisation} and customer_id = ${customer} and issued_at is not null
      union all
      select 'taxDocuments', created_at from credit_notes where organisation_id = ${tx.organisation} and customer_id = ${customer}
      union all
      select 'payments', paid_at from transactions
       where organisation_id = ${tx.organisation} and customer_id = ${customer} and paid_at is not null
      union all
      select 'bankLines', (date + time '12:00') at time zone 'UTC' from reconciliation_items
       where organisation_id = ${tx.organisation} and id = any (bank_lines_of_customer(${tx.organisation}, ${customer}))
      union all
      select 'mandates', updated_at from mandates where organisation_id = ${tx.organisation} and customer_id = ${customer}) k
     group by kept order by kept desc`;
}

/**
 * Erases the personal data in all records of a customer, except what the law says to keep; answers the number of
 * records of each kind. The caller has locked the customer. `sealedNothing` replaces the cards' tokens.
 */
export async function eraseCustomer(
  tx: Tx,
  customer: CustomerId,
  sealedNothing: string,
): Promise<Readonly<Record<string, number>>> {
  const [row] = await tx.sql<{ counts: unknown }>`
    select erase_customer(${tx.organisation}, ${customer}, ${sealedNothing}) as counts`;
  return (row?.counts ?? {}) as Record<string, number>;
}

/** Erases the records that were kept. `sealedNothing` replaces bank account numbers. */
export async function eraseRetained(tx: Tx, customer: CustomerId, sealedNothing: string, at: Instant): Promise<void> {
  await tx.sql`select erase_kept(${tx.organisation}, ${customer}, ${sealedNothing})`;
  tx.queue`
    update erasures set kept_erased_at = ${at} where organisation_id = ${tx.organisation} and customer_id = ${customer}`;
}

/** Selects `record` of the rows `t` that a condition finds, without columns that are not personal data or give access to something. */
const rows = (from: Part): Part => part`
  select to_jsonb(t) - '{organisation_id,token_hash,token_sealed,handoff_sealed,handle_sealed}'::text[]
           - '{card_token_sealed,secret_sealed,content,sha256}'::text[] as record
    ${from}`;

/** All records of a kind of a customer, as they are stored, without secrets. */
export async function archivedRecords(
  tx: Tx,
  customer: CustomerId,
  held: Held,
): Promise<Readonly<Record<string, unknown>>[]> {
  const found = await tx.sql<{ record: unknown }>`${rows(held(tx, customer))}`;
  return found.map(({ record }) => record as Record<string, unknown>);
}

/** A document of a customer that has a file: its kind, and the number that names the file. */
export interface CustomerDocument {
  readonly kind: "invoice" | "creditNote" | "agreement" | "proof";
  readonly id: string;
  readonly of: string;
  readonly name: string;
}

/** The documents of a customer, oldest first. */
export async function documentsOf(tx: Tx, customer: CustomerId): Promise<CustomerDocument[]> {
  return tx.sql<CustomerDocument & Record<string, unknown>>`
    select 'invoice' as kind, id, '' as of, number as name from invoices
     where organisation_id = ${tx.organisation} and customer_id = ${customer} and issued_at is not null
    union all
    select 'creditNote', id, '', number from credit_notes where organisation_id = ${tx.organisation} and customer_id = ${customer}
    union all
    select 'agreement', a.id, m.id, a.id from mandates m
      join mandate_agreements a on a.organisation_id = ${tx.organisation} and a.mandate_id = m.id
     where m.organisation_id = ${tx.organisation} and m.customer_id = ${customer}
    union all
    select 'proof', p.id, p.order_id, p.id || '.' || split_part(p.content_type, '/', 2) from eft_proofs p
     where p.organisation_id = ${tx.organisation} and p.order_id = any (${subjectsOf(tx, customer)})
     order by 1, 2`;
}

/** The numbers of removed records, by kind. */
export async function removedSoFar(tx: Tx): Promise<Removed[]> {
  return tx.sql<Removed & Record<string, unknown>>`
    select what, reached, removed, audited, applied_at as "appliedAt" from retention
     where organisation_id = ${tx.organisation} order by what`;
}

/** Removes at most `limit` records of a kind that are older than `before`, by their id after `after`. */
export async function removeOutdated(
  tx: Tx,
  {
    what,
    after,
    before,
    limit,
  }: { readonly what: string; readonly after: string; readonly before: Instant; readonly limit: number },
): Promise<{ readonly reached: string; readonly removed: number; readonly more: boolean }> {
  const [row] = await tx.sql<{ reached: string; removed: number; more: boolean }>`
    select reached, removed, more from remove_outdated(${tx.organisation}, ${what}, ${after}, ${before}, ${limit})`;
  return row ?? { reached: after, removed: 0, more: false };
}

/** Stores the last id of a kind that was checked, and adds to the number removed. */
export function noteRemoved(
  tx: Tx,
  {
    what,
    reached,
    removed,
    at,
  }: { readonly what: string; readonly reached: string; readonly removed: number; readonly at: Instant },
): void {
  tx.queue`
    insert into retention as r (organisation_id, what, reached, removed, applied_at)
    values (${tx.organisation}, ${what}, ${reached}, ${removed}, ${at})
    on conflict (organisation_id, what) do update set reached = excluded.reached,
      removed = r.removed + excluded.removed, applied_at = excluded.applied_at`;
}

/** Marks all removals as reported in the audit log, and answers by kind the number that was not reported before. */
export async function markRemovalsReported(tx: Tx): Promise<{ readonly what: string; readonly count: number }[]> {
  return tx.sql<{ what: string; count: number }>`
    update retention r set audited = r.removed
      from (select what, audited from retention where organisation_id = ${tx.organisation} and removed > audited) u
     where r.organisation_id = ${tx.organisation} and r.what = u.what returning r.what, r.removed - u.audited as count`;
}

/** Customers that were closed before `before` and are not erased, by their id after `after`. */
export async function closedCustomers(
  tx: Tx,
  { after, before, limit }: { readonly after: string; readonly before: Instant; readonly limit: number },
): Promise<CustomerId[]> {
  const rows = await tx.sql<{ id: CustomerId }>`
    select c.id from customers c
     where c.organisation_id = ${tx.organisation} and not c.active and c.id > ${after} and c.updated_at < ${before}
       and not exists (select from erasures e where e.organisation_id = ${tx.organisation} and e.customer_id = c.id)
     order by c.id limit ${limit}`;
  return rows.map(({ id }) => id);
}

/** Whether a customer is one of `closedCustomers`. */
export async function isClosed(tx: Tx, customer: string, before: Instant): Promise<boolean> {
  const [row] = await tx.sql`
    select id from customers c where organisation_id = ${tx.organisation} and id = ${customer} and not active and updated_at < ${before}
       and not exists (select from erasures e where e.organisation_id = ${tx.organisation} and e.customer_id = c.id)`;
  return row !== undefined;
}

/** Counts an erasure that followed from the time in the settings. */
export function noteErased(tx: Tx, at: Instant): void {
  tx.queue`
    insert into retention as r (organisation_id, what, removed, audited, applied_at)
    values (${tx.organisation}, 'closedCustomers', 1, 1, ${at})
    on conflict (organisation_id, what) do update set removed = r.removed + 1, audited = r.audited + 1, applied_at = excluded.applied_at`;
}
