import type { Instant } from "../../kernel/time.ts";
import type { Organisation, OrganisationStatus } from "./types.ts";

/** Interface 12.1: a trial is over at its end, by the organisation's own clock. */
export function statusOf(organisation: Pick<Organisation, "state" | "trialEndsAt">, now: Instant): OrganisationStatus {
  if (organisation.state !== "trial") return organisation.state;
  return organisation.trialEndsAt !== null && organisation.trialEndsAt <= now ? "expired" : "trial";
}

/** Interface 1.2: suspended, cancelled and trial over refuse writes; reads still work. */
export const isReadOnly = (status: OrganisationStatus): boolean => status !== "trial" && status !== "active";
