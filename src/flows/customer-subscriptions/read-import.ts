import { invalid } from "../../kernel/errors.ts";
import { bodyOfRow, type ImportColumn, importColumns } from "../../modules/external-periods/rules/import.ts";
import { ExternalSubscriptionCreate, type ReadRow } from "../../modules/external-periods/schema.ts";
import { type CsvRow, csvRows } from "../../platform/csv.ts";

const ROWS_MAX = 20_000;
/** The number of rows in one part, which is one transaction: while it runs, other documents wait for their numbers. */
const TOGETHER = 200;

/**
 * Reads a CSV file of external subscriptions (interface 14.6), and checks each row separately. Yields the rows in
 * parts. Throws 400 for a file that cannot be read as a whole.
 */
export async function* readImport(bytes: Uint8Array): AsyncGenerator<readonly ReadRow[]> {
  let columns: readonly ImportColumn[] | null = null;
  let count = 0;
  let part: ReadRow[] = [];
  for await (const row of csvRows(bytes)) {
    if (columns === null) {
      columns = importColumns(row.cells);
      continue;
    }
    if (++count > ROWS_MAX) throw invalid(`A file has at most ${ROWS_MAX} rows. Send the others in another one.`);
    part.push(readRow(columns, row));
    if (part.length < TOGETHER) continue;
    yield part;
    part = [];
  }
  if (columns === null) throw invalid("The file is empty. Its first row names the columns.");
  if (part.length > 0) yield part;
}

function readRow(columns: readonly ImportColumn[], { line, cells }: CsvRow): ReadRow {
  const externalReference = cells[columns.indexOf("externalReference")] || null;
  if (cells.length > columns.length) {
    const refused = `The row has ${cells.length} cells, and there are ${columns.length} columns.`;
    return { line, externalReference, body: { refused, issues: [] } };
  }
  const { success, data, error } = ExternalSubscriptionCreate.safeParse(bodyOfRow(columns, cells));
  if (success) return { line, externalReference, body: data };
  const issues = error.issues.map(({ path, code, message }) => ({ code, message, path: path.map(String) }));
  return { line, externalReference, body: { refused: issues[0]?.message ?? "", issues } };
}
