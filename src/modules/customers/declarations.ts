import { event } from "../../events/event.ts";
import { StandingChange } from "./schema.ts";

export const CUSTOMER_STANDING_CHANGED = event("customer.standing.changed", {
  about: "The account standing, with `previousStatus`.",
  data: StandingChange,
});
