import type { Cents } from "../kernel/money.ts";
import { type Part, part, type Tx } from "../platform/database.ts";

/** The records of one currency in a list: how many they are, and what their sums come to. */
export type CurrencyTotals<Sum extends string> = Readonly<Record<Sum, Cents>> & {
  readonly currency: string;
  readonly count: number;
};

/** How many records match a list's filters, and their sums. */
export interface ListTotals<Sum extends string> {
  readonly count: number;
  /** Whether there are more than were counted. */
  readonly more: boolean;
  readonly currencies: readonly CurrencyTotals<Sum>[];
}

/** What is counted and summed of a list. */
interface Summed<Sum extends string> {
  /** The records that match: `from invoices i where …`, without an order. */
  readonly records: Part;
  /** The records with what the sums need beside them, where that makes them fewer or more than `records`. */
  readonly amounts?: Part;
  readonly currency: Part;
  /** Cents, by the sums' names in the API. */
  readonly sums: Readonly<Record<Sum, Part>>;
}

/** More than any organisation has. */
const ALL = 2_000_000_000;

/** The count of a list's records, no further than `countTo`. */
export async function countOf<Sum extends string = never>(
  tx: Tx,
  records: Part,
  countTo = ALL,
): Promise<ListTotals<Sum>> {
  const [row] = await tx.sql<{ count: number }>`
    select count(*)::integer as count from (select ${records} limit ${countTo + 1}) counted`;
  const count = row?.count ?? 0;
  return { count: Math.min(count, countTo), more: count > countTo, currencies: [] };
}

/** The totals of a list. With `countTo` they are a count only, which goes no further. */
export async function totalsOf<Sum extends string>(
  tx: Tx,
  countTo: number | undefined,
  { records, amounts, currency, sums }: Summed<Sum>,
): Promise<ListTotals<Sum>> {
  if (countTo !== undefined) return countOf(tx, records, countTo);
  const names = Object.keys(sums) as Sum[];
  const added = names
    .map((name) => part`coalesce(sum(${sums[name]}), 0)::bigint`)
    .reduce((all, one) => part`${all}, ${one}`);
  const [rows, counted] = await Promise.all([
    tx.sql<{ currency: string; count: number; sums: Cents[] }>`
      select ${currency} as currency, count(*)::integer as count, json_build_array(${added}) as sums ${amounts ?? records}
       group by 1 order by 1`,
    amounts ? countOf(tx, records) : null,
  ]);
  const currencies = rows.toSorted(randFirst).map(
    (row) =>
      ({
        ...Object.fromEntries(names.map((name, at) => [name, row.sums[at]])),
        currency: row.currency,
        count: row.count,
      }) as CurrencyTotals<Sum>,
  );
  return { count: counted?.count ?? rows.reduce((all, { count }) => all + count, 0), more: false, currencies };
}

const randFirst = (one: { readonly currency: string }, other: { readonly currency: string }): number =>
  Number(other.currency === "ZAR") - Number(one.currency === "ZAR");
