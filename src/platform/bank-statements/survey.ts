import type { CalendarDay } from "../../kernel/time.ts";
import { Balances } from "./balance.ts";
import { DateColumn, type DateOrder, formatOf, readDate } from "./dates.ts";
import { Directions, type DirectionTraits, oppositeFault, type SignRule } from "./direction.ts";
import { type Fault, faulty, type Warning } from "./fault.ts";
import { type FoundLine, LEFT_OUT, type LeftOut, type RowCounts } from "./statement.ts";

/** What the rows of a file are, in its order. */
export type Found = Iterable<FoundLine | LeftOut | Fault> | AsyncIterable<FoundLine | LeftOut | Fault>;

/** What is known of a file before it is read. `order` is that of its dates. */
export type Traits = DirectionTraits & { readonly order: DateOrder | null };

/** What a file as a whole says about its lines. */
export interface Survey {
  readonly order: DateOrder;
  readonly rule: SignRule;
  /** Ids that the file gives to several lines, which so are none of the bank's own. */
  readonly repeated: ReadonlySet<string>;
  readonly currency: string | null;
  readonly count: number;
  readonly rows: RowCounts;
  readonly warnings: readonly Warning[];
  readonly first: CalendarDay | null;
  readonly last: CalendarDay | null;
}

const FAULTS_KEPT = 1000;
/** Lines of one statement: an import keeps a little of each in memory until its end. */
const LINES_MAX = 150_000;
const TOO_MANY = `a statement has at most ${LINES_MAX} lines: import the others from another file`;

/** Whether something found is a line. */
export const isLine = (found: FoundLine | LeftOut | Fault): found is FoundLine => "amount" in found;

/** Reads all rows once. Throws 400 with what cannot be read, or has to be asked for. */
export async function surveyed(found: Found, traits: Traits): Promise<Survey> {
  const survey = new FileSurvey(traits);
  for await (const one of found) if (!survey.add(one)) break;
  return survey.end();
}

class FileSurvey {
  private readonly traits: Traits;
  private readonly faults: Fault[] = [];
  private readonly dates = new DateColumn();
  /** Of balances, which say the days of a statement without lines. */
  private readonly balanceDays = { dates: new DateColumn(), extremes: new Map() as Extremes, column: "" };
  private readonly directions: Directions;
  private readonly balances = new Balances();
  private readonly currencies = new Map<string, number>();
  private readonly ids = new Set<string>();
  private readonly repeated = new Set<string>();
  private readonly extremes: Extremes = new Map();
  private readonly rows = Object.fromEntries(LEFT_OUT.map((name) => [name, 0])) as Record<
    (typeof LEFT_OUT)[number],
    number
  >;
  private count = 0;
  private charges = 0;
  private column = "";
  private texts = 0;
  private unread: { readonly at: number; readonly column: string } | null = null;
  /** The lines of one row. */
  private row: FoundLine[] = [];

  constructor(traits: Traits) {
    this.traits = traits;
    this.directions = new Directions(traits);
  }

  /** Adds what was found next; false when no more is wanted. */
  add(found: FoundLine | LeftOut | Fault): boolean {
    if ("what" in found) this.faults.push(found);
    else if (isLine(found)) this.addLine(found);
    else this.addLeftOut(found);
    return this.faults.length < FAULTS_KEPT && this.count <= LINES_MAX;
  }

  private addLeftOut({ at, became, balance, end, day }: LeftOut): void {
    this.endRow();
    if (became !== null) this.rows[became]++;
    if (balance) this.balances.add(at, [], balance, end);
    if (!day || this.count > 0) return;
    const { order } = this.traits;
    const { dates, extremes } = this.balanceDays;
    if (order === null ? !dates.add(at, day.cell) : readDate(day.cell, order) === null) return;
    this.balanceDays.column = day.column;
    noteExtremes(extremes, day.cell, order);
  }

  private addLine(line: FoundLine): void {
    if (this.row[0]?.at !== line.at) this.endRow();
    this.row.push(line);
    this.count++;
    if (this.count > LINES_MAX) this.faults.push({ at: line.at, column: null, what: TOO_MANY });
    if (line.charge) this.charges++;
    if (line.description !== "" || line.reference !== null) this.texts++;
    else if (line.unread !== null) this.unread ??= { at: line.at, column: line.unread };
    if (line.currency !== null && !this.currencies.has(line.currency)) this.currencies.set(line.currency, line.at);
    if (line.bankId !== null && !line.charge) (this.ids.has(line.bankId) ? this.repeated : this.ids).add(line.bankId);
    this.directions.add(line.at, line.amount);
    this.addDate(line);
  }

  private addDate({ at, date: { column, cell } }: FoundLine): void {
    const { order } = this.traits;
    this.column = column;
    const fits = order === null ? this.dates.add(at, cell) : readDate(cell, order) !== null;
    if (fits) noteExtremes(this.extremes, cell, order);
    else this.faults.push({ at, column, what: notADate(cell, order) });
  }

  private endRow(): void {
    const [first] = this.row;
    if (!first) return;
    const amounts = this.row.map(({ amount }) => amount);
    this.balances.add(first.at, amounts, this.row.at(-1)?.balance ?? null);
    this.row = [];
  }

  end(): Survey {
    this.endRow();
    if (this.faults.length > 0) throw faulty(this.faults);
    const order = this.traits.order ?? this.orderOfDates();
    const { rule, faults, warnings } = this.directions.decide(this.balances.proved(null));
    if (faults.length > 0) throw faulty(faults);
    const opposite = oppositeFault(this.balances.proved(rule), this.traits);
    if (opposite) throw faulty([opposite]);
    const { first = null, last = null } = (this.count > 0 ? this.extremes : this.balanceDays.extremes).get(order) ?? {};
    const lines = this.count - this.charges;
    const total = lines + Object.values(this.rows).reduce((all, one) => all + one, 0);
    return {
      order,
      rule,
      repeated: this.repeated,
      currency: oneCurrency(this.currencies),
      count: this.count,
      rows: { total, lines, ...this.rows, charges: this.charges },
      warnings: [...this.textWarnings(), ...warnings, ...this.balances.warnings(rule)],
      first,
      last,
    };
  }

  private orderOfDates(): DateOrder {
    const { dates, extremes, column } = this.balanceDays;
    if (this.count === 0 && extremes.size === 0) return "ymd";
    const order = (this.count > 0 ? this.dates : dates).order();
    if (typeof order === "object")
      throw faulty([
        { at: null, column: this.count > 0 ? this.column : column, what: order.fault, asks: "dateFormat" },
      ]);
    return order;
  }

  /** A statement without any text can hardly be matched: the column that may hold it is asked for. */
  private textWarnings(): Warning[] {
    if (this.count === 0) return [{ line: null, message: "The file holds no lines." }];
    if (this.texts > 0) return [];
    const what = "no line has a description: say which column holds it (description in mapping)";
    if (this.unread) throw faulty([{ at: this.unread.at, column: this.unread.column, what, asks: "description" }]);
    return [{ line: null, message: "No line has a description or a reference, so that only staff can match them." }];
  }
}

const notADate = (cell: string, known: DateOrder | null): string =>
  cell === ""
    ? "the date is missing"
    : `${cell} is not a date${known === null ? "" : ` written as ${formatOf[known]}`}`;

function oneCurrency(currencies: ReadonlyMap<string, number>): string | null {
  const [first, second] = [...currencies];
  if (second)
    throw faulty([
      {
        at: second[1],
        column: null,
        what: `the line is in ${second[0]}, others are in ${first?.[0]}: import one currency at a time`,
      },
    ]);
  return first?.[0] ?? null;
}

/** The first and the last date in each order, since the order is not known before the end. */
type Extremes = Map<DateOrder, { first: CalendarDay; last: CalendarDay }>;

function noteExtremes(extremes: Extremes, cell: string, known: DateOrder | null): void {
  for (const order of known === null ? (Object.keys(formatOf) as DateOrder[]) : [known]) {
    const day = readDate(cell, order);
    const before = extremes.get(order);
    if (day && !before) extremes.set(order, { first: day, last: day });
    else if (day && before) {
      if (day < before.first) before.first = day;
      if (day > before.last) before.last = day;
    }
  }
}
