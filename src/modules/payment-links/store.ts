// Writes: payment_links. Reads: transactions (the payments a link shows).

import { type FunnelDay, funnelByDay, type Stage, wasViewed } from "../../domain/funnel.ts";
import { countOf } from "../../domain/list-totals.ts";
import {
  createdIn,
  hasMetadata,
  type ListFilter,
  newestFirst,
  onPage,
  type PageQuery,
  type RecordFilter,
} from "../../domain/lists.ts";
import { locking, lockingSeveral } from "../../domain/locks.ts";
import type { PaymentLinksRow } from "../../domain/rows.ts";
import { decimalOf } from "../../kernel/decimal.ts";
import type { CustomerId, GatewaySubscriptionId, InvoiceId, OrganisationId, PaymentLinkId } from "../../kernel/ids.ts";
import { cents } from "../../kernel/money.ts";
import { containing } from "../../kernel/text.ts";
import { type Instant, instant } from "../../kernel/time.ts";
import { type Database, type Part, part, type Tx, when } from "../../platform/database.ts";
import { type RowColumns, rowsOf } from "../../platform/rows-of.ts";
import type { LinkWithPayments, PaymentLink } from "./types.ts";

interface WithPaymentsRow extends PaymentLinksRow {
  /** Timestamps are text, since they come as JSON. */
  payments: {
    reference: string;
    status: string;
    amount: number;
    currency: string;
    paidAt: string | null;
    createdAt: string;
  }[];
}

const fromRow = (row: PaymentLinksRow): PaymentLink => ({
  id: row.id,
  shortCode: row.short_code,
  title: row.title,
  description: row.description,
  amount: row.amount_cents,
  currency: row.currency,
  externalReference: row.external_reference,
  returnUrl: row.return_url,
  metadata: row.metadata,
  recurring:
    row.recurring_frequency === null || row.recurring_amount_cents === null
      ? null
      : { frequency: row.recurring_frequency, amount: row.recurring_amount_cents },
  singleUse: row.single_use,
  active: row.active,
  expiresAt: row.expires_at,
  paidCount: row.paid_count,
  customerId: row.customer_id,
  productId: row.product_id,
  vat: { taxRate: row.tax_rate === null ? null : decimalOf(row.tax_rate), taxExempt: row.tax_exempt },
  invoiceId: row.invoice_id,
  collectsBalance: row.collects_balance,
  keepsCard: row.keeps_card,
  issuedBy: row.issued_by,
  gatewaySubscriptionId: row.gateway_subscription_id,
  createdAt: row.created_at,
});

const withPaymentsFromRow = (row: WithPaymentsRow): LinkWithPayments => ({
  ...fromRow(row),
  payments: row.payments.map((payment) => ({
    ...payment,
    amount: cents(payment.amount),
    paidAt: payment.paidAt === null ? null : instant(payment.paidAt),
    createdAt: instant(payment.createdAt),
  })),
});

/** The transactions of link `l`, newest first, at most `each` (interface 4.2: 50 in lists, 100 alone). */
const paymentsOf = (tx: Tx, each: number) => part`
  (select coalesce(json_agg(json_build_object('reference', t.reference, 'status', t.status, 'amount', t.amount_cents,
            'currency', t.currency, 'paidAt', t.paid_at, 'createdAt', t.created_at) order by t.id desc), '[]')
     from (select * from transactions where organisation_id = ${tx.organisation} and payment_link_id = l.id
           order by id desc limit ${each}) t)`;

const INSERTED: RowColumns<PaymentLink> = {
  id: ["text", ({ id }) => id],
  short_code: ["text", ({ shortCode }) => shortCode],
  title: ["text", ({ title }) => title],
  description: ["text", ({ description }) => description],
  amount_cents: ["bigint", ({ amount }) => amount],
  currency: ["text", ({ currency }) => currency],
  external_reference: ["text", ({ externalReference }) => externalReference],
  return_url: ["text", ({ returnUrl }) => returnUrl],
  metadata: ["jsonb", ({ metadata }) => JSON.stringify(metadata)],
  recurring_frequency: ["text", ({ recurring }) => recurring?.frequency ?? null],
  recurring_amount_cents: ["bigint", ({ recurring }) => recurring?.amount ?? null],
  single_use: ["boolean", ({ singleUse }) => singleUse],
  expires_at: ["timestamptz", ({ expiresAt }) => expiresAt],
  customer_id: ["text", ({ customerId }) => customerId],
  product_id: ["text", ({ productId }) => productId],
  tax_rate: ["numeric", ({ vat }) => vat.taxRate],
  tax_exempt: ["boolean", ({ vat }) => vat.taxExempt],
  invoice_id: ["text", ({ invoiceId }) => invoiceId],
  collects_balance: ["boolean", ({ collectsBalance }) => collectsBalance],
  keeps_card: ["boolean", ({ keepsCard }) => keepsCard],
  issued_by: ["text", ({ issuedBy }) => issuedBy],
  gateway_subscription_id: ["text", ({ gatewaySubscriptionId }) => gatewaySubscriptionId],
  created_at: ["timestamptz", ({ createdAt }) => createdAt],
};

/** Inserts links, in one statement. */
export function insertPaymentLinks(tx: Tx, links: readonly PaymentLink[]): void {
  if (links.length === 0) return;
  tx.queue`
    insert into payment_links (organisation_id, id, short_code, title, description, amount_cents, currency, external_reference, return_url,
      metadata, recurring_frequency, recurring_amount_cents, single_use, expires_at, customer_id, product_id, tax_rate, tax_exempt,
      invoice_id, collects_balance, keeps_card, issued_by, gateway_subscription_id, created_at)
    select ${tx.organisation}, n.* from ${rowsOf(links, INSERTED)}
    returning id`;
}

/** The link that a short address opens, and its organisation, by a function of the gate; null when there is none. */
export async function paymentLinkOfShortCode(
  db: Pick<Database, "sql">,
  code: string,
): Promise<{ readonly organisation_id: OrganisationId; readonly id: PaymentLinkId } | null> {
  const [row] = await db.sql<{ organisation_id: OrganisationId; id: PaymentLinkId }>`
    select organisation_id, id from payment_link_of_short_code(${code})`;
  return row ?? null;
}

/** Null when absent or another organisation's. */
export async function findPaymentLink(tx: Tx, id: string): Promise<PaymentLink | null> {
  const [row] = await tx.sql<PaymentLinksRow>`
    select * from payment_links where organisation_id = ${tx.organisation} and id = ${id}`;
  return row ? fromRow(row) : null;
}

/**
 * Locks a link until the transaction ends, before a transaction is recorded or the link is deactivated. Null when absent or another
 * organisation's.
 */
export async function lockPaymentLink(tx: Tx, id: string): Promise<PaymentLink | null> {
  const [row] = await locking(tx, "payment link").sql<PaymentLinksRow>`
    select * from payment_links where organisation_id = ${tx.organisation} and id = ${id} for no key update`;
  return row ? fromRow(row) : null;
}

/** Locks all links that pay an invoice, by id, before the invoice itself (decisions.md#customer-balance-first). */
export async function lockLinksOfInvoice(tx: Tx, invoice: string): Promise<PaymentLink[]> {
  const rows = await locking(tx, "payment link").sql<PaymentLinksRow>`
    select * from payment_links where organisation_id = ${tx.organisation} and invoice_id = ${invoice} order by id for no key update`;
  return rows.map(fromRow);
}

/** As `lockLinksOfInvoice`, of several invoices. */
export async function lockLinksOfInvoices(tx: Tx, invoices: readonly string[]): Promise<void> {
  await locking(lockingSeveral(tx, "payment link"), "payment link").sql`
    select count(*) from (
      select from payment_links where organisation_id = ${tx.organisation} and invoice_id = any (${invoices})
       order by id for no key update) locked`;
}

/** Null when absent or another organisation's. */
export async function findLinkWithPayments(tx: Tx, id: string, each: number): Promise<LinkWithPayments | null> {
  const [row] = await tx.sql<WithPaymentsRow>`
    select l.*, ${paymentsOf(tx, each)} as payments from payment_links l where organisation_id = ${tx.organisation} and id = ${id}`;
  return row ? withPaymentsFromRow(row) : null;
}

/** The links with these ids, with at most `each` payments. */
export async function findLinksWithPayments(tx: Tx, ids: readonly string[], each: number): Promise<LinkWithPayments[]> {
  const rows = await tx.sql<WithPaymentsRow>`
    select l.*, ${paymentsOf(tx, each)} as payments from payment_links l
     where organisation_id = ${tx.organisation} and id = any (${ids})`;
  return rows.map(withPaymentsFromRow);
}

type LinkFilter = ListFilter<"externalReference" | "customerId" | "active" | "ofInvoice"> & {
  readonly reached?: Stage | undefined;
};

/** What the link `l` has reached. A link on which a payment was started was opened, whether or not that was seen. */
function stagesOf(tx: Tx): Readonly<Record<Stage, Part>> {
  const started = part`exists (select from transactions t where t.organisation_id = ${tx.organisation} and t.payment_link_id = l.id)`;
  return { opened: part`(${wasViewed(tx, part`l.id`)} or ${started})`, started, paid: part`l.paid_count > 0` };
}

/** The links that were created in some time, by day, without those of invoices, whose page is the invoice's. */
export const funnelOfLinks = (tx: Tx, created: RecordFilter): Promise<FunnelDay[]> =>
  funnelByDay(tx, {
    records: part`from payment_links l where l.organisation_id = ${tx.organisation} and l.invoice_id is null
      ${createdIn(created, "plink", { id: part`l.id`, createdAt: part`l.created_at` })}`,
    createdAt: part`l.created_at`,
    stages: stagesOf(tx),
  });

/** Condition: the list's filters; `q` searches title, reference and amount. */
const recordsWanted = (tx: Tx, query: LinkFilter) => part`
      ${when(query.externalReference, (externalReference) => part`and l.external_reference = ${externalReference}`)}
      ${when(query.customerId, (customerId) => part`and l.customer_id = ${customerId}`)}
      ${when(query.active, (active) => part`and l.active = ${active === "true"}`)}
      ${when(query.ofInvoice, (ofInvoice) => part`and (l.invoice_id is not null) = ${ofInvoice === "true"}`)}
      ${when(query.reached, (stage) => part`and ${stagesOf(tx)[stage]}`)}
      ${createdIn(query, "plink", { id: part`l.id`, createdAt: part`l.created_at` })}
      ${hasMetadata(query, part`l.metadata`)}
      ${when(
        query.q || null,
        (q) => part`and (l.title ilike ${containing(q)} or l.external_reference = ${q}
                                               or l.amount_cents = any (${query.named?.amounts ?? []}::bigint[])
                                               or l.customer_id = any (${query.named?.customers ?? []}::text[]))`,
      )}`;

/** Newest first. */
export async function listLinksWithPayments(
  tx: Tx,
  query: LinkFilter & PageQuery,
  each: number,
): Promise<LinkWithPayments[]> {
  const rows = await tx.sql<WithPaymentsRow>`
    select l.*, ${paymentsOf(tx, each)} as payments from payment_links l where l.organisation_id = ${tx.organisation}
      ${recordsWanted(tx, query)} ${onPage(query, part`l.id`)}
     ${newestFirst(query, part`l.id`)}`;
  return rows.map(withPaymentsFromRow);
}

/** How many links match; what they ask for says nothing of what is paid by them. */
export const countLinks = (tx: Tx, query: LinkFilter, countTo?: number) =>
  countOf(
    tx,
    part`from payment_links l where l.organisation_id = ${tx.organisation} ${recordsWanted(tx, query)}`,
    countTo,
  );

/** Unpaid active single-use links of a customer, newest first, at most 100: the portal shows them as owed. */
export async function openLinksOfCustomer(tx: Tx, customer: CustomerId, now: Instant): Promise<PaymentLink[]> {
  const rows = await tx.sql<PaymentLinksRow>`
    select * from payment_links where organisation_id = ${tx.organisation} and customer_id = ${customer} and active and single_use
       and (paid_count = 0 or collects_balance) and (expires_at is null or expires_at > ${now})
     order by id desc limit 100`;
  return rows.map(fromRow);
}

/** The newest of an invoice's own pay links, active or not; null when it has had none. */
export async function newestPayLinkOf(tx: Tx, invoice: InvoiceId): Promise<PaymentLink | null> {
  const [row] = await tx.sql<PaymentLinksRow>`
    select * from payment_links where organisation_id = ${tx.organisation} and invoice_id = ${invoice}
        and collects_balance order by id desc limit 1`;
  return row ? fromRow(row) : null;
}

/** Counts a completed payment and deactivates a single-use link (interface 3.2); an invoice's own link is deactivated with the invoice. */
export function countPayment(tx: Tx, id: PaymentLinkId): void {
  locking(tx, "payment link").queue`
    update payment_links set paid_count = paid_count + 1, active = active and (collects_balance or not single_use)
     where organisation_id = ${tx.organisation} and id = ${id}`;
}

/** Deactivates a link (interface 3.2, dashboard). */
export function deactivatePaymentLink(tx: Tx, id: PaymentLinkId): void {
  tx.queue`update payment_links set active = false where organisation_id = ${tx.organisation} and id = ${id}`;
}

/**
 * Deactivates all links of an invoice that was paid or cancelled (interface 3.3). The caller has locked the links, or,
 * where the invoice is locked before them, the balance of its customer: whoever locks links and then the invoice has
 * that first.
 */
export function deactivateLinksOfInvoice(tx: Tx, invoice: InvoiceId): void {
  tx.queue`update payment_links set active = false where organisation_id = ${tx.organisation} and invoice_id = ${invoice} and active`;
}

/** Active unpaid links that were mailed for a subscription, newest first: those that replace it, or those that collect a charge of it. */
export async function openLinksOfSubscription(
  tx: Tx,
  subscription: GatewaySubscriptionId,
  recurring: boolean,
): Promise<PaymentLink[]> {
  const rows = await tx.sql<PaymentLinksRow>`
    select * from payment_links where organisation_id = ${tx.organisation} and gateway_subscription_id = ${subscription} and active
       and paid_count = 0 and (recurring_frequency is not null) = ${recurring} order by id desc`;
  return rows.map(fromRow);
}
