// Writes: document_parties, document_views. Reads: customers.

import type { DocumentPartiesRow, DocumentViewsRow } from "../../domain/rows.ts";
import type { CreditNoteId, CustomerId, InvoiceId } from "../../kernel/ids.ts";
import type { Instant } from "../../kernel/time.ts";
import type { Tx } from "../../platform/database.ts";
import { type RowColumns, rowsOf } from "../../platform/rows-of.ts";
import type { DocumentView, PartiesSnapshot } from "./types.ts";

/** A document and its recipient. */
export interface IssuedDocument {
  readonly id: InvoiceId | CreditNoteId;
  readonly customer: CustomerId;
}

const ISSUED: RowColumns<IssuedDocument> = {
  id: ["text", ({ id }) => id],
  customer_id: ["text", ({ customer }) => customer],
};

/** Saves a snapshot of the supplier and the customer of each document when it is issued; once for each document. */
export function savePartiesSnapshots(
  tx: Tx,
  documents: readonly IssuedDocument[],
  supplier: PartiesSnapshot["supplier"],
): void {
  tx.queue`
    insert into document_parties (organisation_id, document_id, supplier_company_name, supplier_address, supplier_vat_number,
      first_name, last_name, company, address, vat_number, email)
    select c.organisation_id, n.id, ${supplier.companyName}, ${supplier.address}, ${supplier.vatNumber},
      c.first_name, c.last_name, c.company, c.address, c.vat_number, c.email
      from ${rowsOf(documents, ISSUED)} join customers c on c.organisation_id = ${tx.organisation} and c.id = n.customer_id`;
}

/** The snapshot of a document. Null for one that was not issued, or was issued before snapshots were saved. */
export async function findPartiesSnapshot(tx: Tx, document: string): Promise<PartiesSnapshot | null> {
  const [row] = await tx.sql<DocumentPartiesRow>`
    select * from document_parties where organisation_id = ${tx.organisation} and document_id = ${document}`;
  if (!row) return null;
  return {
    supplier: {
      companyName: row.supplier_company_name,
      address: row.supplier_address,
      vatNumber: row.supplier_vat_number,
    },
    customer: {
      firstName: row.first_name,
      lastName: row.last_name,
      company: row.company,
      address: row.address,
      vatNumber: row.vat_number,
      email: row.email,
    },
  };
}

/** The payers' views of these documents; those that nobody has seen are left out. */
export async function viewsOf(tx: Tx, documents: readonly string[]): Promise<ReadonlyMap<string, DocumentView>> {
  const rows = await tx.sql<DocumentViewsRow>`
    select * from document_views where organisation_id = ${tx.organisation} and document_id = any (${documents})`;
  return new Map(
    rows.map((row) => [row.document_id, { viewedAt: row.viewed_at, lastViewedAt: row.last_viewed_at }] as const),
  );
}

/** Null for a document that no payer has seen. */
export const findView = async (tx: Tx, document: string): Promise<DocumentView | null> =>
  (await viewsOf(tx, [document])).get(document) ?? null;

/** Saves a view by a payer; an earlier last view stays when the clock has stood still or was set back. */
export function saveView(tx: Tx, document: string, now: Instant): void {
  tx.queue`
    insert into document_views (organisation_id, document_id, viewed_at, last_viewed_at)
    values (${tx.organisation}, ${document}, ${now}, ${now})
    on conflict (organisation_id, document_id) do update
      set last_viewed_at = greatest(document_views.last_viewed_at, excluded.last_viewed_at)`;
}

/** Whether any invoice was issued. */
export async function anyInvoiceIssued(tx: Tx): Promise<boolean> {
  const [row] = await tx.sql<{ issued: boolean }>`
    select exists (select from document_parties where organisation_id = ${tx.organisation} and document_id like 'inv\_%') as issued`;
  return row?.issued ?? false;
}
