import { type ApiError, type Issue, invalid } from "../../kernel/errors.ts";
import type { Cents } from "../../kernel/money.ts";
import { singleLine, truncate } from "../../kernel/text.ts";
import type { BusinessDay } from "../../kernel/time.ts";

/** A line of a bank's statement. */
export interface StatementLine {
  readonly date: BusinessDay;
  /** At most 1000 characters; may be empty. */
  readonly description: string;
  /** What came in is above zero, what went out below; never zero. */
  readonly amount: Cents;
  /** What the bank gives as the reference, apart from the description. */
  readonly reference: string | null;
}

/** A line as a format's reader finds it. */
export interface FoundLine {
  /** Of the file, from 1. */
  readonly at: number;
  readonly date: { readonly column: string; readonly cell: string };
  readonly description: string;
  readonly amount: Cents;
  readonly reference: string | null;
  readonly currency: string | null;
}

/** Something in a file that cannot be read: where it is, and what to change. */
export interface Fault {
  /** Of the file, from 1; null for the file as a whole. */
  readonly at: number | null;
  readonly column: string | null;
  readonly what: string;
}

const SHOWN_FAULTS = 20;
const TEXT_MAX = 1000;
const REFERENCE_MAX = 140;

/** 400 that names the first faults of a file by line and column. */
export function faulty(faults: readonly Fault[]): Error {
  const said = ({ at, column, what }: Fault) =>
    [at === null ? "" : `line ${at}`, column === null ? "" : `column ${column}`]
      .filter((text) => text !== "")
      .join(", ") + (at === null && column === null ? what : `: ${what}`);
  const issues = faults.slice(0, SHOWN_FAULTS).map(
    (fault): Issue => ({
      code: "custom",
      path: ["file", ...(fault.at === null ? [] : [fault.at]), ...(fault.column === null ? [] : [fault.column])],
      message: fault.what,
    }),
  );
  const [first] = faults;
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : "";
  return invalid(`The statement was not imported. ${first ? capital(said(first)) : ""}${more}`, issues);
}

/**
 * The line up to which a file could be read before it was refused: the line of the first fault; 0 when the error names no line, infinity when the
 * file is not CSV from some row on.
 */
export const readUntil = ({ issues }: ApiError): number =>
  issues === undefined ? Number.POSITIVE_INFINITY : Number(issues[0]?.path[1]) || 0;

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

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
