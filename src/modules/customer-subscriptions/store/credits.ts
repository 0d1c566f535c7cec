// Writes: customer_subscription_credits. Reads: customer_subscription_bills (which bill it is about).

import type { CustomerSubscriptionId, InvoiceId } from "../../../kernel/ids.ts";
import type { Cents } from "../../../kernel/money.ts";
import type { Instant } from "../../../kernel/time.ts";
import type { Tx } from "../../../platform/database.ts";
import { newId } from "../../../platform/new-id.ts";
import { type RowColumns, rowsOf } from "../../../platform/rows-of.ts";
import type { BillName } from "../rules/planner/types.ts";
import type { GivenCover } from "../rules/planner/worth.ts";

/**
 * A change of a subscription's credit other than its use by a bill: it was given, a bill made it, it was converted
 * because prices start or stop to include VAT, it came back from a cancelled invoice, or it was withdrawn because the
 * days that it was given for are not paid or owed any more.
 */
export interface CreditEntry {
  readonly subscriptionId: CustomerSubscriptionId;
  readonly creditId: string;
  readonly cause: "given" | "billed" | "restated" | "returned" | "withdrawn";
  /** The added amount; below zero when it is withdrawn, and possibly for a conversion. */
  readonly amount: Cents;
  /** The bill that it is about: the one that had used it, or that had charged the unused days. It is stored before. */
  readonly bill?: BillName | { readonly invoiceId: InvoiceId } | null;
  /** With VAT, of unused days that a bill had charged. */
  readonly gross?: Cents;
}

const INSERTED: RowColumns<CreditEntry> = {
  id: ["text", () => newId("cse")],
  customer_subscription_id: ["text", ({ subscriptionId }) => subscriptionId],
  credit_id: ["text", ({ creditId }) => creditId],
  cause: ["text", ({ cause }) => cause],
  amount_cents: ["bigint", ({ amount }) => amount],
  gross_cents: ["bigint", ({ gross }) => gross ?? null],
  cycle: ["integer", ({ bill }) => (bill && "cycle" in bill ? bill.cycle : null)],
  place: ["integer", ({ bill }) => (bill && "cycle" in bill ? bill.place : null)],
  invoice_id: ["text", ({ bill }) => (bill && "invoiceId" in bill ? bill.invoiceId : null)],
};

/** Inserts them, in one statement; nothing for an amount of zero. */
export function insertCreditEntries(tx: Tx, entries: readonly CreditEntry[], now: Instant): void {
  const changed = entries.filter(({ amount }) => amount !== 0);
  if (changed.length === 0) return;
  tx.queue`
    insert into customer_subscription_credits (organisation_id, id, customer_subscription_id, credit_id, cause,
                                               amount_cents, gross_cents, bill_id, created_at)
    select ${tx.organisation}, n.id, n.customer_subscription_id, n.credit_id, n.cause, n.amount_cents, n.gross_cents,
           case when n.invoice_id is not null then (
                  select b.id from customer_subscription_bills b where b.organisation_id = ${tx.organisation}
                      and b.invoice_id = n.invoice_id)
                when n.cycle is not null then (
                  select b.id from customer_subscription_bills b
                   where b.organisation_id = ${tx.organisation}
                     and b.customer_subscription_id = n.customer_subscription_id and b.cycle = n.cycle
                   order by b.id offset n.place limit 1) end, ${now}
      from ${rowsOf(changed, INSERTED)}
    returning id`;
}

interface GivenRow extends BillName {
  readonly creditId: string;
  readonly gross: Cents;
  readonly out: Cents;
}

/** For credits of unused days: how much of which bill they gave back, with VAT; oldest first. */
export async function coversGiven(
  tx: Tx,
  subscription: CustomerSubscriptionId,
  credits: readonly string[],
): Promise<ReadonlyMap<string, readonly GivenCover[]>> {
  if (credits.length === 0) return new Map();
  const rows = await tx.sql<GivenRow>`
    select c.credit_id as "creditId", b.cycle, c.gross_cents as gross,
           (select count(*)::int from customer_subscription_bills o
             where o.organisation_id = ${tx.organisation} and o.customer_subscription_id = ${subscription}
               and o.cycle = b.cycle and o.id < b.id) as place,
           (select coalesce(sum(e.gross_cents), 0)::bigint from customer_subscription_credits e
             where e.organisation_id = ${tx.organisation} and e.bill_id = c.bill_id and e.cause = 'billed' and e.id < c.id) as out
      from customer_subscription_credits c
      join customer_subscription_bills b on b.organisation_id = ${tx.organisation} and b.id = c.bill_id
     where c.organisation_id = ${tx.organisation} and c.customer_subscription_id = ${subscription} and c.cause = 'billed'
       and c.gross_cents is not null and c.credit_id = any (${credits}) order by c.id`;
  const given = rows.map(({ creditId, cycle, place, gross, out }) => ({
    creditId,
    bill: { cycle, place },
    gross,
    out,
  }));
  return Map.groupBy(given, ({ creditId }) => creditId);
}
