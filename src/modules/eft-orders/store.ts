// Writes: eft_orders, eft_proofs. Reads nothing else.

import { fromCustomer } from "../../domain/customer-name.ts";
import { totalsOf } from "../../domain/list-totals.ts";
import { createdIn, hasMetadata, type ListFilter, newestFirst, onPage, type PageQuery } from "../../domain/lists.ts";
import { locking, lockName } from "../../domain/locks.ts";
import type { EftOrdersRow } from "../../domain/rows.ts";
import type { CurrencyTotal } from "../../domain/totals.ts";
import type { EftOrderId, GatewayAccountId, PaymentLinkId, ProofId } from "../../kernel/ids.ts";
import type { Cents } from "../../kernel/money.ts";
import { containing } from "../../kernel/text.ts";
import { type Instant, instant } from "../../kernel/time.ts";
import { type Part, part, type Tx, when } from "../../platform/database.ts";
import { ofCurrency } from "../../platform/found.ts";
import { EXPIRING } from "./states.ts";
import type { EftOrder, EftOrderRecord, Proof, ProofSource, ProofType } from "./types.ts";

interface RecordRow extends EftOrdersRow {
  readonly customer_reference: string | null;
  /** Timestamps are text, since they come as JSON. */
  readonly proofs: readonly {
    id: ProofId;
    fileName: string;
    contentType: ProofType;
    size: number;
    source: ProofSource;
    sha256: string;
    createdAt: string;
  }[];
}

const fromRow = (row: EftOrdersRow): EftOrder => ({
  id: row.id,
  reference: row.reference,
  status: row.status,
  amount: row.amount_cents,
  currency: row.currency,
  description: row.description,
  externalReference: row.external_reference,
  metadata: row.metadata,
  customerId: row.customer_id,
  paymentLinkId: row.payment_link_id,
  gatewayAccountId: row.gateway_account_id,
  payerEmail: row.payer_email,
  rejectionReason: row.rejection_reason,
  expiresAt: row.expires_at,
  remindedAt: row.reminded_at,
  reviewedAt: row.reviewed_at,
  paidAt: row.paid_at,
  createdAt: row.created_at,
});

const recordFromRow = (row: RecordRow): EftOrderRecord => ({
  ...fromRow(row),
  customer: row.customer_id === null ? null : { id: row.customer_id, externalReference: row.customer_reference },
  proofs: row.proofs.map(
    (proof): Proof => ({
      id: proof.id,
      fileName: proof.fileName,
      contentType: proof.contentType,
      size: proof.size,
      source: proof.source,
      sha256: proof.sha256,
      createdAt: instant(proof.createdAt),
    }),
  ),
});

/** The columns of an order `o`, with the short customer and the proofs without their content. */
const record = (tx: Tx) => part`
  o.*, (select external_reference ${fromCustomer(tx, part`o.customer_id`)}) as customer_reference,
  (select coalesce(json_agg(json_build_object('id', p.id, 'fileName', p.file_name, 'contentType', p.content_type, 'size', p.size,
            'source', p.source, 'sha256', encode(p.sha256, 'hex'), 'createdAt', p.created_at) order by p.id), '[]')
     from eft_proofs p where p.organisation_id = ${tx.organisation} and p.order_id = o.id) as proofs`;

/** Inserts an order; false when the reference is taken. */
export async function insertEftOrder(tx: Tx, order: EftOrder): Promise<boolean> {
  const rows = await tx.sql`
    insert into eft_orders (organisation_id, id, reference, status, amount_cents, currency, description, external_reference, metadata,
      customer_id, payment_link_id, gateway_account_id, payer_email, expires_at, created_at)
    values (${tx.organisation}, ${order.id}, ${order.reference}, ${order.status}, ${order.amount}, ${order.currency}, ${order.description},
      ${order.externalReference}, ${JSON.stringify(order.metadata)}, ${order.customerId}, ${order.paymentLinkId},
      ${order.gatewayAccountId}, ${order.payerEmail}, ${order.expiresAt}, ${order.createdAt})
    on conflict (organisation_id, reference) do nothing returning id`;
  return rows.length > 0;
}

/** Locks an externalReference until the transaction ends, so that creations of orders for it run one after the other. */
export function serialiseOrders(tx: Tx, externalReference: string): void {
  lockName(tx, "EFT reference", externalReference);
}

/** Null when absent or another organisation's. */
export async function findEftOrder(tx: Tx, id: string): Promise<EftOrderRecord | null> {
  const [row] = await tx.sql<RecordRow>`
    select ${record(tx)} from eft_orders o where o.organisation_id = ${tx.organisation} and o.id = ${id}`;
  return row ? recordFromRow(row) : null;
}

/** Locks an order until the transaction ends, before the other records of its payment. Null when absent or another organisation's. */
export async function lockEftOrder(tx: Tx, id: string): Promise<EftOrder | null> {
  const [row] = await locking(tx, "EFT order").sql<EftOrdersRow>`
    select * from eft_orders where organisation_id = ${tx.organisation} and id = ${id} for no key update`;
  return row ? fromRow(row) : null;
}

/** Condition: the order `o` has `status` at `now`, as `statusAt` says. */
function hasStatusAt(status: string, now: Instant): Part {
  const ended = part`o.status = any (${EXPIRING}) and o.expires_at <= ${now}`;
  if (status === "expired") return part`and (o.status = 'expired' or (${ended}))`;
  return part`and o.status = ${status} and not (${ended})`;
}

/** The newest open order with that externalReference (interface 4.9), or null. */
export async function openOrderOfReference(
  tx: Tx,
  externalReference: string,
  now: Instant,
): Promise<EftOrderRecord | null> {
  const [row] = await tx.sql<RecordRow>`
    select ${record(tx)} from eft_orders o where o.organisation_id = ${tx.organisation} and o.external_reference = ${externalReference}
       and (o.status = 'awaiting_review' or (o.status = any (${EXPIRING}) and o.expires_at > ${now}))
     order by o.id desc limit 1`;
  return row ? recordFromRow(row) : null;
}

/** The newest open order that was started on a link, for this amount and gateway account; null when there is none. */
export async function openOrderOfLink(
  tx: Tx,
  begun: { paymentLinkId: PaymentLinkId; gatewayAccountId: GatewayAccountId; amount: Cents },
  now: Instant,
): Promise<EftOrder | null> {
  const [row] = await tx.sql<EftOrdersRow>`
    select * from eft_orders where organisation_id = ${tx.organisation} and payment_link_id = ${begun.paymentLinkId}
       and gateway_account_id = ${begun.gatewayAccountId} and amount_cents = ${begun.amount}
       and (status = 'awaiting_review' or (status = any (${EXPIRING}) and expires_at > ${now}))
     order by id desc limit 1`;
  return row ? fromRow(row) : null;
}

type EftOrderFilter = ListFilter<"status" | "currency" | "externalReference" | "customerId">;

/** Condition: the list's filters; `status` is the status at `now`; `q` searches references, description, amount and payer. */
const recordsWanted = (query: EftOrderFilter, now: Instant) => part`
      ${when(query.status, (status) => hasStatusAt(status, now))}
      ${ofCurrency(part`o.currency`, query.currency)}
      ${when(query.externalReference, (externalReference) => part`and o.external_reference = ${externalReference}`)}
      ${when(query.customerId, (customerId) => part`and o.customer_id = ${customerId}`)}
      ${createdIn(query, "eft", { id: part`o.id`, createdAt: part`o.created_at` })}
      ${hasMetadata(query, part`o.metadata`)}
      ${when(
        query.q || null,
        (q) => part`and (o.reference = upper(${q}) or o.external_reference = ${q}
                                               or concat_ws(' ', o.description, o.payer_email) ilike ${containing(q)}
                                               or o.amount_cents = any (${query.named?.amounts ?? []}::bigint[])
                                               or o.customer_id = any (${query.named?.customers ?? []}::text[]))`,
      )}`;

/** Newest first. */
export async function listEftOrders(
  tx: Tx,
  query: EftOrderFilter & PageQuery,
  now: Instant,
): Promise<EftOrderRecord[]> {
  const rows = await tx.sql<RecordRow>`
    select ${record(tx)} from eft_orders o where o.organisation_id = ${tx.organisation}
      ${recordsWanted(query, now)} ${onPage(query, part`o.id`)}
     ${newestFirst(query, part`o.id`)}`;
  return rows.map(recordFromRow);
}

/** How many orders match, and their amounts by currency. */
export const eftOrderTotals = (tx: Tx, query: EftOrderFilter, now: Instant, countTo?: number) =>
  totalsOf(tx, countTo, {
    records: part`from eft_orders o where o.organisation_id = ${tx.organisation} ${recordsWanted(query, now)}`,
    currency: part`o.currency`,
    sums: { amount: part`o.amount_cents` },
  });

/** Updates status, rejection reason and times. */
export function updateEftOrder(tx: Tx, order: EftOrder): void {
  tx.queue`
    update eft_orders set status = ${order.status}, rejection_reason = ${order.rejectionReason}, reminded_at = ${order.remindedAt},
      reviewed_at = ${order.reviewedAt}, paid_at = ${order.paidAt}
     where organisation_id = ${tx.organisation} and id = ${order.id}`;
}

/** Inserts a proof with its content (decisions.md#proofs-in-the-database). */
export function insertProof(tx: Tx, order: EftOrderId, proof: Proof, content: Buffer): void {
  tx.queue`
    insert into eft_proofs (organisation_id, id, order_id, file_name, content_type, size, source, sha256, content, created_at)
    values (${tx.organisation}, ${proof.id}, ${order}, ${proof.fileName}, ${proof.contentType}, ${proof.size}, ${proof.source},
      ${Buffer.from(proof.sha256, "hex")}, ${content}, ${proof.createdAt})`;
}

/** A piece of the content of a proof, from the byte `from`, counted from 0; null when the proof is gone. Empty at its end. */
export async function proofPiece(
  tx: Tx,
  proof: ProofId,
  { from, bytes }: { readonly from: number; readonly bytes: number },
): Promise<Buffer | null> {
  const [row] = await tx.sql<{ piece: Buffer }>`
    select substring(content from ${from + 1}::integer for ${bytes}::integer) as piece from eft_proofs
     where organisation_id = ${tx.organisation} and id = ${proof}`;
  return row?.piece ?? null;
}

/** Bank transfers that wait for a review, by currency. */
export const transfersToReview = (tx: Tx): Promise<CurrencyTotal[]> => tx.sql<CurrencyTotal>`
  select currency, sum(amount_cents)::bigint as amount, count(*)::integer as count
    from eft_orders where organisation_id = ${tx.organisation} and status = 'awaiting_review' group by 1 order by 1`;
