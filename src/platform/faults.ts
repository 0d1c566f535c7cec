import pg from "pg";
import { ApiError } from "../kernel/errors.ts";

/** A lock was not had in time. */
export const LOCK_TIMEOUT = "55P03";
const TOO_MANY_CONNECTIONS = "53300";

/** A fault of the connection, not of a statement. */
function isConnectionFault(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return /^(08|57P0)/.test(error.code ?? "");
  return error instanceof Error && /connection|ECONN|EPIPE|not queryable|timeout/i.test(error.message);
}

/** A migration changed the columns that a prepared statement answers: it can never run again on that connection. */
export const isStalePlan = (error: unknown): boolean =>
  error instanceof pg.DatabaseError &&
  error.code === "0A000" &&
  error.message.startsWith("cached plan must not change");

/** Whether the client must not be used again. */
export const isClientUnusable = (error: unknown): boolean => isConnectionFault(error) || isStalePlan(error);

/** Interface 7.2: without a database the caller is told to come back, not that something is broken. */
export function unavailable(error: unknown): unknown {
  const busy =
    error instanceof pg.DatabaseError && (error.code === LOCK_TIMEOUT || error.code === TOO_MANY_CONNECTIONS);
  return busy || (isConnectionFault(error) && !(error instanceof ApiError)) ? withoutDatabase(error) : error;
}

/** 503, whatever the reason that there is no connection: a name that does not resolve, a password that was changed. */
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
