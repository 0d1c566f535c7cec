import { event } from "../../events/event.ts";
import { DisputeObject } from "./schema.ts";

export const DISPUTE_OPENED = event("dispute.opened", {
  about: "The dispute of a payment, whose payer disputes it at the bank.",
  data: DisputeObject,
});
export const DISPUTE_CLOSED = event("dispute.closed", {
  about: "The dispute, with its outcome as `status`: `won`, `lost` or `accepted`.",
  data: DisputeObject,
});
