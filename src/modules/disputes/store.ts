// Writes: disputes, dispute_evidence. Reads nothing else.

import { CUSTOMER_LABEL, joinCustomer } from "../../domain/customer-name.ts";
import { joinPayment } from "../../domain/joins.ts";
import { createdIn, type ListQuery, newestFirst, onPage } from "../../domain/lists.ts";
import type { DisputeEvidenceRow, DisputesRow } from "../../domain/rows.ts";
import type { DisputeId, EvidenceId, ReversalId, TransactionId } from "../../kernel/ids.ts";
import { containing } from "../../kernel/text.ts";
import { type Instant, instant } from "../../kernel/time.ts";
import { part, type Tx, when } from "../../platform/database.ts";
import type { Dispute, DisputeRecord, Evidence, OpenDisputes } from "./types.ts";

const fromRow = (row: DisputesRow): Dispute => ({
  id: row.id,
  transactionId: row.transaction_id,
  customerId: row.customer_id,
  gatewayDisputeId: row.gateway_dispute_id,
  reversalId: row.reversal_id,
  amount: row.amount_cents,
  currency: row.currency,
  reason: row.reason,
  code: row.code,
  status: row.status,
  openedAt: row.opened_at,
  respondBy: row.respond_by,
  submittedAt: row.submitted_at,
  closedAt: row.closed_at,
  createdAt: row.created_at,
});

interface RecordRow extends DisputesRow {
  readonly reference: string;
  readonly customer_name: string | null;
  readonly invoice_id: DisputeRecord["invoiceId"];
  readonly gateway_account_id: string;
  readonly gateway_type: string;
  /** Timestamps and hashes are text, since they come as JSON. */
  readonly evidence: readonly (Pick<DisputeEvidenceRow, "id" | "file_name" | "content_type" | "size"> & {
    readonly sha256: string;
    readonly created_at: string;
  })[];
}

const recordFromRow = (row: RecordRow): DisputeRecord => ({
  ...fromRow(row),
  transactionReference: row.reference,
  customerName: row.customer_name,
  invoiceId: row.invoice_id,
  gatewayAccountId: row.gateway_account_id,
  gatewayType: row.gateway_type,
  evidence: row.evidence.map((file) => ({
    id: file.id,
    fileName: file.file_name,
    contentType: file.content_type,
    size: file.size,
    sha256: file.sha256,
    createdAt: instant(file.created_at),
  })),
});

/** The columns of a dispute `d` with its payment `t` and customer `c`, and its files. */
const record = (tx: Tx) => part`
  d.*, t.reference, ${CUSTOMER_LABEL} as customer_name, t.invoice_id, t.gateway_account_id, t.gateway_type,
  (select coalesce(json_agg(json_build_object('id', e.id, 'file_name', e.file_name, 'content_type', e.content_type,
            'size', e.size, 'sha256', encode(e.sha256, 'hex'), 'created_at', e.created_at) order by e.id), '[]')
     from dispute_evidence e where e.organisation_id = ${tx.organisation} and e.dispute_id = d.id) as evidence`;

/** Inserts a dispute. The caller has locked its payment. */
export function insertDispute(tx: Tx, dispute: Dispute): void {
  tx.queue`
    insert into disputes (organisation_id, id, transaction_id, customer_id, gateway_dispute_id, reversal_id, amount_cents, currency, reason,
      code, status, opened_at, respond_by, submitted_at, closed_at, created_at)
    values (${tx.organisation}, ${dispute.id}, ${dispute.transactionId}, ${dispute.customerId}, ${dispute.gatewayDisputeId},
      ${dispute.reversalId}, ${dispute.amount}, ${dispute.currency}, ${dispute.reason}, ${dispute.code}, ${dispute.status},
      ${dispute.openedAt}, ${dispute.respondBy}, ${dispute.submittedAt}, ${dispute.closedAt}, ${dispute.createdAt})`;
}

/** Updates the fields that can change. The caller has locked the payment of the dispute. */
export function updateDispute(tx: Tx, dispute: Dispute): void {
  tx.queue`
    update disputes set status = ${dispute.status}, reversal_id = ${dispute.reversalId}, respond_by = ${dispute.respondBy},
      submitted_at = ${dispute.submittedAt}, closed_at = ${dispute.closedAt}
     where organisation_id = ${tx.organisation} and id = ${dispute.id}`;
}

/** Takes a reversal that is deleted off its dispute. The caller has locked its payment. */
export function forgetReversal(tx: Tx, id: ReversalId): void {
  tx.queue`update disputes set reversal_id = null where organisation_id = ${tx.organisation} and reversal_id = ${id}`;
}

/** The disputes of a payment, oldest first. */
export async function disputesOf(tx: Tx, transaction: TransactionId): Promise<Dispute[]> {
  const rows = await tx.sql<DisputesRow>`
    select * from disputes where organisation_id = ${tx.organisation} and transaction_id = ${transaction} order by id`;
  return rows.map(fromRow);
}

/** Null when absent or another organisation's. */
export async function findDispute(tx: Tx, id: string): Promise<DisputeRecord | null> {
  const [row] = await tx.sql<RecordRow>`
    select ${record(tx)} from disputes d ${joinPayment(tx, part`d.transaction_id`)} left ${joinCustomer(tx, part`d.customer_id`)}
     where d.organisation_id = ${tx.organisation} and d.id = ${id}`;
  return row ? recordFromRow(row) : null;
}

/** Newest first; `q` is a part of the payment's reference, the reason or the customer's name. */
export async function listDisputes(
  tx: Tx,
  query: ListQuery<"status" | "customerId" | "transactionReference">,
): Promise<DisputeRecord[]> {
  const rows = await tx.sql<RecordRow>`
    select ${record(tx)} from disputes d ${joinPayment(tx, part`d.transaction_id`)} left ${joinCustomer(tx, part`d.customer_id`)}
     where d.organisation_id = ${tx.organisation}
      ${when(query.status, (status) => part`and d.status = ${status}`)}
      ${when(query.customerId, (customerId) => part`and d.customer_id = ${customerId}`)}
      ${when(query.transactionReference, (reference) => part`and t.reference = ${reference}`)}
      ${onPage(query, part`d.id`)}
      ${createdIn(query, "dsp", { id: part`d.id`, createdAt: part`d.opened_at` })}
      ${when(
        query.q || null,
        (q) => part`and concat_ws(' ', t.reference, d.reason, d.code, ${CUSTOMER_LABEL}) ilike ${containing(q)}`,
      )}
     ${newestFirst(query, part`d.id`)}`;
  return rows.map(recordFromRow);
}

/** The open disputes, by currency: what staff have to answer. */
export async function openDisputeTotals(tx: Tx): Promise<OpenDisputes[]> {
  return tx.sql<OpenDisputes & { readonly respondBy: Instant | null }>`
    select currency, sum(amount_cents)::bigint as amount, count(*)::integer as count, min(respond_by) as "respondBy"
      from disputes where organisation_id = ${tx.organisation} and status = 'open' group by currency order by currency`;
}

/** Inserts a file with its content. The caller has locked the payment of the dispute. */
export function insertEvidence(tx: Tx, dispute: DisputeId, evidence: Evidence, content: Buffer): void {
  tx.queue`
    insert into dispute_evidence (organisation_id, id, dispute_id, file_name, content_type, size, sha256, content, created_at)
    values (${tx.organisation}, ${evidence.id}, ${dispute}, ${evidence.fileName}, ${evidence.contentType}, ${evidence.size},
      ${Buffer.from(evidence.sha256, "hex")}, ${content}, ${evidence.createdAt})`;
}

/** A piece of a file, from the byte `from`, counted from 0; null when the file is gone. Empty at its end. */
export async function evidencePiece(
  tx: Tx,
  id: EvidenceId,
  { from, bytes }: { readonly from: number; readonly bytes: number },
): Promise<Buffer | null> {
  const [row] = await tx.sql<{ piece: Buffer }>`
    select substring(content from ${from + 1}::integer for ${bytes}::integer) as piece from dispute_evidence
     where organisation_id = ${tx.organisation} and id = ${id}`;
  return row?.piece ?? null;
}
