import { appendEvent } from "../../events/outbox.ts";
import { DEBIT_BATCH_COMPLETED } from "../../modules/debit-batches/declarations.ts";
import { anyPendingDebit, updateDebitBatch } from "../../modules/debit-batches/store/debit-batches.ts";
import type { DebitBatch } from "../../modules/debit-batches/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { readBatch } from "./change-batch.ts";

/**
 * `debit_batch.complete`: completes a submitted batch, once, when each of its debits has a result. The caller has locked
 * it; each debit that ends asks for this work.
 */
export async function completeBatch(tx: Tx, ctx: Ctx, batch: DebitBatch): Promise<null> {
  if (batch.status !== "submitted" || batch.completedAt !== null || (await anyPendingDebit(tx, batch.id))) return null;
  updateDebitBatch(tx, { ...batch, completedAt: ctx.now });
  appendEvent(tx, ctx.now, DEBIT_BATCH_COMPLETED, batch.id, await readBatch(tx, ctx, batch.id));
  return null;
}
