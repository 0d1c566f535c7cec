import type { Tx } from "./database.ts";

/**
 * Has a statement planned for its period. A plan for any period would look up each entry by itself, which takes three times as long for a month of
 * 100 000 invoices; and the memory that PostgreSQL gives a statement otherwise is too little for the hashes of such a month. All are sent
 * together: what is set holds for the packet.
 */
export async function planned<Row>(tx: Tx, statement: () => Promise<Row[]>): Promise<Row[]> {
  const [, , rows] = await Promise.all([
    tx.sql`set local plan_cache_mode = 'force_custom_plan'`,
    tx.sql`set local work_mem = '32MB'`,
    statement(),
  ]);
  return rows;
}
