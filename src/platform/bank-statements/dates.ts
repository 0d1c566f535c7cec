import { addDays, type CalendarDay, parseCalendarDay } from "../../kernel/time.ts";

/** The order of year, month and day in a date. */
export type DateOrder = "ymd" | "dmy" | "mdy" | "ydm";

const ORDERS: readonly DateOrder[] = ["ymd", "dmy", "mdy", "ydm"];

/** English and Afrikaans, by their first three letters. */
const MONTHS: ReadonlyMap<string, number> = new Map(
  ["jan", "feb", "mar mrt", "apr", "may mei", "jun", "jul", "aug", "sep", "oct okt", "nov", "dec des"].flatMap(
    (names, month) => names.split(" ").map((name) => [name, month + 1] as const),
  ),
);

/**
 * The order of a format such as `DD/MM/YYYY`, `YYYYMMDD` or `DD MMM YY`; null when it has none. Separators do not
 * matter: a date is read by its order alone.
 */
export function orderOf(format: string): DateOrder | null {
  const letters = format.toLowerCase().replaceAll(/[^a-z]/g, "");
  const order = letters.replaceAll(/(.)\1*/g, "$1");
  const counted = /^(?=.*y{2})(?=.*m)(?=.*d)[ymd]+$/.test(letters);
  return counted ? (ORDERS.find((known) => known === order) ?? null) : null;
}

/** For people: how dates of an order are written. */
export const formatOf: Readonly<Record<DateOrder, string>> = {
  ymd: "YYYY-MM-DD",
  dmy: "DD/MM/YYYY",
  mdy: "MM/DD/YYYY",
  ydm: "YYYY-DD-MM",
};

/**
 * A date by its order; null when the cell holds no date that exists, or one that no statement has. A time after it is
 * left out, unless its zone makes it another day in South Africa. Two digits of a year are of this century.
 */
export function readDate(cell: string, order: DateOrder): CalendarDay | null {
  const key = `${order}${cell}`;
  const known = readBefore.get(key);
  if (known !== undefined) return known;
  const read = readAnew(cell, order);
  if (readBefore.size === READ_BEFORE_MAX) readBefore.clear();
  if (key.length < READ_BEFORE_LENGTH) readBefore.set(key, read);
  return read;
}

/** A statement repeats its dates, and each is read in several orders: reading them took half the time of a large file. */
const readBefore = new Map<string, CalendarDay | null>();
const READ_BEFORE_MAX = 5_000;
const READ_BEFORE_LENGTH = 40;

function readAnew(cell: string, order: DateOrder): CalendarDay | null {
  const timed = withoutTime(cell.trim());
  if (!timed) return null;
  const { text, shift } = timed;
  const parts = partsOf(text, order);
  if (!parts) return null;
  const at = (part: string) => parts[order.indexOf(part)] ?? "";
  const named = parts.map((part) => MONTHS.get(part.slice(0, 3).toLowerCase())).find((month) => month !== undefined);
  const year = named === undefined ? at("y") : yearAmong(parts);
  if (year.length !== 4 && year.length !== 2) return null;
  const day =
    named === undefined ? dayOf(year, Number(at("m")), Number(at("d"))) : dayOf(year, named, numberAmong(parts));
  return day && shift !== 0 ? addDays(day, shift) : day;
}

const HOUR = 60;
const SOUTH_AFRICAN = 2 * HOUR;
/** A time as OFX writes it after eight digits, with hours from UTC in brackets; and as others write it, with Z or an offset. */
const OFX_TIME = /^(\d{8})(\d{2})(\d{2})(?:(\d{2})(?:\.\d*)?)?(?:\[([+-]?\d{1,2}(?:\.\d+)?)(?::\w+)?\])?$/;
const TIME =
  /^(.*?)(?:T|[T ]+)(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d+)?)? ?(am|pm)? ?(Z|UTC|GMT|SAST|[+-]\d{2}(?::?\d{2})?)?$/i;

/** A date without the time after it, and by how many days the time's zone moves it in South Africa; null when there is no such time. */
function withoutTime(cell: string): { text: string; shift: number } | null {
  const ofx = OFX_TIME.exec(cell);
  if (ofx) {
    const [, text = "", hour, minute, second, zone] = ofx;
    if (!isTime(hour, minute, second)) return null;
    return { text, shift: zone === undefined ? 0 : shiftOf(Number(hour) * HOUR + Number(minute), Number(zone) * HOUR) };
  }
  const zoned = /^(\d{4}-\d{2}-\d{2}|\d{8})(?:Z|[+-]\d{2}:\d{2}|\[[^\]]*\])$/i.exec(cell);
  if (zoned) return { text: zoned[1] ?? "", shift: 0 };
  const time = TIME.exec(cell);
  if (!time) return { text: cell.replace(/[T ]+\d{1,2}:\d{2}.*$/i, "").trim(), shift: 0 };
  const [, text = "", hour, minute, second, half, zone] = time;
  if (!isTime(hour, minute, second)) return null;
  if (zone === undefined) return { text: text.trim(), shift: 0 };
  const noon = half === undefined ? Number(hour) : (Number(hour) % 12) + (half.toLowerCase() === "pm" ? 12 : 0);
  return { text: text.trim(), shift: shiftOf(noon * HOUR + Number(minute), minutesOf(zone)) };
}

/** Whether a clock shows it: at most 23:59:60, a leap second, or 24:00:00. */
const isTime = (hour = "", minute = "", second = "0"): boolean =>
  (Number(hour) < 24 && Number(minute) < 60 && Number(second) <= 60) ||
  (Number(hour) === 24 && Number(minute) === 0 && Number(second) === 0);

const shiftOf = (minutes: number, zone: number): number => Math.floor((minutes - zone + SOUTH_AFRICAN) / (24 * HOUR));

/** The minutes of a zone from UTC. */
function minutesOf(zone: string): number {
  const [, sign, hours, minutes = "0"] = /^([+-])(\d{2}):?(\d{2})?$/.exec(zone) ?? [];
  if (sign === undefined) return zone.toUpperCase() === "SAST" ? SOUTH_AFRICAN : 0;
  return (sign === "-" ? -1 : 1) * (Number(hours) * HOUR + Number(minutes));
}

/** Whether a cell is a date of this century in some order; other numbers of eight digits are not dates. */
export const isSomeDate = (cell: string): boolean =>
  ORDERS.some((order) => readDate(cell, order)?.startsWith("20") === true);

/** The three parts of a date: split at separators, or eight digits split by the order. */
function partsOf(text: string, order: DateOrder): readonly string[] | null {
  const compact = /^\d{8}$/.test(text);
  if (compact) {
    const cuts = order.startsWith("y") ? [4, 6] : [2, 4];
    return [text.slice(0, cuts[0]), text.slice(cuts[0], cuts[1]), text.slice(cuts[1])];
  }
  const separated =
    /^(\d{1,4}|[a-z]{3,9})[-/. ,]*([a-z]{3,9}|(?<=[-/. ])\d{1,2})[-/. ,]*(?<![a-z\d]\d)(\d{1,4})$/i.exec(text);
  return separated ? separated.slice(1) : null;
}

const yearAmong = (parts: readonly string[]): string =>
  parts.find((part) => /^\d{4}$/.test(part)) ?? parts.findLast((part) => /^\d{2}$/.test(part)) ?? "";

/** The day of a date whose month is a name: the number that is not the year. */
function numberAmong(parts: readonly string[]): number {
  const numbers = parts.filter((part) => /^\d+$/.test(part));
  return Number(numbers.find((part) => part.length < 3) ?? Number.NaN);
}

function dayOf(year: string, month: number, day: number): CalendarDay | null {
  const text = `${year.length === 2 ? `20${year}` : year}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`;
  return isSane(text) ? parseCalendarDay(text) : null;
}

/** Statements with other years are none: a year was misread or misprinted. */
const isSane = (day: string): boolean => day >= "1990" && day < "2100";

/** Finds the order of the dates in a column, cell by cell. */
export class DateColumn {
  /** The orders in which every cell so far is a date, and for each excluded order the line of the first cell that excluded it. */
  private fitting = new Set(ORDERS);
  private readonly ruledOut = new Map<DateOrder, { line: number; cell: string }>();
  /** Pairs of orders in which some cell is a different day. */
  private readonly differing = new Set<string>();

  /** Adds a cell; false when it is a date in no order. */
  add(line: number, cell: string): boolean {
    const days = new Map(ORDERS.map((order) => [order, readDate(cell, order)]));
    if ([...days.values()].every((day) => day === null)) return false;
    for (const order of [...this.fitting])
      if (days.get(order) === null) {
        this.fitting.delete(order);
        this.ruledOut.set(order, { line, cell });
      }
    for (const one of this.fitting)
      for (const other of this.fitting) if (days.get(one) !== days.get(other)) this.differing.add(`${one} ${other}`);
    return true;
  }

  /**
   * The order of the column, or why it has none. When the year comes first, the month follows it unless a date excludes
   * that, since this is the usual form.
   */
  order(): DateOrder | { readonly fault: string } {
    const orders = ORDERS.filter((order) => this.fitting.has(order));
    const [first] = orders;
    if (!first) return { fault: `dates are written in more than one order: ${this.clash()}` };
    if (first === "ymd" || orders.every((order) => !this.differing.has(`${first} ${order}`))) return first;
    const shown = orders.map((order) => formatOf[order]).join(" or ");
    return { fault: `dates could be ${shown}: say which with dateFormat` };
  }

  private clash(): string {
    const [one, ...others] = [...this.ruledOut].filter(([order]) => order !== "ydm");
    const last = others.at(-1);
    const said = (found: typeof one) =>
      found ? `line ${found[1].line} (${found[1].cell}) is not ${formatOf[found[0]]}` : "";
    return [said(one), said(last)].filter((text) => text !== "").join(", ");
  }
}
