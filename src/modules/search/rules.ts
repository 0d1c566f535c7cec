import type { Named } from "../../domain/lists.ts";
import { type Cents, roundToCents } from "../../kernel/money.ts";
import { codePoints } from "../../kernel/text.ts";

/** The longest field: a longer text is in no reference, name or address. */
const LONGEST = 200;
/** The most words that are used: further words would hardly reduce the result. */
const WORDS_MAX = 5;
const AMOUNT = /^(?:[A-Z]{3}|R)?\s*(\d[\d\s]*|\d{1,3}(?:,\d{3})+)(?:[.,](\d{1,2}))?$/i;
/** How many digits the largest amount of a record has. */
const DIGITS_MAX = 10;

/** A search text, prepared for comparison; null when no record can match it. */
export function readSearch(q: string): Search | null {
  const text = q.trim().replaceAll(/\s+/g, " ");
  if (text === "" || codePoints(text) > LONGEST) return null;
  const [upper, lower] = [text.toUpperCase(), text.toLowerCase()];
  const numbers = /^\d{1,6}$/.test(text) ? ["INV-", "QUO-", "CN-"].map((kind) => kind + text.padStart(6, "0")) : [];
  return {
    text,
    words: text
      .split(/[\s,;()"]+/)
      .filter((word) => word !== "")
      .slice(0, WORDS_MAX),
    references: [upper, ...numbers],
    addresses: [...new Set([text, lower, lower.charAt(0).toUpperCase() + lower.slice(1)])],
    amount: readAmount(text),
  };
}

/** An amount in major units as people write it: `1 234.50`, `R1,234.50`, `249`. Null when the text is none. */
export function readAmount(text: string): Cents | null {
  const [, whole, fraction = "0"] = AMOUNT.exec(text) ?? [];
  if (whole === undefined) return null;
  const digits = whole.replaceAll(/\D/g, "").replace(/^0+(?=\d)/, "");
  return digits.length > DIGITS_MAX ? null : roundToCents(`${digits}.${fraction}`);
}

/** What was typed into the search, as it is compared with records. */
export type Search = Omit<Named, "customers">;
