// Writes nothing. Reads: invoices, invoice_lines, credit_notes.

import { CUSTOMER_NAME, joinCustomer } from "../../domain/customer-name.ts";
import { joinInvoice } from "../../domain/joins.ts";
import { fromEntries, joinEntries } from "../../domain/journal.ts";
import type { CustomerId, InvoiceId } from "../../kernel/ids.ts";
import { cents, ZERO } from "../../kernel/money.ts";
import { addDays, type CalendarDay, calendarDay, type Instant, instant, startOfDay } from "../../kernel/time.ts";
import { type Part, part, type Tx } from "../../platform/database.ts";
import { planned } from "../../platform/planned.ts";
import type { Month, Movement, ServiceInvoice } from "./types.ts";

/**
 * Invoices with a line whose period has not ended before the month, in the order of their ids, at most `limit` after
 * `after`. Not all of them are posted.
 */
export async function invoicesOfPeriods(
  tx: Tx,
  { first }: Month,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<InvoiceId[]> {
  const rows = await tx.sql<{ invoice_id: InvoiceId }>`
    select distinct invoice_id from invoice_lines
     where organisation_id = ${tx.organisation} and period_end >= ${first} and invoice_id > ${after} order by invoice_id limit ${limit}`;
  return rows.map(({ invoice_id }) => invoice_id);
}

/** The unearned amount of a line `l` at the end of a day; the same rule as `unearned` (rules.ts). */
const unearnedAt = (day: CalendarDay): Part => part`
  case when ${day}::date < l.period_start then l.amount_cents when ${day}::date >= l.period_end then 0
       else l.amount_cents - div(l.amount_cents::numeric * (${day}::date - l.period_start + 1), l.period_end - l.period_start + 1) end`;

/** Invoices that credit notes reduced before a moment. */
const credited = (tx: Tx, until: Instant): Part => part`
  select n.invoice_id from credit_notes n
    ${joinEntries(tx)} and e.kind = 'credit_note' and e.subject = n.id and e.occurred_at < ${until}
   where n.organisation_id = ${tx.organisation} and n.invoice_id is not null`;

/** Invoices that were cancelled before a moment. */
const cancelled = (tx: Tx, until: Instant): Part => part`
  select e.subject as invoice_id ${fromEntries(tx)} and e.kind = 'invoice_cancelled' and e.occurred_at < ${until}`;

/**
 * The movement in the month of the deferred revenue of invoices without a credit note or cancellation until its end,
 * and the number of invoices that have any.
 */
export async function untouchedTotals(
  tx: Tx,
  { first, last }: Month,
  currency: string,
): Promise<{ readonly invoices: number; readonly moved: Movement }> {
  const until = startOfDay(addDays(last, 1));
  type Sums = {
    readonly invoices: number;
    readonly opening: number;
    readonly deferred: number;
    readonly closing: number;
  };
  const [row] = await planned(
    tx,
    () => tx.sql<Sums>`
    with of_invoice as (
      select case when e.occurred_at < ${startOfDay(first)} then sum(${unearnedAt(addDays(first, -1))}) else 0 end as opening,
             case when e.occurred_at < ${startOfDay(first)} then 0 else sum(${unearnedAt(last)}) end as deferred,
             sum(${unearnedAt(last)}) as closing
        from invoice_lines l
        ${joinInvoice(tx, part`l.invoice_id`)} and i.currency = ${currency}
        ${joinEntries(tx)} and e.kind = 'invoice' and e.subject = l.invoice_id and e.occurred_at < ${until}
       where l.organisation_id = ${tx.organisation} and l.period_end >= ${first} and l.period_start is not null
         and not exists (select from (${credited(tx, until)} union all ${cancelled(tx, until)}) t where t.invoice_id = l.invoice_id)
       group by l.invoice_id, e.occurred_at)
    select count(*)::integer as invoices, coalesce(sum(opening), 0)::bigint as opening, coalesce(sum(deferred), 0)::bigint as deferred,
           coalesce(sum(closing), 0)::bigint as closing from of_invoice where opening <> 0 or closing <> 0`,
  );
  const [opening, deferred, closing] = [cents(row?.opening ?? 0), cents(row?.deferred ?? 0), cents(row?.closing ?? 0)];
  return {
    invoices: row?.invoices ?? 0,
    moved: { opening, deferred, recognised: cents(opening + deferred - closing), reversed: ZERO, closing },
  };
}

/**
 * The other invoices with a line whose period has not ended before the month, except those cancelled before it, which
 * have nothing deferred; in the order of their ids.
 */
export async function touchedInvoices(tx: Tx, { first, last }: Month): Promise<InvoiceId[]> {
  const until = startOfDay(addDays(last, 1));
  const rows = await planned(
    tx,
    () => tx.sql<{ invoice_id: InvoiceId }>`
    select t.invoice_id from (${credited(tx, until)} union ${cancelled(tx, until)}) t
     where exists (select from invoice_lines l where l.organisation_id = ${tx.organisation}
                   and l.invoice_id = t.invoice_id and l.period_end >= ${first})
       and not exists (select from (${cancelled(tx, startOfDay(first))}) x where x.invoice_id = t.invoice_id)
     order by t.invoice_id`,
  );
  return rows.map(({ invoice_id }) => invoice_id);
}

/** Currencies other than rand in which there are invoices; each is found by one read of their index. */
export async function currenciesOfInvoices(tx: Tx): Promise<string[]> {
  const rows = await tx.sql<{ currency: string }>`
    with recursive found as (
      (select currency from invoices where organisation_id = ${tx.organisation} and currency <> 'ZAR' order by currency limit 1)
      union all
      select (select i.currency from invoices i
               where i.organisation_id = ${tx.organisation} and i.currency <> 'ZAR' and i.currency > found.currency
               order by i.currency limit 1)
        from found where found.currency is not null)
    select currency from found where currency is not null`;
  return rows.map(({ currency }) => currency);
}

interface Row {
  readonly id: InvoiceId;
  readonly number: string;
  readonly customer_id: CustomerId;
  readonly name: string | null;
  readonly posted_at: Instant;
  readonly cancelled_at: Instant | null;
  readonly lines: readonly {
    readonly line: number;
    readonly description: string;
    readonly start: CalendarDay;
    readonly end: CalendarDay;
    readonly amount: number;
  }[];
  /** Timestamps are text, since they come as JSON. */
  readonly notes: readonly { readonly at: string; readonly amount: number }[];
}

/**
 * Of these invoices, those that were posted by the end of the month, in the order of their ids, with their entries
 * until then.
 */
export async function serviceInvoices(
  tx: Tx,
  ids: readonly InvoiceId[],
  { last }: Month,
  currency: string,
): Promise<ServiceInvoice[]> {
  const until = startOfDay(addDays(last, 1));
  const rows = await tx.sql<Row>`
    select i.id, i.number, i.customer_id, ${CUSTOMER_NAME} as name,
           e.occurred_at as posted_at, x.occurred_at as cancelled_at, l.lines, coalesce(n.notes, '[]') as notes
      from invoices i
      ${joinEntries(tx)} and e.kind = 'invoice' and e.subject = i.id and e.occurred_at < ${until}
      ${joinCustomer(tx, part`i.customer_id`)}
      left join (select e.subject, e.occurred_at ${fromEntries(tx)} and e.kind = 'invoice_cancelled') x
        on x.subject = i.id and x.occurred_at < ${until}
     cross join lateral (
       select json_agg(json_build_object('line', l.line, 'description', l.description, 'start', l.period_start, 'end', l.period_end,
                'amount', l.amount_cents) order by l.line) as lines
         from invoice_lines l where l.organisation_id = ${tx.organisation} and l.invoice_id = i.id
             and l.period_start is not null and l.period_end is not null) l
      left join lateral (
       select json_agg(json_build_object('at', e.occurred_at, 'amount', n.amount_cents - n.tax_cents) order by e.occurred_at, e.id) as notes
         from credit_notes n ${joinEntries(tx)} and e.kind = 'credit_note' and e.subject = n.id
        where n.organisation_id = ${tx.organisation} and n.invoice_id = i.id and e.occurred_at < ${until}) n on true
     where i.organisation_id = ${tx.organisation} and i.id = any (${ids}::text[]) and i.currency = ${currency}
       and l.lines is not null order by i.id`;
  return rows.map(({ customer_id, name, posted_at, cancelled_at, lines, notes, ...row }) => ({
    ...row,
    customerId: customer_id,
    customerName: name,
    posted: calendarDay(posted_at),
    lines: lines.map((line) => ({ ...line, amount: cents(line.amount) })),
    takenBack: [
      ...notes.map(({ at, amount }) => ({ day: calendarDay(instant(at)), amount: cents(amount) })),
      ...(cancelled_at ? [{ day: calendarDay(cancelled_at), amount: "all" as const }] : []),
    ],
  }));
}
