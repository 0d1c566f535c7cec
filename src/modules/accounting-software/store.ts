// Writes: accounting_software. Reads: invoices, invoice_lines, credit_notes, credit_note_lines.

import { CUSTOMER_LABEL, joinCustomer } from "../../domain/customer-name.ts";
import { joinInvoice } from "../../domain/joins.ts";
import { fromPostedLines, joinEntries } from "../../domain/journal.ts";
import { locking } from "../../domain/locks.ts";
import type { Decimal } from "../../kernel/decimal.ts";
import { exemption } from "../../kernel/exemption.ts";
import { type Cents, cents } from "../../kernel/money.ts";
import type { CalendarDay, Instant } from "../../kernel/time.ts";
import { type Part, part, type Tx } from "../../platform/database.ts";
import { type ChosenCodes, codesOf } from "./rules/codes.ts";
import type { Codes, DocumentLine, FiledAccount, JournalSum, Software } from "./types.ts";

/** The codes that replace defaults. */
async function chosenCodes(tx: Tx, software: Software): Promise<ChosenCodes> {
  const [row] = await tx.sql<{ codes: unknown }>`
    select codes from accounting_software where organisation_id = ${tx.organisation} and software = ${software}`;
  return (row?.codes ?? {}) as ChosenCodes;
}

/** The software's codes, with defaults. */
export const readCodes = async (tx: Tx, software: Software): Promise<Codes> =>
  codesOf(software, await chosenCodes(tx, software));

/** As `chosenCodes`, locked until the transaction ends. */
export async function lockChosenCodes(tx: Tx, software: Software): Promise<ChosenCodes> {
  locking(tx, "settings").queue`
    insert into accounting_software as s (organisation_id, software, codes) values (${tx.organisation}, ${software}, '{}')
    on conflict (organisation_id, software) do update set codes = s.codes where false`;
  return chosenCodes(tx, software);
}

/** Replaces the chosen codes. */
export function saveChosenCodes(tx: Tx, software: Software, codes: ChosenCodes): void {
  tx.queue`
    update accounting_software set codes = ${JSON.stringify(codes)} where organisation_id = ${tx.organisation} and software = ${software}`;
}

/** Of a file: since `from`, before `until`, in one currency. */
export interface FilePeriod {
  readonly from: Instant;
  readonly until: Instant;
  readonly currency: string;
}

interface DocumentRow {
  id: string;
  number: string;
  day: CalendarDay;
  due_day: CalendarDay;
  reference: string | null;
  customer: string;
  account_code: string;
  email: string | null;
  description: string;
  net: Cents;
  tax: Cents;
  tax_rate: Decimal;
  tax_exempt: boolean;
  currency: string;
}

/** The id of the document, and its line. */
export type FiledLine = DocumentLine & { readonly id: string };

const CUSTOMER = part`
  ${CUSTOMER_LABEL} as customer,
  c.account_code, c.email`;

/**
 * The lines of the documents of one kind that were posted in the period, in the order of their ids: those of at most
 * `limit` documents after the document `after`.
 */
export async function documentLines(
  tx: Tx,
  kind: DocumentLine["kind"],
  page: FilePeriod & { readonly after: string; readonly limit: number },
): Promise<FiledLine[]> {
  const rows =
    await tx.sql<DocumentRow>`${kind === "invoice" ? invoiceLines(tx, page) : creditNoteLines(tx, page)} order by d.id, l.line`;
  return rows.map(({ due_day, account_code, tax_rate, tax_exempt, ...row }) => ({
    ...row,
    ...{ kind, dueDay: due_day, accountCode: account_code, taxRate: tax_rate, ...exemption(tax_exempt) },
  }));
}

type DocumentPage = Parameters<typeof documentLines>[2];

/** The entries of the documents in `table` that are due in the file, as `e`. */
const entries = (
  tx: Tx,
  kind: DocumentLine["kind"],
  table: Part,
  { from, until, currency, after, limit }: DocumentPage,
) => part`
  (select e.subject, day_of(e.occurred_at) as day
     from ${table} s ${joinEntries(tx)} and e.kind = ${kind} and e.subject = s.id
    where s.organisation_id = ${tx.organisation} and s.currency = ${currency} and e.subject > ${after}
      and e.occurred_at >= ${from} and e.occurred_at < ${until} order by e.subject limit ${limit}) e`;

const invoiceLines = (tx: Tx, page: DocumentPage): Part => part`
  select d.id, d.number, e.day, greatest(coalesce(d.due_date, e.day), e.day) as due_day, d.external_reference as reference, ${CUSTOMER},
         l.description, l.amount_cents as net, l.tax_cents as tax, l.tax_rate, l.tax_exempt, d.currency
    from ${entries(tx, "invoice", part`invoices`, page)}
    join invoices d on d.organisation_id = ${tx.organisation} and d.id = e.subject
    join invoice_lines l on l.organisation_id = ${tx.organisation} and l.invoice_id = d.id
    ${joinCustomer(tx, part`d.customer_id`)}`;

const creditNoteLines = (tx: Tx, page: DocumentPage): Part => part`
  select d.id, d.number, e.day, e.day as due_day, i.number as reference, ${CUSTOMER},
         coalesce(l.description, d.reason) as description, coalesce(l.amount_cents - l.tax_cents, d.amount_cents - d.tax_cents) as net,
         coalesce(l.tax_cents, d.tax_cents) as tax, coalesce(l.tax_rate, d.tax_rate, 0) as tax_rate,
         coalesce(l.tax_exempt, d.tax_exempt) as tax_exempt, d.currency
    from ${entries(tx, "credit_note", part`credit_notes`, page)}
    join credit_notes d on d.organisation_id = ${tx.organisation} and d.id = e.subject
    left join credit_note_lines l on l.organisation_id = ${tx.organisation} and l.credit_note_id = d.id
    left ${joinInvoice(tx, part`d.invoice_id`)}
    ${joinCustomer(tx, part`d.customer_id`)}`;

/**
 * The sums posted to each account of a file: by day, or all dated `on`. With `apart`, without the part that the files
 * of invoices and credit notes post. That is an invoice's whole entry, and a credit note's revenue and VAT: its
 * document reduces what the customer owes, so only the transfer from there to the customer's credit remains.
 */
export async function journalSums(
  tx: Tx,
  { from, until, currency, on, apart }: FilePeriod & { readonly on: CalendarDay | null; readonly apart: boolean },
): Promise<JournalSum[]> {
  const rows = await tx.sql<{ day: CalendarDay; account: string; amount: number }>`
    select f.day, f.account, sum(l.amount_cents)::bigint as amount ${fromPostedLines(tx)}
     cross join lateral (select coalesce(${on}::date, day_of(l.occurred_at)) as day,
       case when l.account = 'bank_reconciled' then 'bank'
            when ${apart} and e.kind = 'credit_note' and l.account in ('revenue', 'vat_output') then 'receivable'
                else l.account end as account) f
     where l.organisation_id = ${tx.organisation} and l.occurred_at >= ${from} and l.occurred_at < ${until} and l.currency = ${currency}
       and not (${apart} and e.kind = 'invoice')
     group by f.day, f.account having sum(l.amount_cents) <> 0 order by f.day, f.account`;
  return rows.map(({ day, account, amount }) => ({
    day,
    account: account as FiledAccount,
    amount: cents(amount),
    currency,
  }));
}
