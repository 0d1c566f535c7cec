// Writes: customer_subscription_bills. Reads: customer_subscriptions.

import type { InvoiceId } from "../../../kernel/ids.ts";
import type { Tx } from "../../../platform/database.ts";
import { type RowColumns, rowsOf } from "../../../platform/rows-of.ts";
import type { StoredBill } from "../types.ts";

const INSERTED_BILL: RowColumns<StoredBill> = {
  id: ["text", ({ id }) => id],
  customer_subscription_id: ["text", ({ subscriptionId }) => subscriptionId],
  kind: ["text", ({ bill }) => bill.kind],
  cycle: ["integer", ({ bill }) => bill.cycle],
  billed_on: ["date", ({ bill }) => bill.date],
  period_start: ["date", ({ bill }) => bill.start],
  period_next: ["date", ({ bill }) => bill.next],
  subtotal_cents: ["bigint", ({ bill }) => bill.subtotal],
  tax_cents: ["bigint", ({ bill }) => bill.tax],
  total_cents: ["bigint", ({ bill }) => bill.total],
  lines: ["jsonb", ({ bill }) => JSON.stringify(bill.lines)],
  invoice_id: ["text", ({ invoiceId }) => invoiceId],
  created_at: ["timestamptz", ({ createdAt }) => createdAt],
};

/**
 * Inserts bills, in one statement (decisions.md#bills-never-change). Violates `customer_subscription_bills_period` when a period has one.
 */
export function insertBills(tx: Tx, bills: readonly StoredBill[]): void {
  if (bills.length === 0) return;
  tx.queue`
    insert into customer_subscription_bills (organisation_id, id, customer_subscription_id, kind, cycle, billed_on,
                                             period_start, period_next, subtotal_cents, tax_cents, total_cents, lines,
                                             invoice_id, created_at)
    select ${tx.organisation}, n.* from ${rowsOf(bills, INSERTED_BILL)}
    returning id`;
}

/** Of these invoices, those whose unpaid due date makes a subscription past due: with collection methods `invoice` and `debit_order`. */
export async function invoicedOf(tx: Tx, invoices: readonly string[]): Promise<readonly InvoiceId[]> {
  const rows = await tx.sql<{ invoice_id: InvoiceId }>`
    select b.invoice_id from customer_subscription_bills b
      join customer_subscriptions s on s.organisation_id = ${tx.organisation} and s.id = b.customer_subscription_id
     where b.organisation_id = ${tx.organisation} and b.invoice_id = any (${invoices}) and s.collection_method in ('invoice', 'debit_order')
     order by b.invoice_id`;
  return rows.map(({ invoice_id }) => invoice_id);
}
