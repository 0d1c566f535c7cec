import type { Instant } from "../../kernel/time.ts";
import type { Organisation, OrganisationStatus } from "./types.ts";

/** The organisation's status at `now` (interface 12.1): a trial expires at its end, by the organisation's own clock. */
export function statusOf(organisation: Pick<Organisation, "state" | "trialEndsAt">, now: Instant): OrganisationStatus {
  if (organisation.state !== "trial") return organisation.state;
  return organisation.trialEndsAt !== null && organisation.trialEndsAt <= now ? "expired" : "trial";
}

/** Whether the operator has stopped an organisation; then nothing is collected for it automatically. */
export const isStopped = ({ state }: Pick<Organisation, "state">): boolean =>
  state === "suspended" || state === "cancelled";

/** Whether an organisation with this status refuses changes; reads work (interface 1.2). */
export const isReadOnly = (status: OrganisationStatus): boolean => status !== "trial" && status !== "active";
