import { type Cents, cents } from "../../kernel/money.ts";

/** The amount that a cell holds: cents, `none` for an empty cell or a dash, else why it cannot be read. */
export type ReadAmount = Cents | "none" | { readonly fault: string };

/** Digits that are whole cents in every currency of the interface, and more than any bank writes. */
const DIGITS_MAX = 13;
const NOT_AN_AMOUNT = { fault: "is not an amount such as 1234.56" } as const;
const UNCLEAR = { fault: "could be thousands or a fraction: write it with two decimals" } as const;
const SIGNED_TWICE = { fault: "has more than one sign" } as const;

/**
 * An amount as banks write it: `1 234,56`, `1,234.56`, `(1,234.56)`, `-12`, `12-`, `12.00 Dr`, `R 12.00`. A debit is below zero. An ambiguous
 * text is refused.
 */
export function readAmount(cell: string): ReadAmount {
  const text = cell
    .normalize("NFKC")
    .replaceAll(/[\u2010-\u2015\u2212]/g, "-")
    .replaceAll(/\s+/g, " ")
    .trim();
  if (text === "" || text === "-") return "none";
  const signed = unsigned(text);
  if (signed === null) return NOT_AN_AMOUNT;
  if (signed.signs > 1) return SIGNED_TWICE;
  const size = sizeOf(signed.digits);
  return typeof size === "number" ? cents(signed.negative ? -size : size) : size;
}

/** The digits of an amount without its signs and the currency before it; null when nothing is left. */
function unsigned(text: string): { digits: string; negative: boolean; signs: number } | null {
  const shape =
    /^(?<open>\()?(?<lead>[+-])? ?(?:(?:ZAR|R) ?)?(?<inner>[+-])? ?(?<digits>[\d.,' ]*\d[\d.,' ]*?)(?<close>\))? ?(?<trail>[+-])? ?(?<side>cr|dr)?\.?$/i;
  const parts = shape.exec(text)?.groups;
  if (!parts?.["digits"] || (parts["open"] === undefined) !== (parts["close"] === undefined)) return null;
  const marks = [parts["lead"], parts["inner"], parts["trail"], parts["side"]?.toLowerCase(), parts["open"]];
  const given = marks.filter((mark) => mark !== undefined);
  const negative = given.some((mark) => mark === "-" || mark === "dr" || mark === "(");
  return { digits: parts["digits"].trim(), negative, signs: given.length };
}

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
