// Writes nothing. Reads: customer_subscription_bills, customer_subscription_credits, invoice_payments, credit_notes,
// credit_note_refunds.

import { refundedOf, reversedOf, usedOf } from "../../../domain/given-back.ts";
import { joinInvoice, joinPayment } from "../../../domain/joins.ts";
import type { CustomerSubscriptionId, InvoiceId } from "../../../kernel/ids.ts";
import { type Cents, cents, subtract, sum, ZERO } from "../../../kernel/money.ts";
import { type Part, part, type Tx } from "../../../platform/database.ts";
import { roundedLike } from "../../../platform/rounded-like.ts";
import type { BillName } from "../rules/planner/types.ts";
import { firstCycleNamed, type HeldBill, unusedOfBill } from "../rules/planner/worth.ts";
import type { CustomerSubscription } from "../types.ts";

interface Row {
  readonly cycle: number;
  readonly invoice: InvoiceId | null;
  readonly total: Cents;
  /** Null: nothing was due, so nothing can be undone. */
  readonly status: string | null;
  readonly credits: Cents;
  readonly undone: Cents;
  /** Given back as credit for its unused days, with VAT. */
  readonly given: Cents;
}

/**
 * What is still paid or owed of the subscription's bills: an open invoice in full, nothing of a cancelled one,
 * otherwise without what credit notes took off and without what was refunded beyond the credit that its payments made.
 * A payment that a bank reverses opens the invoice again, so that it is owed. Of the cycles that the planner may ask
 * about.
 */
export async function heldBillsOf(
  tx: Tx,
  { id, state }: Pick<CustomerSubscription, "id" | "state">,
): Promise<readonly HeldBill[]> {
  return (await rowsOf(tx, id, firstCycleNamed(state))).map(heldOf);
}

function heldOf({ cycle, total, status, credits, undone }: Row): HeldBill {
  if (status === null) return { cycle, charged: ZERO, held: ZERO };
  const left = cents(Math.max(0, total - undone));
  return { cycle, charged: sum([total, credits]), held: status === "cancelled" ? ZERO : sum([left, credits]) };
}

/** What can still be given back of an invoice, with VAT. */
export interface LeftOfBill {
  /** By a refund or a credit note. */
  readonly left: Cents;
  /** Given back as credit for unused days, which other bills have used. */
  readonly used: Cents;
}

/**
 * What can still be given back of an invoice of the subscription; credit for its days that no bill has used can be
 * taken back for it.
 */
export async function leftOfBill(
  tx: Tx,
  { id, state }: Pick<CustomerSubscription, "id" | "state">,
  invoice: InvoiceId,
): Promise<LeftOfBill | null> {
  const rows = await rowsOf(tx, id, 0);
  const row = rows.find((one) => one.invoice === invoice);
  if (!row) return null;
  const name: BillName = { cycle: row.cycle, place: rows.filter((one) => one.cycle === row.cycle).indexOf(row) };
  const used = cents(Math.max(0, row.given - unusedOfBill(state.credits, name, state.terms.price)));
  const most = Math.min(subtract(row.total, row.undone), subtract(heldOf(row).held, used));
  return { left: cents(Math.max(0, most)), used };
}

/** In the currency of the bill's invoice; without one nothing was due, so nothing is compared. */
const rounded = (value: Part): Part => roundedLike(part`i.currency`, value, part`b.total_cents`);

const rowsOf = (tx: Tx, id: CustomerSubscriptionId, cycle: number): Promise<Row[]> => tx.sql<Row>`
  select b.cycle, b.invoice_id as invoice, b.total_cents as total, i.status,
         (select coalesce(sum(${rounded(part`(x ->> 'amount')::numeric
                   * case when i.tax_inclusive then 1 else 1 + (l ->> 'taxRate')::numeric / 100 end`)}), 0)::bigint
            from jsonb_array_elements(b.lines) l cross join lateral jsonb_array_elements(l -> 'reason' -> 'less') x
           where x ->> 'by' = 'credit') as credits,
         (select coalesce(sum(n.amount_cents), 0)::bigint from credit_notes n
           where n.organisation_id = ${tx.organisation} and n.invoice_id = b.invoice_id)
         - (select coalesce(sum(z.amount_cents), 0)::bigint from credit_notes n
              join credit_note_refunds z on z.organisation_id = ${tx.organisation} and z.credit_note_id = n.id and z.undone_at is null
             where n.organisation_id = ${tx.organisation} and n.invoice_id = b.invoice_id)
         + (select coalesce(sum(greatest(0, r.refunded + v.reversed - (t.overpaid_cents - o.paid_out))
               - greatest(0, v.reversed - t.overpaid_cents)), 0)::bigint
              from invoice_payments y
              ${joinPayment(tx, part`y.subject`)}
             cross join lateral (select ${refundedOf(tx, part`t.id`)} as refunded) r
             cross join lateral (select ${reversedOf(tx, part`t.id`)} as reversed) v
             cross join lateral (select ${usedOf(tx, part`t.id`)} as paid_out) o
             where y.organisation_id = ${tx.organisation} and y.invoice_id = b.invoice_id and y.source = 'transaction') as undone,
         (select coalesce(sum(coalesce(c.gross_cents,
                   case when i.tax_inclusive or b.subtotal_cents = 0 then c.amount_cents
                       else ${rounded(part`c.amount_cents::numeric * b.total_cents / b.subtotal_cents`)} end)), 0)::bigint
            from customer_subscription_credits c
           where c.organisation_id = ${tx.organisation} and c.bill_id = b.id and c.cause in ('billed', 'withdrawn')) as given
    from customer_subscription_bills b
    left ${joinInvoice(tx, part`b.invoice_id`)}
   where b.organisation_id = ${tx.organisation} and b.customer_subscription_id = ${id} and b.cycle >= ${cycle}
   order by b.id`;
