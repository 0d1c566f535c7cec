// Writes nothing. Reads: customer_subscription_bills, invoices, invoice_payments, credit_notes, transactions, refunds, reversals, credit_refund_sources.

import type { CustomerSubscriptionId } from "../../../kernel/ids.ts";
import { type Cents, cents, sum, ZERO } from "../../../kernel/money.ts";
import type { Tx } from "../../../platform/database.ts";
import { firstCycleNamed, type HeldBill } from "../rules/planner/worth.ts";
import type { CustomerSubscription } from "../types.ts";

interface Row {
  readonly cycle: number;
  readonly total: Cents;
  /** Null: nothing was due, so nothing can be undone. */
  readonly status: string | null;
  readonly credits: Cents;
  readonly undone: Cents;
}

/**
 * What is still paid or owed of the subscription's bills: an open invoice in full, nothing of a cancelled one, otherwise without what credit notes
 * took off and without what was refunded beyond the credit that its payments made. A payment that a bank takes back opens the invoice again, so
 * that it is owed. Of the cycles that the planner may ask about.
 */
export async function heldBillsOf(
  tx: Tx,
  { id, state }: Pick<CustomerSubscription, "id" | "state">,
): Promise<readonly HeldBill[]> {
  const rows = await rowsOf(tx, id, firstCycleNamed(state));
  return rows.map(({ cycle, total, status, credits, undone }) => {
    if (status === null) return { cycle, charged: ZERO, held: ZERO };
    const left = cents(Math.max(0, total - undone));
    return { cycle, charged: sum([total, credits]), held: status === "cancelled" ? ZERO : sum([left, credits]) };
  });
}

const rowsOf = (tx: Tx, id: CustomerSubscriptionId, cycle: number): Promise<Row[]> => tx.sql<Row>`
  select b.cycle, b.total_cents as total, i.status,
         (select coalesce(sum(round((x ->> 'amount')::numeric * case when i.tax_inclusive then 1 else 1 + (l ->> 'taxRate')::numeric / 100 end)), 0)::bigint
            from jsonb_array_elements(b.lines) l cross join lateral jsonb_array_elements(l -> 'reason' -> 'less') x where x ->> 'by' = 'credit') as credits,
         (select coalesce(sum(n.amount_cents), 0)::bigint from credit_notes n
           where n.organisation_id = ${tx.organisation} and n.invoice_id = b.invoice_id)
         + (select coalesce(sum(greatest(0, r.refunded + v.reversed - (t.overpaid_cents - o.paid_out)) - greatest(0, v.reversed - t.overpaid_cents)), 0)::bigint
              from invoice_payments y
              join transactions t on t.organisation_id = ${tx.organisation} and t.id = y.subject
             cross join lateral (select coalesce(sum(f.amount_cents), 0) as refunded from refunds f
                where f.organisation_id = ${tx.organisation} and f.transaction_id = t.id and f.status <> 'failed') r
             cross join lateral (select coalesce(sum(w.amount_cents), 0) as reversed from reversals w
                where w.organisation_id = ${tx.organisation} and w.transaction_id = t.id and w.reversed_at is not null) v
             cross join lateral (select coalesce(sum(s.amount_cents), 0) as paid_out from credit_refund_sources s
                where s.organisation_id = ${tx.organisation} and s.transaction_id = t.id) o
             where y.organisation_id = ${tx.organisation} and y.invoice_id = b.invoice_id and y.source = 'transaction') as undone
    from customer_subscription_bills b
    left join invoices i on i.organisation_id = ${tx.organisation} and i.id = b.invoice_id
   where b.organisation_id = ${tx.organisation} and b.customer_subscription_id = ${id} and b.cycle >= ${cycle}
   order by b.id`;
