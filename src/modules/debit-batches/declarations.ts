import { event } from "../../events/event.ts";
import { dueWork } from "../../platform/due-work.ts";
import { DebitBatchObject } from "./schema.ts";

export const DEBIT_BATCH_SUBMITTED = event("debit_batch.submitted", {
  about: "The batch, which its gateway has accepted.",
  data: DebitBatchObject,
});
export const DEBIT_BATCH_COMPLETED = event("debit_batch.completed", {
  about: "The batch, once each of its debits has a result.",
  data: DebitBatchObject,
});

/** Daily, while a mandate has a date for a debit: adds to batches what is due at the cut-off. The subject is the organisation's id. */
export const DEBITS_GATHER = dueWork("debit_batch.gather");
/** Adds to batches what staff asked for, when their request ended before this was done. The subject is the action date. */
export const DEBITS_GATHER_BY = dueWork("debit_batch.gather_by", { alsoInRealTime: true });
/** Sends a batch to its gateway, and asks about it until the answer is clear. The subject is the batch's id. */
export const DEBIT_BATCH_SUBMIT = dueWork("debit_batch.submit", { alsoInRealTime: true });
/** Completes a batch once each of its debits has a result. The subject is the batch's id. */
export const DEBIT_BATCH_COMPLETE = dueWork("debit_batch.complete");
/** Asks the gateway for the outcomes of a batch's debits, until each has one. The subject is the batch's id. */
export const DEBIT_BATCH_RESULTS = dueWork("debit_batch.results", { together: 2, perProcess: 8 });
