import { event } from "../../events/event.ts";
import { RunSummary } from "./schema.ts";

export const RECONCILIATION_COMPLETED = event("reconciliation.completed", {
  about: "The finished reconciliation run, without its items.",
  data: RunSummary,
});
