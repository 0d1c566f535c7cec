import { dueWork } from "../../platform/due-work.ts";

/** Asks the gateway about a refund that it has not decided, or whose request ended before it was asked. The subject is the refund's id. */
export const REFUND_CHECK = dueWork("refund.check", {
  together: 4,
  perProcess: 16,
  fromRequests: true,
  alsoInRealTime: true,
});
