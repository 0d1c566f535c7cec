// Writes nothing. Reads: reconciliation_allocations, reconciliation_items, transactions.
import type { CalendarDay } from "../../../kernel/time.ts";
import type { Tx } from "../../../platform/database.ts";
import type { Item, ItemId, Receipt, RunId } from "../types.ts";

/**
 * For each item that was not received, the first later line that has shown money of its payment (decisions.md#runs-stay-as-they-were-sent),
 * by the present matches.
 */
export async function receiptsOf(tx: Tx, items: readonly Item[]): Promise<ReadonlyMap<ItemId, Receipt>> {
  const lacking = items.flatMap(({ id, status, transactionReference: reference }) =>
    status === "not_received" && reference !== null ? [{ id, reference }] : [],
  );
  if (lacking.length === 0) return new Map();
  const rows = await tx.sql<{ reference: string; item_id: ItemId; run_id: RunId; date: CalendarDay }>`
    select distinct on (t.reference) t.reference, i.id as item_id, i.run_id, i.date from transactions t
      join reconciliation_allocations a on a.organisation_id = ${tx.organisation} and a.subject = t.id and a.undone_at is null
      join reconciliation_items i on i.organisation_id = ${tx.organisation} and i.id = a.item_id
     where t.organisation_id = ${tx.organisation} and t.reference = any (${lacking.map(({ reference }) => reference)})
     order by t.reference, i.date, i.id`;
  const byReference = new Map(
    rows.map(({ reference, item_id: itemId, run_id: runId, date }) => [reference, { itemId, runId, date }]),
  );
  return new Map(
    lacking.flatMap(({ id, reference }) => {
      const receipt = byReference.get(reference);
      return receipt ? [[id, receipt] as const] : [];
    }),
  );
}
