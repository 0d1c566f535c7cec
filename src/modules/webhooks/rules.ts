import { addSeconds, DAY_SECONDS, type Instant } from "../../kernel/time.ts";

const MINUTE = 60;
const HOUR = 60 * MINUTE;
/** Seconds from a failed attempt to the next (interface 6.6); together about two days. */
const RETRY_STEPS: readonly number[] = [
  10,
  MINUTE,
  5 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  4 * HOUR,
  8 * HOUR,
  12 * HOUR,
  20 * HOUR,
];
/** Spreads the retries of many deliveries that failed together; interface 13.1 allows up to this much of the step. */
const JITTER = 0.2;
/** An outage over a long weekend heals by itself; past five days nobody is looking (interface 6.6). */
const FAILING_SECONDS_MAX = 5 * DAY_SECONDS;

/**
 * When a delivery is tried again after its `attempts`-th failure, or null when that was the last.
 * `Retry-After` can only lengthen the wait, and to no more than the table's next step. `random` is in [0, 1).
 */
export function nextAttemptAt(facts: {
  attempts: number;
  lastAttemptAt: Instant;
  retryAfterSeconds: number | null;
  random: number;
}): Instant | null {
  const { attempts, lastAttemptAt, retryAfterSeconds, random } = facts;
  const step = RETRY_STEPS[attempts - 1];
  if (step === undefined) return null;
  const asked = Math.min(retryAfterSeconds ?? 0, RETRY_STEPS[attempts] ?? step);
  return addSeconds(lastAttemptAt, Math.max(step + step * JITTER * random, asked));
}

export type AttemptOutcome = "delivered" | "retry" | "disable";

/** What an answer means (interface 6.6): 2xx is success, 410 disables the endpoint, all else, redirects and silence (null) included, is tried again. */
export function outcomeOf(statusCode: number | null): AttemptOutcome {
  if (statusCode === 410) return "disable";
  return statusCode !== null && statusCode >= 200 && statusCode < 300 ? "delivered" : "retry";
}

/**
 * The endpoint after an attempt at `at`: since when every attempt has failed, and whether it is disabled now, because it
 * said that it is gone or because the row of failures began more than five days ago (interface 6.6).
 */
export function endpointAfter(
  failingSince: Instant | null,
  outcome: AttemptOutcome,
  at: Instant,
): { failingSince: Instant | null; disabled: "gone" | "failing" | null } {
  if (outcome === "delivered") return { failingSince: null, disabled: null };
  const since = failingSince ?? at;
  if (outcome === "disable") return { failingSince: since, disabled: "gone" };
  return { failingSince: since, disabled: at > addSeconds(since, FAILING_SECONDS_MAX) ? "failing" : null };
}

/** Whether an endpoint's `events` (`["*"]` or names) take this event type. */
export const subscribes = (events: readonly string[], type: string): boolean =>
  events.includes("*") || events.includes(type);
