// Writes nothing. Reads: reconciliation_items, reconciliation_runs.
import type { Tx } from "../../../platform/database.ts";
import type { KnownLine } from "../rules.ts";
import type { RunId } from "../types.ts";

/** How many lines had a text, and how many of these no id of the bank. */
export interface ImportedTexts {
  readonly count: number;
  readonly without: number;
}

/**
 * How often lines were imported before the run, by their keys in hexadecimal; lines that were duplicates do not count again, and those of a
 * statement that was withdrawn never.
 */
export async function importedBefore(
  tx: Tx,
  run: RunId,
  keys: readonly Buffer[],
): Promise<ReadonlyMap<string, ImportedTexts>> {
  const rows = await tx.sql<ImportedTexts & { readonly key: string }>`
    select encode(i.line_key, 'hex') as key, count(*)::integer as count, count(*) filter (where i.bank_key is null)::integer as without
      from reconciliation_items i
      join reconciliation_runs r on r.organisation_id = ${tx.organisation} and r.id = i.run_id and r.withdrawn_at is null
     where i.organisation_id = ${tx.organisation} and i.line_key = any (${keys}::bytea[]) and i.status <> 'duplicate' and i.run_id <> ${run}
     group by i.line_key`;
  return new Map(rows.map(({ key, ...texts }) => [key, texts]));
}

/** The lines that had an id of the bank, as `importedBefore`. */
export async function importedIds(
  tx: Tx,
  run: RunId,
  keys: readonly Buffer[],
): Promise<ReadonlyMap<string, readonly KnownLine[]>> {
  if (keys.length === 0) return new Map();
  const rows = await tx.sql<KnownLine & { readonly key: string }>`
    select encode(i.bank_key, 'hex') as key, i.date, i.amount_cents as amount from reconciliation_items i
      join reconciliation_runs r on r.organisation_id = ${tx.organisation} and r.id = i.run_id and r.withdrawn_at is null
     where i.organisation_id = ${tx.organisation} and i.bank_key = any (${keys}::bytea[]) and i.status <> 'duplicate'
       and i.run_id <> ${run}`;
  return Map.groupBy(rows, ({ key }) => key);
}
