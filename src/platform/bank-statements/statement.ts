import type { Cents } from "../../kernel/money.ts";
import { singleLine, truncate } from "../../kernel/text.ts";
import type { CalendarDay } from "../../kernel/time.ts";
import type { BalanceEnd } from "./balance.ts";
import type { FoundAmount } from "./direction.ts";
import type { Fault } from "./fault.ts";

const TEXT_MAX = 1000;
const REFERENCE_MAX = 140;

/** A line of a bank's statement. */
export interface StatementLine {
  readonly date: CalendarDay;
  /** At most 1000 characters; may be empty. */
  readonly description: string;
  /** What came in is above zero, what went out below; never zero. */
  readonly amount: Cents;
  /** What the bank gives as the reference, apart from the description. */
  readonly reference: string | null;
  /** The bank's own id of the transaction; null where the file has none, or one that it repeats. */
  readonly bankId: string | null;
  /** Whether it is the charge of a row that has an amount of its own, too. */
  readonly charge: boolean;
}

/** A line as a format's reader finds it. */
export interface FoundLine {
  /** Of the file, from 1. */
  readonly at: number;
  readonly date: { readonly column: string; readonly cell: string };
  readonly description: string;
  readonly amount: FoundAmount;
  readonly reference: string | null;
  readonly currency: string | null;
  readonly bankId: string | null;
  readonly charge: boolean;
  /** The balance after this row; null on all but the last line of a row. */
  readonly balance: { readonly amount: Cents; readonly column: string } | null;
  /** A column that holds text and is read as nothing; null when there is none. */
  readonly unread: string | null;
}

/** What happened to a row that is no line of the statement. */
export const LEFT_OUT = ["above", "joined", "balances", "totals", "zero", "pending", "headings", "remarks"] as const;

/** A row that is no line, or a balance that the file gives apart from its rows (`became` is null). */
export interface LeftOut {
  readonly at: number;
  readonly became: (typeof LEFT_OUT)[number] | null;
  readonly balance: FoundLine["balance"];
  /** Which end of the file its balance states. */
  readonly end?: BalanceEnd;
  /** The day of a balance as it is written. */
  readonly day?: { readonly column: string; readonly cell: string };
}

/**
 * How many rows a file has beside its headings (of other formats, transactions), and what became of each: `lines` are
 * lines of the statement, `above` stand above the headings, `joined` gave their text to the line before.
 */
export type RowCounts = Readonly<Record<"total" | "lines" | (typeof LEFT_OUT)[number], number>> & {
  /** Lines made of a charge that stands beside an amount, which are no rows of their own. */
  readonly charges: number;
};

/** Text of a file as it is stored: on one line, without control characters, shortened. */
export const tidied = (text: string): string =>
  truncate(singleLine(text).replaceAll(/\s+/gu, " ").toWellFormed(), TEXT_MAX);

/** A reference of a file as it is stored; null when the cell is empty. */
export const referenceOf = (text: string): string | null => truncate(tidied(text), REFERENCE_MAX) || null;

/** The account number of a file's statements. A file with two accounts would be imported as one. */
export class StatementAccount {
  private known: string | null = null;

  /** Notes the account of a statement; answers what is wrong when another came before. */
  add(text: string, at: number, column: string): Fault | null {
    const account = tidied(text);
    if (account === "") return null;
    this.known ??= account;
    if (this.known === account) return null;
    const what = `the file has statements of two accounts, ${this.known} and ${account}: import one at a time`;
    return { at, column, what };
  }
}

/** The bank's own id of a transaction as it is stored; null where the file has none, or one that stands for none. */
export function usedId(text: string): string | null {
  const id = truncate(tidied(text), REFERENCE_MAX);
  const signs = id.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "");
  return signs === "" || NO_ID.test(signs) ? null : id;
}

/** What banks write where they have no id, without signs: a word for nothing, or one sign again and again. */
const NO_ID = new RegExp(
  [
    String.raw`^(?:0+|x+|(.)\1{2,}|no(?:n?ref(?:erence)?|ne|id)|notprovided|notavailable|notapplicable|notspecified|`,
    "null|nil|na|unknown|undefined|unspecified|empty|blank|tba|tbc|tbd)$",
  ].join(""),
);
