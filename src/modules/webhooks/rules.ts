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
/** The share of a step that is added at random, so that many deliveries that failed together are not retried together (interface 13.1). */
const JITTER = 0.2;
/** An endpoint that has failed for longer than this is disabled (interface 6.6). Outages of a long weekend are shorter. */
const FAILING_SECONDS_MAX = 5 * DAY_SECONDS;

/**
 * When a delivery is retried after its `attempts`-th failure, or null when that was the last.
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

/**
 * The outcome of an attempt (interface 6.6): 2xx is success, 410 disables the endpoint, everything else, also a redirect and no
 * answer (null), is retried.
 */
export function outcomeOf(statusCode: number | null): AttemptOutcome {
  if (statusCode === 410) return "disable";
  return statusCode !== null && statusCode >= 200 && statusCode < 300 ? "delivered" : "retry";
}

/**
 * The endpoint after an attempt at `at`: the time since which every attempt has failed, and whether it is now disabled,
 * because it answered 410 or has failed for more than five days (interface 6.6).
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

/** Whether an endpoint with these `events` (`["*"]` or names) gets this event type. */
export const subscribes = (events: readonly string[], type: string): boolean =>
  events.includes("*") || events.includes(type);
