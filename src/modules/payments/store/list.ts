// Writes nothing. Reads: transactions.

import { leftJoinGivenBack, refundedOf, reversedOf } from "../../../domain/given-back.ts";
import { allAccounts } from "../../../domain/joins.ts";
import { totalsOf } from "../../../domain/list-totals.ts";
import {
  createdIn,
  hasMetadata,
  type ListFilter,
  newestFirst,
  type Order,
  onPage,
  type PageQuery,
} from "../../../domain/lists.ts";
import { inOrderOf, pageInOrder, type SortColumns } from "../../../domain/ordered-lists.ts";
import type { TransactionsRow } from "../../../domain/rows.ts";
import type { TransactionId } from "../../../kernel/ids.ts";
import type { Instant } from "../../../kernel/time.ts";
import { NOTHING, type Part, part, type Tx, when } from "../../../platform/database.ts";
import { begins, NEAREST, ofCurrency, pageOfFound } from "../../../platform/found.ts";
import type { DebitSpan, Transaction } from "../types.ts";
import { type AttemptFilter, attempted } from "./attempts.ts";
import { fromRow } from "./payments.ts";

/** Which debits, and when payments were paid: from `from` on, before `until`. */
export interface TransactionSpans {
  readonly debits?: DebitSpan | null;
  readonly paid?: { readonly from?: Instant | undefined; readonly until?: Instant | undefined };
}

/**
 * Condition: the filters of the list and the export, times and metadata among them. What `status` and `flag` imply is
 * repeated because the planner uses the indexes of these payments only where the statement says it.
 */
const recordsWanted = (tx: Tx, query: TransactionFilter, { debits = null, paid = {} }: TransactionSpans) => part`
      ${when(debits, (value) => debitsOf(tx, value))}
      ${when(paid.from, (from) => part`and paid_at >= ${from}`)}
      ${when(paid.until, (until) => part`and paid_at < ${until}`)}
      ${ofCurrency(part`currency`, query.currency)}
      ${when(query.status, (status) => part`and status = ${status}`)}
      ${query.status === undefined || query.status === "complete" ? NOTHING : part`and status <> 'complete'`}
      ${when(query.flag, (flag) => part`and flags <> '{}' and ${flag} = any (flags)`)}
      ${when(query.paymentLinkId, (paymentLinkId) => part`and payment_link_id = ${paymentLinkId}`)}
      ${when(query.invoiceId, (invoiceId) => part`and invoice_id = ${invoiceId}`)}
      ${when(query.type, (type) => part`and type = ${type}`)}
      ${attempted(query)}
      ${when(query.customerId, (customerId) => part`and customer_id = ${customerId}`)}
      ${when(query.externalReference, (externalReference) => part`and external_reference = ${externalReference}`)}
      ${createdIn(query, "txn", { id: part`id`, createdAt: part`created_at` })}
      ${hasMetadata(query, part`metadata`)}`;

/** The payments that match, newest first, or as `query.order` says. */
export async function listTransactions(
  tx: Tx,
  query: TransactionFilter & PageQuery,
  spans: TransactionSpans = {},
): Promise<Transaction[]> {
  if (query.order) return sortedTransactions(tx, { ...query, order: query.order }, spans);
  const wanted = part`${recordsWanted(tx, query, spans)} ${onPage(query, part`id`)}`;
  const rows = await tx.sql<TransactionsRow>`
    select * from transactions where organisation_id = ${tx.organisation}
      ${query.q ? part`and id = any (${await foundTransactions(tx, query, wanted)})` : wanted}
     ${newestFirst(query, part`id`)}`;
  return rows.map(fromRow);
}

/**
 * The debits of a span that are not wholly refunded or reversed. They are found by the time at which they were
 * collected, without reading every payment.
 */
const debitsOf = (tx: Tx, { risk, from, until }: DebitSpan) => part`
  and id = any (array(select d.id from transactions d where d.organisation_id = ${tx.organisation} and d.type = 'debit_order'
    and d.paid_at >= ${from} and d.paid_at < ${until}))
  and amount_cents > ${reversedOf(tx, part`transactions.id`)} + ${risk === "at_risk" ? part`0` : refundedOf(tx, part`transactions.id`)}`;

/** The columns by which payments are sorted. */
export const TRANSACTION_SORTS = {
  amount: { column: part`amount_cents`, values: "cents", valueOf: ({ amount }) => String(amount) },
} as const satisfies SortColumns<Transaction>;

async function sortedTransactions(
  tx: Tx,
  query: TransactionFilter & PageQuery & { readonly order: Order },
  spans: TransactionSpans,
): Promise<Transaction[]> {
  const ids = await pageInOrder<TransactionId>(tx, query, {
    name: part`transactions`,
    records: part`from transactions where organisation_id = ${tx.organisation}`,
    id: part`id`,
    sorts: TRANSACTION_SORTS,
    wanted: part`${recordsWanted(tx, query, spans)} ${matches(tx, query)}`,
  });
  const rows = await tx.sql<TransactionsRow>`
    select * from transactions where organisation_id = ${tx.organisation} and id = any (${ids})`;
  return inOrderOf(ids, rows.map(fromRow));
}

/** How many payments match, and by currency their amounts and what was paid, less what was given back of it. */
export function transactionTotals(tx: Tx, query: TransactionFilter, spans: TransactionSpans, countTo?: number) {
  const wanted = part`${recordsWanted(tx, query, spans)} ${matches(tx, query)}`;
  return totalsOf(tx, countTo, {
    records: part`from transactions where transactions.organisation_id = ${tx.organisation} ${wanted}`,
    amounts: part`from transactions ${leftJoinGivenBack(tx, part`transactions.id`)}
      where transactions.organisation_id = ${tx.organisation} ${wanted}`,
    currency: part`currency`,
    sums: {
      amount: part`amount_cents`,
      netPaid: part`case when paid_at is not null then amount_cents - coalesce(back.cents, 0) else 0 end`,
    },
  });
}

/** The payments after the id `after`, oldest first, created from `from` on and before `until`. */
export async function exportTransactions(
  tx: Tx,
  query: TransactionFilter & { after: string; limit: number; from: Instant | null; until: Instant | null },
  spans: TransactionSpans,
): Promise<Transaction[]> {
  const rows = await tx.sql<TransactionsRow>`
    select * from transactions where organisation_id = ${tx.organisation} and id > ${query.after}
       ${recordsWanted(tx, query, spans)} ${matches(tx, query)}
      ${when(query.from, (from) => part`and created_at >= ${from}`)}
      ${when(query.until, (until) => part`and created_at < ${until}`)}
     order by id limit ${query.limit}`;
  return rows.map(fromRow);
}

/** The filters of the list and the export of payments. */
export type TransactionFilter = ListFilter<
  "status" | "type" | "flag" | "paymentLinkId" | "invoiceId" | "customerId" | "externalReference" | "currency"
> &
  AttemptFilter;

/**
 * Condition: `q` is the beginning of our reference, of the merchant's, or of the address of a payer who is no customer;
 * or the gateway's reference, the amount, the customer or the id. An index finds each of these.
 */
function matches(tx: Tx, { q, named }: TransactionFilter): Part {
  if (!q) return NOTHING;
  return named
    ? part`and (${begins(part`reference`, named.references)} or ${begins(part`external_reference`, [named.text])}
        or provider_ref = ${named.text} and gateway_account_id = any (${allAccounts(tx)})
        or customer_id is null and payer_email is not null and (${begins(part`payer_email collate "C"`, named.addresses)})
        or amount_cents = any (${named.amounts}::bigint[]) or customer_id = any (${named.customers}::text[]) or id = ${named.text})`
    : part`and false`;
}

/** The ids of the page of transactions that match `wanted` and `q`. */
const foundTransactions = (tx: Tx, query: TransactionFilter & PageQuery, wanted: Part) =>
  pageOfFound(
    query.limit,
    () => tx.sql<{ id: TransactionId }>`
      select id from (select * from transactions where organisation_id = ${tx.organisation} ${wanted}
                       ${newestFirst({ ...query, limit: NEAREST }, part`id`)}) transactions
       where true ${matches(tx, query)} ${newestFirst(query, part`id`)}`,
    () => tx.sql<{ id: TransactionId }>`
      with found as materialized (select id from transactions where organisation_id = ${tx.organisation} ${wanted} ${matches(tx, query)})
      select id from found ${newestFirst(query, part`id`)}`,
  );
