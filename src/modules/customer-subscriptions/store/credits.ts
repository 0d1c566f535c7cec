// Writes: customer_subscription_credits. Reads: customer_subscription_bills (which bill it is about).

import { type CustomerSubscriptionId, type InvoiceId, newId } from "../../../kernel/ids.ts";
import type { Cents } from "../../../kernel/money.ts";
import type { Instant } from "../../../kernel/time.ts";
import type { Tx } from "../../../platform/database.ts";
import { type RowColumns, rowsOf } from "../../../platform/rows-of.ts";
import type { BillName } from "../rules/planner/types.ts";

/**
 * A change of a subscription's credit other than its use by a bill: it was given, a bill made it, it was converted because prices start or stop to
 * include VAT, it came back from a cancelled invoice, or it was withdrawn because the days that it was given for are not paid or owed any more.
 */
export interface CreditEntry {
  readonly subscriptionId: CustomerSubscriptionId;
  readonly creditId: string;
  readonly cause: "given" | "billed" | "restated" | "returned" | "withdrawn";
  /** The added amount; below zero when it is withdrawn, and possibly for a conversion. */
  readonly amount: Cents;
  /** The bill that it is about: the one that had used it, or that had charged the unused days. It is stored before. */
  readonly bill?: BillName | { readonly invoiceId: InvoiceId } | null;
}

const INSERTED: RowColumns<CreditEntry> = {
  id: ["text", () => newId("cse")],
  customer_subscription_id: ["text", ({ subscriptionId }) => subscriptionId],
  credit_id: ["text", ({ creditId }) => creditId],
  cause: ["text", ({ cause }) => cause],
  amount_cents: ["bigint", ({ amount }) => amount],
  cycle: ["integer", ({ bill }) => (bill && "cycle" in bill ? bill.cycle : null)],
  place: ["integer", ({ bill }) => (bill && "cycle" in bill ? bill.place : null)],
  invoice_id: ["text", ({ bill }) => (bill && "invoiceId" in bill ? bill.invoiceId : null)],
};

/** Inserts them, in one statement; nothing for an amount of zero. */
export function insertCreditEntries(tx: Tx, entries: readonly CreditEntry[], now: Instant): void {
  const changed = entries.filter(({ amount }) => amount !== 0);
  if (changed.length === 0) return;
  tx.queue`
    insert into customer_subscription_credits (organisation_id, id, customer_subscription_id, credit_id, cause, amount_cents, bill_id, created_at)
    select ${tx.organisation}, n.id, n.customer_subscription_id, n.credit_id, n.cause, n.amount_cents,
           case when n.invoice_id is not null then (
                  select b.id from customer_subscription_bills b where b.organisation_id = ${tx.organisation} and b.invoice_id = n.invoice_id)
                when n.cycle is not null then (
                  select b.id from customer_subscription_bills b
                   where b.organisation_id = ${tx.organisation} and b.customer_subscription_id = n.customer_subscription_id and b.cycle = n.cycle
                   order by b.id offset n.place limit 1) end, ${now}
      from ${rowsOf(changed, INSERTED)}
    returning id`;
}
