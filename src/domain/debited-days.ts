import type { CalendarDay } from "../kernel/time.ts";
import { type Part, part, type Tx } from "../platform/database.ts";

/**
 * Condition: the mandate `m` is in no batch of debits of this day (decisions.md#one-batch-a-day). Its last day says so
 * for most mandates; for one that is in a batch of a later day its debits are read.
 */
export const isInNoBatchOf = (tx: Tx, day: CalendarDay): Part => part`
  m.last_action_date is distinct from ${day} and (m.last_action_date > ${day} and exists (
    select from debits d join debit_batches b on b.organisation_id = ${tx.organisation} and b.id = d.debit_batch_id
        and b.action_date = ${day}
     where d.organisation_id = ${tx.organisation} and d.mandate_id = m.id and not d.withdrawn)) is not true`;
