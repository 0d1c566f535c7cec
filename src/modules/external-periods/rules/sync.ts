import { ApiError, invalidField } from "../../../kernel/errors.ts";
import type { CalendarDay } from "../../../kernel/time.ts";
import type { ExternalPeriod, ReportedStatus } from "../types.ts";

/** A period as the other platform sends it. */
export interface Reported {
  readonly start: CalendarDay;
  /** The day on which the next period starts. */
  readonly next: CalendarDay;
  /** Null leaves the status as it is. */
  readonly status: ReportedStatus | null;
}

/** The effect of a report: none, or a recorded period, which may be a renewal. */
export interface Synced {
  readonly changes: boolean;
  readonly isRenewal: boolean;
  readonly start: CalendarDay;
  readonly next: CalendarDay;
  readonly status: ReportedStatus;
}

/**
 * The effect of a report on the recorded period (interface 4.8, sync-period, rules 2, 3 and 6). A period that is
 * neither the recorded one nor its successor replaces the recorded one without being a renewal. Throws 409
 * `stale_period`; 400 when the period of an active or trialing subscription has ended.
 */
export function synced(
  recorded: Pick<ExternalPeriod, "start" | "next" | "status">,
  reported: Reported,
  today: CalendarDay,
): Synced {
  const { start, next } = reported;
  const status = reported.status ?? recorded.status;
  if (start === recorded.start && next === recorded.next && status === recorded.status)
    return { changes: false, isRenewal: false, start, next, status };
  if (start < recorded.start && next < recorded.next && status === recorded.status)
    throw new ApiError(
      "stale_period",
      409,
      `A later period is recorded: from ${recorded.start} to ${recorded.next}. Nothing was changed.`,
    );
  if (status !== "past_due" && next <= today) throw invalidField(["currentPeriodEnd"], hasEnded(status));
  return { changes: true, isRenewal: start === recorded.next, start, next, status };
}

/** Why the end of a period must be in the future. */
export const hasEnded = (status: "active" | "trialing"): string =>
  status === "active"
    ? "must be in the future for an active subscription; send status past_due when it is not paid"
    : "must be in the future for a trial, whose end it is";
