import { dueWork } from "../../platform/due-work.ts";

/** Daily, while a mandate is to be debited: gathers what is due at the cut-off. The subject is the organisation's id. */
export const DEBITS_GATHER = dueWork("debit_batch.gather");
/** Gathers what staff asked for, when their request ended before it was gathered. The subject is the action date. */
export const DEBITS_GATHER_BY = dueWork("debit_batch.gather_by", { alsoInRealTime: true });
/** Sends a batch to its gateway, and asks about it until the answer is clear. The subject is the batch's id. */
export const DEBIT_BATCH_SUBMIT = dueWork("debit_batch.submit", { alsoInRealTime: true });
/** Asks the gateway how the debits of a batch ended, until each has. The subject is the batch's id. */
export const DEBIT_BATCH_RESULTS = dueWork("debit_batch.results", { together: 2, perProcess: 8 });
