// Writes: debit_batches, debits. Reads: mandates, customer_subscription_bills, subscription_collections (what may be collected).

import { CUSTOMER_LABEL, joinCustomer } from "../../../domain/customer-name.ts";
import { IN_ENDED } from "../../../domain/customer-subscriptions.ts";
import { isInNoBatchOf } from "../../../domain/debited-days.ts";
import { IN_OPEN } from "../../../domain/invoices.ts";
import { joinInvoice, joinMandate, joinPayment, joinSubscription } from "../../../domain/joins.ts";
import { createdIn, type ListQuery, newestFirst, onPage } from "../../../domain/lists.ts";
import { locking } from "../../../domain/locks.ts";
import type { DebitBatchesRow, DebitsRow } from "../../../domain/rows.ts";
import { isBeingPaid } from "../../../domain/under-way.ts";
import { assert } from "../../../kernel/assert.ts";
import type {
  CustomerSubscriptionId,
  DebitBatchId,
  GatewayAccountId,
  InvoiceId,
  MandateId,
  TransactionId,
} from "../../../kernel/ids.ts";
import { type Cents, cents, subtract, ZERO } from "../../../kernel/money.ts";
import { containing } from "../../../kernel/text.ts";
import type { CalendarDay, Instant } from "../../../kernel/time.ts";
import { type Part, part, type Tx, when } from "../../../platform/database.ts";
import type { BatchDebit, DatedDebit, Debit, DebitBatch, LastResult } from "../types.ts";

const fromRow = (row: DebitBatchesRow): DebitBatch => ({
  id: row.id,
  gatewayAccountId: row.gateway_account_id,
  actionDate: row.action_date,
  movedFrom: row.moved_from,
  status: row.status,
  debits: row.debits,
  amount: cents(row.amount_cents),
  batchRef: row.batch_ref,
  problem: row.problem,
  askedAt: row.asked_at,
  submittedAt: row.submitted_at,
  givenUpAt: row.given_up_at,
  completedAt: row.completed_at,
  createdAt: row.created_at,
});

const debitFromRow = (row: DebitsRow): Debit => ({
  transactionId: row.transaction_id,
  batchId: row.debit_batch_id,
  mandateId: row.mandate_id,
  debitDate: row.debit_date,
  part: row.part,
  unpaidReason: row.unpaid_reason,
  unpaidCode: row.unpaid_code,
  unpaidAt: row.unpaid_at,
  payLinkId: row.pay_link_id,
  heldBack: row.held_at && { at: row.held_at, by: row.held_by, reason: row.held_reason },
  heldFrom: row.held_from,
});

/** Locks the open batch of an account and a date that is not full, which is inserted when there is none. */
export async function lockOpenBatch(
  tx: Tx,
  account: GatewayAccountId,
  actionDate: CalendarDay,
  { id, now }: { readonly id: DebitBatchId; readonly now: Instant },
): Promise<DebitBatch> {
  const [row] = await locking(tx, "debit batch").sql<DebitBatchesRow>`
    insert into debit_batches as b (organisation_id, id, gateway_account_id, action_date, status, debits, amount_cents, created_at)
    values (${tx.organisation}, ${id}, ${account}, ${actionDate}, 'open', 0, 0, ${now})
    on conflict (organisation_id, gateway_account_id, action_date) where status = 'open' and not filled
      do update set debits = b.debits returning *`;
  assert(row, "an upsert returns its row");
  return fromRow(row);
}

/** Removes a batch that this transaction has made and left empty. */
export function deleteEmptyBatch(tx: Tx, id: DebitBatchId): void {
  tx.queue`delete from debit_batches where organisation_id = ${tx.organisation} and id = ${id} and debits = 0`;
}

/** Locks a batch until the transaction ends. */
export async function lockDebitBatch(tx: Tx, id: string): Promise<DebitBatch | null> {
  const [row] = await locking(tx, "debit batch").sql<DebitBatchesRow>`
    select * from debit_batches where organisation_id = ${tx.organisation} and id = ${id} for no key update`;
  return row ? fromRow(row) : null;
}

/** Null when absent or another organisation's. */
export async function findDebitBatch(tx: Tx, id: string): Promise<DebitBatch | null> {
  const [row] = await tx.sql<DebitBatchesRow>`
    select * from debit_batches where organisation_id = ${tx.organisation} and id = ${id}`;
  return row ? fromRow(row) : null;
}

/** Newest first; `q` is the beginning of the action date, the id, the gateway's reference, or that of a debit. */
export async function listDebitBatches(tx: Tx, query: ListQuery<"status">): Promise<DebitBatch[]> {
  const rows = await tx.sql<DebitBatchesRow>`
    select * from debit_batches where organisation_id = ${tx.organisation}
      ${when(query.status, (status) => part`and status = ${status}`)}
      ${when(
        query.q || null,
        (q) => part`and (starts_with(action_date::text, ${q}) or batch_ref = ${q}
                                               or id = any (${batchesNamed(tx, q)}))`,
      )}
      ${onPage(query, part`id`)}
      ${createdIn(query, "dbat", { id: part`id`, createdAt: part`created_at` })}
     ${newestFirst(query, part`id`)}`;
  return rows.map(fromRow);
}

/** Array of the ids of the batch with this id, and of the batch with a debit of this reference. */
const batchesNamed = (tx: Tx, q: string): Part => part`
  array(select ${q} union all select d.debit_batch_id from debits d
    ${joinPayment(tx, part`d.transaction_id`)} and t.reference = upper(${q})
   where d.organisation_id = ${tx.organisation})`;

/** The batch with the earliest action date from a day on that is submitted or to be submitted; null when there is none. */
export async function findNextBatch(tx: Tx, from: CalendarDay): Promise<DebitBatch | null> {
  const [row] = await tx.sql<DebitBatchesRow>`
    select * from debit_batches where organisation_id = ${tx.organisation} and action_date >= ${from}
        and status in ('open', 'submitting', 'submitted')
     order by action_date, id limit 1`;
  return row ? fromRow(row) : null;
}

/** The batches of an action date, oldest first. */
export async function listBatchesOf(tx: Tx, actionDate: CalendarDay): Promise<DebitBatch[]> {
  const rows = await tx.sql<DebitBatchesRow>`
    select * from debit_batches where organisation_id = ${tx.organisation} and action_date = ${actionDate} order by id`;
  return rows.map(fromRow);
}

/** Action dates, from a day on, of other batches that debit a mandate of this one. */
export async function otherActionDates(
  tx: Tx,
  batch: DebitBatchId,
  from: CalendarDay,
): Promise<ReadonlySet<CalendarDay>> {
  const rows = await tx.sql<Pick<DebitBatchesRow, "action_date">>`
    select distinct b.action_date from debits d
      join debits o on o.organisation_id = ${tx.organisation} and o.mandate_id = d.mandate_id
        and o.debit_batch_id <> d.debit_batch_id and not o.withdrawn
      join debit_batches b on b.organisation_id = ${tx.organisation} and b.id = o.debit_batch_id and b.action_date >= ${from}
     where d.organisation_id = ${tx.organisation} and d.debit_batch_id = ${batch} and not d.withdrawn`;
  return new Set(rows.map(({ action_date }) => action_date));
}

/** Updates the fields of a batch that can change. The caller has locked it. */
export function updateDebitBatch(tx: Tx, batch: DebitBatch): void {
  tx.queue`
    update debit_batches set status = ${batch.status}, batch_ref = ${batch.batchRef}, problem = ${batch.problem},
      action_date = ${batch.actionDate}, moved_from = ${batch.movedFrom}, asked_at = ${batch.askedAt},
      submitted_at = ${batch.submittedAt}, debits = ${batch.debits}, amount_cents = ${batch.amount},
      given_up_at = ${batch.givenUpAt}, completed_at = ${batch.completedAt}
     where organisation_id = ${tx.organisation} and id = ${batch.id}`;
}

/** Marks the batch as full: further debits of its date go into another batch. The caller has locked it. */
export function setFilled(tx: Tx, id: DebitBatchId): void {
  tx.queue`update debit_batches set filled = true where organisation_id = ${tx.organisation} and id = ${id}`;
}

/** Inserts debits of a batch, all in one statement, and counts them there. Their transactions exist. The caller has locked the batch. */
export function insertDebits(
  tx: Tx,
  { id }: DebitBatch,
  debits: readonly Pick<Debit, "transactionId" | "mandateId" | "debitDate" | "part" | "heldFrom">[],
  amount: Cents,
): void {
  tx.queue`
    insert into debits (organisation_id, transaction_id, debit_batch_id, mandate_id, debit_date, part, held_from)
    select ${tx.organisation}, d.transaction_id, ${id}, d.mandate_id, d.debit_date, d.part, d.held_from
      from unnest(${debits.map(({ transactionId }) => transactionId)}::text[], ${debits.map(({ mandateId }) => mandateId)}::text[],
        ${debits.map(({ debitDate }) => debitDate)}::date[],
        ${debits.map((debit) => debit.part)}::smallint[], ${debits.map(({ heldFrom }) => heldFrom)}::text[])
        as d(transaction_id, mandate_id, debit_date, part, held_from)
    returning transaction_id`;
  tx.queue`
    update debit_batches set debits = debits + ${debits.length}, amount_cents = amount_cents + ${amount}
     where organisation_id = ${tx.organisation} and id = ${id}`;
}

/** The debits of payments; payments that are no debits are left out. */
export async function debitsOfTransactions(
  tx: Tx,
  transactions: readonly TransactionId[],
): Promise<ReadonlyMap<TransactionId, DatedDebit>> {
  if (transactions.length === 0) return new Map();
  const rows = await tx.sql<DebitsRow & Pick<DebitBatchesRow, "action_date">>`
    select d.*, b.action_date from debits d
      join debit_batches b on b.organisation_id = ${tx.organisation} and b.id = d.debit_batch_id
     where d.organisation_id = ${tx.organisation} and d.transaction_id = any (${transactions})`;
  return new Map(rows.map((row) => [row.transaction_id, { ...debitFromRow(row), actionDate: row.action_date }]));
}

/** The fields of a debit that its outcome sets. */
export type DebitOutcome = Pick<Debit, "transactionId" | "unpaidReason" | "unpaidCode" | "unpaidAt" | "payLinkId">;

/** Stores whether and why debits were returned unpaid, in one statement. The caller has locked their mandates. */
export function saveUnpaid(tx: Tx, debits: readonly DebitOutcome[]): void {
  if (debits.length === 0) return;
  const of = (field: keyof DebitOutcome) => debits.map((debit) => debit[field]);
  tx.queue`
    update debits d set unpaid_reason = r.reason, unpaid_code = r.code, unpaid_at = r.at, pay_link_id = r.link
      from unnest(${of("transactionId")}::text[], ${of("unpaidReason")}::text[], ${of("unpaidCode")}::text[],
                  ${of("unpaidAt")}::timestamptz[], ${of("payLinkId")}::text[])
        as r(transaction_id, reason, code, at, link)
     where d.organisation_id = ${tx.organisation} and d.transaction_id = r.transaction_id`;
}

/** A debit as it is sent to the gateway. */
interface DebitLineRow {
  readonly transaction_id: TransactionId;
  readonly mandate_id: MandateId;
  readonly reference: string;
  readonly amount_cents: Cents;
  readonly status: string;
}

/**
 * Withdraws debits whose mandate is no longer active, or whose invoice owes less now or belongs to a subscription that
 * is paused or collected in another way by now, or `all` debits. Answers the batch without them. The caller has locked the batch.
 */
export async function withdrawDebits(tx: Tx, batch: DebitBatch, all: boolean): Promise<DebitBatch> {
  const [row] = await tx.sql<{ debits: number; amount: Cents | null }>`
    with withdrawn as (
      update debits d set withdrawn = true
        from mandates m, transactions t
        left ${joinInvoice(tx, part`t.invoice_id`)}
        left ${joinSubscription(tx, part`t.subscription_id`)}
       where d.organisation_id = ${tx.organisation} and d.debit_batch_id = ${batch.id} and not d.withdrawn
         and m.organisation_id = ${tx.organisation} and m.id = d.mandate_id
         and t.organisation_id = ${tx.organisation} and t.id = d.transaction_id
         and (${all} or m.status <> 'active' or s.status = 'paused' or s.collection_method <> 'debit_order'
           or i.status not ${IN_OPEN}
           or i.total_cents - i.paid_cents < t.amount_cents)
      returning d.transaction_id)
    select count(*)::integer as debits, sum(t.amount_cents)::bigint as amount from withdrawn w
      ${joinPayment(tx, part`w.transaction_id`)}`;
  const { debits = 0, amount = null } = row ?? {};
  return { ...batch, debits: batch.debits - debits, amount: subtract(batch.amount, amount ?? ZERO) };
}

/** Withdrawn debits of a batch whose payments are still pending, after a transaction, at most `limit`. */
export const withdrawnOfBatch = (
  tx: Tx,
  batch: DebitBatchId,
  after: string,
  limit: number,
): Promise<Pick<DebitLineRow, "transaction_id" | "reference">[]> =>
  tx.sql<Pick<DebitLineRow, "transaction_id" | "reference">>`
    select d.transaction_id, t.reference from debits d
      ${joinPayment(tx, part`d.transaction_id`)} and t.status = 'pending'
     where d.organisation_id = ${tx.organisation} and d.debit_batch_id = ${batch} and d.withdrawn and d.transaction_id > ${after}
     order by d.transaction_id limit ${limit}`;

/** Debits of a batch that are sent, after a transaction, in the order of their transactions, at most `limit`. */
export const debitsOfBatch = (tx: Tx, batch: DebitBatchId, after: string, limit: number): Promise<DebitLineRow[]> =>
  tx.sql<DebitLineRow>`
    select d.transaction_id, d.mandate_id, t.reference, t.amount_cents, t.status from debits d
      ${joinPayment(tx, part`d.transaction_id`)}
     where d.organisation_id = ${tx.organisation} and d.debit_batch_id = ${batch} and not d.withdrawn and d.transaction_id > ${after}
     order by d.transaction_id limit ${limit}`;

interface OfMandateRow {
  readonly customer_id: BatchDebit["customerId"];
  readonly customer_name: string;
  readonly failure_count: number;
  readonly last_result: LastResult | null;
  readonly next_debit_date: CalendarDay | null;
  readonly made_up: string | null;
}

/**
 * Debits of a batch or of a mandate, newest first, without those that were withdrawn otherwise than held back; `q` is
 * part of a payment's reference.
 */
export async function listDebits(
  tx: Tx,
  of: { readonly batch: DebitBatchId } | { readonly mandate: MandateId },
  query: ListQuery<"held">,
): Promise<BatchDebit[]> {
  const rows = await tx.sql<DebitsRow & Pick<DebitLineRow, "reference" | "amount_cents" | "status"> & OfMandateRow>`
    select d.*, t.reference, t.amount_cents, t.status, m.customer_id, ${CUSTOMER_LABEL} as customer_name, m.failure_count,
           m.next_debit_date,
           (select t.reference from (values (d.held_from)) h(id) ${joinPayment(tx, part`h.id`)}) as made_up,
           (select case when e.unpaid_at is not null then 'unpaid' when t.paid_at is not null then 'collected' end
              from debits e ${joinPayment(tx, part`e.transaction_id`)}
             where e.organisation_id = ${tx.organisation} and e.mandate_id = d.mandate_id and not e.withdrawn
               and e.debit_date < d.debit_date
             order by e.debit_date desc, e.part desc limit 1) as last_result
      from debits d ${joinPayment(tx, part`d.transaction_id`)} ${joinMandate(tx, part`d.mandate_id`)}
      ${joinCustomer(tx, part`m.customer_id`)}
     where d.organisation_id = ${tx.organisation} and (not d.withdrawn or d.held_at is not null)
       ${when(query.held, (held) => part`and (d.held_at is not null) = ${held === "true"}`)}
       and ${"batch" in of ? part`d.debit_batch_id = ${of.batch}` : part`d.mandate_id = ${of.mandate}`}
       ${onPage(query, part`d.transaction_id`)}
       ${when(query.q, (value) => part`and t.reference ilike ${containing(value)}`)}
     ${newestFirst(query, part`d.transaction_id`)}`;
  return rows.map((row) => ({
    ...debitFromRow(row),
    id: row.transaction_id,
    reference: row.reference,
    status: row.status,
    amount: row.amount_cents,
    customerId: row.customer_id,
    customerName: row.customer_name,
    lastResult: row.last_result,
    unpaidInARow: row.failure_count,
    nextDebitDate: row.next_debit_date,
    heldFrom: row.made_up,
  }));
}

/** Whether the banks have not decided some debits of a batch. */
export async function anyPendingDebit(tx: Tx, batch: DebitBatchId): Promise<boolean> {
  const rows = await tx.sql`
    select from debits d ${joinPayment(tx, part`d.transaction_id`)} and t.status = 'pending'
     where d.organisation_id = ${tx.organisation} and d.debit_batch_id = ${batch} limit 1`;
  return rows.length > 0;
}

/** Those of these invoices whose debit is in a batch that was not sent yet. */
export async function invoicesOfUnsent(tx: Tx, invoices: readonly InvoiceId[]): Promise<ReadonlySet<InvoiceId>> {
  if (invoices.length === 0) return new Set();
  const rows = await tx.sql<{ invoice_id: InvoiceId }>`
    select t.invoice_id from debits d
      join debit_batches b on b.organisation_id = ${tx.organisation} and b.id = d.debit_batch_id and b.status = 'open'
      ${joinPayment(tx, part`d.transaction_id`)} and t.status = 'pending' and t.invoice_id = any (${invoices})
     where d.organisation_id = ${tx.organisation}`;
  return new Set(rows.map(({ invoice_id }) => invoice_id));
}

/** The number of undecided debits of a batch. */
export async function countPendingDebits(tx: Tx, batch: DebitBatchId): Promise<number> {
  const [row] = await tx.sql<{ pending: number }>`
    select count(*)::integer as pending from debits d
      ${joinPayment(tx, part`d.transaction_id`)} and t.status = 'pending'
     where d.organisation_id = ${tx.organisation} and d.debit_batch_id = ${batch}`;
  return row?.pending ?? 0;
}

/** A mandate that collects a customer subscription, with a due date, and the invoices to collect on it. */
export interface CollectingMandate {
  readonly id: MandateId;
  readonly gatewayAccountId: GatewayAccountId;
  readonly subscriptionId: CustomerSubscriptionId;
  readonly date: CalendarDay;
  /** The day on which the subscription is billed next by itself; null when there is none. */
  readonly nextBill: CalendarDay | null;
  /** Open invoices that were billed by the date and have no payment under way, oldest first. */
  readonly invoices: readonly InvoiceId[];
}

/** The position in a reading of mandates. */
export type CollectingCursor = Pick<CollectingMandate, "gatewayAccountId" | "id">;

/** Which debits are to be added to batches: those that `by` asks for, and whether only mandates with a signed agreement are collected. */
export interface Gathering {
  readonly by: CalendarDay;
  /** Null: of all gateway accounts. */
  readonly accounts: readonly GatewayAccountId[] | null;
  readonly signed: boolean;
}

/**
 * Mandates that collect subscriptions and are due in a batch of `by`, after `cursor`, at most `limit`, in the order of
 * accounts and ids. Locks nothing.
 */
export const mandatesToCollect = (
  tx: Tx,
  gathering: Gathering,
  cursor: CollectingCursor | null,
  limit: number,
): Promise<CollectingMandate[]> =>
  find(
    tx,
    gathering,
    part`(m.gateway_account_id, m.id) > (${cursor?.gatewayAccountId ?? ""}, ${cursor?.id ?? ""})
      order by m.gateway_account_id, m.id limit ${limit}`,
  );

/** As `mandatesToCollect`, of these mandates alone, by id. */
export const readMandatesToCollect = (
  tx: Tx,
  gathering: Gathering,
  ids: readonly MandateId[],
): Promise<CollectingMandate[]> => find(tx, gathering, part`m.id = any (${ids}) order by m.id`);

/**
 * Of several active mandates of one subscription the newest collects. A paused subscription is not collected. A missed charge of an ended
 * subscription is not retried, nor one after a hard decline, unless by a mandate that was authorised later.
 */
const find = (tx: Tx, { by, accounts, signed }: Gathering, which: Part): Promise<CollectingMandate[]> =>
  tx.sql<CollectingMandate & { readonly date: CalendarDay }>`
    select m.id, m.gateway_account_id as "gatewayAccountId", m.subscription_id as "subscriptionId", m.next_debit_date as date,
           case when s.status in ('scheduled', 'trialing', 'active') then s.next_due end as "nextBill",
           array(
             select i.id from customer_subscription_bills b
               ${joinInvoice(tx, part`b.invoice_id`)}
                and i.status ${IN_OPEN} and i.issue_date <= m.next_debit_date
               join subscription_collections k on k.organisation_id = ${tx.organisation} and k.invoice_id = i.id
                and (s.status not ${IN_ENDED} or k.missed_at is null)
                and (not k.is_hard or greatest(m.authorised_at, m.authority_renewed_at) > k.missed_at)
              where b.organisation_id = ${tx.organisation} and b.customer_subscription_id = s.id and s.status <> 'paused'
                and s.collection_method = 'debit_order'
                and m.id = (select c.id from mandates c where c.organisation_id = ${tx.organisation} and c.subscription_id = s.id
                  and c.status = 'active' order by c.id desc limit 1)
                and not ${isBeingPaid(tx, part`i.id`)}
              order by i.issue_date, i.id) as invoices
      from mandates m ${joinSubscription(tx, part`m.subscription_id`)}
     where m.organisation_id = ${tx.organisation} and m.subscription_id is not null and m.next_debit_date <= ${by}
       and ${isInNoBatchOf(tx, by)} and (not ${signed} or m.agreement_signed_at is not null)
       ${when(accounts, (value) => part`and m.gateway_account_id = any (${value})`)} and ${which}`;

/** Whether a mandate that collects one of these subscriptions is due by a date. */
export async function anyToCollect(
  tx: Tx,
  subscriptions: readonly CustomerSubscriptionId[],
  by: CalendarDay,
): Promise<boolean> {
  const rows = await tx.sql`
    select from mandates where organisation_id = ${tx.organisation} and subscription_id = any (${subscriptions})
        and next_debit_date <= ${by} limit 1`;
  return rows.length > 0;
}
