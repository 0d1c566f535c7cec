// Writes: subscription_collections, collection_attempts. Reads: invoices (number, which are open), reversals (of
// attempts), customer_subscriptions (of a customer).

import { retriedInvoices } from "../../domain/customer-subscriptions.ts";
import { IN_OPEN } from "../../domain/invoices.ts";
import { joinInvoice, joinPayment } from "../../domain/joins.ts";
import { newestFirst, onPage, type PageQuery } from "../../domain/lists.ts";
import type { CollectionAttemptsRow, SubscriptionCollectionsRow } from "../../domain/rows.ts";
import type { CurrencyTotal } from "../../domain/totals.ts";
import type { CustomerSubscriptionId, InvoiceId, TransactionId } from "../../kernel/ids.ts";
import type { Cents } from "../../kernel/money.ts";
import type { Instant } from "../../kernel/time.ts";
import { part, type Tx } from "../../platform/database.ts";
import { type RowColumns, rowsOf } from "../../platform/rows-of.ts";
import type { Attempt, Collection, RecoveryTotal, ShownAttempt } from "./types.ts";

const fromRow = (row: SubscriptionCollectionsRow): Collection => ({
  invoiceId: row.invoice_id,
  subscriptionId: row.customer_subscription_id,
  missedAt: row.missed_at,
  retries: row.retries,
  isHard: row.is_hard,
  newCardId: row.new_card_id,
  ended: row.ended,
  createdAt: row.created_at,
});

const attemptFromRow = (row: CollectionAttemptsRow): Attempt => ({
  id: row.id,
  subscriptionId: row.customer_subscription_id,
  invoiceId: row.invoice_id,
  cause: row.cause,
  transactionId: row.transaction_id,
  status: row.status,
  reason: row.reason,
  isHard: row.is_hard,
  createdAt: row.created_at,
});

/** Inserts new collections after their invoices, all in one statement. */
export function insertCollections(
  tx: Tx,
  collections: readonly Pick<Collection, "invoiceId" | "subscriptionId" | "missedAt" | "isHard" | "createdAt">[],
): void {
  if (collections.length === 0) return;
  const of = (field: keyof (typeof collections)[number]) => collections.map((collection) => collection[field]);
  tx.queue`
    insert into subscription_collections (organisation_id, invoice_id, customer_subscription_id, missed_at, is_hard, created_at)
    select ${tx.organisation}, c.invoice_id, c.subscription_id, c.missed_at, c.is_hard, c.created_at
      from unnest(${of("invoiceId")}::text[], ${of("subscriptionId")}::text[], ${of("missedAt")}::timestamptz[], ${of("isHard")}::boolean[],
             ${of("createdAt")}::timestamptz[]) as c(invoice_id, subscription_id, missed_at, is_hard, created_at)
    returning invoice_id`;
}

/** Updates the fields of a collection that can change. The caller has locked its subscription. */
export function saveCollection(tx: Tx, c: Collection): void {
  tx.queue`
    update subscription_collections set missed_at = ${c.missedAt}, retries = ${c.retries}, is_hard = ${c.isHard},
      new_card_id = ${c.newCardId},
      ended = ${c.ended}
     where organisation_id = ${tx.organisation} and invoice_id = ${c.invoiceId}`;
}

/** The collection of an invoice; null for an invoice that the service does not collect automatically. */
export async function findCollection(tx: Tx, invoice: string): Promise<Collection | null> {
  const [row] = await tx.sql<SubscriptionCollectionsRow>`
    select * from subscription_collections where organisation_id = ${tx.organisation} and invoice_id = ${invoice}`;
  return row ? fromRow(row) : null;
}

/** Those of these invoices whose collection was missed and has not ended. */
export async function missedOf(tx: Tx, invoices: readonly InvoiceId[]): Promise<Collection[]> {
  if (invoices.length === 0) return [];
  const rows = await tx.sql<SubscriptionCollectionsRow>`
    select * from subscription_collections where organisation_id = ${tx.organisation} and invoice_id = any (${invoices})
       and missed_at is not null and ended is null`;
  return rows.map(fromRow);
}

/** The collections of a subscription whose invoices are open, oldest first. */
export async function openCollections(tx: Tx, subscription: CustomerSubscriptionId): Promise<Collection[]> {
  const rows = await tx.sql<SubscriptionCollectionsRow>`
    select c.* from subscription_collections c
      ${joinInvoice(tx, part`c.invoice_id`)} and i.status ${IN_OPEN}
     where c.organisation_id = ${tx.organisation} and c.customer_subscription_id = ${subscription} order by c.invoice_id`;
  return rows.map(fromRow);
}

/**
 * The missed collections, with open invoices, of a customer's subscriptions that are collected from a card, without
 * those whose payment a bank reversed.
 */
export async function missedByCustomer(
  tx: Tx,
  customer: string,
): Promise<Pick<Collection, "invoiceId" | "subscriptionId">[]> {
  const rows = await tx.sql<Pick<SubscriptionCollectionsRow, "invoice_id" | "customer_subscription_id">>`
    select c.invoice_id, c.customer_subscription_id from customer_subscriptions s
      join subscription_collections c on c.organisation_id = ${tx.organisation} and c.customer_subscription_id = s.id
        and c.missed_at is not null
       and c.ended is distinct from 'taken_back'
      ${joinInvoice(tx, part`c.invoice_id`)} and i.status ${IN_OPEN}
     where s.organisation_id = ${tx.organisation} and s.customer_id = ${customer} and s.collection_method = 'gateway'
       and s.status = 'active'
     order by c.invoice_id`;
  return rows.map((row) => ({ invoiceId: row.invoice_id, subscriptionId: row.customer_subscription_id }));
}

/** Inserts an attempt. The caller has locked the subscription. */
export const insertAttempt = (tx: Tx, attempt: Attempt): void => insertAttempts(tx, [attempt]);

const INSERTED_ATTEMPT: RowColumns<Attempt> = {
  id: ["text", ({ id }) => id],
  customer_subscription_id: ["text", ({ subscriptionId }) => subscriptionId],
  invoice_id: ["text", ({ invoiceId }) => invoiceId],
  cause: ["text", ({ cause }) => cause],
  transaction_id: ["text", ({ transactionId }) => transactionId],
  status: ["text", ({ status }) => status],
  reason: ["text", ({ reason }) => reason],
  is_hard: ["boolean", ({ isHard }) => isHard],
  created_at: ["timestamptz", ({ createdAt }) => createdAt],
};

/** As `insertAttempt`, several in one statement. */
export function insertAttempts(tx: Tx, attempts: readonly Attempt[]): void {
  if (attempts.length === 0) return;
  tx.queue`
    insert into collection_attempts (organisation_id, id, customer_subscription_id, invoice_id, cause, transaction_id,
                                     status, reason, is_hard, created_at)
    select ${tx.organisation}, n.* from ${rowsOf(attempts, INSERTED_ATTEMPT)}
    returning id`;
}

/** Stores the outcome of an attempt. The caller has locked the subscription. */
export function saveAttempt(tx: Tx, a: Attempt): void {
  tx.queue`
    update collection_attempts set status = ${a.status}, reason = ${a.reason}, is_hard = ${a.isHard}
     where organisation_id = ${tx.organisation} and id = ${a.id}`;
}

/** The attempt of a payment; null for a payment that is no attempt, such as one on a page. */
export async function attemptOfTransaction(tx: Tx, transaction: TransactionId): Promise<Attempt | null> {
  const [row] = await tx.sql<CollectionAttemptsRow>`
    select * from collection_attempts where organisation_id = ${tx.organisation} and transaction_id = ${transaction}`;
  return row ? attemptFromRow(row) : null;
}

/** The newest attempt of an invoice that failed; null when none did. */
export async function lastMissed(tx: Tx, invoice: InvoiceId): Promise<Attempt | null> {
  const [row] = await tx.sql<CollectionAttemptsRow>`
    select * from collection_attempts where organisation_id = ${tx.organisation} and invoice_id = ${invoice} and status = 'failed'
     order by id desc limit 1`;
  return row ? attemptFromRow(row) : null;
}

/** An attempt, and whether it is the newest one of its invoice. */
export type ListedAttempt = Omit<ShownAttempt, "nextAt"> & { readonly isNewest: boolean };

type ShownRow = CollectionAttemptsRow & {
  readonly is_newest: boolean;
  readonly invoice_number: string;
  readonly reference: string | null;
} & (
    | { readonly reversed_at: null }
    | { readonly reversed_at: Instant; readonly reversed_cents: Cents; readonly reversal_reason: string }
  );

/** The attempts of a subscription, newest first. */
export async function listAttempts(
  tx: Tx,
  subscription: CustomerSubscriptionId,
  query: PageQuery,
): Promise<ListedAttempt[]> {
  const rows = await tx.sql<ShownRow>`
    select a.*, not exists (select from collection_attempts n
             where n.organisation_id = ${tx.organisation} and n.invoice_id = a.invoice_id and n.id > a.id) as is_newest,
           i.number as invoice_number, t.reference, r.amount_cents as reversed_cents, r.reason as reversal_reason, r.reversed_at
      from collection_attempts a
      ${joinInvoice(tx, part`a.invoice_id`)}
      left ${joinPayment(tx, part`a.transaction_id`)}
      left join lateral (
        select v.amount_cents, v.reason, v.reversed_at from reversals v
         where v.organisation_id = ${tx.organisation} and v.transaction_id = a.transaction_id
           and v.reversed_at is not null and v.amount_cents > 0 and not exists (
             select from reversals b where b.organisation_id = ${tx.organisation} and b.reversal_id = v.id)
         order by v.id desc limit 1) r on true
     where a.organisation_id = ${tx.organisation} and a.customer_subscription_id = ${subscription}
       ${onPage(query, part`a.id`)}
     ${newestFirst(query, part`a.id`)}`;
  return rows.map((row) => ({
    ...attemptFromRow(row),
    isNewest: row.is_newest,
    invoiceNumber: row.invoice_number,
    reference: row.reference,
    reversal: row.reversed_at && {
      amount: row.reversed_cents,
      reason: row.reversal_reason,
      reversedAt: row.reversed_at,
    },
  }));
}

/** The amount due of subscriptions' invoices whose collection failed and is retried, by currency. */
export const retriedTotals = (tx: Tx): Promise<CurrencyTotal[]> => tx.sql<CurrencyTotal>`
  select currency, sum(total_cents - paid_cents)::bigint as amount, count(*)::integer as count from invoices
   where organisation_id = ${tx.organisation} and missed_at is not null and status ${IN_OPEN}
     and id = any (${retriedInvoices(tx)})
   group by 1 order by 1`;

/**
 * The collections that failed first from `from` on and before `until`, by what became of them, with the totals of their
 * invoices: paid (`recovered`), ended without payment (`lost`), or neither yet (`retrying`).
 */
export const recoveryTotals = (
  tx: Tx,
  { from, until, currency }: { readonly from: Instant; readonly until: Instant; readonly currency: string },
): Promise<RecoveryTotal[]> => tx.sql<RecoveryTotal>`
  select case when i.status = 'paid' then 'recovered' when c.ended is null then 'retrying' else 'lost' end as outcome,
         c.retries > 0 as retried, sum(i.total_cents)::bigint as amount, count(*)::integer as count
    from subscription_collections c ${joinInvoice(tx, part`c.invoice_id`)}
   where c.organisation_id = ${tx.organisation} and c.missed_at >= ${from} and c.missed_at < ${until} and i.currency = ${currency}
   group by 1, 2`;
