import { addDays, calendarDay, startOfDay } from "../../kernel/time.ts";
import { DEBITS_GATHER } from "../../modules/debit-batches/declarations.ts";
import type { Tx } from "../../platform/database.ts";
import { dueTimeOf, enqueue } from "../../platform/due-work.ts";
import type { Ctx } from "../context.ts";

/**
 * Enqueues the daily work from tomorrow on, when a mandate gets a date for a debit. Today's work stays due when no
 * worker has done it yet.
 */
export async function awaitDebits(tx: Tx, { organisation, now }: Ctx): Promise<void> {
  const tomorrow = startOfDay(addDays(calendarDay(now), 1));
  const outstanding = await dueTimeOf(tx, DEBITS_GATHER, organisation.id);
  // Always enqueued again: the work that is running now may have missed this mandate.
  enqueue(tx, DEBITS_GATHER, organisation.id, outstanding && outstanding < tomorrow ? outstanding : tomorrow);
}
