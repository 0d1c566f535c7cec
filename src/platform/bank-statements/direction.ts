import { type Cents, cents } from "../../kernel/money.ts";
import type { WrittenAmount } from "./amounts.ts";
import type { Fault, Warning } from "./fault.ts";
import type { Side } from "./mapping.ts";

/** What a text beside an amount says about its direction. */
export interface Said {
  /** Null when the text is not understood. */
  readonly side: Side | null;
  /** Whether the text is a word for nothing but the direction, such as `Debit`; `Fee` is none, since a fee can be given back. */
  readonly strict: boolean;
  readonly column: string;
  readonly cell: string;
}

/** An amount of a line, and all that the file says about its direction. */
export interface FoundAmount extends WrittenAmount {
  /** `in` and `out` are columns of their own for money that came in, and for money or charges that went out. */
  readonly kind: "amount" | Side;
  readonly column: string;
  readonly cell: string;
  readonly said: Said | null;
}

/** How the amounts of a file are read. */
export interface SignRule {
  readonly bare: Side;
  readonly minus: Side;
  readonly plus: Side;
  /** Whether a text beside an amount decides: of those without a mark, of those without a minus where it says money out, too, or never. */
  readonly said: "bare" | "unless minus" | "never";
}

const PLAIN: SignRule = { bare: "in", minus: "out", plus: "in", said: "never" };

/** The amount of a line with its sign, by the rule of its file (decisions.md#unsigned-amounts-are-asked-about). */
export function signedAmount(amount: FoundAmount, rule: SignRule): Cents {
  return cents(sideOf(amount, rule) === "out" && amount.size !== 0 ? -amount.size : amount.size);
}

function sideOf({ kind, mark, said }: FoundAmount, rule: SignRule): Side {
  if (kind !== "amount") return kind;
  if (mark === "cr") return "in";
  if (mark === "dr") return "out";
  if (mark === "minus") return rule.minus;
  if (mark === "plus") return rule.said === "unless minus" && said?.side === "out" ? "out" : rule.plus;
  return rule.said !== "never" && said?.side ? said.side : rule.bare;
}

const IN =
  /^(?:cr|c|crdt|credit|krediet|kt|in|inn?flow|money in|paid in|incoming|received|receipt|deposit|deposito|inbetaling|\+)$/;
const OUT = new RegExp(
  [
    "^(?:dr|d|dbit|debit|debiet|dt|out|outflow|money out|paid out|outgoing|withdrawal|onttrekking|uitbetaling|",
    "purchase|fee|fees|service fee|bank charge|bank charges|charge|charges|-)$",
  ].join(""),
);
const STRICT = /^(?:cr|c|crdt|credit|krediet|kt|in|money in|dr|d|dbit|debit|debiet|dt|out|money out|[+-])$/;

/** What a cell such as `Dr`, `Credit` or `Withdrawal` says. */
export function saidBy(column: string, cell: string): Said | null {
  const word = cell.trim().toLowerCase().replaceAll(/[._]/g, "").replaceAll(/\s+/g, " ");
  if (word === "") return null;
  const side = IN.test(word) ? "in" : OUT.test(word) ? "out" : null;
  return { side, strict: STRICT.test(word), column, cell: cell.trim() };
}

/** Whether a cell is a word for nothing but a direction. */
export const isDirection = (cell: string): boolean => STRICT.test(cell.trim().toLowerCase().replaceAll(".", ""));

/** How a file names the direction of amounts that it does not mark. */
export interface DirectionTraits {
  /** What the caller says that an amount without a mark is; null when nothing was said. */
  readonly unsigned: Side | null;
  /** Whether the texts are those of a format that signs its amounts (OFX): then a text that is not understood asks nothing by itself. */
  readonly signedByRule: boolean;
}

/** What the balances of a file say of its amounts, read by one rule. */
export interface Proved {
  /** The first line whose balance moved against its amount, with the balance's column. */
  readonly turned: { readonly at: number; readonly column: string } | null;
  /** Whether there are two balances or more, whose difference can be compared with the amounts. */
  readonly compared: boolean;
  /** Whether no balance follows, and each would with the opposite sign. */
  readonly opposite: boolean;
}

/** How the amounts of a file are read, or what has to be asked. */
interface Decided {
  readonly rule: SignRule;
  readonly faults: readonly Fault[];
  readonly warnings: readonly Warning[];
}

interface Seen {
  count: number;
  readonly at: number;
  readonly amount: FoundAmount;
}

/**
 * Collects how the amounts of a file are marked, and decides what an amount without a mark is. A minus on some amounts
 * makes the others money in; `Cr` on some makes the others money out, `Dr` money in; a column of directions decides by
 * itself, and the type of a transaction of OFX does where there is no minus. Where these disagree or say too little, it
 * is asked for.
 */
export class Directions {
  private readonly seen = new Map<string, Seen>();
  private readonly traits: DirectionTraits;

  constructor(traits: DirectionTraits) {
    this.traits = traits;
  }

  add(at: number, amount: FoundAmount): void {
    if (amount.size === 0) return;
    const { kind, column, mark, said } = amount;
    // Each type of OFX that says a side has its own warning; they are few.
    const word =
      said === null ? "" : `${said.side} ${said.strict} ${this.traits.signedByRule && said.side ? said.cell : ""}`;
    const key = kind === "amount" ? `amount ${mark} ${word}` : `${kind} ${column} ${mark}`;
    const known = this.seen.get(key);
    if (known) known.count++;
    else this.seen.set(key, { count: 1, at, amount });
  }

  /** `proved` is what the balances say of bare amounts that are read as money in. */
  decide({ turned, compared }: Proved): Decided {
    const faults = this.columnFaults();
    const { unsigned, signedByRule } = this.traits;
    if (signedByRule) return this.decidedByType();
    const has = (mark: string) => this.first((one) => one.kind === "amount" && one.mark === mark) !== null;
    const bare = this.first((one) => one.kind === "amount" && one.mark === "bare");
    if (unsigned !== null) {
      const minus = unsigned === "out" && !has("cr") && !has("dr") ? "in" : "out";
      return { rule: { ...PLAIN, bare: unsigned, minus }, faults, warnings: [] };
    }
    if (has("minus") || has("cr") || has("dr") || has("plus")) {
      const marked = this.markedRule(bare, has);
      return { ...marked, faults: [...faults, ...marked.faults] };
    }
    if (!bare) return { rule: PLAIN, faults, warnings: [] };
    const told = this.toldByColumn();
    if (told.rule.said !== "never" || told.faults.length > 0) return { ...told, faults: [...faults, ...told.faults] };
    const asked = turned ? [ask(turned.at, turned.column, "the balance falls where the amount has no minus")] : [];
    return { ...told, faults: [...faults, ...asked], warnings: compared ? [] : [ASSUMED] };
  }

  /** How amounts are read in a file that marks only some of them. */
  private markedRule(bare: Seen | null, has: (mark: string) => boolean) {
    const against = (side: Side, mark: string) =>
      this.first((one) => one.kind === "amount" && one.mark === mark && one.said?.side === side && one.said.strict);
    const [out, back] = [against("out", "bare"), against("in", "minus")];
    const sided = has("cr") || has("dr");
    const unclear =
      bare && ((has("cr") && (has("dr") || has("minus"))) || (has("plus") && !has("minus") && !sided))
        ? [ask(bare.at, bare.amount.column, `${bare.amount.cell} has no sign, though other amounts have one`)]
        : [];
    const rule: SignRule = { ...PLAIN, bare: has("cr") && !has("dr") && !has("minus") ? "out" : "in" };
    const clashes = sided ? [] : [out, back].flatMap((one) => (one ? [clash(one)] : []));
    return { rule, faults: [...unclear, ...clashes], warnings: [] };
  }

  /** No amount is marked, and a column may say what each is. */
  private toldByColumn() {
    const [said, unclear, silent] = this.told();
    const rule: SignRule = { ...PLAIN, said: "bare" };
    if (said && !unclear && !silent) return { rule, faults: [], warnings: [] };
    if (said) {
      const other = unclear ?? silent;
      const what = other?.amount.said
        ? `${other.amount.said.cell} in column ${other.amount.said.column} says neither money in nor money out`
        : `nothing says whether ${other?.amount.cell} came in or went out, as column ${said.amount.said?.column} does of others`;
      return { rule, faults: [ask(other?.at ?? null, other?.amount.said?.column ?? null, what)], warnings: [] };
    }
    if (!unclear) return { rule: PLAIN, faults: [], warnings: [] };
    const text = unclear.amount.said;
    const what = `no amount has a sign, and ${text?.cell} in column ${text?.column} says neither money in nor money out`;
    return { rule: PLAIN, faults: [ask(unclear.at, text?.column ?? null, what)], warnings: [] };
  }

  /**
   * In a format that signs its amounts, a minus is money out whatever the type says, and an amount without one whose
   * type goes out is never money in, unless the caller says so of a file that has a minus elsewhere. Where nothing has
   * a minus, each type has to say its side.
   */
  private decidedByType(): Decided {
    const { unsigned } = this.traits;
    const all = (fits: (amount: FoundAmount) => boolean) =>
      [...this.seen.values()].filter(({ amount }) => fits(amount)).toSorted((a, b) => a.at - b.at);
    const outs = all(({ mark, said }) => (mark === "bare" || mark === "plus") && said?.side === "out");
    const backs = all(({ mark, said }) => mark === "minus" && said?.side === "in" && said.strict);
    const signed = all(({ mark }) => mark !== "bare" && mark !== "plus").length > 0;
    if (signed && unsigned === "in") return { rule: PLAIN, faults: [], warnings: backs.map(disagreement) };
    // A plus on what went out says nothing, nor does it on the others.
    const plusTells = signed || !outs.some(({ amount }) => amount.mark === "plus");
    const rule: SignRule = {
      bare: unsigned ?? "in",
      minus: "out",
      plus: plusTells ? "in" : (unsigned ?? "in"),
      said: "unless minus",
    };
    const warnings = [...outs, ...backs].map(disagreement);
    if (signed || unsigned !== null) return { rule, faults: [], warnings };
    const open = all(({ mark, said }) => (mark === "bare" || (mark === "plus" && !plusTells)) && said?.side !== "in");
    const unclear = open.find(({ amount: { said } }) => said !== null && said.side === null);
    const silent = open.find(({ amount: { said } }) => said === null);
    const typed = this.first(({ said }) => said !== null && said.side !== null) !== null;
    const what = unclear
      ? `no amount has a minus, and ${unclear.amount.said?.cell} in column ${TYPE} says neither money in nor money out`
      : `${silent?.amount.cell} has no sign, and no type says whether it came in or went out`;
    const doubt = unclear ?? (typed ? silent : undefined);
    if (doubt) return { rule, faults: [ask(doubt.at, TYPE, what)], warnings };
    return { rule, faults: [], warnings: silent ? [...warnings, ASSUMED] : warnings };
  }

  /** The first bare amounts whose text says a side, says something else, and says nothing. */
  private told() {
    const of = (fits: (said: Said | null) => boolean) =>
      this.first((one) => one.kind === "amount" && one.mark === "bare" && fits(one.said));
    return [
      of((said) => said !== null && said.side !== null),
      of((said) => said !== null && said.side === null),
      of((said) => said === null),
    ] as const;
  }

  /** A column of money out has a minus on each amount or on none; one of money in on none. */
  private columnFaults(): Fault[] {
    const faults: Fault[] = [];
    for (const { at, amount } of this.seen.values()) {
      const { kind, column, mark, cell } = amount;
      if (kind === "in" && (mark === "minus" || mark === "dr"))
        faults.push({ at, column, what: `${cell} is below zero, in a column of money that came in` });
      if (kind === "out" && mark === "cr")
        faults.push({ at, column, what: `${cell} says money in, in a column of money that went out` });
      const minus = this.seen.get(`out ${column} minus`);
      if (kind !== "out" || mark !== "bare" || !minus) continue;
      const [rare, other] =
        minus.count < (this.seen.get(`out ${column} bare`)?.count ?? 0)
          ? [minus, amount]
          : [{ at, amount }, minus.amount];
      const what =
        `${rare.amount.cell} could be money given back, since ${other.cell} in this column is written ` +
        "otherwise: correct its sign in the file";
      faults.push({ at: rare.at, column, what });
    }
    return faults;
  }

  private first(fits: (amount: FoundAmount) => boolean): Seen | null {
    return [...this.seen.values()].filter(({ amount }) => fits(amount)).toSorted((a, b) => a.at - b.at)[0] ?? null;
  }
}

const TYPE = "TRNTYPE";

const ASSUMED: Warning = {
  line: null,
  message:
    "Nothing in the file says whether its amounts came in or went out, so all are read as money in. " +
    "If some went out, name the column that tells them apart (direction in mapping), or say what an amount " +
    "without a sign is (unsigned: in or out).",
};

/**
 * What is asked of a file whose balances all prove the opposite of its signs; null when they do not, or the caller has
 * said what is right.
 */
export const oppositeFault = ({ turned, opposite }: Proved, { unsigned }: DirectionTraits): Fault | null =>
  turned && opposite && unsigned === null
    ? ask(
        turned.at,
        turned.column,
        "every balance moves against the amount beside it: " +
          "the columns of money in and money out may be the wrong way round (name them as debit and credit in " +
          "mapping), or the signs",
      )
    : null;

const ask = (at: number | null, column: string | null, what: string): Fault => ({
  at,
  column,
  what:
    `${what}: say which column tells money in from money out (direction in mapping), or what an amount ` +
    "without a sign is (unsigned: in or out)",
  asks: "direction",
});

const clash = ({ at, amount: { cell, said } }: Seen): Fault =>
  ask(at, said?.column ?? null, `${cell} and ${said?.cell} do not agree about the direction`);

const disagreement = ({ at, count, amount: { cell, mark, said } }: Seen): Warning => {
  const others = count > 1 ? ` So ${count === 2 ? "is 1 more" : `are ${count - 1} more`} of this type.` : "";
  const why =
    mark === "minus"
      ? `${cell} is read as money out by its minus, though ${said?.column} says ${said?.cell}.`
      : `${cell} has no minus and is read as money out, because ${said?.column} says ${said?.cell}.`;
  return { line: at, message: `${why}${others}` };
};
