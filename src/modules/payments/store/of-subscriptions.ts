// Writes nothing. Reads: transactions.
import type { InvoiceId } from "../../../kernel/ids.ts";
import type { Tx } from "../../../platform/database.ts";
import type { TransactionsRow } from "../../../platform/rows.ts";

/** Of these invoices, those that the service is collecting automatically for a subscription: a charge or a debit is pending. */
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
    select reference from transactions where organisation_id = ${tx.organisation} and subscription_id = ${subscription} and paid_at is not null and invoice_id is not null
     order by id limit 1`;
  return row?.reference ?? null;
}
