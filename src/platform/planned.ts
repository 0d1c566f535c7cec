import type { Tx } from "./database.ts";

/**
 * Plans a statement for its own period. A generic plan would look up each entry by its key, which takes three times as
 * long for a month of 100 000 invoices, and PostgreSQL's default memory for a statement is too small for the hashes of
 * such a month. The settings and the statement are sent together, and the settings hold for this packet only.
 */
export async function planned<Row>(tx: Tx, statement: () => Promise<Row[]>): Promise<Row[]> {
  const [, , rows] = await Promise.all([
    tx.sql`set local plan_cache_mode = 'force_custom_plan'`,
    tx.sql`set local work_mem = '32MB'`,
    statement(),
  ]);
  return rows;
}
