import { ApiError } from "../kernel/errors.ts";
import { unixSeconds } from "../kernel/time.ts";
import type { Database } from "../platform/database.ts";
import { machineNow } from "../platform/machine-clock.ts";
import { countUses, mostUsed } from "../platform/rate-windows.ts";

/** A fixed window of machine time (interface 8). */
export interface Window {
  readonly limit: number;
  readonly used: number;
  /** In Unix seconds. */
  readonly resetsAt: number;
}

/** The windows of interface 8. */
export const WINDOW_SECONDS = 60;

/**
 * Requests of one API key in a window; `org update --rate-limit` sets another number for an organisation. They are
 * counted by `admitCallers`, with those of each address, in the statement that finds the key.
 */
export const REQUESTS_PER_KEY = 120;

/** The Unix second in which the current window of `seconds` began. */
export const windowStart = (seconds = WINDOW_SECONDS): number => {
  const now = unixSeconds(machineNow());
  return now - (now % seconds);
};

/** The rate limit headers of interface 8. */
export const rateHeaders = (window: Window): Record<string, string> => ({
  "x-ratelimit-limit": String(window.limit),
  "x-ratelimit-remaining": String(Math.max(0, window.limit - window.used)),
  "x-ratelimit-reset": String(window.resetsAt),
});

/** The error 429 with `Retry-After` (interface 8). */
export function rateLimited(window: Window, message: string): ApiError {
  const wait = Math.max(1, window.resetsAt - unixSeconds(machineNow()));
  return new ApiError("rate_limited", 429, message, {
    headers: { ...rateHeaders(window), "retry-after": String(wait) },
  });
}

/** Counts one use of `scope`, across all processes, and returns whether it is within `limit` per `seconds`. */
export async function withinLimit(
  db: Pick<Database, "sql">,
  scope: string,
  limit: number,
  seconds: number,
): Promise<boolean> {
  const [used = 0] = await countUses(db.sql, [scope], windowStart(seconds));
  return used <= limit;
}

/**
 * Limits the messages of a minute that are refused; authentic ones are not counted, so that those of one sender do not
 * block each other. Throws 429 with `message` when `scopes` are used up. The answer counts a refused message in a scope
 * of them, and throws 429 above the limit.
 */
export async function limitRefused(
  db: Pick<Database, "sql">,
  { scopes, limit, message }: { readonly scopes: readonly string[]; readonly limit: number; readonly message: string },
): Promise<(scope: string) => Promise<void>> {
  const start = windowStart();
  const refuseAbove = (used: number) => {
    if (used > limit) throw rateLimited({ limit, used, resetsAt: start + WINDOW_SECONDS }, message);
  };
  refuseAbove(1 + (await mostUsed(db.sql, scopes, start)));
  return async (scope) => {
    const [used = 0] = await countUses(db.sql, [scope], start);
    refuseAbove(used);
  };
}
