import { dueWork } from "../../platform/due-work.ts";

/** Settles a charge at the sandbox gateway, and reports it. The subject is the gateway's id of the payment. */
export const SANDBOX_SETTLE = dueWork("sandbox.settle");
