import { dueWork } from "../../platform/due-work.ts";

/** Asks the gateway about an electronic mandate until the customer has answered it. The subject is the mandate's id. */
export const MANDATE_CHECK = dueWork("mandate.check", {
  together: 4,
  perProcess: 16,
  followUps: 0,
  alsoInRealTime: true,
});
