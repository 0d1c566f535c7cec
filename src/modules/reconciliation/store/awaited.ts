// Writes nothing. Reads: awaited_payments (kept by triggers), gateway_accounts, transactions, invoices, reconciliation_accounts.
import { reversedOf } from "../../../domain/given-back.ts";
import type { Named } from "../../../domain/lists.ts";
import type { CustomerId, GatewayAccountId, TransactionId } from "../../../kernel/ids.ts";
import type { Cents } from "../../../kernel/money.ts";
import { type CalendarDay, endOfDay, type Instant, startOfDay } from "../../../kernel/time.ts";
import { NOTHING, type Part, part, type Tx, when } from "../../../platform/database.ts";
import { begins, NEAREST, ofCurrency } from "../../../platform/found.ts";

/** A payment that no statement has shown yet. */
export interface AwaitedPayment {
  readonly id: TransactionId;
  readonly reference: string;
  readonly type: "eft" | "debit_order";
  readonly amount: Cents;
  readonly currency: string;
  readonly paidAt: Instant;
  readonly customerId: CustomerId | null;
  readonly eftOrderId: string | null;
}

/** Filters of awaited payments: inclusive days, a currency, a gateway account; those after a payment, oldest first. */
export interface AwaitedQuery {
  readonly from?: CalendarDay | undefined;
  readonly to?: CalendarDay | undefined;
  readonly currency?: string | undefined;
  readonly gatewayAccountId?: GatewayAccountId | null | undefined;
  /** Bank transfers that arrive at this bank account, as far as this is known. */
  readonly account?: string | undefined;
  /** Of debits, those at these gateway accounts; absent: at all. */
  readonly debitsAt?: readonly string[] | undefined;
  /** The search text `q`; null: no payment can match it. */
  readonly named?: Named | null | undefined;
  readonly after: { readonly paidAt: Instant; readonly id: string } | null;
  /** The page that ends before this payment, read from its end. */
  readonly before?: { readonly paidAt: Instant; readonly id: string } | null;
  readonly limit: number;
}

/**
 * Condition: a transfer to the gateway account of this bank account; when that is not known, to a gateway account that
 * no other bank account has.
 */
const atAccount = (tx: Tx, account: string) => part`
  and (y.type <> 'eft' or coalesce(
    (select k.gateway_account_id = g.id from reconciliation_accounts k
      where k.organisation_id = ${tx.organisation} and k.account = ${account} and k.gateway_account_id is not null),
    not exists (select from reconciliation_accounts k where k.organisation_id = ${tx.organisation} and k.gateway_account_id = g.id)))`;

/**
 * Condition of `q`: a payment whose reference, or the merchant's, begins with the text; or of the amount; or of the
 * customers or their invoices; or of a payer who is no customer and whose address begins with it. Indexes find them;
 * when these find more than `NEAREST`, shown payments included, the awaited payments are searched in their order.
 */
async function isNamed(tx: Tx, { text, references, addresses, amounts, customers }: Named): Promise<Part> {
  const payments = (where: Part) =>
    part`(select n.id from transactions n where n.organisation_id = ${tx.organisation} and ${where} limit ${NEAREST + 1})`;
  const [found] = await tx.sql<{ ids: TransactionId[] | null }>`
    with found as materialized (
      ${payments(part`(${begins(part`n.reference`, references)})`)}
      union all ${payments(part`${begins(part`n.external_reference`, [text])}`)}
      union all ${payments(part`n.amount_cents = any (${amounts}::bigint[])`)}
      union all ${payments(part`n.customer_id = any (${customers}::text[])`)}
      union all ${payments(part`n.invoice_id = any (array(select id from invoices
                                                          where organisation_id = ${tx.organisation}
                                                            and customer_id = any (${customers}::text[])))`)}
      union all ${payments(part`n.customer_id is null and n.payer_email is not null
      and (${begins(part`n.payer_email collate "C"`, addresses)})`)})
    select case when (select count(*) from found) <= ${NEAREST}::integer then array(
      select k.transaction_id from found f cross join lateral (
        select w.transaction_id from awaited_payments w where w.organisation_id = ${tx.organisation}
            and w.transaction_id = f.id limit 1) k) end as ids`;
  if (found?.ids) return part`and w.transaction_id = any (${found.ids})`;
  return part`
    and (${begins(part`t.reference`, references)} or ${begins(part`t.external_reference`, [text])}
      or t.amount_cents = any (${amounts}::bigint[])
      or t.customer_id = any (${customers}::text[]) or i.customer_id = any (${customers}::text[])
      or t.customer_id is null and (${begins(part`t.payer_email collate "C"`, addresses)}))`;
}

/**
 * Completed bank transfers and debits of which no statement has shown anything, and that no bank has reversed as a
 * whole. An index has those of each gateway account and type in order.
 */
export async function awaitedPayments(tx: Tx, query: AwaitedQuery): Promise<AwaitedPayment[]> {
  const { from, to, currency, gatewayAccountId, account, debitsAt, named, after, before, limit } = query;
  const backwards = before ?? null;
  if (named === null) return [];
  const rows = await tx.sql<{
    id: TransactionId;
    reference: string;
    type: AwaitedPayment["type"];
    amount_cents: Cents;
    currency: string;
    paid_at: Instant;
    customer_id: CustomerId | null;
    eft_order_id: string | null;
  }>`
    select f.*, y.type from gateway_accounts g cross join (values ('eft'), ('debit_order')) y(type)
     cross join lateral (
       select t.id, t.reference, t.amount_cents, w.currency, w.paid_at,
              coalesce(t.customer_id, i.customer_id) as customer_id, t.eft_order_id
         from awaited_payments w
        cross join lateral (
          select p.id, p.reference, p.external_reference, p.amount_cents, p.customer_id, p.payer_email, p.invoice_id,
                 p.eft_order_id from transactions p
           where p.organisation_id = ${tx.organisation} and p.id = w.transaction_id limit 1) t
         left join lateral (
          select v.customer_id from invoices v where v.organisation_id = ${tx.organisation} and v.id = t.invoice_id limit 1) i on true
        where w.organisation_id = ${tx.organisation} and w.gateway_account_id = g.id and w.type = y.type
          ${when(from, (value) => part`and w.paid_at >= ${startOfDay(value)}`)}
          ${when(to, (value) => part`and w.paid_at <= ${endOfDay(value)}`)}
          ${ofCurrency(part`w.currency`, currency)}
          ${named === undefined ? NOTHING : await isNamed(tx, named)}
          ${when(after, (value) => part`and (w.paid_at, w.transaction_id) > (${value.paidAt}, ${value.id})`)}
          ${when(backwards, (value) => part`and (w.paid_at, w.transaction_id) < (${value.paidAt}, ${value.id})`)}
          and t.amount_cents > ${reversedOf(tx, part`w.transaction_id`)}
        ${backwards ? part`order by w.paid_at desc, w.transaction_id desc` : part`order by w.paid_at, w.transaction_id`} limit ${limit}) f
     where g.organisation_id = ${tx.organisation}
       ${when(gatewayAccountId || null, (value) => part`and g.id = ${value}`)}
       ${when(account, (value) => atAccount(tx, value))}
       ${when(debitsAt, (ids) => part`and (y.type = 'eft' or g.id = any (${ids}))`)}
     ${backwards ? part`order by f.paid_at desc, f.id desc` : part`order by f.paid_at, f.id`} limit ${limit}`;
  return rows.map((row) => ({
    id: row.id,
    reference: row.reference,
    type: row.type,
    amount: row.amount_cents,
    currency: row.currency,
    paidAt: row.paid_at,
    customerId: row.customer_id,
    eftOrderId: row.eft_order_id,
  }));
}

/** The position of a list of awaited payments after a payment; null when there is none. */
export async function awaitedAfter(tx: Tx, id: string): Promise<AwaitedQuery["after"]> {
  const [row] = await tx.sql<{ paid_at: Instant; id: TransactionId }>`
    select paid_at, id from transactions where organisation_id = ${tx.organisation} and id = ${id} and paid_at is not null`;
  return row ? { paidAt: row.paid_at, id: row.id } : null;
}
