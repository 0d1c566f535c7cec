import { event } from "../../events/event.ts";
import { dueWork } from "../../platform/due-work.ts";
import { MandateDebitEventData, MandateEventData } from "./schema.ts";

export const MANDATE_CREATED = event("mandate.created", { about: "The mandate.", data: MandateEventData });
export const MANDATE_SIGNED = event("mandate.signed", {
  about: "The mandate, which its customer has signed, on the page of an agreement or electronically.",
  data: MandateEventData,
});
export const MANDATE_ACTIVATED = event("mandate.activated", {
  about: "The mandate, whose debits are collected from now on: for the first time, or again after a pause.",
  data: MandateEventData,
});
export const MANDATE_PAUSED = event("mandate.paused", {
  about: "The mandate, which staff, a key or the third unpaid debit in a row has paused.",
  data: MandateEventData,
});
export const MANDATE_CANCELLED = event("mandate.cancelled", {
  about: "The mandate, which was cancelled or rejected, permanently.",
  data: MandateEventData,
});
export const MANDATE_DEBIT_COLLECTED = event("mandate.debit_collected", {
  about: "The mandate, with `debit`, which was collected.",
  data: MandateDebitEventData,
});
export const MANDATE_DEBIT_UNPAID = event("mandate.debit_unpaid", {
  about: "The mandate, with `debit`, which a bank returned unpaid, at once or after it was collected.",
  data: MandateDebitEventData,
});

/** Asks the gateway about an electronic mandate until the customer has answered it. The subject is the mandate's id. */
export const MANDATE_CHECK = dueWork("mandate.check", {
  together: 4,
  perProcess: 16,
  followUps: 0,
  alsoInRealTime: true,
});
