// Writes: invoice_payments. Reads nothing else.
import type { InvoiceId, InvoicePaymentId } from "../../../kernel/ids.ts";
import type { Cents } from "../../../kernel/money.ts";
import type { Tx } from "../../../platform/database.ts";
import type { InvoicePaymentsRow } from "../../../platform/rows.ts";

/** A payment that was made outside of any gateway; null when there is none. */
export async function findOfflinePayment(
  tx: Tx,
  id: string,
): Promise<{ readonly id: InvoicePaymentId; readonly invoiceId: InvoiceId; readonly amount: Cents } | null> {
  const [row] = await tx.sql<InvoicePaymentsRow>`
    select * from invoice_payments where organisation_id = ${tx.organisation} and id = ${id} and source = 'offline'`;
  return row ? { id: row.id, invoiceId: row.invoice_id, amount: row.amount_cents } : null;
}

/** Deletes a payment that was recorded by mistake; the caller has locked its invoice, and updates `paid` of it. */
export function deleteOfflinePayment(tx: Tx, id: InvoicePaymentId): void {
  tx.queue`
    delete from invoice_payments where organisation_id = ${tx.organisation} and id = ${id} and source = 'offline'`;
}
