import { documentNumber } from "../../domain/document-numbers.ts";
import type { Named } from "../../domain/lists.ts";
import { type Cents, cents, roundToCents } from "../../kernel/money.ts";
import { codePoints } from "../../kernel/text.ts";

/** The longest field: a longer text is in no reference, name or address. */
const LONGEST = 200;
/** The most words that are used: further words would hardly reduce the result. */
const WORDS_MAX = 5;
const AMOUNT = /^(?:[A-Z]{3}|R)?\s*(\d[\d\s]*|\d{1,3}(?:,\d{3})+)(?:[.,](\d{1,2}))?$/i;
/** How many digits the largest amount of a record has. */
const DIGITS_MAX = 10;

const trimmed = (q: string): string => q.trim().replaceAll(/\s+/g, " ");

/** Whether a search text may be the number of a document without its prefix. */
export const isCounter = (q: string): boolean => /^\d{1,6}$/.test(trimmed(q));

/**
 * A search text, prepared for comparison; null when no record can match it. `prefixes`: those that numbers of documents may have, needed
 * of a text that `isCounter`.
 */
export function readSearch(q: string, prefixes: readonly string[]): Search | null {
  const text = trimmed(q);
  if (text === "" || codePoints(text) > LONGEST) return null;
  const [upper, lower] = [text.toUpperCase(), text.toLowerCase()];
  const numbers = isCounter(text) ? prefixes.map((prefix) => documentNumber(prefix, text)) : [];
  return {
    text,
    words: text
      .split(/[\s,;()"]+/)
      .filter((word) => word !== "")
      .slice(0, WORDS_MAX),
    references: [upper, ...numbers],
    addresses: [...new Set([text, lower, lower.charAt(0).toUpperCase() + lower.slice(1)])],
    amounts: readAmounts(text),
  };
}

/**
 * The amounts that a text in major units means, as people write it: `1 234.50`, `R1,234.50`; `249` is every amount from
 * 249.00 to 249.99, that of 249.00 first. Empty when the text is none.
 */
export function readAmounts(text: string): readonly Cents[] {
  const [, whole, fraction] = AMOUNT.exec(text) ?? [];
  if (whole === undefined) return [];
  const digits = whole.replaceAll(/\D/g, "").replace(/^0+(?=\d)/, "");
  if (digits.length > DIGITS_MAX) return [];
  const first = roundToCents(`${digits}.${fraction ?? "0"}`);
  return fraction === undefined ? Array.from({ length: 100 }, (_, more) => cents(first + more)) : [first];
}

/** What was typed into the search, as it is compared with records. */
export type Search = Omit<Named, "customers">;
