import { dueWork } from "../../platform/due-work.ts";

/**
 * Asks the gateway about a refund that is not decided, or whose request ended before the gateway was asked. The subject is the
 * refund's id.
 */
export const REFUND_CHECK = dueWork("refund.check", {
  together: 4,
  perProcess: 16,
  followUps: 0,
  alsoInRealTime: true,
});
