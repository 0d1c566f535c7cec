// Writes nothing. Reads: journal_lines, and what store/invoice-basis.ts and store/payments-basis.ts read.
import { cents } from "../../kernel/money.ts";
import type { Instant } from "../../kernel/time.ts";
import { type Part, part, type Tx } from "../../platform/database.ts";
import { planned } from "../../platform/planned.ts";
import { untaxedField } from "./rules.ts";
import { onInvoiceBasis } from "./store/invoice-basis.ts";
import { onPaymentsBasis } from "./store/payments-basis.ts";
import type { VatBasis, VatField, VatPeriod, VatQuestion, VatRecord, VatSums } from "./types.ts";

const SUPPLIES: Readonly<Record<VatBasis, (tx: Tx, period: VatPeriod) => Part>> = {
  invoice: onInvoiceBasis,
  payments: onPaymentsBasis,
};

/** The sums of the period's entries for the return. */
export async function vatSums(tx: Tx, { basis, span }: VatQuestion): Promise<VatSums> {
  type Row = { standard: number; output_tax: number; untaxed: number; exempt: number; credited: number };
  const [row] = await planned(
    tx,
    () => tx.sql<Row>`
    ${SUPPLIES[basis](tx, span)}
    select coalesce(sum(standard) filter (where standard > 0), 0)::bigint as standard,
           coalesce(sum(tax) filter (where tax > 0), 0)::bigint as output_tax,
           coalesce(sum(untaxed), 0)::bigint as untaxed, coalesce(sum(exempt), 0)::bigint as exempt,
           coalesce(-sum(tax) filter (where tax < 0), 0)::bigint as credited from supply`,
  );
  return {
    standard: cents(row?.standard ?? 0),
    outputTax: cents(row?.output_tax ?? 0),
    untaxed: cents(row?.untaxed ?? 0),
    exempt: cents(row?.exempt ?? 0),
    credited: cents(row?.credited ?? 0),
  };
}

/** The amount of an entry in a field. */
function amountIn(field: VatField, asked: VatQuestion): Part {
  if (field === "1") return part`greatest(standard, 0)`;
  if (field === "4") return part`greatest(tax, 0)`;
  if (field === "18") return part`greatest(-tax, 0)`;
  const unmarked = field === untaxedField(asked) ? part`untaxed` : part`0`;
  return field === "3" ? part`exempt + ${unmarked}` : unmarked;
}

/** The entries of a field in the order of their ids, at most `limit` after `startingAfter`. */
export async function vatRecords(
  tx: Tx,
  asked: VatQuestion,
  { field, limit, startingAfter }: { field: VatField; limit: number; startingAfter?: string | undefined },
): Promise<VatRecord[]> {
  type Row = {
    id: string;
    kind: string;
    subject: string;
    occurred_at: Instant;
    description: string;
    amount: number;
  };
  const rows = await planned(
    tx,
    () => tx.sql<Row>`
    ${SUPPLIES[asked.basis](tx, asked.span)}
    select id, kind, subject, occurred_at, description, amount::bigint as amount from supply
     cross join lateral (select ${amountIn(field, asked)} as amount) f
     where amount <> 0 and id > ${startingAfter ?? ""} order by id limit ${limit}`,
  );
  return rows.map(({ occurred_at, amount, ...row }) => ({ ...row, occurredAt: occurred_at, amount: cents(amount) }));
}

/**
 * A moment of the period such that about `lines` lines of the books lie before it, so that a long period is read in pieces; its end when no more
 * lines are left.
 */
export async function afterLines(tx: Tx, { from, until }: VatPeriod, lines: number): Promise<Instant> {
  const [row] = await tx.sql<{ at: Instant }>`
    select date_trunc('milliseconds', occurred_at) + interval '1 millisecond' as at from journal_lines
     where organisation_id = ${tx.organisation} and occurred_at >= ${from} and occurred_at < ${until} order by occurred_at offset ${lines} limit 1`;
  return row?.at ?? until;
}

/** Currencies other than rand with revenue in the period. */
export async function otherCurrencies(tx: Tx, { from, until }: VatPeriod): Promise<string[]> {
  const rows = await tx.sql<{ currency: string }>`
    select distinct currency from journal_lines
     where organisation_id = ${tx.organisation} and occurred_at >= ${from} and occurred_at < ${until}
       and account in ('revenue', 'vat_output') and currency <> 'ZAR' order by currency`;
  return rows.map(({ currency }) => currency);
}
