import pg from "pg";
import { ApiError } from "../kernel/errors.ts";

const UNIQUE_VIOLATION = "23505";
/** A lock was not granted within `lock_timeout`. */
const LOCK_TIMEOUT = "55P03";
const TOO_MANY_CONNECTIONS = "53300";
const OUT_OF_MEMORY = "53200";
/** The disk is full or broken, or the server is read-only: a standby, or set so by an operator. */
const READ_ONLY = "25006";
const WRITES_REFUSED = new Set(["53100", "58030", READ_ONLY]);
/** A serialization failure, a deadlock. */
const CONFLICTS = new Set(["40001", "40P01"]);

/** The SQLSTATE of a database error, or null. */
export const sqlState = (error: unknown): string | null =>
  error instanceof pg.DatabaseError ? (error.code ?? null) : null;

/**
 * The violated unique constraint or index, or null when the error is another. A distributed PostgreSQL appends the
 * shard's number to the name, and may give the name only in the message.
 */
export function violatedUnique(error: unknown): string | null {
  if (!(error instanceof pg.DatabaseError) || error.code !== UNIQUE_VIOLATION) return null;
  const name = error.constraint ?? /unique constraint "([^"]+)"/.exec(error.message)?.[1] ?? "";
  return name.replace(/_\d{6,}$/, "");
}

/** Whether a transaction failed because the database function `within` waited for a lock longer than `lock_timeout`. */
export const isLockTimeout = (error: unknown, within: string): boolean =>
  error instanceof ApiError &&
  error.cause instanceof pg.DatabaseError &&
  error.cause.code === LOCK_TIMEOUT &&
  (error.cause.where ?? "").includes(within);

/**
 * Another transaction changed what this one had read before it could be locked. The transaction runs again, as after a
 * deadlock; only when it meets this every time is it answered.
 */
export class ChangedMeanwhile extends ApiError {}

/** Whether the transaction was ended because of another one, so that it can run again. */
export const isConflict = (error: unknown): boolean =>
  error instanceof ChangedMeanwhile || CONFLICTS.has(sqlState(error) ?? "");

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

/**
 * Whether the connection must be closed rather than used again. A server that became a standby is read-only on this
 * connection for good.
 */
export const isClientUnusable = (error: unknown): boolean =>
  isConnectionFault(error) || isStalePlan(error) || sqlState(error) === READ_ONLY;

/** Whether the database takes no writes. */
export const refusesWrites = (error: unknown): boolean => WRITES_REFUSED.has(sqlState(error) ?? "");

/** Codes of a database that is busy. */
const BUSY = new Set([LOCK_TIMEOUT, TOO_MANY_CONNECTIONS, OUT_OF_MEMORY]);

/** A connection error, or that writes are refused, as 503 `service_unavailable` (interface 7.2); any other error as it is. */
export function unavailable(error: unknown): unknown {
  if (refusesWrites(error))
    return withoutDatabase(error, "The service can store nothing right now. Try again shortly.");
  const busy = BUSY.has(sqlState(error) ?? "");
  return busy || (isConnectionFault(error) && !(error instanceof ApiError)) ? withoutDatabase(error) : error;
}

/** 503 `service_unavailable` for any reason that there is no connection, such as an unknown host or a changed password. */
export function withoutDatabase(
  cause: unknown,
  message = "The service cannot reach its database right now. Try again shortly.",
): ApiError {
  const answer = new ApiError("service_unavailable", 503, message, { headers: { "retry-after": "2" } });
  answer.cause = cause;
  return answer;
}
