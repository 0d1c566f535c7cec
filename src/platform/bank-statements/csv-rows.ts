import type { CsvRow } from "../csv.ts";
import { readAmount, writtenAmount } from "./amounts.ts";
import type { BalanceEnd } from "./balance.ts";
import { isSomeDate } from "./dates.ts";
import { type FoundAmount, isDirection, type Said, saidBy } from "./direction.ts";
import type { Fault } from "./fault.ts";
import { plainHeading } from "./headings.ts";
import type { Layout } from "./layout.ts";
import { type FoundLine, type LeftOut, referenceOf, tidied, usedId } from "./statement.ts";

type Found = FoundLine | LeftOut | Fault;

/** Reads the rows of a CSV statement, one after the other. */
interface RowReader {
  read(row: CsvRow): Generator<Found>;
  /** What the last row leaves. */
  end(): Generator<Found>;
}

/** A row with its cells by their meanings. */
interface Row {
  readonly layout: Layout;
  readonly line: number;
  readonly cells: readonly string[];
  cell(place: number | null): string;
  heading(place: number): string;
}

/**
 * A reader of rows. Each row is a line, or is left out for a reason that is answered too. A row that holds nothing but
 * text belongs to the line before it: banks continue long descriptions so.
 */
export function rowReader(layout: Layout): RowReader {
  /** The lines of the last row, as long as a row may continue their text. */
  let held: readonly FoundLine[] = [];
  const sums = new Sums();
  return {
    *read({ line, cells }) {
      const cell = (place: number | null) => (place === null ? "" : (cells[place] ?? ""));
      const row = { layout, line, cells, cell, heading: (place: number) => layout.headings[place] ?? `${place + 1}` };
      const found = readRow(row);
      if (found === "text" && held.length > 0) {
        const text = cells.filter((one, place) => one !== "" && place !== layout.balance).join(" ");
        const balance = balanceOf(row);
        held = held.map((one, place) => ({
          ...one,
          description: tidied(`${one.description} ${text}`),
          balance: place === held.length - 1 ? (one.balance ?? balance) : one.balance,
        }));
        return yield { at: line, became: "joined", balance: null };
      }
      yield* held;
      held = [];
      if (found === "text") return yield { at: line, became: "remarks", balance: null };
      if (sums.isTotal(found)) return yield { at: line, became: "totals", balance: null };
      const [first] = found;
      if (first && "amount" in first) held = found.filter((one) => "amount" in one);
      else yield* found;
    },
    *end() {
      yield* held;
      held = [];
    },
  };
}

/** What the rows of a file without a column of balances add up to, by which a total with a date is told from a payer of that name. */
class Sums {
  private rows = 0;
  private came = 0;
  private went = 0;
  private opening = 0;

  /** Whether what was found in a row is the total of those before it; adds it when it is none. */
  isTotal(found: readonly Found[]): boolean {
    const [first] = found;
    if (!first || "what" in first) return false;
    if (!("amount" in first)) {
      if (first.became === "balances" && first.end !== "closing") this.opening = first.balance?.amount ?? 0;
      return false;
    }
    const moved = this.came - this.went;
    // One line alone is no sum, unless what was there before is added to it.
    const sums = this.rows > 1 ? [this.came, this.went, moved] : [];
    if (this.rows > 0 && this.opening !== 0) sums.push(this.opening + moved);
    const isSum = sums.some((sum) => Math.abs(sum) === first.amount.size);
    if (isSum && !first.balance && TOTAL.test(first.description)) return true;
    for (const { amount } of found.filter((one) => "amount" in one)) {
      const { kind, mark, size } = amount;
      if (kind === "out" || (kind === "amount" && (mark === "minus" || mark === "dr"))) this.went += size;
      else this.came += size;
    }
    this.rows++;
    return false;
  }
}

/** What a row is; `text` when it holds nothing but a text. */
function readRow(row: Row): readonly Found[] | "text" {
  const { layout, line, cells, cell } = row;
  const unmarked = otherMark(row);
  if (unmarked) return [unmarked];
  if (isShortTotal(cells)) return [{ at: line, became: "totals", balance: null }];
  const shape = misshapen(cells, layout);
  if (shape !== null) return [{ at: line, column: null, what: shape }];
  if (isHeadings(cells, layout)) return [{ at: line, became: "headings", balance: null }];
  const money = [layout.amount, layout.debit, layout.credit, layout.fee];
  const empty = money.every((place) => cell(place) === "");
  const date = cell(layout.date);
  const words = cells.filter((one) => /\p{L}{3}/u.test(one));
  const dated = date !== "" && isSomeDate(date);
  if (!dated && words.some((one) => TOTAL.test(one))) return [{ at: line, became: "totals", balance: null }];
  const balance = balanceOf(row);
  const description = descriptionOf(row);
  if (isBalance(row, dated ? [description, cell(layout.reference)] : words))
    return [balanceRow(row, { balance: balance ?? ownBalance(row), words: description || words.join(" ") })];
  if (empty && (date === "" || (!dated && /^\D*\p{L}{3}/u.test(date))))
    return (balance === null || words.length > 0) && !words.some((one) => REMARK.test(one)) ? "text" : remark(line);
  return linesOf(row, { date, description, balance });
}

const remark = (line: number): readonly LeftOut[] => [{ at: line, became: "remarks", balance: null }];

const TOTAL =
  /^(?:sub ?|grand |page |statement )?(?:totals?|totaal)(?: (?:debits?|credits?|amounts?|in|out|for .*|of .*))?:?$/i;
/**
 * Below the lines: what the bank says about the file. Such a row changes with the day on which it is written, and must
 * not change a line.
 */
const REMARK = new RegExp(
  [
    String.raw`^page \d+|end of (?:statement|report|file|transactions)|^\*|^-{3,}|\b(?:printed|generated|exported|`,
    String.raw`downloaded|disclaimer|copyright|thank you|please|kindly|statement)\b|www\.`,
  ].join(""),
  "i",
);

/** A row of two cells below the lines that is called a total, though the headings have more columns. */
const isShortTotal = (cells: readonly string[]): boolean => {
  const [name = "", amount = "", ...others] = cells;
  return TOTAL.test(name) && typeof readAmount(amount) === "number" && others.every((cell) => cell === "");
};

const OPENING = /open|begin|start|brought|previous|aanvang|oorgedra|\bb ?\/? ?f/i;
const CLOSING = /clos|sluit|\beind|ending|final|carried|\bc ?\/? ?f/i;

/** A row that states a balance, with its day and which end of the file it is. */
function balanceRow(
  { layout, line, cell, heading }: Row,
  { balance, words }: { readonly balance: LeftOut["balance"]; readonly words: string },
): LeftOut {
  const end: BalanceEnd = OPENING.test(words) ? "opening" : CLOSING.test(words) ? "closing" : null;
  const [column, day] = [heading(layout.date), cell(layout.date)];
  return { at: line, became: "balances", balance, end, day: { column, cell: day } };
}

/** A row that its bank marks as no line; null for lines, and for a mark that is cut off. */
function otherMark(row: Row): LeftOut | null {
  const { layout, line, cells } = row;
  const [first = ""] = cells;
  const { marked } = layout;
  if (marked === null || (first !== "" && marked.startsWith(first))) return null;
  // The mark stands first with its date, or behind the number of the account.
  const place = cells.findIndex((cell) => cell === "OPEN" || cell === "CLOSE");
  if (place < 0) return { at: line, became: "headings", balance: null };
  const amount = cells
    .slice(place + 1)
    .filter((cell) => !/^\d{8}$/.test(cell))
    .map(readAmount)
    .find((one) => typeof one === "number");
  const balance = typeof amount === "number" ? { amount, column: "Amount" } : null;
  return balanceRow(row, { balance, words: cells[place] ?? "" });
}

const isHeadings = (cells: readonly string[], { headings, date }: Layout): boolean =>
  cells[date] !== "" && cells[date] === headings[date] && !isSomeDate(cells[date] ?? "");

/** Texts that name nothing but a balance. What a payer writes, such as `balance of invoice 12`, has more words. */
const BALANCE = new RegExp(
  [
    "^(?:(?:opening|open|closing|close|starting|start|ending|final|current|available|previous|new|account|",
    "statement|ledger|begin|eind|aanvang) )*(?:balance|bal|saldo)(?: (?:brought|carried|oorgedra|b|",
    "c)(?: ?(?:forward|fwd|down|f|d))?| (?:bf|cf|bfwd|cfwd|at|on|as at|of|per|date))*$|^(?:balance |",
    "bal )?(?:brought|carried) (?:forward|down|fwd)(?: balance)?$|^(?:opening|closing|openings|sluitings|",
    "begin|eind)(?:balance|saldo|balans)$|^b f$|^c f$|^bf$|^cf$",
  ].join(""),
);
const WITHIN = /\b(?:jan|feb|mar|mrt|apr|may|mei|jun|jul|aug|sep|sept|oct|okt|nov|dec|des)[a-z]*\b|[\d/:.-]+/g;

/** Whether a row states a balance: by its text, and by an amount that is none or the balance itself. */
function isBalance(row: Row, texts: readonly string[]): boolean {
  const { layout, cell } = row;
  const given = texts.filter((one) => one !== "");
  const plain = (text: string) => plainHeading(text.toLowerCase().replaceAll(WITHIN, " ")).replaceAll(/\s+/g, " ");
  const named = given.length > 0 && given.some((one) => BALANCE.test(plain(one)));
  const amounts = [layout.amount, layout.debit, layout.credit].map((place) => readAmount(cell(place)));
  const moved = amounts.filter((one): one is Exclude<typeof one, "none"> => one !== "none" && one !== 0);
  if (!named)
    return moved.length === 0 && given.some((one) => /balance|brought forward|carried forward|saldo/i.test(one));
  const balance = balanceOf(row);
  // Where no column of balances proves it, a payer may have written this one word.
  if (!balance && moved.length > 0 && given.some((one) => /^(?:balance|bal|saldo)$/.test(plain(one)))) return false;
  return moved.every((one) => typeof one === "number" && (!balance || Math.abs(one) === Math.abs(balance.amount)));
}

/** The balance that stands in a column of amounts, in a row that states one. */
function ownBalance({ layout, cell, heading }: Row): LeftOut["balance"] {
  const place = layout.balance === null ? layout.amount : null;
  const amount = readAmount(cell(place));
  return place === null || typeof amount !== "number" ? null : { amount, column: heading(place) };
}

function balanceOf({ layout: { balance: place }, cell, heading }: Row): FoundLine["balance"] {
  const amount = readAmount(cell(place));
  return place === null || typeof amount !== "number" ? null : { amount, column: heading(place) };
}

/** The texts of a row's columns of descriptions; one that another has within it is left out. */
function descriptionOf({ layout, cell }: Row): string {
  const texts = [...new Set(layout.descriptions.map((place) => tidied(cell(place))).filter((text) => text !== ""))];
  return tidied(texts.filter((one) => !texts.some((other) => other !== one && other.includes(one))).join(" "));
}

function linesOf(
  row: Row,
  {
    date,
    description,
    balance,
  }: { readonly date: string; readonly description: string; readonly balance: FoundLine["balance"] },
): readonly Found[] {
  const { layout, line, cell, heading } = row;
  const read = amountsOf(row);
  if (!Array.isArray(read)) return [read];
  if (read.length === 0) {
    if (layout.remarks) return remark(line);
    const place = layout.amount ?? layout.debit ?? layout.credit ?? 0;
    return [{ at: line, column: heading(place), what: "the amount is missing" }];
  }
  const moved = read.filter(({ size }) => size !== 0);
  if (moved.length === 0) return [{ at: line, became: "zero", balance }];
  return moved.map((one, place) => ({
    at: line,
    date: { column: heading(layout.date), cell: date },
    description: place === 0 ? description : tidied(`${description} (fee)`),
    amount: one,
    reference: referenceOf(cell(layout.reference)),
    currency: cell(layout.currency).toUpperCase() || null,
    bankId: usedId(cell(layout.id)),
    charge: place > 0,
    balance: place === moved.length - 1 ? balance : null,
    unread: unreadOf(row),
  }));
}

/** The amounts of a row in their columns, that of the row before its charge, those of zero too; or what cannot be read. */
function amountsOf(row: Row): FoundAmount[] | Fault {
  const { layout, line, cell, heading } = row;
  const columns = [
    [layout.amount, "amount"],
    [layout.debit, "out"],
    [layout.credit, "in"],
    [layout.fee, "out"],
  ] as const;
  const found: FoundAmount[] = [];
  for (const [place, kind] of columns) {
    const written = writtenAmount(cell(place));
    if (place === null || written === "none") continue;
    const [column, text] = [heading(place), cell(place)];
    if ("fault" in written) return { at: line, column, what: `${text} ${written.fault}` };
    found.push({ ...written, kind, column, cell: text, said: null });
  }
  const sides = found.filter(
    ({ size, column }) => size !== 0 && (layout.fee === null || column !== heading(layout.fee)),
  );
  const [first, second] = sides;
  if (first && second)
    return { at: line, column: first.column, what: `${first.cell} and an amount that came in stand in one row` };
  return directed(row, found);
}

/** The amounts with what the row says about the direction of the one that stands in a column of both. */
function directed(row: Row, found: FoundAmount[]): FoundAmount[] | Fault {
  const { layout, line, cells, cell, heading } = row;
  const [amount, ...others] = found;
  if (amount?.kind !== "amount") return found;
  const { direction, type } = layout;
  if (direction !== null) {
    const said = saidBy(heading(direction), cell(direction));
    const marked = said === null ? amount : markedBy(amount, said);
    return marked
      ? [marked, ...others]
      : { at: line, column: heading(direction), what: unclear(amount, said), asks: "direction" };
  }
  const place = cells.findIndex((one, at) => !usedPlaces(layout).includes(at) && isDirection(one));
  const by = type ?? (place < 0 ? null : place);
  const said: Said | null = layout.bank !== null || by === null ? null : saidBy(heading(by), cell(by));
  return [{ ...amount, said }, ...others];
}

/** An amount as a column of directions marks it; null when the text is not understood or says the opposite of the amount's own mark. */
function markedBy(amount: FoundAmount, { side }: Said): FoundAmount | null {
  if (side === null) return amount.mark === "bare" ? null : amount;
  const own = amount.mark === "bare" ? side : amount.mark === "minus" || amount.mark === "dr" ? "out" : "in";
  return own === side ? { ...amount, mark: side === "in" ? "cr" : "dr" } : null;
}

const unclear = ({ cell }: FoundAmount, said: Said | null): string =>
  said?.side
    ? `${cell} and ${said.cell} do not agree about the direction`
    : `${said?.cell} says neither money in nor money out: say which column does`;

const usedPlaces = (layout: Layout): readonly (number | null)[] => [
  layout.date,
  layout.amount,
  layout.balance,
  layout.id,
  layout.reference,
  layout.currency,
  ...layout.descriptions,
];

/** A column with text that is read as nothing. */
function unreadOf({ layout, cells, heading }: Row): string | null {
  const used = [...usedPlaces(layout), layout.direction, layout.type];
  const place = cells.findIndex((cell, at) => !used.includes(at) && /\p{L}{3}/u.test(cell));
  return place < 0 ? null : heading(place);
}

/** Why a row does not have the columns of the headings; null when it does. */
function misshapen(cells: readonly string[], { headings, marked }: Layout): string | null {
  const named = headings.findLastIndex((heading) => heading !== "") + 1;
  if (cells.length < named) return `has ${cells.length} of ${named} columns: the file may be cut off`;
  // Exports without headings have more columns than are used.
  if (cells.slice(headings.length).every((cell) => cell === "") || marked !== null) return null;
  return `has more columns than the ${headings.length} that are named: a description with a separator in it belongs in quotation marks`;
}
