import { type Cents, cents } from "../../kernel/money.ts";

/** The amount that a cell holds: cents, `none` for an empty cell or a dash, else why it cannot be read. */
export type ReadAmount = Cents | "none" | { readonly fault: string };

/** Digits that are whole cents in every currency of the interface, and more than any bank writes. */
const DIGITS_MAX = 13;
const NOT_AN_AMOUNT = { fault: "is not an amount such as 1234.56" } as const;
const UNCLEAR = { fault: "could be thousands or a fraction: write it with two decimals" } as const;
const SIGNED_TWICE = { fault: "has more than one sign" } as const;

/** How an amount is marked as money that came in or went out; `bare` has no mark. */
export type Mark = "bare" | "minus" | "plus" | "cr" | "dr";

/** An amount as it is written: its size, never below zero, and its mark. */
export interface WrittenAmount {
  readonly size: Cents;
  readonly mark: Mark;
}

/**
 * An amount as banks write it: `1 234,56`, `1,234.56`, `(1,234.56)`, `-12`, `12-`, `12.00 Dr`, `R 12.00`. An ambiguous
 * text is refused. What a bare amount is depends on the others of its column (`direction.ts`).
 */
export function writtenAmount(cell: string): WrittenAmount | "none" | { readonly fault: string } {
  const text = cell
    .normalize("NFKC")
    .replaceAll(/[\u2010-\u2015\u2212]/g, "-")
    .replaceAll(/\s+/g, " ")
    .trim();
  if (text === "" || text === "-") return "none";
  const marked = unmarked(text);
  if (marked === null) return NOT_AN_AMOUNT;
  const [mark = "bare", ...others] = marked.marks;
  if (others.length > 0) return SIGNED_TWICE;
  const size = sizeOf(marked.digits);
  return typeof size === "number" ? { size, mark } : size;
}

/** As `writtenAmount`, for an amount that stands alone: a debit is below zero, a bare amount is not. */
export function readAmount(cell: string): ReadAmount {
  const written = writtenAmount(cell);
  if (written === "none" || "fault" in written) return written;
  const negative = written.mark === "minus" || written.mark === "dr";
  return cents(negative && written.size !== 0 ? -written.size : written.size);
}

const SHAPE = new RegExp(
  [
    String.raw`^(?<before>[cd]r ?)?(?<open>\()?(?<lead>[+-])? ?(?:(?:ZAR|R) ?)?(?<inner>[+-])?`,
    String.raw` ?(?<digits>[\d.,' ]*\d[\d.,' ]*?)(?<close>\))? ?(?<trail>[+-])? ?(?<side>[cd]r?)?\.?$`,
  ].join(""),
  "i",
);

/** The digits of an amount without its marks and the currency before it; null when nothing is left. */
function unmarked(text: string): { digits: string; marks: readonly Mark[] } | null {
  const parts = SHAPE.exec(text)?.groups;
  if (!parts?.["digits"] || (parts["open"] === undefined) !== (parts["close"] === undefined)) return null;
  const given = [parts["before"], parts["lead"], parts["inner"], parts["trail"], parts["side"], parts["open"]];
  const marks = given.filter((mark) => mark !== undefined).map((mark) => MARKS[mark.charAt(0).toLowerCase()] ?? "bare");
  return { digits: parts["digits"].trim(), marks };
}

const MARKS: Readonly<Record<string, Mark>> = { "+": "plus", "-": "minus", "(": "minus", c: "cr", d: "dr" };

function sizeOf(digits: string): Cents | { readonly fault: string } {
  const last = Math.max(digits.lastIndexOf("."), digits.lastIndexOf(","));
  if (last < 0) return whole(digits, "");
  const sign = digits.charAt(last);
  const other = sign === "." ? "," : ".";
  const before = digits.slice(0, last);
  const after = digits.slice(last + 1);
  // A sign that occurs twice separates thousands. Then the other sign can only be the decimal point, which must come last.
  if (before.includes(sign)) return before.includes(other) ? NOT_AN_AMOUNT : whole(digits, "");
  if (after.length === 3 && !before.includes(other)) {
    if (sign === "." || /[ ']/.test(before)) return UNCLEAR;
    return whole(digits, "");
  }
  return whole(before, after);
}

/** Thousands may be separated by one kind of sign, each time after three digits; a fraction has at most two digits that are not zero. */
function whole(before: string, fraction: string): Cents | { readonly fault: string } {
  const groups = before.split(/[ .,']/);
  const [first = "", ...others] = groups;
  const kinds = new Set(before.replaceAll(/\d/g, ""));
  const grouped = others.length === 0 || (first.length <= 3 && others.every((group) => group.length === 3));
  if (!/^\d*$/.test(first) || !grouped || kinds.size > 1 || !/^\d*$/.test(fraction)) return NOT_AN_AMOUNT;
  if (first === "" && (others.length > 0 || fraction === "")) return NOT_AN_AMOUNT;
  const cut = fraction.replace(/0+$/, "").padEnd(2, "0");
  if (cut.length > 2) return { fault: "has a fraction of a cent" };
  const text = groups.join("").replace(/^0+(?=\d)/, "") + cut;
  return text.length > DIGITS_MAX ? { fault: "is too large" } : cents(Number(text));
}
