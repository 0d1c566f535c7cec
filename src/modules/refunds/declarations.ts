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

/**
 * Applies reports about refunds of a payment that could not be applied when they came: before the payment had
 * completed, or while it was not clear which refund they were about. The subject is the payment's id.
 */
export const REFUND_REPORTS = dueWork("refund.reports", { alsoInRealTime: true });
