// Writes: payment_links. Reads: transactions (the payments a link shows).
import type { CustomerId, PaymentLinkId, ProductId } from "../../kernel/ids.ts";
import type { Metadata } from "../../kernel/metadata.ts";
import { cents } from "../../kernel/money.ts";
import type { Instant } from "../../kernel/time.ts";
import type { Frequency } from "../../kernel/wording.ts";
import { NOTHING, part, type Tx } from "../../platform/database.ts";
import type { LinkPayment, PaymentLink } from "./types.ts";

interface PaymentLinkRow {
  id: string;
  title: string;
  description: string | null;
  amount_cents: number;
  currency: string;
  external_reference: string | null;
  return_url: string | null;
  metadata: unknown;
  recurring_frequency: string | null;
  recurring_amount_cents: number | null;
  single_use: boolean;
  active: boolean;
  expires_at: Date | null;
  paid_count: number;
  customer_id: string | null;
  product_id: string | null;
  created_by_key: string | null;
  created_at: Date;
}

interface PaymentRow {
  payment_link_id: string;
  reference: string;
  status: string;
  amount_cents: number;
  currency: string;
  paid_at: Date | null;
  created_at: Date;
}

const fromRow = (row: PaymentLinkRow): PaymentLink => ({
  id: row.id as PaymentLinkId,
  title: row.title,
  description: row.description,
  amount: cents(row.amount_cents),
  currency: row.currency,
  externalReference: row.external_reference,
  returnUrl: row.return_url,
  metadata: row.metadata as Metadata,
  recurring:
    row.recurring_frequency === null || row.recurring_amount_cents === null
      ? null
      : { frequency: row.recurring_frequency as Frequency, amount: cents(row.recurring_amount_cents) },
  singleUse: row.single_use,
  active: row.active,
  expiresAt: row.expires_at as Instant | null,
  paidCount: row.paid_count,
  customerId: row.customer_id as CustomerId | null,
  productId: row.product_id as ProductId | null,
  createdByKey: row.created_by_key,
  createdAt: row.created_at as Instant,
});

const paymentFromRow = (row: PaymentRow): LinkPayment => ({
  reference: row.reference,
  status: row.status,
  amount: cents(row.amount_cents),
  currency: row.currency,
  paidAt: row.paid_at as Instant | null,
  createdAt: row.created_at as Instant,
});

/** A new row. */
export function insertPaymentLink(tx: Tx, link: PaymentLink): void {
  tx.queue`
    insert into payment_links (organisation_id, id, title, description, amount_cents, currency, external_reference, return_url, metadata,
      recurring_frequency, recurring_amount_cents, single_use, expires_at, customer_id, product_id, created_by_key, created_at)
    values (${tx.organisation}, ${link.id}, ${link.title}, ${link.description}, ${link.amount}, ${link.currency},
      ${link.externalReference}, ${link.returnUrl}, ${JSON.stringify(link.metadata)}, ${link.recurring?.frequency ?? null},
      ${link.recurring?.amount ?? null}, ${link.singleUse}, ${link.expiresAt}, ${link.customerId}, ${link.productId},
      ${link.createdByKey}, ${link.createdAt})`;
}

/** Null when absent or another organisation's. */
export async function findPaymentLink(tx: Tx, id: string): Promise<PaymentLink | null> {
  const [row] = await tx.sql<PaymentLinkRow>`
    select * from payment_links where organisation_id = ${tx.organisation} and id = ${id}`;
  return row ? fromRow(row) : null;
}

/** Locked until the transaction ends: before an attempt is recorded, or staff deactivate it. */
export async function lockPaymentLink(tx: Tx, id: string): Promise<PaymentLink | null> {
  const [row] = await tx.sql<PaymentLinkRow>`
    select * from payment_links where organisation_id = ${tx.organisation} and id = ${id} for update`;
  return row ? fromRow(row) : null;
}

/** Newest first; `q` searches title and reference. */
export async function listPaymentLinks(
  tx: Tx,
  query: {
    externalReference?: string | undefined;
    q?: string | undefined;
    startingAfter?: string | undefined;
    limit: number;
  },
): Promise<PaymentLink[]> {
  const rows = await tx.sql<PaymentLinkRow>`
    select * from payment_links where organisation_id = ${tx.organisation}
      ${query.externalReference === undefined ? NOTHING : part`and external_reference = ${query.externalReference}`}
      ${query.startingAfter === undefined ? NOTHING : part`and id < ${query.startingAfter}`}
      ${query.q ? part`and (title ilike ${`%${query.q.replaceAll(/[\\%_]/g, "\\$&")}%`} or external_reference = ${query.q})` : NOTHING}
     order by id desc limit ${query.limit}`;
  return rows.map(fromRow);
}

/** Unpaid active links issued to a customer, newest first: what the portal shows as owed. */
export async function openLinksOfCustomer(tx: Tx, customer: CustomerId, now: Instant): Promise<PaymentLink[]> {
  const rows = await tx.sql<PaymentLinkRow>`
    select * from payment_links where organisation_id = ${tx.organisation} and customer_id = ${customer} and active and single_use
       and paid_count = 0 and (expires_at is null or expires_at > ${now})
     order by id desc limit 100`;
  return rows.map(fromRow);
}

/** Checkout attempts of each link, newest first, at most `each` a link (spec 4.2: 50 in lists, 100 alone). */
export async function paymentsOfLinks(
  tx: Tx,
  links: readonly string[],
  each: number,
): Promise<Map<string, LinkPayment[]>> {
  const payments = new Map<string, LinkPayment[]>(links.map((id) => [id, []]));
  const rows = await tx.sql<PaymentRow>`
    select t.* from unnest(${links}::text[]) as l(id) cross join lateral (
      select payment_link_id, reference, status, amount_cents, currency, paid_at, created_at from transactions
       where organisation_id = ${tx.organisation} and payment_link_id = l.id order by id desc limit ${each}) t`;
  for (const row of rows) payments.get(row.payment_link_id)?.push(paymentFromRow(row));
  return payments;
}

/** Spec 3.2: counts a successful payment and uses up a single-use link. Answers the link, and how many payments came before. */
export async function countPayment(tx: Tx, id: PaymentLinkId): Promise<(PaymentLink & { paidBefore: number }) | null> {
  const [row] = await tx.sql<PaymentLinkRow>`
    update payment_links set paid_count = paid_count + 1, active = active and not single_use
     where organisation_id = ${tx.organisation} and id = ${id} returning *`;
  return row ? { ...fromRow(row), paidBefore: row.paid_count - 1 } : null;
}

/** Spec 3.2, dashboard: active = false. */
export function deactivatePaymentLink(tx: Tx, id: PaymentLinkId): void {
  tx.queue`update payment_links set active = false where organisation_id = ${tx.organisation} and id = ${id}`;
}
