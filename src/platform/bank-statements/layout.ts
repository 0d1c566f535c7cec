import { type DateOrder, formatOf } from "./dates.ts";
import { type Fault, faulty } from "./statement.ts";

/** Which column of a CSV statement holds what, by the headings of the file; by `placeName` in a file without headings. */
export interface ColumnMapping {
  readonly date?: string | undefined;
  readonly description?: string | undefined;
  readonly amount?: string | undefined;
  readonly debit?: string | undefined;
  readonly credit?: string | undefined;
  readonly reference?: string | undefined;
  readonly currency?: string | undefined;
  /** Such as `DD/MM/YYYY`. */
  readonly dateFormat?: string | undefined;
}

/** Places of columns, from 0. */
export interface Layout {
  /** The bank whose export has these headings; null for any other file. */
  readonly bank: string | null;
  readonly headings: readonly string[];
  readonly date: number;
  readonly descriptions: readonly number[];
  readonly amount: number | null;
  readonly debit: number | null;
  readonly credit: number | null;
  /** A charge that the row holds beside its amount. */
  readonly fee: number | null;
  readonly reference: number | null;
  readonly currency: number | null;
  readonly order: DateOrder | null;
  /** Whether rows with a date and no amount are remarks, as of VAT within a fee. */
  readonly remarks: boolean;
  /** Rows that are lines, where a bank marks them in the first column. */
  readonly marked: string | null;
}

/** Headings that name the content of a column, the best first; compared without case, signs and currency. */
const MEANINGS = {
  date: [
    "posting date",
    "posted date",
    "date",
    "transaction date",
    "effective date",
    "value date",
    "process date",
    "datum",
  ],
  description: [
    "original description",
    "description",
    "transaction description",
    "narrative",
    "details",
    "transaction details",
    "transactions",
    "transaction",
    "beskrywing",
  ],
  amount: ["amount", "transaction amount", "value", "bedrag"],
  debit: ["debit", "debits", "debit amount", "money out", "moneyout", "paid out", "payments", "withdrawals"],
  credit: ["credit", "credits", "credit amount", "money in", "moneyin", "paid in", "deposits"],
  fee: ["fee", "fees"],
  reference: [
    "reference",
    "reference number",
    "statement reference",
    "payment reference",
    "your reference",
    "beneficiary reference",
    "customer reference",
    "ref",
    "verwysing",
  ],
  currency: ["currency", "ccy", "currency code"],
} as const;
type Meaning = keyof typeof MEANINGS;

/** Headings of the exports of South African banks, as a whole row; they identify the bank. */
const BANKS: readonly {
  readonly bank: string;
  readonly headings: readonly string[];
  readonly order: DateOrder | null;
  /** Whether a column of fees is charged in addition to the amounts, as the balance shows. */
  readonly fees?: true;
}[] = [
  {
    bank: "Capitec",
    headings:
      "nr,account,posting date,transaction date,description,original description,parent category,category,money in,money out,fee,balance".split(
        ",",
      ),
    order: "ymd",
  },
  {
    bank: "Capitec",
    headings: "account,date,description,reference,amount,fees,balance".split(","),
    order: "dmy",
    fees: true,
  },
  { bank: "FNB", headings: "date,amount,balance,description".split(","), order: "ymd" },
  {
    bank: "FNB",
    headings: "date,service fee,amount,description,reference,balance,cheque number".split(","),
    order: "ymd",
  },
  { bank: "Absa", headings: "date,description,amount,balance".split(","), order: null },
  {
    bank: "Standard Bank",
    headings:
      "date,value date,statement number,description,amount,balance,type,originator reference,customer reference".split(
        ",",
      ),
    order: "ymd",
  },
  { bank: "Standard Bank", headings: "date,description,payments,deposits,balance".split(","), order: null },
  { bank: "Nedbank", headings: "tran list no,date,description,fees,debits,credits,balance".split(","), order: null },
  { bank: "Investec", headings: "date,description,debit,credit,balance".split(","), order: null },
];

/** Exports without headings: the content of each column, recognised by the first rows. */
const STANDARD_BANK: Layout = {
  bank: "Standard Bank",
  headings: ["Type", "Date", "Fee", "Amount", "Description", "Reference"],
  date: 1,
  descriptions: [4],
  amount: 3,
  debit: null,
  credit: null,
  fee: null,
  reference: 5,
  currency: null,
  order: "ymd",
  remarks: false,
  marked: "HIST",
};
const NEDBANK: Layout = {
  ...STANDARD_BANK,
  bank: "Nedbank",
  headings: ["Date", "Description", "Amount", "Balance"],
  date: 0,
  descriptions: [1],
  amount: 2,
  reference: null,
  order: "dmy",
  remarks: true,
  marked: null,
};

const plain = (heading: string): string =>
  heading
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/\((?:r|zar|rand)\)|\bzar\b/g, " ")
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

const unlisted = (meaning: Meaning, heading: string): boolean =>
  !(MEANINGS[meaning] as readonly string[]).includes(heading);

function placeOf(headings: readonly string[], meaning: Meaning): number | null {
  const best = MEANINGS[meaning].find((name) => headings.includes(name));
  return best === undefined ? null : headings.indexOf(best);
}

/** The layout that the headings of a row give by themselves; null when the row is no heading. */
export function layoutOfHeadings(cells: readonly string[]): Layout | null {
  const named = cells.map(plain);
  // A separator after the last heading is no column.
  const headings = named.slice(0, named.findLastIndex((heading) => heading !== "") + 1);
  const at = (meaning: Meaning) => placeOf(headings, meaning);
  const amount = at("amount");
  const [date, debit, credit] = [at("date"), at("debit"), at("credit")];
  if (date === null || (amount === null && debit === null && credit === null)) return null;
  const known = BANKS.find(
    ({ headings: whole }) => whole.length === headings.length && whole.every((one, n) => one === headings[n]),
  );
  return {
    bank: known?.bank ?? null,
    headings: cells,
    date,
    descriptions: headings.flatMap((heading, place) => (unlisted("description", heading) ? [] : [place])),
    amount,
    debit: amount === null ? debit : null,
    credit: amount === null ? credit : null,
    fee: amount === null || known?.fees ? at("fee") : null,
    reference: at("reference"),
    currency: at("currency"),
    order: known?.order ?? null,
    remarks: false,
    marked: null,
  };
}

/** The layout of a row of an export without headings; null when the row is none of these. */
export function layoutOfRow(cells: readonly string[]): Layout | null {
  const [first = "", second = "", third = ""] = cells;
  if (first === "HIST" && /^\d{8}$/.test(second)) return STANDARD_BANK;
  return /^\d{2}(-?)[A-Za-z]{3}\1(?:\d{2}|\d{4})$/.test(first) && /^-?[\d.]+$/.test(third) ? NEDBANK : null;
}

/** Whether a row holds the headings that a mapping names. */
export const isRowOf = (cells: readonly string[], { date, amount, debit, credit }: ColumnMapping): boolean =>
  [date, amount, debit, credit].some((name) => name !== undefined && cells.some((cell) => sameHeading(cell, name)));

/** How a mapping names a column of a file without headings: its number, from 1. */
export const placeName = (place: number): string => `${place + 1}`;

/** Whether a mapping names its columns by their numbers. */
export function namesPlaces({ dateFormat: _, ...columns }: ColumnMapping): boolean {
  const names = Object.values(columns).filter((name) => name !== undefined);
  return columns.date !== undefined && names.every((name) => /^[1-9]\d?$/.test(name));
}

/** The mapping that is equivalent to a layout, as far as a mapping can be: a layout may take a description from several columns. */
export function mappingOfLayout({ headings, ...layout }: Layout): ColumnMapping {
  const named = (place: number | null | undefined) =>
    place === null || place === undefined ? undefined : headings[place];
  return {
    date: named(layout.date),
    description: named(layout.descriptions[0]),
    amount: named(layout.amount),
    debit: named(layout.debit),
    credit: named(layout.credit),
    reference: named(layout.reference),
    currency: named(layout.currency),
    dateFormat: layout.order === null ? undefined : formatOf[layout.order],
  };
}

const sameHeading = (one: string, other: string): boolean => one.trim().toLowerCase() === other.trim().toLowerCase();

/**
 * The layout that a mapping gives; columns that it does not name are found by the headings. Throws 400 for a column that the file does not have.
 */
export function mappedLayout(cells: readonly string[], mapping: ColumnMapping, order: DateOrder | null): Layout {
  const faults: Fault[] = [];
  const headings = cells.map(plain);
  const named = mapping.amount ?? mapping.debit ?? mapping.credit;
  const place = (meaning: Exclude<Meaning, "fee">): number | null => {
    const name = mapping[meaning];
    const money = meaning === "amount" || meaning === "debit" || meaning === "credit";
    if (name === undefined) return money && named !== undefined ? null : placeOf(headings, meaning);
    const found = cells.findIndex((cell) => sameHeading(cell, name));
    if (found < 0)
      faults.push({ at: null, column: name, what: `the file has no such column; it has ${cells.join(", ")}` });
    return found < 0 ? null : found;
  };
  const date = place("date");
  const [amount, debit, credit] = [place("amount"), place("debit"), place("credit")];
  if (faults.length === 0 && (date === null || (amount === null && debit === null && credit === null)))
    faults.push({
      at: null,
      column: null,
      what: `name the columns of date and amount in mapping; the file has ${cells.join(", ")}`,
    });
  const layout: Layout = {
    bank: null,
    headings: cells,
    date: date ?? 0,
    descriptions: [place("description")].filter((found) => found !== null),
    amount,
    debit: amount === null ? debit : null,
    credit: amount === null ? credit : null,
    fee: null,
    reference: place("reference"),
    currency: place("currency"),
    order,
    remarks: false,
    marked: null,
  };
  if (faults.length > 0) throw faulty(faults);
  return layout;
}
