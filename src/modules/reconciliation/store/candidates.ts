// Writes nothing. Reads: reconciliation_allocations, transactions, refunds, reversals, credit_refunds, invoices, customers, eft_orders, reconciliation_accounts.
import type { CustomerId, GatewayAccountId, TransactionId } from "../../../kernel/ids.ts";
import { type Cents, cents } from "../../../kernel/money.ts";
import { addDays, type BusinessDay, businessDay, endOfDay, type Instant, startOfDay } from "../../../kernel/time.ts";
import { NOTHING, type Part, part, type Tx } from "../../../platform/database.ts";
import { begins } from "../../../platform/found.ts";
import type { Named } from "../../../platform/schema.ts";
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
    select t.id, t.reference, t.amount_cents, (t.amount_cents - ${shown(tx, part`t.id`)})::bigint as open_cents, t.gateway_account_id, t.gateway_type
      from transactions t
     where t.organisation_id = ${tx.organisation} and t.reference = any (${references}) and t.paid_at is not null and t.currency = ${currency}`;
  return new Map(rows.map((row) => [row.reference, factsOf(row)]));
}

/** The payments of a run's gateway account and currency with these references, by them, whatever their status. */
export async function paymentsOfAccount(
  tx: Tx,
  { gatewayAccountId, currency }: Pick<Run, "gatewayAccountId" | "currency">,
  references: readonly string[],
): Promise<ReadonlyMap<string, PaymentFacts>> {
  const rows = await tx.sql<PaymentRow>`
    select t.id, t.reference, t.amount_cents, (t.amount_cents - ${shown(tx, part`t.id`)})::bigint as open_cents, t.gateway_account_id, t.gateway_type
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
       where b.organisation_id = ${tx.organisation} and b.transaction_id = any (${ids}) and b.status in ('pending', 'processed')
      union all
      select 'reversal', w.id, w.transaction_id, w.amount_cents, false from reversals w
       where w.organisation_id = ${tx.organisation} and w.transaction_id = any (${ids}) and w.reversed_at is not null) r
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
  paidOn: businessDay(row.paid_at),
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

/** A line for which payments of its amount are searched. */
export interface SoughtLine {
  readonly id: ItemId;
  readonly amount: Cents;
  readonly date: BusinessDay;
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
       select t.id, t.reference, t.amount_cents, t.amount_cents as open_cents, t.gateway_account_id, t.gateway_type, t.paid_at, t.external_reference,
              t.customer_id, t.invoice_id
         from transactions t
        where t.organisation_id = ${tx.organisation} and t.amount_cents = l.amount_cents and t.paid_at between l.since and l.until
          and t.currency = ${currency}
          and not exists (select from reconciliation_allocations a
                           where a.organisation_id = ${tx.organisation} and a.subject = t.id and a.undone_at is null)
        limit ${CANDIDATES_MAX + 1}) t
      left join invoices i on i.organisation_id = ${tx.organisation} and i.id = t.invoice_id
      left join customers c on c.organisation_id = ${tx.organisation} and c.id = coalesce(t.customer_id, i.customer_id)`;
  const ofLine = Map.groupBy(rows, ({ item_id }) => item_id);
  return new Map(
    [...ofLine].filter(([, found]) => found.length <= CANDIDATES_MAX).map(([id, found]) => [id, found.map(namedOf)]),
  );
}

/** Days around a line in which staff are shown payments of its amount. */
const SHOWN_DAYS = 31;
const SHOWN_MAX = 10;

/** The first and the last moment of the payments that are shown for a line of a day. */
export const shownSpan = (date: BusinessDay): readonly [Instant, Instant] => [
  startOfDay(addDays(date, -SHOWN_DAYS)),
  endOfDay(addDays(date, SHOWN_DAYS)),
];

/** Completed payments of an amount around a day, of which no statement has shown anything, nearest first. */
export async function paymentsOfAmount(
  tx: Tx,
  { amount, date }: Omit<SoughtLine, "id">,
  currency: string,
): Promise<(PaymentFacts & { readonly paidOn: BusinessDay })[]> {
  const [since, until] = shownSpan(date);
  const rows = await tx.sql<PaymentRow & { readonly paid_at: Instant }>`
    select t.id, t.reference, t.amount_cents, t.amount_cents as open_cents, t.gateway_account_id, t.gateway_type, t.paid_at from transactions t
     where t.organisation_id = ${tx.organisation} and t.amount_cents = ${amount} and t.currency = ${currency}
       and t.paid_at between ${since} and ${until}
       and not exists (select from reconciliation_allocations a
                        where a.organisation_id = ${tx.organisation} and a.subject = t.id and a.undone_at is null)
     order by abs(extract(epoch from t.paid_at - ${startOfDay(date)})) limit ${SHOWN_MAX}`;
  return rows.map((row) => ({ ...factsOf(row), paidOn: businessDay(row.paid_at) }));
}

/** Refunds and reversals around a day, of an amount in cents above zero, of which no statement has shown anything; with their payments. */
export async function returnsOfAmount(tx: Tx, { amount, date }: Omit<SoughtLine, "id">, currency: string) {
  const [since, until] = shownSpan(date);
  return tx.sql<{ kind: "refund" | "reversal" | "credit_refund"; id: string; reference: string | null; at: Instant }>`
    select r.kind, r.id, t.reference, r.at from (
      select 'refund' as kind, b.id, b.transaction_id, b.created_at as at from refunds b
       where b.organisation_id = ${tx.organisation} and b.amount_cents = ${amount} and b.currency = ${currency} and b.created_at between ${since} and ${until}
         and b.status in ('pending', 'processed')
      union all
      select 'reversal', w.id, w.transaction_id, w.reversed_at from reversals w
       where w.organisation_id = ${tx.organisation} and w.amount_cents = ${amount} and w.reversed_at between ${since} and ${until}
      union all
      select 'credit_refund', c.id, null, c.created_at from credit_refunds c
       where c.organisation_id = ${tx.organisation} and c.amount_cents = ${amount} and c.currency = ${currency} and c.created_at between ${since} and ${until}) r
      left join transactions t on t.organisation_id = ${tx.organisation} and t.id = r.transaction_id
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
     where organisation_id = ${tx.organisation} and reference = any (${references}) and status in ('awaiting_payment', 'awaiting_review', 'rejected', 'expired')`;
  return rows.map(({ id, reference, amount_cents }) => ({ id, reference, amount: amount_cents }));
}

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
  readonly from?: BusinessDay | undefined;
  readonly to?: BusinessDay | undefined;
  readonly currency?: string | undefined;
  readonly gatewayAccountId?: GatewayAccountId | null | undefined;
  /** Bank transfers that arrive at this bank account, as far as this is known. */
  readonly account?: string | undefined;
  /** The search text `q`; null: no payment can match it. */
  readonly named?: Named | null | undefined;
  readonly after: { readonly paidAt: Instant; readonly id: string } | null;
  readonly limit: number;
}

/**
 * Condition: a payment whose reference, or the merchant's, begins with the text; or of the amount; or of the customers or their invoices; or of a
 * payer who is no customer and whose address begins with it. An index finds each.
 */
const isNamed = (tx: Tx, { text, references, addresses, amount, customers }: Named): Part => {
  const payments = (where: Part) =>
    part`select n.id from transactions n where n.organisation_id = ${tx.organisation} and n.paid_at is not null and n.type in ('eft', 'debit_order') and ${where}`;
  return part`and t.id = any (array(${payments(part`(${begins(part`n.reference`, references)})`)}
    union all ${payments(part`${begins(part`n.external_reference`, [text])}`)}
    union all ${payments(part`n.amount_cents = ${amount}::bigint`)}
    union all ${payments(part`n.customer_id = any (${customers}::text[])`)}
    union all ${payments(part`n.invoice_id = any (array(select id from invoices where organisation_id = ${tx.organisation} and customer_id = any (${customers}::text[])))`)}
    union all ${payments(part`n.customer_id is null and n.payer_email is not null and (${begins(part`n.payer_email collate "C"`, addresses)})`)}))`;
};

/**
 * Condition: a transfer to the gateway account of this bank account; when that is not known, to a gateway account that no other bank account has.
 */
const atAccount = (tx: Tx, account: string) => part`
  and (t.type <> 'eft' or coalesce(
    (select k.gateway_account_id = t.gateway_account_id from reconciliation_accounts k
      where k.organisation_id = ${tx.organisation} and k.account = ${account} and k.gateway_account_id is not null),
    not exists (select from reconciliation_accounts k where k.organisation_id = ${tx.organisation} and k.gateway_account_id = t.gateway_account_id)))`;

/** Completed bank transfers and debits of which no statement has shown anything, and that no bank has taken back as a whole. */
export async function awaitedPayments(tx: Tx, query: AwaitedQuery): Promise<AwaitedPayment[]> {
  const { from, to, currency, gatewayAccountId, account, named, after, limit } = query;
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
    select t.id, t.reference, t.type, t.amount_cents, t.currency, t.paid_at, coalesce(t.customer_id, i.customer_id) as customer_id, t.eft_order_id
      from transactions t left join invoices i on i.organisation_id = ${tx.organisation} and i.id = t.invoice_id
     where t.organisation_id = ${tx.organisation} and t.paid_at is not null and t.type in ('eft', 'debit_order')
       ${from === undefined ? NOTHING : part`and t.paid_at >= ${startOfDay(from)}`}
       ${to === undefined ? NOTHING : part`and t.paid_at <= ${endOfDay(to)}`}
       ${currency === undefined ? NOTHING : part`and t.currency = ${currency}`}
       ${gatewayAccountId ? part`and t.gateway_account_id = ${gatewayAccountId}` : NOTHING}
       ${account === undefined ? NOTHING : atAccount(tx, account)}
       ${named === undefined ? NOTHING : named === null ? part`and false` : isNamed(tx, named)}
       ${after === null ? NOTHING : part`and (t.paid_at, t.id) > (${after.paidAt}, ${after.id})`}
       and not exists (select from reconciliation_allocations a
                        where a.organisation_id = ${tx.organisation} and a.subject = t.id and a.undone_at is null)
       and t.amount_cents > coalesce((select sum(w.amount_cents) from reversals w
                                       where w.organisation_id = ${tx.organisation} and w.transaction_id = t.id and w.reversed_at is not null), 0)
     order by t.paid_at, t.id limit ${limit}`;
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
