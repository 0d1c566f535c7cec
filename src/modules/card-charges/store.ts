// Writes: card_charges. Reads: cards, invoices, customer_subscription_bills, invoice_payments (which payments were reversed).

import { IN_OPEN } from "../../domain/invoices.ts";
import { joinSubscription } from "../../domain/joins.ts";
import { lockName } from "../../domain/locks.ts";
import type { CardChargesRow } from "../../domain/rows.ts";
import type { InvoiceId, TransactionId } from "../../kernel/ids.ts";
import type { CalendarDay, Instant } from "../../kernel/time.ts";
import { part, type Tx } from "../../platform/database.ts";
import type { CardCharge } from "./types.ts";

const fromRow = (row: CardChargesRow): CardCharge => ({
  id: row.id,
  transactionId: row.transaction_id,
  customerId: row.customer_id,
  cardId: row.card_id,
  status: row.status,
  externalReference: row.external_reference,
  holdsReference: row.holds_reference,
  dueInvoiceId: row.due_invoice_id,
  isCollection: row.is_collection,
  chargeDay: row.charge_day,
  failureReason: row.failure_reason,
});

/**
 * Inserts a charge after its transaction. False when another charge has the external reference, or the invoice was
 * charged before when it fell due; of several transactions at once one inserts it. The caller has locked the cards of
 * the customer.
 */
export async function insertCardCharge(tx: Tx, charge: CardCharge): Promise<boolean> {
  const rows = await tx.sql`
    insert into card_charges (organisation_id, id, transaction_id, customer_id, card_id, status, external_reference, holds_reference,
      due_invoice_id, is_collection, charge_day, failure_reason)
    values (${tx.organisation}, ${charge.id}, ${charge.transactionId}, ${charge.customerId}, ${charge.cardId}, ${charge.status},
      ${charge.externalReference}, ${charge.holdsReference}, ${charge.dueInvoiceId}, ${charge.isCollection},
      ${charge.chargeDay}, ${charge.failureReason})
    on conflict do nothing returning id`;
  return rows.length === 1;
}

/** The charge of a transaction; null for a transaction that charges no saved card. */
export async function chargeOfTransaction(tx: Tx, transaction: TransactionId): Promise<CardCharge | null> {
  const [row] = await tx.sql<CardChargesRow>`
    select * from card_charges where organisation_id = ${tx.organisation} and transaction_id = ${transaction}`;
  return row ? fromRow(row) : null;
}

/** The number of charges with the external reference, and the one that reserves it; null when it may be charged again. */
export async function chargesUnder(
  tx: Tx,
  externalReference: string,
): Promise<{ readonly attempts: number; readonly holder: CardCharge | null }> {
  const [row] = await tx.sql<CardChargesRow & { attempts: number }>`
    select *, (count(*) over ())::integer as attempts from card_charges
     where organisation_id = ${tx.organisation} and external_reference = ${externalReference}
     order by holds_reference desc limit 1`;
  return { attempts: row?.attempts ?? 0, holder: row?.holds_reference ? fromRow(row) : null };
}

/** Stores that a charge has succeeded; it reserves its external reference again, unless another charge has done so. */
export function completeCardCharge(tx: Tx, { id }: CardCharge): void {
  tx.queue`
    update card_charges c set status = 'complete', failure_reason = null,
      holds_reference = c.external_reference is not null and not exists (
        select from card_charges o where o.organisation_id = ${tx.organisation} and o.external_reference = c.external_reference
           and o.holds_reference and o.id <> c.id)
     where c.organisation_id = ${tx.organisation} and c.id = ${id}`;
}

/** Stores that a charge has failed; its external reference may be charged again. */
export function failCardCharge(tx: Tx, { id }: CardCharge, reason: string): void {
  tx.queue`
    update card_charges set status = 'failed', failure_reason = ${reason}, holds_reference = false
     where organisation_id = ${tx.organisation} and id = ${id}`;
}

/**
 * Counts the charges of a customer's cards on a day, except those for due invoices and of subscriptions. The caller has
 * locked the cards.
 */
export async function countChargesOn(tx: Tx, customer: string, day: CalendarDay): Promise<number> {
  const [row] = await tx.sql<{ count: number }>`
    select count(*)::integer as count from card_charges
     where organisation_id = ${tx.organisation} and customer_id = ${customer} and charge_day = ${day}
       and due_invoice_id is null and not is_collection`;
  return row?.count ?? 0;
}

/**
 * Counts the organisation's charges through the API since `since`, real time, up to `limit`. Locks them until the transaction ends, so that
 * charges at the same time count each other.
 */
export async function countChargesSince(tx: Tx, since: Instant, limit: number): Promise<number> {
  lockName(tx, "card charges of a minute", tx.organisation);
  const [row] = await tx.sql<{ count: number }>`
    select count(*)::integer as count from (
      select from card_charges where organisation_id = ${tx.organisation} and id >= first_id_at('chg', ${since})
         and external_reference is not null limit ${limit}) counted`;
  return row?.count ?? 0;
}

/** Whether the default card was charged for the invoice when it fell due, whatever the outcome. */
export async function isChargedWhenDue(tx: Tx, invoice: InvoiceId): Promise<boolean> {
  const rows = await tx.sql`
    select id from card_charges where organisation_id = ${tx.organisation} and due_invoice_id = ${invoice}`;
  return rows.length > 0;
}

/**
 * Ids of open invoices that are due by `today`, were not charged when they fell due, and whose customer has an active
 * default card; in order. Left out are invoices of subscriptions with another collection method than `invoice`, and
 * invoices with a payment that a bank reversed.
 */
export async function listDueInvoicesWithCard(
  tx: Tx,
  wanted: { readonly currency: string; readonly today: CalendarDay; readonly after: string; readonly limit: number },
): Promise<InvoiceId[]> {
  const rows = await tx.sql<{ id: InvoiceId }>`
    select i.id from cards c join invoices i on i.organisation_id = ${tx.organisation} and i.customer_id = c.customer_id
       and i.status ${IN_OPEN}
     where c.organisation_id = ${tx.organisation} and c.is_default and c.status = 'active'
       and i.due_date <= ${wanted.today} and i.currency = ${wanted.currency} and i.id > ${wanted.after}
       and not exists (select from customer_subscription_bills b
             ${joinSubscription(tx, part`b.customer_subscription_id`)}
            where b.organisation_id = ${tx.organisation} and b.invoice_id = i.id and s.collection_method <> 'invoice')
       and not exists (select from card_charges x where x.organisation_id = ${tx.organisation} and x.due_invoice_id = i.id)
       and not exists (select from invoice_payments p where p.organisation_id = ${tx.organisation}
                       and p.invoice_id = i.id and p.source = 'reversal')
     order by i.id limit ${wanted.limit}`;
  return rows.map(({ id }) => id);
}
