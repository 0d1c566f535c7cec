// Writes nothing. Reads: mandates, customer_subscriptions, customer_subscription_bills, invoices, subscription_collections, transactions.
import { IN_ENDED } from "../../../domain/customer-subscriptions.ts";
import { IN_OPEN } from "../../../domain/invoices.ts";
import type { CustomerSubscriptionId, GatewayAccountId, InvoiceId, MandateId } from "../../../kernel/ids.ts";
import type { BusinessDay } from "../../../kernel/time.ts";
import { type Part, part, type Tx, when } from "../../../platform/database.ts";
import { isInNoBatchOf } from "../../../platform/debited-days.ts";
import { isUnderWay } from "../../../platform/under-way.ts";

/** A mandate that collects a customer subscription, with a due date, and the invoices to collect on it. */
export interface CollectingMandate {
  readonly id: MandateId;
  readonly gatewayAccountId: GatewayAccountId;
  readonly subscriptionId: CustomerSubscriptionId;
  readonly date: BusinessDay;
  /** The day on which the subscription is billed next by itself; null when there is none. */
  readonly nextBill: BusinessDay | null;
  /** Open invoices that were billed by the date, oldest first, without those of which a payment is under way. */
  readonly invoices: readonly InvoiceId[];
}

/** The position in a reading of mandates. */
export type CollectingCursor = Pick<CollectingMandate, "gatewayAccountId" | "id">;

/** Which debits are to be added to batches: those that `by` asks for, and whether only mandates with a signed agreement are collected. */
export interface Gathering {
  readonly by: BusinessDay;
  /** Null: of all gateway accounts. */
  readonly accounts: readonly GatewayAccountId[] | null;
  readonly signed: boolean;
}

/**
 * Mandates that collect subscriptions and are due in a batch of `by`, after `cursor`, at most `limit`, in the order of accounts and ids. Locks
 * nothing.
 */
export const mandatesToCollect = (
  tx: Tx,
  gathering: Gathering,
  cursor: CollectingCursor | null,
  limit: number,
): Promise<CollectingMandate[]> =>
  find(
    tx,
    gathering,
    part`(m.gateway_account_id, m.id) > (${cursor?.gatewayAccountId ?? ""}, ${cursor?.id ?? ""}) order by m.gateway_account_id, m.id limit ${limit}`,
  );

/** As `mandatesToCollect`, of these mandates alone, by id. */
export const readMandatesToCollect = (
  tx: Tx,
  gathering: Gathering,
  ids: readonly MandateId[],
): Promise<CollectingMandate[]> => find(tx, gathering, part`m.id = any (${ids}) order by m.id`);

/**
 * Of several active mandates of one subscription the newest collects. A paused subscription is not collected. A missed charge of an ended
 * subscription is not tried again, nor one after a hard decline, unless by a mandate that was authorised later.
 */
const find = (tx: Tx, { by, accounts, signed }: Gathering, which: Part): Promise<CollectingMandate[]> =>
  tx.sql<CollectingMandate & { readonly date: BusinessDay }>`
    select m.id, m.gateway_account_id as "gatewayAccountId", m.subscription_id as "subscriptionId", m.next_debit_date as date,
           case when s.status in ('scheduled', 'trialing', 'active') then s.next_due end as "nextBill",
           array(
             select i.id from customer_subscription_bills b
               join invoices i on i.organisation_id = ${tx.organisation} and i.id = b.invoice_id
                and i.status ${IN_OPEN} and i.issue_date <= m.next_debit_date
               join subscription_collections k on k.organisation_id = ${tx.organisation} and k.invoice_id = i.id
                and (s.status not ${IN_ENDED} or k.missed_at is null) and (not k.is_hard or greatest(m.authorised_at, m.authority_renewed_at) > k.missed_at)
              where b.organisation_id = ${tx.organisation} and b.customer_subscription_id = s.id and s.status <> 'paused'
                and m.id = (select c.id from mandates c where c.organisation_id = ${tx.organisation} and c.subscription_id = s.id
                  and c.status = 'active' order by c.id desc limit 1)
                and not exists (select from transactions t where t.organisation_id = ${tx.organisation} and t.invoice_id = i.id and ${isUnderWay(tx)})
              order by i.issue_date, i.id) as invoices
      from mandates m join customer_subscriptions s on s.organisation_id = ${tx.organisation} and s.id = m.subscription_id
     where m.organisation_id = ${tx.organisation} and m.subscription_id is not null and m.next_debit_date <= ${by}
       and ${isInNoBatchOf(tx, by)} and (not ${signed} or m.agreement_signed_at is not null)
       ${when(accounts, (value) => part`and m.gateway_account_id = any (${value})`)} and ${which}`;

/** Whether a mandate that collects one of these subscriptions is due by a date. */
export async function anyToCollect(
  tx: Tx,
  subscriptions: readonly CustomerSubscriptionId[],
  by: BusinessDay,
): Promise<boolean> {
  const rows = await tx.sql`
    select from mandates where organisation_id = ${tx.organisation} and subscription_id = any (${subscriptions}) and next_debit_date <= ${by} limit 1`;
  return rows.length > 0;
}
