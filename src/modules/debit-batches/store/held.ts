// Writes: debits. Reads: debit_batches.

import { joinMandate, joinPayment } from "../../../domain/joins.ts";
import type { DebitBatchId, MandateId, TransactionId } from "../../../kernel/ids.ts";
import type { Cents } from "../../../kernel/money.ts";
import type { CalendarDay, Instant } from "../../../kernel/time.ts";
import { part, type Tx } from "../../../platform/database.ts";
import type { HeldBack } from "../types.ts";

/** A debit of a batch as it is held back or released. */
export interface HoldableDebit {
  readonly transactionId: TransactionId;
  readonly reference: string;
  readonly amount: Cents;
  readonly withdrawn: boolean;
  readonly heldAt: Instant | null;
  /** The next date of its mandate; null when it has none. */
  readonly nextDebitDate: CalendarDay | null;
}

/** The debits of a batch with these references. The caller has locked the batch. */
export const debitsNamed = (tx: Tx, batch: DebitBatchId, references: readonly string[]): Promise<HoldableDebit[]> =>
  tx.sql<HoldableDebit>`
    select d.transaction_id as "transactionId", t.reference, t.amount_cents as amount, d.withdrawn, d.held_at as "heldAt",
           m.next_debit_date as "nextDebitDate"
      from debits d ${joinPayment(tx, part`d.transaction_id`)} ${joinMandate(tx, part`d.mandate_id`)}
     where d.organisation_id = ${tx.organisation} and d.debit_batch_id = ${batch} and t.reference = any (${references})
     order by d.transaction_id`;

/**
 * Marks debits as held back, with `held`, or puts them back into their batch, with null. The caller has locked their
 * batch, which is open, and counts them there.
 */
export function saveHeld(tx: Tx, debits: readonly TransactionId[], held: HeldBack | null): void {
  tx.queue`
    update debits set withdrawn = ${held !== null}, held_at = ${held?.at ?? null}, held_by = ${held?.by ?? null},
      held_reason = ${held?.reason ?? null}
     where organisation_id = ${tx.organisation} and transaction_id = any (${debits})`;
}

/** A debit of a mandate's own amount that was held back, and for which no later debit makes up yet. */
export interface OwedDebit {
  readonly mandateId: MandateId;
  readonly transactionId: TransactionId;
  readonly amount: Cents;
}

/**
 * Such debits of these mandates whose batches are no longer open, the oldest first. What was held back of an invoice
 * is collected with the invoice. The caller has locked the mandates.
 */
export const heldBackOf = (tx: Tx, mandates: readonly MandateId[]): Promise<OwedDebit[]> =>
  tx.sql<OwedDebit>`
    select d.mandate_id as "mandateId", d.transaction_id as "transactionId", t.amount_cents as amount
      from debits d join debit_batches b on b.organisation_id = ${tx.organisation} and b.id = d.debit_batch_id and b.status <> 'open'
      ${joinPayment(tx, part`d.transaction_id`)} and t.invoice_id is null
     where d.organisation_id = ${tx.organisation} and d.mandate_id = any (${mandates}) and d.held_at is not null
       and not exists (select from debits n where n.organisation_id = ${tx.organisation} and n.held_from = d.transaction_id)
     order by d.debit_date, d.part`;
