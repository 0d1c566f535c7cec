import { dueWork } from "../../platform/due-work.ts";
import { DEBITS_MAX } from "./types.ts";

/** Settles a charge at the sandbox gateway, and reports it. The subject is the gateway's id of the payment. */
export const SANDBOX_SETTLE = dueWork("sandbox.settle");
/** Collects a subscription of the sandbox gateway on its next date, and reports it. The subject is the gateway's id of the subscription. */
export const SANDBOX_RENEW = dueWork("sandbox.renew");
/** Settles debits of a batch at the sandbox gateway, some together, and reports them. The subject is the gateway's id of the batch. */
export const SANDBOX_DEBIT = dueWork("sandbox.debit", { followUps: 10 * DEBITS_MAX });
