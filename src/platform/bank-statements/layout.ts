import { type DateOrder, formatOf } from "./dates.ts";
import { type Fault, faulty } from "./fault.ts";
import { NUMBERED_HEADINGS, TRANSACTION } from "./fnb-numbered.ts";
import { columnsOf, type Meaning, plainHeading } from "./headings.ts";
import type { ColumnMapping, Side } from "./mapping.ts";

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
  /** A column that says of each amount whether it came in or went out. */
  readonly direction: number | null;
  /** A column that may say so beside other things, such as the type of a transaction. */
  readonly type: number | null;
  readonly balance: number | null;
  readonly id: number | null;
  readonly reference: number | null;
  readonly currency: number | null;
  readonly order: DateOrder | null;
  /** What the caller says that an amount without a sign is. */
  readonly unsigned: Side | null;
  /** Whether rows with a date and no amount are remarks, as of VAT within a fee. */
  readonly remarks: boolean;
  /** Rows that are lines, where a bank marks them in the first column. */
  readonly marked: string | null;
}

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
    headings: (
      "nr,account,posting date,transaction date,description,original description,parent category,category," +
      "money in,money out,fee,balance"
    ).split(","),
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
  direction: null,
  type: null,
  balance: null,
  id: null,
  reference: 5,
  currency: null,
  order: "ymd",
  unsigned: null,
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
  balance: 3,
  reference: null,
  order: "dmy",
  remarks: true,
  marked: null,
};

const FNB_NUMBERED: Layout = {
  ...STANDARD_BANK,
  bank: "FNB",
  headings: NUMBERED_HEADINGS,
  date: 2,
  descriptions: [3, 4, 5],
  amount: 6,
  balance: 7,
  reference: null,
  order: "dmy",
  marked: TRANSACTION,
};

/** The layout that the headings of a row give by themselves; null when the row is no heading. */
export function layoutOfHeadings(cells: readonly string[]): Layout | null {
  const named = cells.map(plainHeading);
  // A separator after the last heading is no column.
  const headings = named.slice(0, named.findLastIndex((heading) => heading !== "") + 1);
  const at = (meaning: Meaning) => columnsOf(headings, meaning)[0] ?? null;
  const [date, amount, debit, credit] = [at("date"), at("amount"), at("debit"), at("credit")];
  if (date === null || (amount === null && debit === null && credit === null)) return null;
  const known = BANKS.find(
    ({ headings: whole }) => whole.length === headings.length && whole.every((one, n) => one === headings[n]),
  );
  const sides = amount === null || (debit !== null && credit !== null);
  // A column that is only called Cr, beside the amounts, says which of them came in.
  const mark = amount !== null && !sides ? [debit, credit].find((one) => one !== null && isMark(headings[one])) : null;
  return {
    bank: known?.bank ?? null,
    headings: cells,
    date,
    descriptions: columnsOf(headings, "description"),
    amount: sides ? null : amount,
    debit: sides ? debit : null,
    credit: sides ? credit : null,
    fee: sides || known?.fees ? at("fee") : null,
    direction: at("direction") ?? mark ?? null,
    // The amounts of a bank that is known have signs, and its types are no directions.
    type: known ? null : at("type"),
    balance: at("balance"),
    id: at("id"),
    reference: at("reference"),
    currency: at("currency"),
    order: known?.order ?? null,
    unsigned: null,
    remarks: false,
    marked: null,
  };
}

const isMark = (heading: string | undefined): boolean => heading === "cr" || heading === "dr";

/** What is to be asked of a file whose headings name one side of the money only; null for any other. */
export function oneSided({ headings, amount, debit, credit }: Layout): Fault | null {
  const place = debit ?? credit;
  if (amount !== null || (debit !== null && credit !== null) || place === null) return null;
  const [has, lacks] = debit === null ? (["came in", "debit"] as const) : (["went out", "credit"] as const);
  const what = `it holds what ${has}, and no column is known to hold the other side: say which does`;
  return { at: null, column: headings[place] ?? null, what, asks: lacks };
}

const NUMBER = /^-?[\d.]+$/;

/** The layout of a row of an export without headings; null when the row is none of these. */
export function layoutOfRow(cells: readonly string[]): Layout | null {
  const [first = "", second = "", third = "", fourth = ""] = cells;
  if (first === TRANSACTION && second === "Number" && third === "Date") return FNB_NUMBERED;
  if (first === "HIST" && /^\d{8}$/.test(second)) return STANDARD_BANK;
  const dated = /^\d{2}(-?)[A-Za-z]{3}\1(?:\d{2}|\d{4})$/.test(first);
  // An opening balance has its amount in the fourth column alone.
  return dated && NUMBER.test(third || fourth) ? NEDBANK : null;
}

/** Whether a row holds the headings that a mapping names. */
export const isRowOf = (cells: readonly string[], { date, amount, debit, credit }: ColumnMapping): boolean =>
  [date, amount, debit, credit].some((name) => name !== undefined && cells.some((cell) => sameHeading(cell, name)));

/** How a mapping names a column of a file without headings: its number, from 1. */
export const placeName = (place: number): string => `${place + 1}`;

/** Whether a mapping names its columns by their numbers. */
export function namesPlaces({ dateFormat: _, unsigned: __, ...columns }: ColumnMapping): boolean {
  const names = Object.values(columns)
    .flat()
    .filter((name) => name !== undefined);
  return columns.date !== undefined && names.every((name) => /^[1-9]\d?$/.test(name));
}

/** The mapping that is equivalent to a layout. */
export function mappingOfLayout({ headings, ...layout }: Layout): ColumnMapping {
  const named = (place: number | null | undefined) =>
    place === null || place === undefined ? undefined : headings[place];
  const descriptions = layout.descriptions.flatMap((place) => headings[place] ?? []);
  return {
    date: named(layout.date),
    description: descriptions.length > 1 ? descriptions : descriptions[0],
    amount: named(layout.amount),
    debit: named(layout.debit),
    credit: named(layout.credit),
    direction: named(layout.direction),
    balance: named(layout.balance),
    id: named(layout.id),
    reference: named(layout.reference),
    currency: named(layout.currency),
    dateFormat: layout.order === null ? undefined : formatOf[layout.order],
    unsigned: layout.unsigned ?? undefined,
  };
}

const sameHeading = (one: string, other: string): boolean => one.trim().toLowerCase() === other.trim().toLowerCase();

/** A field of a mapping that names one column. */
type Column = Exclude<keyof ColumnMapping, "description" | "dateFormat" | "unsigned">;

/**
 * The layout that a mapping gives; columns that it does not name are found by the headings. Throws 400 for a column
 * that the file does not have.
 */
export function mappedLayout(cells: readonly string[], mapping: ColumnMapping, order: DateOrder | null): Layout {
  const faults: Fault[] = [];
  const headings = cells.map(plainHeading);
  const headed = layoutOfHeadings(cells);
  const found = (name: string): number | null => {
    const at = cells.findIndex((cell) => sameHeading(cell, name));
    if (at < 0)
      faults.push({ at: null, column: name, what: `the file has no such column; it has ${cells.join(", ")}` });
    return at < 0 ? null : at;
  };
  const place = (meaning: Column): number | null => {
    const name = mapping[meaning];
    if (name !== undefined) return found(name);
    const { amount, debit, credit } = mapping;
    if (meaning === "amount" && (debit ?? credit) !== undefined) return null;
    if ((meaning === "debit" || meaning === "credit") && amount !== undefined) return null;
    return headed ? headed[meaning] : (columnsOf(headings, meaning)[0] ?? null);
  };
  const date = place("date");
  const [amount, debit, credit] = [place("amount"), place("debit"), place("credit")];
  if (faults.length === 0 && (date === null || (amount === null && debit === null && credit === null)))
    faults.push({
      at: null,
      column: null,
      what: `name the columns of date and amount in mapping; the file has ${cells.join(", ")}`,
    });
  const same = headed && headed.amount === amount && headed.debit === debit && headed.credit === credit ? headed : null;
  const layout: Layout = {
    bank: same?.bank ?? null,
    headings: cells,
    date: date ?? 0,
    descriptions: described(mapping)
      .map(found)
      .flatMap((at) => at ?? []),
    amount,
    debit: amount === null ? debit : null,
    credit: amount === null ? credit : null,
    fee: same?.fee ?? null,
    direction: place("direction"),
    type: same?.bank ? null : (columnsOf(headings, "type")[0] ?? null),
    balance: place("balance"),
    id: place("id"),
    reference: place("reference"),
    currency: place("currency"),
    order: order ?? same?.order ?? null,
    unsigned: mapping.unsigned ?? null,
    remarks: false,
    marked: null,
  };
  if (faults.length > 0) throw faulty(faults);
  const taken = [layout.date, amount, debit, credit];
  const named = columnsOf(headings, "description").filter((at) => !taken.includes(at));
  return layout.descriptions.length > 0 ? layout : { ...layout, descriptions: named };
}

const described = ({ description }: ColumnMapping): readonly string[] =>
  description === undefined ? [] : typeof description === "string" ? [description] : description;
