import { event } from "../../events/event.ts";
import { CustomerObject, StandingChange } from "./schema.ts";

export const CUSTOMER_CREATED = event("customer.created", {
  about: "The customer, made by your systems, by staff, or for a payer who was not known.",
  data: CustomerObject,
});
export const CUSTOMER_UPDATED = event("customer.updated", {
  about: "The customer after a change of its fields; a request that changes nothing sends nothing.",
  data: CustomerObject,
});
export const CUSTOMER_STANDING_CHANGED = event("customer.standing.changed", {
  about: "The account standing, with `previousStatus`.",
  data: StandingChange,
});
