// Writes nothing. Reads: transactions.
import type { Tx } from "../../../platform/database.ts";
import { isUnderWay } from "../../../platform/under-way.ts";

/** Whether a payment of the invoice is under way. The caller has locked the invoice with its links, so that none starts. */
export async function hasPaymentUnderWay(tx: Tx, invoiceId: string): Promise<boolean> {
  const rows = await tx.sql`
    select t.id from transactions t where t.organisation_id = ${tx.organisation} and t.invoice_id = ${invoiceId} and ${isUnderWay(tx)} limit 1`;
  return rows.length > 0;
}
