import { addSeconds, DAY_SECONDS, type Instant } from "../../kernel/time.ts";
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

/** How many days before its end a trial of the organisation is announced. */
const TRIAL_NOTICE_DAYS = [7, 1] as const;

const noticesOf = (trialEndsAt: Instant) =>
  TRIAL_NOTICE_DAYS.map((days) => ({ days, at: addSeconds(trialEndsAt, -days * DAY_SECONDS) }));

/** When the next notice that a trial ends is due after `now`; null when none is to come. */
export const nextTrialNotice = (trialEndsAt: Instant, now: Instant): Instant | null =>
  noticesOf(trialEndsAt).find(({ at }) => at > now)?.at ?? null;

/** The notice that is due at `now`, by its days before the end; null before the first one, and from the end on. */
export const trialNoticeAt = (trialEndsAt: Instant, now: Instant): number | null =>
  now >= trialEndsAt ? null : (noticesOf(trialEndsAt).findLast(({ at }) => at <= now)?.days ?? null);
