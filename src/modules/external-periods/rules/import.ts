import { invalid } from "../../../kernel/errors.ts";

/** A column of an import, named as the field of a create that it fills: `customer.externalReference`, `metadata.importedFrom`. */
export type ImportColumn = string;

const DATES = ["paidThrough", "currentPeriodStart", "trialEnd"];
const COLUMNS = [
  "customer.externalReference",
  "customer.id",
  "plan",
  "planId",
  "externalReference",
  "status",
  ...DATES,
  "cancelAtPeriodEnd",
  "quantity",
  "items",
];
const METADATA = "metadata.";
const YES = new Set(["true", "yes", "1"]);
const NO = new Set(["false", "no", "0"]);

/**
 * The columns that the first row of a file names, in their order; upper and lower case are the same. Throws 400 for a
 * column that is unknown or named twice, and for a file without `externalReference`.
 */
export function importColumns(header: readonly string[]): readonly ImportColumn[] {
  const columns = header.map((name) => {
    const known = COLUMNS.find((column) => column.toLowerCase() === name.toLowerCase());
    if (known !== undefined) return known;
    if (name.toLowerCase().startsWith(METADATA) && name.length > METADATA.length)
      return METADATA + name.slice(METADATA.length);
    throw invalid(
      `There is no column named "${name.slice(0, 100)}". Columns are ${COLUMNS.join(", ")} and metadata.<key>.`,
    );
  });
  const twice = columns.find((column, at) => columns.indexOf(column) !== at);
  if (twice !== undefined) throw invalid(`The column ${twice} is there twice.`);
  if (!columns.includes("externalReference")) throw invalid("The file has no column named externalReference.");
  return columns;
}

/**
 * The body of a create that a row describes, to be checked as such; empty cells are left out. Dates may be written with
 * slashes. A value that cannot be read stays text, so that the check names the field.
 */
export function bodyOfRow(columns: readonly ImportColumn[], cells: readonly string[]): object {
  const given = columns.flatMap((column, at) => {
    const cell = cells[at] ?? "";
    return cell === "" ? [] : [[column, cell] as const];
  });
  const of = (prefix: string) =>
    given.flatMap(([column, cell]) =>
      column.startsWith(prefix) ? [[column.slice(prefix.length), cell] as const] : [],
    );
  const plain = given
    .filter(([column]) => !column.includes("."))
    .map(([column, cell]) => [column, readCell(column, cell)]);
  return {
    collectionMethod: "external",
    customer: Object.fromEntries(of("customer.")),
    metadata: Object.fromEntries(of(METADATA)),
    ...Object.fromEntries(plain),
  };
}

function readCell(column: ImportColumn, cell: string): unknown {
  if (DATES.includes(column)) return cell.replace(/^(\d{4})\/(\d{2})\/(\d{2})$/, "$1-$2-$3");
  if (column === "quantity") return /^\d{1,15}$/.test(cell) ? Number(cell) : cell;
  if (column === "cancelAtPeriodEnd") return flagOf(cell);
  if (column === "status") return cell.toLowerCase();
  return column === "items" ? itemsOf(cell) : cell;
}

function flagOf(cell: string): unknown {
  const text = cell.toLowerCase();
  return YES.has(text) ? true : NO.has(text) ? false : cell;
}

function itemsOf(cell: string): unknown {
  try {
    return JSON.parse(cell);
  } catch {
    return cell;
  }
}
