import pg from "pg";
import { ApiError } from "../kernel/errors.ts";

/** SQLSTATE: a lock was not granted within `lock_timeout`. */
export const LOCK_TIMEOUT = "55P03";
const TOO_MANY_CONNECTIONS = "53300";

/** An error of the connection, not of a statement. */
function isConnectionFault(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return /^(08|57P0)/.test(error.code ?? "");
  return error instanceof Error && /connection|ECONN|EPIPE|not queryable|timeout/i.test(error.message);
}

/** A migration changed the result columns of a prepared statement, so it cannot run again on that connection. */
export const isStalePlan = (error: unknown): boolean =>
  error instanceof pg.DatabaseError &&
  error.code === "0A000" &&
  error.message.startsWith("cached plan must not change");

/** Whether the connection must be closed rather than used again. */
export const isClientUnusable = (error: unknown): boolean => isConnectionFault(error) || isStalePlan(error);

/** A connection error as 503 `service_unavailable` (interface 7.2); any other error as it is. */
export function unavailable(error: unknown): unknown {
  const busy =
    error instanceof pg.DatabaseError && (error.code === LOCK_TIMEOUT || error.code === TOO_MANY_CONNECTIONS);
  return busy || (isConnectionFault(error) && !(error instanceof ApiError)) ? withoutDatabase(error) : error;
}

/** 503 `service_unavailable` for any reason that there is no connection, such as an unknown host or a changed password. */
export function withoutDatabase(cause: unknown): ApiError {
  const answer = new ApiError(
    "service_unavailable",
    503,
    "The service cannot reach its database right now. Try again shortly.",
    {
      headers: { "retry-after": "2" },
    },
  );
  answer.cause = cause;
  return answer;
}
