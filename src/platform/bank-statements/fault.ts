import { type ApiError, type Issue, invalid } from "../../kernel/errors.ts";
import type { ColumnMapping } from "./mapping.ts";

/** Something that staff should look at, though the file can be imported. */
export interface Warning {
  /** Of the file, from 1; null for the file as a whole. */
  readonly line: number | null;
  readonly message: string;
}

/** Something in a file that cannot be read: where it is, and what to change. */
export interface Fault {
  /** Of the file, from 1; null for the file as a whole. */
  readonly at: number | null;
  readonly column: string | null;
  readonly what: string;
  /** The field of a mapping that would answer it. */
  readonly asks?: keyof ColumnMapping;
}

const SHOWN_FAULTS = 20;

/** 400 that names the first faults of a file by line and column. */
export function faulty(faults: readonly Fault[]): Error {
  const said = ({ at, column, what }: Fault) =>
    [at === null ? "" : `line ${at}`, column === null ? "" : `column ${column}`]
      .filter((text) => text !== "")
      .join(", ") + (at === null && column === null ? what : `: ${what}`);
  const issues = faults.slice(0, SHOWN_FAULTS).map(
    (fault): Issue => ({
      code: "custom",
      path: fault.asks ? ["mapping", fault.asks] : placeOf(fault),
      message: fault.what,
    }),
  );
  const [first] = faults;
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : "";
  return invalid(`The statement was not imported. ${first ? capital(said(first)) : ""}${more}`, issues);
}

const placeOf = ({ at, column }: Fault): (string | number)[] => [
  "file",
  ...(at === null ? [] : [at]),
  ...(column === null ? [] : [column]),
];

/** The field of a mapping that would make a refused file readable; null when none would. */
export function askedOf({ issues }: ApiError): string | null {
  const [place, field] = issues?.[0]?.path ?? [];
  return place === "mapping" ? String(field) : null;
}

/**
 * The line up to which a file could be read before it was refused: the line of the first fault; 0 when the error names
 * no line, infinity when the file is not CSV from some row on.
 */
export const readUntil = ({ issues }: ApiError): number =>
  issues === undefined ? Number.POSITIVE_INFINITY : Number(issues[0]?.path[1]) || 0;

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
