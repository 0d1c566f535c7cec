// Writes nothing. Reads: reconciliation_allocations, transactions, refunds, reversals, credit_refunds, eft_orders.

import { joinCustomer } from "../../../domain/customer-name.ts";
import { joinInvoice, joinPayment } from "../../../domain/joins.ts";
import { IN_BOOKED } from "../../../domain/refunds.ts";
import type { CustomerId, GatewayAccountId, TransactionId } from "../../../kernel/ids.ts";
import { type Cents, cents } from "../../../kernel/money.ts";
import { addDays, type CalendarDay, calendarDay, endOfDay, type Instant, startOfDay } from "../../../kernel/time.ts";
import { part, type Tx } from "../../../platform/database.ts";
import { CANDIDATES_MAX, DATE_WINDOW_DAYS } from "../rules.ts";
import type { ItemId, NamedPayment, PaymentFacts, ReturnFacts, Run } from "../types.ts";

/** A payment as it is stored, with the amount that no statement has shown yet. */
export interface PaymentRow {
  readonly id: TransactionId;
  readonly reference: string;
  readonly amount_cents: Cents;
  readonly open_cents: number;
  readonly gateway_account_id: GatewayAccountId;
  readonly gateway_type: string;
}

/** A stored payment as matching needs it. */
export const factsOf = (row: PaymentRow): PaymentFacts => ({
  id: row.id,
  reference: row.reference,
  amount: row.amount_cents,
  open: cents(row.open_cents),
  gatewayAccountId: row.gateway_account_id,
  gatewayType: row.gateway_type,
});

/** The sum in cents that statements have shown of a record `subject`. */
const shown = (tx: Tx, subject: ReturnType<typeof part>) => part`
  coalesce((select sum(a.amount_cents) from reconciliation_allocations a
             where a.organisation_id = ${tx.organisation} and a.subject = ${subject} and a.undone_at is null), 0)`;

/** The completed payments with these references, by them; `currency` only. */
export async function paymentsByReferences(
  tx: Tx,
  references: readonly string[],
  currency: string,
): Promise<ReadonlyMap<string, PaymentFacts>> {
  const rows = await tx.sql<PaymentRow>`
    select t.id, t.reference, t.amount_cents, (t.amount_cents - ${shown(tx, part`t.id`)})::bigint as open_cents,
           t.gateway_account_id, t.gateway_type
      from transactions t
     where t.organisation_id = ${tx.organisation} and t.reference = any (${references}) and t.paid_at is not null
       and t.currency = ${currency}`;
  return new Map(rows.map((row) => [row.reference, factsOf(row)]));
}

/** Payments by reference, in any status, within the run's gateway account and currency. */
export async function paymentsOfAccount(
  tx: Tx,
  { gatewayAccountId, currency }: Pick<Run, "gatewayAccountId" | "currency">,
  references: readonly string[],
): Promise<ReadonlyMap<string, PaymentFacts>> {
  const rows = await tx.sql<PaymentRow>`
    select t.id, t.reference, t.amount_cents, (t.amount_cents - ${shown(tx, part`t.id`)})::bigint as open_cents,
           t.gateway_account_id, t.gateway_type
      from transactions t
     where t.organisation_id = ${tx.organisation} and t.reference = any (${references}) and t.gateway_account_id = ${gatewayAccountId}
       and t.currency = ${currency}`;
  return new Map(rows.map((row) => [row.reference, factsOf(row)]));
}

/** The refunds and reversals of payments, oldest first, with the amount of each that no statement has shown yet. */
export async function returnsOf(tx: Tx, payments: readonly PaymentFacts[]): Promise<ReturnFacts[]> {
  if (payments.length === 0) return [];
  const ids = payments.map(({ id }) => id);
  const rows = await tx.sql<{
    kind: ReturnFacts["kind"];
    id: string;
    transaction_id: TransactionId;
    open_cents: number;
    manual: boolean;
  }>`
    select r.kind, r.id, r.transaction_id, (r.amount_cents + ${shown(tx, part`r.id`)})::bigint as open_cents, r.manual from (
      select 'refund' as kind, b.id, b.transaction_id, b.amount_cents, b.method = 'manual' as manual from refunds b
       where b.organisation_id = ${tx.organisation} and b.transaction_id = any (${ids}) and b.status ${IN_BOOKED}
      union all
      select 'reversal', w.id, w.transaction_id, w.amount_cents, false from reversals w
       where w.organisation_id = ${tx.organisation} and w.transaction_id = any (${ids}) and w.reversed_at is not null
         and w.amount_cents > 0) r
     order by r.id`;
  const byId = new Map(payments.map((payment) => [payment.id, payment]));
  return rows.flatMap(({ kind, id, transaction_id, open_cents, manual }) => {
    const payment = byId.get(transaction_id);
    return payment ? [{ kind, id, payment, open: cents(open_cents), manual }] : [];
  });
}

/** The amount of a record that no statement has shown yet, in cents with its sign. */
export async function openOf(tx: Tx, subject: string, amount: Cents): Promise<Cents> {
  const [row] = await tx.sql<{ shown: number }>`select ${shown(tx, part`${subject}`)}::bigint as shown`;
  return cents(amount - (row?.shown ?? 0));
}

interface NamedRow extends PaymentRow {
  readonly item_id: ItemId;
  readonly paid_at: Instant;
  readonly external_reference: string | null;
  readonly number: string | null;
  readonly customer_id: CustomerId | null;
  readonly account_code: string;
  readonly customer_reference: string | null;
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly company: string | null;
}

const namedOf = (row: NamedRow): NamedPayment => ({
  ...factsOf(row),
  paidOn: calendarDay(row.paid_at),
  externalReference: row.external_reference,
  invoiceNumber: row.number,
  customer:
    row.customer_id === null
      ? null
      : {
          id: row.customer_id,
          accountCode: row.account_code,
          externalReference: row.customer_reference,
          firstName: row.first_name,
          lastName: row.last_name,
          company: row.company,
        },
});

/** A line whose amount payments are searched by. */
export interface SoughtLine {
  readonly id: ItemId;
  readonly amount: Cents;
  readonly date: CalendarDay;
}

/**
 * For each line, the payments of its amount and currency around its date of which no statement has shown anything. A line with more than
 * `CANDIDATES_MAX` of them gets none.
 */
export async function paymentsAround(
  tx: Tx,
  lines: readonly SoughtLine[],
  currency: string,
): Promise<ReadonlyMap<ItemId, readonly NamedPayment[]>> {
  const rows = await tx.sql<NamedRow>`
    select l.item_id, t.*, i.number, c.account_code, c.external_reference as customer_reference, c.first_name, c.last_name, c.company
      from unnest(${lines.map(({ id }) => id)}::text[], ${lines.map(({ amount }) => amount)}::bigint[],
        ${lines.map(({ date }) => startOfDay(addDays(date, -DATE_WINDOW_DAYS)))}::timestamptz[],
        ${lines.map(({ date }) => endOfDay(addDays(date, DATE_WINDOW_DAYS)))}::timestamptz[]) as l(item_id, amount_cents, since, until)
     cross join lateral (
       select t.id, t.reference, t.amount_cents, t.amount_cents as open_cents, t.gateway_account_id, t.gateway_type,
              t.paid_at, t.external_reference, t.customer_id, t.invoice_id
         from transactions t
        where t.organisation_id = ${tx.organisation} and t.amount_cents = l.amount_cents and t.paid_at between l.since and l.until
          and t.currency = ${currency}
          and not exists (select from reconciliation_allocations a
                           where a.organisation_id = ${tx.organisation} and a.subject = t.id and a.undone_at is null)
        limit ${CANDIDATES_MAX + 1}) t
      left ${joinInvoice(tx, part`t.invoice_id`)}
      left ${joinCustomer(tx, part`coalesce(t.customer_id, i.customer_id)`)}`;
  const ofLine = Map.groupBy(rows, ({ item_id }) => item_id);
  return new Map(
    [...ofLine].filter(([, found]) => found.length <= CANDIDATES_MAX).map(([id, found]) => [id, found.map(namedOf)]),
  );
}

/** Days around a line in which staff are shown payments of its amount. */
const SHOWN_DAYS = 31;
const SHOWN_MAX = 10;

/** The first and the last moment of the payments that are shown for a line of a day. */
export const shownSpan = (date: CalendarDay): readonly [Instant, Instant] => [
  startOfDay(addDays(date, -SHOWN_DAYS)),
  endOfDay(addDays(date, SHOWN_DAYS)),
];

/** Completed payments of an amount around a day that no statement has shown, nearest first. */
export async function paymentsOfAmount(
  tx: Tx,
  { amount, date }: Omit<SoughtLine, "id">,
  currency: string,
): Promise<(PaymentFacts & { readonly paidOn: CalendarDay })[]> {
  const [since, until] = shownSpan(date);
  const rows = await tx.sql<PaymentRow & { readonly paid_at: Instant }>`
    select t.id, t.reference, t.amount_cents, t.amount_cents as open_cents, t.gateway_account_id, t.gateway_type,
           t.paid_at from transactions t
     where t.organisation_id = ${tx.organisation} and t.amount_cents = ${amount} and t.currency = ${currency}
       and t.paid_at between ${since} and ${until}
       and not exists (select from reconciliation_allocations a
                        where a.organisation_id = ${tx.organisation} and a.subject = t.id and a.undone_at is null)
     order by abs(extract(epoch from t.paid_at - ${startOfDay(date)})) limit ${SHOWN_MAX}`;
  return rows.map((row) => ({ ...factsOf(row), paidOn: calendarDay(row.paid_at) }));
}

/** Refunds and reversals around a day, of an amount in cents above zero, that no statement has shown; with their payments. */
export async function returnsOfAmount(tx: Tx, { amount, date }: Omit<SoughtLine, "id">, currency: string) {
  const [since, until] = shownSpan(date);
  return tx.sql<{ kind: "refund" | "reversal" | "credit_refund"; id: string; reference: string | null; at: Instant }>`
    select r.kind, r.id, t.reference, r.at from (
      select 'refund' as kind, b.id, b.transaction_id, b.created_at as at from refunds b
       where b.organisation_id = ${tx.organisation} and b.amount_cents = ${amount} and b.currency = ${currency}
         and b.created_at between ${since} and ${until}
         and b.status ${IN_BOOKED}
      union all
      select 'reversal', w.id, w.transaction_id, w.reversed_at from reversals w
       where w.organisation_id = ${tx.organisation} and w.amount_cents = ${amount} and w.reversed_at between ${since} and ${until}
      union all
      select 'credit_refund', c.id, null, c.created_at from credit_refunds c
       where c.organisation_id = ${tx.organisation} and c.amount_cents = ${amount} and c.currency = ${currency}
         and c.created_at between ${since} and ${until}) r
      left ${joinPayment(tx, part`r.transaction_id`)}
     where (r.kind = 'credit_refund' or t.currency = ${currency})
       and not exists (select from reconciliation_allocations a
                        where a.organisation_id = ${tx.organisation} and a.subject = r.id and a.undone_at is null)
     order by r.at desc limit ${SHOWN_MAX}`;
}

/** A bank transfer that is not paid. */
export interface OpenTransfer {
  readonly id: string;
  readonly reference: string;
  readonly amount: Cents;
}

/** The open bank transfers that a line names, for staff to approve. */
export async function openTransfers(tx: Tx, references: readonly string[]): Promise<OpenTransfer[]> {
  const rows = await tx.sql<{ id: string; reference: string; amount_cents: Cents }>`
    select id, reference, amount_cents from eft_orders
     where organisation_id = ${tx.organisation} and reference = any (${references})
       and status in ('awaiting_payment', 'awaiting_review', 'rejected', 'expired')`;
  return rows.map(({ id, reference, amount_cents }) => ({ id, reference, amount: amount_cents }));
}
