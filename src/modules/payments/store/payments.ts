// Writes: transactions. Reads nothing else.

import type { CardBrand, NamedCard } from "../../../domain/card-brands.ts";
import { type CustomerReference, customerReferences } from "../../../domain/customer-reference.ts";
import { fromDaySums } from "../../../domain/day-sums.ts";
import type { DeclineReason } from "../../../domain/decline-reasons.ts";
import { type ListQuery, newestFirst, onPage } from "../../../domain/lists.ts";
import { locking } from "../../../domain/locks.ts";
import type { TransactionsRow } from "../../../domain/rows.ts";
import { isUnderWay } from "../../../domain/under-way.ts";
import { assert } from "../../../kernel/assert.ts";
import type { CustomerId, InvoiceId, TransactionId } from "../../../kernel/ids.ts";
import type { Cents } from "../../../kernel/money.ts";
import { calendarDay, type Instant } from "../../../kernel/time.ts";
import { part, type Tx } from "../../../platform/database.ts";
import { type ForwardStatus, statusesBefore } from "../states.ts";
import type { DebitSpan, DebitsOfDay, Flag, Transaction } from "../types.ts";

/** A payment as its row has it. */
export const fromRow = (row: TransactionsRow): Transaction => ({
  id: row.id,
  reference: row.reference,
  status: row.status,
  amount: row.amount_cents,
  fee: row.fee_cents,
  currency: row.currency,
  type: row.type,
  gatewayAccountId: row.gateway_account_id,
  gatewayType: row.gateway_type,
  sandbox: row.sandbox,
  description: row.description,
  providerRef: row.provider_ref,
  checkoutRef: row.checkout_ref,
  payerEmail: row.payer_email,
  paymentLinkId: row.payment_link_id,
  invoiceId: row.invoice_id,
  eftOrderId: row.eft_order_id,
  customerId: row.customer_id,
  externalReference: row.external_reference,
  metadata: row.metadata,
  renewal: row.renewal,
  parentReference: row.parent_reference,
  subscriptionId: row.subscription_id,
  handoffSealed: row.handoff_sealed,
  flags: row.flags as Flag[],
  overpaid: row.overpaid_cents,
  reportedAt: row.reported_at,
  declineReason: row.decline_reason as DeclineReason | null,
  card: row.card_brand && row.card_last4 ? { brand: row.card_brand as CardBrand, last4: row.card_last4 } : null,
  paidAt: row.paid_at,
  createdAt: row.created_at,
});

const one = (rows: TransactionsRow[]): Transaction | null => (rows[0] ? fromRow(rows[0]) : null);

/** Inserts a transaction. Violates `transactions_organisation_id_reference_key` when the reference is taken. */
export function insertTransaction(tx: Tx, t: Transaction): void {
  tx.queue`
    insert into transactions (organisation_id, id, reference, status, amount_cents, currency, type, gateway_account_id,
      gateway_type, sandbox, description, provider_ref, payer_email, payment_link_id, invoice_id, eft_order_id,
      customer_id, external_reference, metadata, renewal,
      parent_reference, subscription_id, card_brand, card_last4, created_at)
    values (${tx.organisation}, ${t.id}, ${t.reference}, ${t.status}, ${t.amount}, ${t.currency}, ${t.type}, ${t.gatewayAccountId},
      ${t.gatewayType}, ${t.sandbox}, ${t.description}, ${t.providerRef}, ${t.payerEmail}, ${t.paymentLinkId}, ${t.invoiceId},
      ${t.eftOrderId}, ${t.customerId}, ${t.externalReference}, ${JSON.stringify(t.metadata)}, ${t.renewal}, ${t.parentReference},
      ${t.subscriptionId}, ${t.card?.brand ?? null}, ${t.card?.last4 ?? null}, ${t.createdAt})`;
}

/** Inserts new transactions that only the service itself starts, such as debits, all in one statement. */
export async function insertTransactions(tx: Tx, transactions: readonly Transaction[]): Promise<void> {
  const of = (field: keyof Transaction) => transactions.map((transaction) => transaction[field]);
  await tx.sql`
    insert into transactions (organisation_id, id, reference, status, amount_cents, currency, type, gateway_account_id,
      gateway_type, sandbox, description, payer_email, customer_id, invoice_id, external_reference, metadata, renewal,
      parent_reference, subscription_id, created_at)
    select ${tx.organisation}, t.id, t.reference, 'pending', t.amount_cents, t.currency, t.type, t.gateway_account_id,
           t.gateway_type, t.sandbox, t.description, t.payer_email, t.customer_id, t.invoice_id, t.external_reference,
           t.metadata, t.renewal, t.parent_reference, t.subscription_id, t.created_at
      from unnest(${of("id")}::text[], ${of("reference")}::text[], ${of("amount")}::bigint[], ${of("currency")}::text[],
        ${of("type")}::text[],
        ${of("gatewayAccountId")}::text[], ${of("gatewayType")}::text[], ${of("sandbox")}::boolean[], ${of("description")}::text[],
        ${of("payerEmail")}::text[], ${of("customerId")}::text[], ${of("invoiceId")}::text[], ${of("externalReference")}::text[],
        ${transactions.map(({ metadata }) => JSON.stringify(metadata))}::jsonb[], ${of("renewal")}::boolean[],
        ${of("parentReference")}::text[],
        ${of("subscriptionId")}::text[], ${of("createdAt")}::timestamptz[])
        as t(id, reference, amount_cents, currency, type, gateway_account_id, gateway_type, sandbox, description, payer_email, customer_id,
          invoice_id, external_reference, metadata, renewal, parent_reference, subscription_id, created_at)
    returning id`;
}

/**
 * By our reference; a reference with a legacy prefix is found like any other (interface 2.2). Null when absent or
 * another organisation's.
 */
export async function findByReference(tx: Tx, reference: string): Promise<Transaction | null> {
  return one(
    await tx.sql<TransactionsRow>`select * from transactions where organisation_id = ${tx.organisation} and reference = ${reference}`,
  );
}

/** The payments with these references, as far as they exist, by their references. */
export async function findByReferences(
  tx: Tx,
  references: readonly string[],
): Promise<ReadonlyMap<string, Transaction>> {
  if (references.length === 0) return new Map();
  const rows = await tx.sql<TransactionsRow>`
    select * from transactions where organisation_id = ${tx.organisation} and reference = any (${references})`;
  return new Map(rows.map((row) => [row.reference, fromRow(row)]));
}

/** The payment with this id of the gateway, in one gateway account; null when none has it, and when two have it. */
export async function findByProviderRef(tx: Tx, accountId: string, providerRef: string): Promise<Transaction | null> {
  const rows = await tx.sql<TransactionsRow>`
    select * from transactions
     where organisation_id = ${tx.organisation} and gateway_account_id = ${accountId} and provider_ref = ${providerRef} limit 2`;
  return rows.length === 1 ? one(rows) : null;
}

/** Locks a transaction until the database transaction ends. */
export async function lockTransaction(tx: Tx, id: TransactionId): Promise<Transaction | null> {
  return one(
    await locking(tx, "transaction").sql<TransactionsRow>`
      select * from transactions where organisation_id = ${tx.organisation} and id = ${id} for no key update`,
  );
}

/** Stores the gateway's own ids of pending payments, unless one is stored. */
export function recordProviderRefs(
  tx: Tx,
  known: readonly { readonly id: TransactionId; readonly providerRef: string }[],
): void {
  if (known.length === 0) return;
  locking(tx, "transaction").queue`
    update transactions t set provider_ref = k.provider_ref
      from unnest(${known.map(({ id }) => id)}::text[], ${known.map(({ providerRef }) => providerRef)}::text[]) as k(id, provider_ref)
     where t.organisation_id = ${tx.organisation} and t.id = k.id and t.provider_ref is null`;
}

/** Stores that the payment started a subscription. */
export function setSubscription(tx: Tx, id: TransactionId, subscription: string): void {
  locking(tx, "transaction").queue`
    update transactions set subscription_id = ${subscription} where organisation_id = ${tx.organisation} and id = ${id}`;
}

/** Stores that the payment pays an invoice that was made for it. */
export function setInvoice(tx: Tx, id: TransactionId, invoice: InvoiceId): void {
  locking(tx, "transaction").queue`
    update transactions set invoice_id = ${invoice} where organisation_id = ${tx.organisation} and id = ${id}`;
}

/** The payments of a subscription, newest first. */
export async function listChargesOfSubscription(
  tx: Tx,
  subscription: string,
  query: ListQuery<never>,
): Promise<Transaction[]> {
  const rows = await tx.sql<TransactionsRow>`
    select * from transactions where organisation_id = ${tx.organisation} and subscription_id = ${subscription}
      ${onPage(query, part`id`)}
     ${newestFirst(query, part`id`)}`;
  return rows.map(fromRow);
}

/** The payment with this id; null when there is none. */
export async function findTransaction(tx: Tx, id: string): Promise<Transaction | null> {
  return one(
    await tx.sql<TransactionsRow>`select * from transactions where organisation_id = ${tx.organisation} and id = ${id}`,
  );
}

/** The payments with these ids, as far as they exist, by their ids. */
export async function findTransactions(
  tx: Tx,
  ids: readonly string[],
): Promise<ReadonlyMap<TransactionId, Transaction>> {
  if (ids.length === 0) return new Map();
  const rows = await tx.sql<TransactionsRow>`
    select * from transactions where organisation_id = ${tx.organisation} and id = any (${ids})`;
  return new Map(rows.map((row) => [row.id, fromRow(row)]));
}

/** The newest payments of each of these invoices, at most `each`. */
export async function paymentsOfInvoices(tx: Tx, invoices: readonly string[], each: number): Promise<Transaction[]> {
  const rows = await tx.sql<TransactionsRow>`
    select t.* from unnest(${invoices}::text[]) as w(invoice)
     cross join lateral (select * from transactions where organisation_id = ${tx.organisation} and invoice_id = w.invoice
                          order by id desc limit ${each}) t order by t.id desc`;
  return rows.map(fromRow);
}

/** A payment that moves forward, with the reported data. */
interface ForwardMove {
  readonly id: TransactionId;
  readonly to: ForwardStatus;
  /** When it completed; for the other statuses it is not stored. */
  readonly at: Instant;
  readonly fee: Cents | null;
  readonly providerRef: string | null;
  readonly payerEmail: string | null;
  /** Of one that fails. */
  readonly declineReason: DeclineReason | null;
  readonly card: NamedCard | null;
}

/**
 * Moves payments forward, each at most once in a call, and returns the moved rows (interface 3.1). The conditional
 * update is the lock: of several calls at once, one gets a row, and only that one fulfils the payment. A payment whose
 * status is `to` or a later one is left out.
 */
export async function advanceAll(
  tx: Tx,
  moves: readonly ForwardMove[],
): Promise<ReadonlyMap<TransactionId, Transaction>> {
  const of = (field: keyof Omit<ForwardMove, "card">) => moves.map((move) => move[field]);
  const rows = await locking(tx, "transaction").sql<TransactionsRow>`
    update transactions t set status = m.status, paid_at = case when m.status = 'complete' then m.moved_at end, fee_cents = m.fee_cents,
      decline_reason = m.decline_reason,
      card_brand = coalesce(m.card_brand, t.card_brand), card_last4 = coalesce(m.card_last4, t.card_last4),
      provider_ref = coalesce(m.provider_ref, t.provider_ref), payer_email = coalesce(t.payer_email, m.payer_email)
      from unnest(${of("id")}::text[], ${of("to")}::text[], ${of("at")}::timestamptz[], ${of("fee")}::bigint[],
        ${of("providerRef")}::text[],
        ${of("payerEmail")}::text[], ${of("declineReason")}::text[], ${moves.map(({ to }) => statusesBefore(to).join())}::text[],
        ${moves.map(({ card }) => card?.brand ?? null)}::text[], ${moves.map(({ card }) => card?.last4 ?? null)}::text[])
        as m(id, status, moved_at, fee_cents, provider_ref, payer_email, decline_reason, statuses_before, card_brand, card_last4)
     where t.organisation_id = ${tx.organisation} and t.id = m.id and t.status = any (string_to_array(m.statuses_before, ','))
    returning t.*`;
  return new Map(rows.map((row) => [row.id, fromRow(row)]));
}

/**
 * Updates the status of a completed payment after a refund (interface 3.1, refund rows); nothing for other payments.
 */
export function setStatusAfterRefund(
  tx: Tx,
  id: TransactionId,
  status: "complete" | "partially_refunded" | "refunded",
): void {
  locking(tx, "transaction").queue`
    update transactions set status = ${status}
     where organisation_id = ${tx.organisation} and id = ${id} and status in ('complete', 'partially_refunded', 'refunded')`;
}

/** Stores why payments that had completed came back unpaid. */
export function setDeclineReasons(
  tx: Tx,
  payments: readonly { readonly id: TransactionId; readonly reason: DeclineReason }[],
): void {
  if (payments.length === 0) return;
  locking(tx, "transaction").queue`
    update transactions t set decline_reason = d.reason
      from unnest(${payments.map(({ id }) => id)}::text[], ${payments.map(({ reason }) => reason)}::text[]) as d(id, reason)
     where t.organisation_id = ${tx.organisation} and t.id = d.id and t.paid_at is not null`;
}

/** Adds a flag for staff; with `overpaid`, also stores the overpaid amount in cents. */
export function flagTransaction(tx: Tx, id: TransactionId, flag: Flag, overpaid: Cents | null = null): void {
  locking(tx, "transaction").queue`
    update transactions set flags = case when ${flag} = any(flags) then flags else flags || ${flag}::text end,
      overpaid_cents = coalesce(${overpaid}, overpaid_cents)
     where organisation_id = ${tx.organisation} and id = ${id}`;
}

/**
 * Adds to the overpaid amount of a payment and flags it for staff, as when its invoice is cancelled. Locks the payment
 * and returns it. Throws an AssertionError when there is none.
 */
export async function addOverpaid(tx: Tx, id: string, amount: Cents): Promise<Transaction> {
  const payment = one(
    await locking(tx, "transaction").sql<TransactionsRow>`
      update transactions set overpaid_cents = overpaid_cents + ${amount},
        flags = case when 'overpaid' = any(flags) then flags else flags || 'overpaid'::text end
       where organisation_id = ${tx.organisation} and id = ${id} returning *`,
  );
  assert(payment, "a payment that was applied stays");
  return payment;
}

/** The newest pending charge of a saved card that was made through the link or for the invoice. Locks nothing. */
export async function findPendingCharge(
  tx: Tx,
  { linkId, invoiceId }: { readonly linkId: string | null; readonly invoiceId: string | null },
): Promise<Transaction | null> {
  return one(
    await tx.sql<TransactionsRow>`
      select * from transactions where organisation_id = ${tx.organisation} and status = 'pending' and type = 'card_debit'
         and (payment_link_id = ${linkId} or invoice_id = ${invoiceId}) order by id desc limit 1`,
  );
}

/** The id and the reference of the payment that has this id or this reference. */
export async function findByIdOrReference(tx: Tx, name: string): Promise<Pick<Transaction, "id" | "reference"> | null> {
  const [row] = await tx.sql<Pick<TransactionsRow, "id" | "reference">>`
    select id, reference from transactions where organisation_id = ${tx.organisation} and (id = ${name} or reference = ${name})`;
  return row ?? null;
}

/**
 * The remaining amount of debits that were collected in a span, by currency and South African day, oldest first. A bank
 * takes back a whole debit whatever was refunded of it, so refunds reduce only the amount that can no longer be
 * disputed.
 */
export async function collectedDebits(tx: Tx, { risk, from, until }: DebitSpan): Promise<DebitsOfDay[]> {
  return tx.sql<DebitsOfDay>`
    with summed as (
      select currency, day, amount_cents, records
        ${fromDaySums(tx, "debits")} and day >= ${calendarDay(from)} and day < ${calendarDay(until)}
       union all
      select currency, day, -amount_cents, -records
        ${fromDaySums(tx, risk === "at_risk" ? "debits_reversed" : "debits_returned")}
         and day >= ${calendarDay(from)} and day < ${calendarDay(until)})
    select currency, day, sum(amount_cents)::bigint as amount, sum(records)::integer as count from summed
     group by 1, 2 having sum(records) <> 0 order by 1, 2`;
}

/** The short object of a transaction's customer (interface 2.4); null without one. */
export async function customerOfTransaction(
  tx: Tx,
  { customerId }: Pick<Transaction, "customerId">,
): Promise<CustomerReference | null> {
  return customerId && ((await customersOfTransactions(tx, [{ customerId }])).get(customerId) ?? null);
}

/** The short objects of the customers of transactions, by their ids. */
export const customersOfTransactions = (
  tx: Tx,
  transactions: readonly Pick<Transaction, "customerId">[],
): Promise<ReadonlyMap<CustomerId, CustomerReference>> =>
  customerReferences(
    tx,
    transactions.flatMap(({ customerId }) => customerId ?? []),
  );

/** Stores that the goods of a payment without an invoice are exempt from VAT. */
export function markExempt(tx: Tx, ids: readonly TransactionId[]): void {
  if (ids.length === 0) return;
  locking(tx, "transaction").queue`
    update transactions set tax_exempt = true where organisation_id = ${tx.organisation} and id = any (${ids})`;
}

/**
 * Whether a payment of the invoice is under way. The caller has locked the invoice with its links, so that none starts.
 */
export async function hasPaymentUnderWay(tx: Tx, invoiceId: string): Promise<boolean> {
  const rows = await tx.sql`
    select t.id from transactions t where t.organisation_id = ${tx.organisation} and t.invoice_id = ${invoiceId}
       and ${isUnderWay(tx)} limit 1`;
  return rows.length > 0;
}

/** Whether a payment of the invoice was ever begun: even one that failed may still turn out to be complete. */
export async function hasAnyPayment(tx: Tx, invoiceId: string): Promise<boolean> {
  const rows = await tx.sql`
    select t.id from transactions t where t.organisation_id = ${tx.organisation} and t.invoice_id = ${invoiceId} limit 1`;
  return rows.length > 0;
}

/**
 * Of these invoices, those that the service is collecting automatically for a subscription: a charge or a debit is
 * pending.
 */
export async function invoicesBeingCollected(tx: Tx, invoices: readonly InvoiceId[]): Promise<ReadonlySet<InvoiceId>> {
  if (invoices.length === 0) return new Set();
  const rows = await tx.sql<{ invoice_id: InvoiceId }>`
    select invoice_id from transactions where organisation_id = ${tx.organisation} and invoice_id = any (${invoices}) and status = 'pending'
       and subscription_id is not null and type in ('card_debit', 'debit_order') and payment_link_id is null`;
  return new Set(rows.map((row) => row.invoice_id));
}

/** The reference of the first paid payment of a subscription that paid an invoice of it; null before it. */
export async function firstPaidOf(tx: Tx, subscription: string): Promise<string | null> {
  const [row] = await tx.sql<Pick<TransactionsRow, "reference">>`
    select reference from transactions where organisation_id = ${tx.organisation} and subscription_id = ${subscription}
       and paid_at is not null and invoice_id is not null
     order by id limit 1`;
  return row?.reference ?? null;
}

/** Payments that are pending for longer than a payer takes. */
export interface WaitingPayments {
  readonly count: number;
  readonly oldestAt: Instant | null;
}

/** Payments of an account that were started before `before` and are pending. */
export async function waitingPayments(tx: Tx, accountId: string, before: Instant): Promise<WaitingPayments> {
  const [row] = await tx.sql<WaitingPayments>`
    select count(*)::int as count, min(created_at) as "oldestAt" from transactions
     where organisation_id = ${tx.organisation} and status = 'pending' and created_at < ${before} and gateway_account_id = ${accountId}`;
  return row ?? { count: 0, oldestAt: null };
}
