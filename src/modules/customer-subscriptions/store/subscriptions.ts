// Writes: customer_subscriptions, customer_subscription_moves, customer_subscription_movements. Reads:
// customer_subscription_bills, payment_links (of an invoice), plan_versions (whether prices follow the standard rate of
// VAT), cards, mandates, subscription_collections (whether one was missed).

import { CUSTOMER_SEARCH_TEXT, joinCustomer } from "../../../domain/customer-name.ts";
import { IN_OPEN } from "../../../domain/invoices.ts";
import { joinInvoice, joinPackage, joinPlan } from "../../../domain/joins.ts";
import { totalsOf } from "../../../domain/list-totals.ts";
import { createdIn, hasMetadata, newestFirst, onPage, type PageQuery } from "../../../domain/lists.ts";
import { locking } from "../../../domain/locks.ts";
import type { CustomerSubscriptionsRow } from "../../../domain/rows.ts";
import { vatTimelineOf } from "../../../domain/settings.ts";
import type { CustomerSubscriptionId, InvoiceId, MandateId, PackageId } from "../../../kernel/ids.ts";
import { containing } from "../../../kernel/text.ts";
import { addDays, type CalendarDay, type Instant, startOfDay } from "../../../kernel/time.ts";
import { datedRates, type VatTimeline } from "../../../kernel/vat-rates.ts";
import { NOTHING, type Part, part, type Tx, when } from "../../../platform/database.ts";
import { newId } from "../../../platform/new-id.ts";
import { type RowColumns, rowsOf } from "../../../platform/rows-of.ts";
import { mrrOf } from "../rules/mrr.ts";
import { undated, withUnit } from "../rules/planner/prices.ts";
import type { Subscription, Terms } from "../rules/planner/types.ts";
import type { CustomerSubscriptionQueried } from "../schema/subscriptions.ts";
import type {
  CustomerSubscription,
  CustomerSubscriptionStatus,
  PeriodMove,
  ShownSubscription,
  SubscriptionCard,
  SubscriptionInvoice,
} from "../types.ts";
import { cardEndsFirst, NEXT_BILLING } from "./next-billing.ts";

interface Row extends CustomerSubscriptionsRow {
  customer_reference: string | null;
  customer_email: string | null;
  plan_name: string;
  package_id: PackageId;
  package_name: string;
  card: SubscriptionCard | null;
  vat_timeline: VatTimeline;
  standard_rate: boolean;
  pending_standard_rate: boolean | null;
}

interface WholeRow extends Row {
  is_past_due: boolean;
  last_invoice: SubscriptionInvoice | null;
  open_invoice: SubscriptionInvoice | null;
  mandate_id: MandateId | null;
}

/** The state with the VAT rates of its prices by day. */
function stateOf(row: Row): Subscription {
  const state = row.state as Subscription;
  const dated = (terms: Terms, standardRate: boolean): Terms => {
    const rates = datedRates({ ...terms.price, standardRate }, row.vat_timeline);
    return rates.datedRates ? { ...terms, price: { ...terms.price, ...rates } } : terms;
  };
  return {
    ...state,
    period: withUnit(state.period, state.terms.price),
    awaiting: withUnit(state.awaiting, state.terms.price),
    terms: dated(state.terms, row.standard_rate),
    pendingChange: state.pendingChange && dated(state.pendingChange, row.pending_standard_rate ?? false),
  };
}

/**
 * The state as it is stored (decisions.md#state-is-one-document): without the rates by day, which follow from the
 * settings.
 */
function storedState({ state }: Pick<CustomerSubscription, "state">): string {
  const { terms, pendingChange } = state;
  return JSON.stringify({ ...state, terms: undated(terms), pendingChange: pendingChange && undated(pendingChange) });
}

const fromRow = (row: Row): CustomerSubscription => ({
  id: row.id,
  status: row.status,
  customer: { id: row.customer_id, externalReference: row.customer_reference, email: row.customer_email },
  plan: { id: row.plan_id, name: row.plan_name, packageId: row.package_id, packageName: row.package_name },
  collectionMethod: row.collection_method,
  externalReference: row.external_reference,
  metadata: row.metadata,
  source: row.source,
  state: stateOf(row),
  nextDue: row.next_due,
  pausedAt: row.paused_at,
  cancelledAt: row.cancelled_at,
  cancelReason: row.cancel_reason,
  trialNoticedFor: row.trial_noticed_for,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  card: row.card,
});

const shownFromRow = (row: WholeRow): ShownSubscription => ({
  ...fromRow(row),
  isPastDue: row.is_past_due,
  lastInvoice: row.last_invoice,
  openInvoice: row.open_invoice,
  mandateId: row.collection_method === "debit_order" ? row.mandate_id : null,
});

/**
 * Whether `s` has an unpaid invoice: with `invoice`, past its due date (interface 16.13); with `gateway` and
 * `debit_order`, after an attempt that failed (interface 16.16).
 */
export const pastDue = (tx: Tx, today: CalendarDay) => part`
  (s.status = 'active' and s.collection_method in ('invoice', 'gateway', 'debit_order') and exists (
    select from customer_subscription_bills b
      ${joinInvoice(tx, part`b.invoice_id`)}
      left join subscription_collections k on k.organisation_id = ${tx.organisation} and k.invoice_id = b.invoice_id
     where b.organisation_id = ${tx.organisation} and b.customer_subscription_id = s.id
       and i.status ${IN_OPEN}
       and case when s.collection_method = 'invoice' then i.due_date < ${today} else k.missed_at is not null end))`;

/** A `SubscriptionInvoice` of an invoice `i`. */
const invoiceAsJson = (tx: Tx) => part`
  json_build_object('id', i.id, 'number', i.number, 'status', i.status, 'currency', i.currency, 'total', i.total_cents,
    'paid', i.paid_cents,
    'dueDate', i.due_date, 'payLinkId', (select l.id from payment_links l
      where l.organisation_id = ${tx.organisation} and l.invoice_id = i.id and l.collects_balance and l.active))`;

/** The invoices of `s` as `i`, by their bills `b`; a condition and an order may follow. */
const invoicesOf = (tx: Tx) => part`
  from customer_subscription_bills b ${joinInvoice(tx, part`b.invoice_id`)}
 where b.organisation_id = ${tx.organisation} and b.customer_subscription_id = s.id`;

/** Selects subscriptions of the organisation as `s`, with these additional columns; a condition may follow. */
const selected = (tx: Tx, besides: Part) => part`
  select s.*, c.external_reference as customer_reference, c.email as customer_email, p.name as plan_name,
         k.id as package_id, k.name as package_name, v.standard_rate, ${vatTimelineOf(tx)} as vat_timeline,
         case when s.pending_plan_id is not null then (select w.standard_rate from plan_versions w
           where w.organisation_id = ${tx.organisation}
             and w.id = s.state -> 'pendingChange' -> 'price' ->> 'id') end as pending_standard_rate,
         case when d.id is not null then json_build_object('id', d.id, 'brand', d.brand, 'last4', d.last4, 'expiryMonth', d.expiry_month,
           'expiryYear', d.expiry_year) end as card${besides}
    from customer_subscriptions s
    ${joinCustomer(tx, part`s.customer_id`)}
    ${joinPlan(tx, part`s.plan_id`)}
    ${joinPackage(tx, part`p.package_id`)}
    join plan_versions v on v.organisation_id = ${tx.organisation} and v.id = s.plan_version_id
    left join cards d on d.organisation_id = ${tx.organisation} and d.id = s.card_id
   where s.organisation_id = ${tx.organisation}`;

/** Selects whole subscriptions of the organisation as `s`; a condition may follow. */
const whole = (tx: Tx, today: CalendarDay) =>
  selected(
    tx,
    part`, ${pastDue(tx, today)} as is_past_due,
         (select ${invoiceAsJson(tx)} ${invoicesOf(tx)} order by b.id desc limit 1) as last_invoice,
         (select ${invoiceAsJson(tx)} ${invoicesOf(tx)} and i.status not in ('paid', 'cancelled') order by b.id limit 1) as open_invoice,
         (select m.id from mandates m where m.organisation_id = ${tx.organisation} and m.subscription_id = s.id and m.status <> 'cancelled'
           order by m.status = 'active' desc, m.status = 'paused' desc, m.id desc limit 1) as mandate_id`,
  );

/** Inserts a subscription. Violates a unique constraint when another one has its external reference. */
export function insertCustomerSubscription(tx: Tx, s: CustomerSubscription): void {
  const mrr = mrrOf(s);
  tx.queue`
    insert into customer_subscriptions (organisation_id, id, status, customer_id, plan_id, plan_version_id, collection_method,
      external_reference, metadata, source, card_id, state, next_due, mrr_cents, created_at, updated_at)
    values (${tx.organisation}, ${s.id}, ${s.status}, ${s.customer.id}, ${s.plan.id}, ${s.state.terms.price.id}, ${s.collectionMethod},
      ${s.externalReference}, ${JSON.stringify(s.metadata)}, ${s.source}, ${s.card?.id ?? null}, ${storedState(s)}, ${s.nextDue}, ${mrr},
      ${s.createdAt}, ${s.updatedAt})`;
  if (mrr > 0)
    tx.queue`
      insert into customer_subscription_movements (organisation_id, id, customer_subscription_id, kind, currency, amount_cents, happened_at)
      values (${tx.organisation}, ${newId("mrm")}, ${s.id}, 'new', ${s.state.terms.price.currency}, ${mrr}, ${s.createdAt})`;
}

/** Updates the fields that billing and actions change. The caller has locked it. */
export const saveCustomerSubscription = (tx: Tx, subscription: CustomerSubscription): void =>
  saveCustomerSubscriptions(tx, [subscription]);

const SAVED: RowColumns<CustomerSubscription> = {
  id: ["text", ({ id }) => id],
  status: ["text", ({ status }) => status],
  collection_method: ["text", ({ collectionMethod }) => collectionMethod],
  plan_id: ["text", ({ plan }) => plan.id],
  plan_version_id: ["text", ({ state }) => state.terms.price.id],
  pending_plan_id: ["text", ({ state }) => state.pendingChange?.price.planId ?? null],
  card_id: ["text", ({ card }) => card?.id ?? null],
  state: ["jsonb", storedState],
  next_due: ["date", ({ nextDue }) => nextDue],
  paused_at: ["timestamptz", ({ pausedAt }) => pausedAt],
  cancelled_at: ["timestamptz", ({ cancelledAt }) => cancelledAt],
  cancel_reason: ["text", ({ cancelReason }) => cancelReason],
  trial_noticed_for: ["date", ({ trialNoticedFor }) => trialNoticedFor],
  updated_at: ["timestamptz", ({ updatedAt }) => updatedAt],
  currency: ["text", ({ state }) => state.terms.price.currency],
  mrr_cents: ["bigint", mrrOf],
  movement_id: ["text", () => newId("mrm")],
};

/** As `saveCustomerSubscription`, many in one statement, which also records the movements of their monthly revenue. */
export function saveCustomerSubscriptions(tx: Tx, subscriptions: readonly CustomerSubscription[]): void {
  tx.queue`
    with n as materialized (select * from ${rowsOf(subscriptions, SAVED)}),
    before as materialized (
      select s.id, s.mrr_cents from customer_subscriptions s where s.organisation_id = ${tx.organisation} and s.id in (select n.id from n)),
    saved as (
      update customer_subscriptions s set status = n.status, collection_method = n.collection_method, plan_id = n.plan_id,
        plan_version_id = n.plan_version_id,
        pending_plan_id = n.pending_plan_id, card_id = n.card_id, state = n.state, next_due = n.next_due,
        paused_at = n.paused_at, cancelled_at = n.cancelled_at, cancel_reason = n.cancel_reason,
        trial_noticed_for = n.trial_noticed_for, mrr_cents = n.mrr_cents, updated_at = n.updated_at
        from n where s.organisation_id = ${tx.organisation} and s.id = n.id returning s.id)
    insert into customer_subscription_movements (organisation_id, id, customer_subscription_id, kind, currency, amount_cents, happened_at)
    select ${tx.organisation}, n.movement_id, n.id,
           case when n.mrr_cents = 0 then 'churn' when b.mrr_cents > n.mrr_cents then 'contraction' when b.mrr_cents > 0 then 'expansion'
             when exists (select from customer_subscription_movements m where m.organisation_id = ${tx.organisation}
                          and m.customer_subscription_id = n.id)
             then 'reactivation' else 'new' end,
           n.currency, n.mrr_cents - b.mrr_cents, n.updated_at
      from n join before b on b.id = n.id where n.mrr_cents <> b.mrr_cents
    returning id`;
}

/**
 * Updates metadata and reference. The caller has locked it. Violates a unique constraint when another one has its
 * external reference.
 */
export function saveSubscriptionLabels(tx: Tx, s: CustomerSubscription): void {
  tx.queue`
    update customer_subscriptions set external_reference = ${s.externalReference},
      metadata = ${JSON.stringify(s.metadata)}, updated_at = ${s.updatedAt}
     where organisation_id = ${tx.organisation} and id = ${s.id}`;
}

/** Null when absent or another organisation's. */
export async function findCustomerSubscription(
  tx: Tx,
  id: string,
  today: CalendarDay,
): Promise<ShownSubscription | null> {
  const [row] = await tx.sql<WholeRow>`${whole(tx, today)} and s.id = ${id}`;
  return row ? shownFromRow(row) : null;
}

/**
 * Without the fields that follow from its invoices and its mandate, which take most of the time. Null when absent or
 * another organisation's.
 */
export async function findSubscriptionAlone(tx: Tx, id: string): Promise<CustomerSubscription | null> {
  const [row] = await tx.sql<Row>`${selected(tx, NOTHING)} and s.id = ${id}`;
  return row ? fromRow(row) : null;
}

/** The subscriptions with these ids, by id. */
export async function findCustomerSubscriptions(
  tx: Tx,
  ids: readonly string[],
  today: CalendarDay,
): Promise<ShownSubscription[]> {
  const rows = await tx.sql<WholeRow>`${whole(tx, today)} and s.id = any (${ids}) order by s.id`;
  return rows.map(shownFromRow);
}

/** Locks the subscription until the transaction ends. */
export async function lockCustomerSubscription(tx: Tx, id: string): Promise<CustomerSubscriptionId | null> {
  return (await lockCustomerSubscriptions(tx, [id])).get(id) ?? null;
}

/** As `lockCustomerSubscription`, many in the order of their ids; answers those that exist. */
export async function lockCustomerSubscriptions(
  tx: Tx,
  ids: readonly string[],
): Promise<ReadonlyMap<string, CustomerSubscriptionId>> {
  const rows = await locking(tx, "customer subscription").sql<{ id: CustomerSubscriptionId }>`
    select id from customer_subscriptions where organisation_id = ${tx.organisation} and id = any (${ids}) order by id for no key update`;
  return new Map(rows.map(({ id }) => [id as string, id]));
}

/** The subscription with the merchant's own reference; null when there is none. */
export async function subscriptionOfReference(
  tx: Tx,
  reference: string,
  today: CalendarDay,
): Promise<ShownSubscription | null> {
  const [row] = await tx.sql<WholeRow>`${whole(tx, today)} and s.external_reference = ${reference}`;
  return row ? shownFromRow(row) : null;
}

/** The subscriptions with these references. */
export async function subscriptionsOfReferences(
  tx: Tx,
  references: readonly string[],
  today: CalendarDay,
): Promise<ShownSubscription[]> {
  const rows = await tx.sql<WholeRow>`${whole(tx, today)} and s.external_reference = any (${references})`;
  return rows.map(shownFromRow);
}

type SubscriptionFilter = Omit<CustomerSubscriptionQueried, keyof PageQuery>;

/**
 * Condition on `s`, its customer `c` and its package `k`: the list's filters, except the status; `q` searches the customer's names, email
 * and reference, and the subscription's reference.
 */
function recordsWanted(tx: Tx, query: SubscriptionFilter): Part {
  const { collectionMethod, nextBillingFrom, nextBillingTo } = query;
  const search = query.q ? containing(query.q) : null;
  return part`
      ${when(query.planId, (planId) => part`and s.plan_id = ${planId}`)}
      ${when(query.packageId, (packageId) => part`and k.id = ${packageId}`)}
      ${when(query.customerId, (customerId) => part`and s.customer_id = ${customerId}`)}
      ${when(query.customerExternalReference, (customerExternalReference) => part`and c.external_reference = ${customerExternalReference}`)}
      ${when(query.externalReference, (externalReference) => part`and s.external_reference = ${externalReference}`)}
      ${when(collectionMethod, (value) => part`and s.collection_method = any (${value})`)}
      ${when(
        query.collectedByService,
        (collected) => part`and (s.collection_method <> 'external') = ${collected === "true"}`,
      )}
      ${when(nextBillingFrom, (value) => part`and ${NEXT_BILLING} >= ${value}`)}
      ${when(nextBillingTo, (value) => part`and ${NEXT_BILLING} <= ${value}`)}
      ${when(query.currency, (currency) => part`and ${CURRENCY} = ${currency}`)}
      ${when(query.recurring, () => part`and s.mrr_cents <> 0`)}
      ${when(query.cardExpiring, () => part`and ${cardEndsFirst(tx)}`)}
      ${createdIn(query, "csub", { id: part`s.id`, createdAt: part`s.created_at` })}
      ${hasMetadata(query, part`s.metadata`)}
      ${when(search, (value) => part`and (s.external_reference ilike ${value} or ${CUSTOMER_SEARCH_TEXT} ilike ${value})`)}`;
}

/** The currency of the subscription `s`. */
const CURRENCY = part`s.state -> 'terms' -> 'price' ->> 'currency'`;

/**
 * Condition on `s`: it has one of these statuses. What that says of the stored one, and of the invoices of those that
 * are past due, is said too, since indexes find it.
 */
function hasStatus(tx: Tx, statuses: readonly CustomerSubscriptionStatus[], today: CalendarDay): Part {
  const stored = [...new Set(statuses.map((status) => (status === "past_due" ? "active" : status)))];
  const [only, ...others] = stored;
  // Equal to one status, the index by status has the subscriptions in the order of the list.
  const isStored = only !== undefined && others.length === 0 ? part`= ${only}` : part`= any (${stored})`;
  const owing = part`and s.id = any (array(select b.customer_subscription_id from customer_subscription_bills b
      ${joinInvoice(tx, part`b.invoice_id`)} where b.organisation_id = ${tx.organisation} and i.status ${IN_OPEN}))`;
  return part`and s.status ${isStored} ${statuses.every((status) => status === "past_due") ? owing : NOTHING}
       and case when ${pastDue(tx, today)} then 'past_due' else s.status end = any (${statuses})`;
}

/** Newest first. */
export async function listCustomerSubscriptions(
  tx: Tx,
  query: CustomerSubscriptionQueried,
  today: CalendarDay,
): Promise<ShownSubscription[]> {
  const rows = await tx.sql<WholeRow>`
    ${whole(tx, today)} ${recordsWanted(tx, query)} ${when(query.status, (statuses) => hasStatus(tx, statuses, today))}
      ${onPage(query, part`s.id`)} ${newestFirst(query, part`s.id`)}`;
  return rows.map(shownFromRow);
}

/** How many subscriptions match, and their monthly recurring revenue by currency. */
export const subscriptionTotals = (tx: Tx, query: SubscriptionFilter, today: CalendarDay, countTo?: number) =>
  totalsOf(tx, countTo, {
    records: part`
      from customer_subscriptions s
      ${joinCustomer(tx, part`s.customer_id`)}
      ${joinPlan(tx, part`s.plan_id`)}
      ${joinPackage(tx, part`p.package_id`)}
     where s.organisation_id = ${tx.organisation} ${recordsWanted(tx, query)}
     ${when(query.status, (statuses) => hasStatus(tx, statuses, today))}`,
    currency: CURRENCY,
    sums: { mrr: part`s.mrr_cents` },
  });

/** Inserts a move of the end of a period. */
export function insertPeriodMove(tx: Tx, { id, subscriptionId, cycle, endedOn, endsOn, createdAt }: PeriodMove): void {
  tx.queue`
    insert into customer_subscription_moves (organisation_id, id, customer_subscription_id, cycle, ended_on, ends_on, created_at)
    values (${tx.organisation}, ${id}, ${subscriptionId}, ${cycle}, ${endedOn}, ${endsOn}, ${createdAt})`;
}

/** A subscription with the invoice of one of its bills. */
export interface BilledSubscription {
  readonly id: CustomerSubscriptionId;
  readonly invoiceId: InvoiceId;
}

/** Locks the subscription of an invoice, until the transaction ends. */
export async function lockSubscriptionOfInvoice(tx: Tx, invoice: string): Promise<BilledSubscription | null> {
  const [row] = await locking(tx, "customer subscription").sql<BilledSubscription>`
    select s.id, b.invoice_id as "invoiceId" from customer_subscription_bills b
      join customer_subscriptions s on s.organisation_id = ${tx.organisation} and s.id = b.customer_subscription_id
     where b.organisation_id = ${tx.organisation} and b.invoice_id = ${invoice} for no key update of s`;
  return row ?? null;
}

/**
 * The invoice that makes a subscription past due, or would if it were active, and since when; the earliest of several.
 */
export async function firstPastDue(
  tx: Tx,
  { id, collectionMethod }: Pick<CustomerSubscription, "id" | "collectionMethod">,
  today: CalendarDay,
): Promise<{ invoiceId: InvoiceId; since: Instant } | null> {
  const [row] = await tx.sql<{ invoice_id: InvoiceId; due_date: CalendarDay; missed_at: Instant | null }>`
    select b.invoice_id, i.due_date, k.missed_at from customer_subscription_bills b
      ${joinInvoice(tx, part`b.invoice_id`)}
      left join subscription_collections k on k.organisation_id = ${tx.organisation} and k.invoice_id = b.invoice_id
     where b.organisation_id = ${tx.organisation} and b.customer_subscription_id = ${id}
       and i.status ${IN_OPEN}
       and case ${collectionMethod} when 'invoice' then i.due_date < ${today} when 'manual' then false else k.missed_at is not null end
     order by k.missed_at, i.due_date, i.id limit 1`;
  return row ? { invoiceId: row.invoice_id, since: row.missed_at ?? startOfDay(addDays(row.due_date, 1)) } : null;
}

/** Whether this invoice is the first of its subscription's invoices that are unpaid past their due dates. */
export async function isFirstPastDue(
  tx: Tx,
  id: CustomerSubscriptionId,
  invoice: InvoiceId,
  today: CalendarDay,
): Promise<boolean> {
  const [row] = await tx.sql<{ invoice_id: InvoiceId }>`
    select b.invoice_id from customer_subscription_bills b
      ${joinInvoice(tx, part`b.invoice_id`)}
     where b.organisation_id = ${tx.organisation} and b.customer_subscription_id = ${id}
       and i.status ${IN_OPEN} and i.due_date < ${today}
     order by i.due_date, i.id limit 1`;
  return row?.invoice_id === invoice;
}

/**
 * The subscriptions that wait for one of these invoices to be paid: for their next period with collection method
 * `manual`, or, when pending, to begin.
 */
export async function subscriptionsAwaiting(
  tx: Tx,
  invoices: readonly string[],
): Promise<readonly CustomerSubscriptionId[]> {
  const rows = await tx.sql<{ id: CustomerSubscriptionId }>`
    select s.id from customer_subscription_bills b
      join customer_subscriptions s on s.organisation_id = ${tx.organisation} and s.id = b.customer_subscription_id
     where b.organisation_id = ${tx.organisation} and b.invoice_id = any (${invoices}) and b.kind <> 'proration'
       and (s.status = 'pending' or s.state -> 'awaiting' ->> 'start' = b.period_start::text)
     order by s.id`;
  return rows.map(({ id }) => id);
}

/** The subscription that an invoice is for; null for any other invoice. */
export async function subscriptionOfInvoice(
  tx: Tx,
  invoice: string,
): Promise<Pick<CustomerSubscription, "id" | "collectionMethod"> | null> {
  const [row] = await tx.sql<Pick<CustomerSubscriptionsRow, "id" | "collection_method">>`
    select s.id, s.collection_method from customer_subscription_bills b
      join customer_subscriptions s on s.organisation_id = ${tx.organisation} and s.id = b.customer_subscription_id
     where b.organisation_id = ${tx.organisation} and b.invoice_id = ${invoice}`;
  return row ? { id: row.id, collectionMethod: row.collection_method } : null;
}

/** The subscriptions that invoices are for, by invoice; none for any other invoice. */
export async function subscriptionsOfInvoices(
  tx: Tx,
  invoices: readonly string[],
): Promise<ReadonlyMap<string, CustomerSubscriptionId>> {
  const rows = await tx.sql<{ invoice_id: InvoiceId; customer_subscription_id: CustomerSubscriptionId }>`
    select b.invoice_id, b.customer_subscription_id from customer_subscription_bills b
     where b.organisation_id = ${tx.organisation} and b.invoice_id = any (${invoices})`;
  return new Map(rows.map((row) => [row.invoice_id as string, row.customer_subscription_id]));
}

/** The invoices of the newest bills of these periods, by subscription. */
export async function invoicesOfPeriods(
  tx: Tx,
  periods: readonly { readonly id: CustomerSubscriptionId; readonly start: CalendarDay }[],
): Promise<ReadonlyMap<CustomerSubscriptionId, InvoiceId>> {
  const rows = await tx.sql<{ id: CustomerSubscriptionId; invoice_id: InvoiceId }>`
    select b.customer_subscription_id as id, b.invoice_id
      from unnest(${periods.map(({ id }) => id)}::text[], ${periods.map(({ start }) => start)}::date[]) as p(id, start)
      join customer_subscription_bills b on b.organisation_id = ${tx.organisation} and b.customer_subscription_id = p.id
       and b.period_start = p.start and b.kind <> 'proration' and b.invoice_id is not null order by b.id`;
  return new Map(rows.map(({ id, invoice_id }) => [id, invoice_id]));
}
