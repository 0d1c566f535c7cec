// Writes nothing. Reads: debits, debit_batches.

import { CUSTOMER_LABEL, joinCustomer } from "../../../domain/customer-name.ts";
import { reversedOf } from "../../../domain/given-back.ts";
import { IN_OPEN } from "../../../domain/invoices.ts";
import { joinInvoice, joinPayment, joinPaymentLink } from "../../../domain/joins.ts";
import { type ListQuery, newestFirst, onPage } from "../../../domain/lists.ts";
import type { DebitBatchId, InvoiceId, MandateId, TransactionId } from "../../../kernel/ids.ts";
import { type Cents, ZERO } from "../../../kernel/money.ts";
import { containing } from "../../../kernel/text.ts";
import type { CalendarDay, Instant } from "../../../kernel/time.ts";
import { part, type Tx, when } from "../../../platform/database.ts";
import type { DecidedDebits, ReturnedDebit, UnpaidDebit, UnpaidTotal } from "../types.ts";

/** The first debits of a batch that were returned unpaid, with the bank's reasons. */
export async function listUnpaidDebits(tx: Tx, batch: DebitBatchId, limit: number): Promise<UnpaidDebit[]> {
  const rows = await tx.sql<{
    reference: string;
    mandate_id: MandateId;
    amount_cents: Cents;
    unpaid_reason: string;
    customer_name: string;
  }>`
    select t.reference, d.mandate_id, t.amount_cents, d.unpaid_reason, ${CUSTOMER_LABEL} as customer_name from debits d
      ${joinPayment(tx, part`d.transaction_id`)} ${joinCustomer(tx, part`t.customer_id`)}
     where d.organisation_id = ${tx.organisation} and d.debit_batch_id = ${batch} and d.unpaid_reason is not null
     order by d.transaction_id limit ${limit}`;
  return rows.map((row) => ({
    reference: row.reference,
    mandateId: row.mandate_id,
    amount: row.amount_cents,
    reason: row.unpaid_reason,
    customerName: row.customer_name,
  }));
}

/** The first debits of a batch that banks returned unpaid: their mandates, and the references of their payments. */
export async function unpaidReferencesOf(
  tx: Tx,
  batch: string,
  limit: number,
): Promise<{ readonly mandateId: MandateId; readonly reference: string }[]> {
  return tx.sql<{ readonly mandateId: MandateId; readonly reference: string }>`
    select d.mandate_id as "mandateId", t.reference from debits d ${joinPayment(tx, part`d.transaction_id`)}
     where d.organisation_id = ${tx.organisation} and d.debit_batch_id = ${batch} and d.unpaid_at is not null
     order by d.transaction_id limit ${limit}`;
}

/** How many debits of a batch the banks returned unpaid, and their sum. */
export async function unpaidTotalOf(tx: Tx, batch: DebitBatchId): Promise<UnpaidTotal> {
  const [row] = await tx.sql<{ count: number; amount: Cents }>`
    select count(*)::integer as count, coalesce(sum(t.amount_cents), 0)::bigint as amount from debits d
      ${joinPayment(tx, part`d.transaction_id`)}
     where d.organisation_id = ${tx.organisation} and d.debit_batch_id = ${batch} and d.unpaid_at is not null`;
  return row ?? { count: 0, amount: ZERO };
}

/**
 * The debits of some action dates that banks decided, by date and outcome: returned unpaid, collected and then disputed
 * in part or whole, or collected. The few batches of an organisation are read, and the debits of those of these dates.
 */
export const decidedDebits = (
  tx: Tx,
  { from, to }: { readonly from: CalendarDay; readonly to: CalendarDay },
): Promise<DecidedDebits[]> => tx.sql<DecidedDebits>`
  select b.action_date as day, o.outcome, d.unpaid_code as code, d.unpaid_reason as reason,
         sum(t.amount_cents)::bigint as amount, count(*)::integer as count
    from debit_batches b join debits d on d.organisation_id = ${tx.organisation} and d.debit_batch_id = b.id and not d.withdrawn
    ${joinPayment(tx, part`d.transaction_id`)} and t.status not in ('pending', 'cancelled')
   cross join lateral (select case when d.unpaid_at is not null then 'unpaid' when ${reversedOf(tx, part`t.id`)} > 0 then 'disputed'
     else 'collected' end as outcome) o
   where b.organisation_id = ${tx.organisation} and b.action_date between ${from} and ${to} group by 1, 2, 3, 4 order by 1, 2, 3, 4`;

interface ReturnedRow {
  readonly transaction_id: TransactionId;
  readonly reference: string;
  readonly customer_id: ReturnedDebit["customerId"];
  readonly customer_name: string;
  readonly mandate_id: MandateId;
  readonly debit_batch_id: DebitBatchId;
  readonly action_date: CalendarDay;
  readonly amount_cents: Cents;
  readonly unpaid_code: string | null;
  readonly unpaid_reason: string;
  readonly unpaid_at: Instant;
  readonly invoice_id: InvoiceId | null;
  readonly pay_link_id: ReturnedDebit["payLinkId"];
  readonly settled: boolean;
}

/** Whether nothing is owed any more for a debit: its invoice `i`, or its link `l`, was paid or closed. */
const SETTLED = part`coalesce(i.status not ${IN_OPEN}, not l.active, false)`;

/** Debits that banks returned unpaid, the newest first; `open`: those for which something is owed, or nothing. */
export async function listReturnedDebits(
  tx: Tx,
  query: ListQuery<"customerId" | "mandateId" | "open"> & {
    readonly from?: CalendarDay | undefined;
    readonly to?: CalendarDay | undefined;
  },
): Promise<ReturnedDebit[]> {
  const rows = await tx.sql<ReturnedRow>`
    select d.transaction_id, t.reference, t.customer_id, ${CUSTOMER_LABEL} as customer_name, d.mandate_id, d.debit_batch_id,
           b.action_date, t.amount_cents, d.unpaid_code, d.unpaid_reason, d.unpaid_at, t.invoice_id, d.pay_link_id,
           ${SETTLED} as settled
      from debits d join debit_batches b on b.organisation_id = ${tx.organisation} and b.id = d.debit_batch_id
      ${joinPayment(tx, part`d.transaction_id`)} ${joinCustomer(tx, part`t.customer_id`)}
      left ${joinInvoice(tx, part`t.invoice_id`)}
      left ${joinPaymentLink(tx, part`d.pay_link_id`)}
     where d.organisation_id = ${tx.organisation} and d.unpaid_at is not null
       ${when(query.customerId, (customerId) => part`and t.customer_id = ${customerId}`)}
       ${when(query.mandateId, (mandateId) => part`and d.mandate_id = ${mandateId}`)}
       ${when(query.from, (from) => part`and b.action_date >= ${from}`)} ${when(query.to, (to) => part`and b.action_date <= ${to}`)}
       ${when(query.open, (open) => part`and ${SETTLED} = ${open === "false"}`)}
       ${onPage(query, part`d.transaction_id`)}
       ${when(query.q || null, (value) => part`and concat_ws(' ', t.reference, ${CUSTOMER_LABEL}) ilike ${containing(value)}`)}
     ${newestFirst(query, part`d.transaction_id`)}`;
  return rows.map((row) => ({
    id: row.transaction_id,
    reference: row.reference,
    customerId: row.customer_id,
    customerName: row.customer_name,
    mandateId: row.mandate_id,
    batchId: row.debit_batch_id,
    actionDate: row.action_date,
    amount: row.amount_cents,
    code: row.unpaid_code,
    reason: row.unpaid_reason,
    unpaidAt: row.unpaid_at,
    invoiceId: row.invoice_id,
    payLinkId: row.pay_link_id,
    settled: row.settled,
  }));
}
