import { createHash } from "node:crypto";
import type { Writable } from "node:stream";
import pg from "pg";
import { assert } from "../kernel/assert.ts";
import { ApiError } from "../kernel/errors.ts";
import type { OrganisationId } from "../kernel/ids.ts";

/** SQL written in place; every `${value}` becomes a bound parameter. Answers the rows. */
export type Sql = <Row>(strings: TemplateStringsArray, ...values: unknown[]) => Promise<Row[]>;

/** One transaction inside one organisation. Statements are sent at once and run in the order given (pipelined). */
export interface Tx {
  readonly organisation: OrganisationId;
  readonly sql: Sql;
  /** A write whose result nobody reads; its failure fails the commit. Costs no round trip of its own. */
  queue(strings: TemplateStringsArray, ...values: unknown[]): void;
}

export interface Database {
  /** Reads and writes of one organisation: all or nothing. Runs again on a deadlock, so `work` must only touch the database. */
  transaction<T>(organisation: OrganisationId, work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Reads of one organisation. */
  read<T>(organisation: OrganisationId, work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Statements that belong to no organisation: the gate's functions and rate windows. */
  readonly sql: Sql;
  /** Calls `wake` for each notification on the channel until stopped; reconnects by itself. */
  listen(channel: string, wake: () => void): () => Promise<void>;
  close(): Promise<void>;
}

/** Raised by `claim_idempotency_key` when the reply is already stored (spec 4.1). */
export const STORED_REPLY = "TEFO1";
const UNIQUE_VIOLATION = "23505";
const LOCK_TIMEOUT = "55P03";
const RETRIED = new Set(["40001", "40P01"]);
const ATTEMPTS = 4;

/** The SQLSTATE of a database error, or null. */
export const sqlState = (error: unknown): string | null =>
  error instanceof pg.DatabaseError ? (error.code ?? null) : null;

/** The violated unique constraint or index, or null when the error is another. */
export const violatedUnique = (error: unknown): string | null =>
  error instanceof pg.DatabaseError && error.code === UNIQUE_VIOLATION ? (error.constraint ?? "") : null;

/** Whether a transaction failed because a lock that this function of the database takes was not had in time. */
export const gaveUpWaiting = (error: unknown, within: string): boolean =>
  error instanceof ApiError &&
  error.cause instanceof pg.DatabaseError &&
  error.cause.code === LOCK_TIMEOUT &&
  (error.cause.where ?? "").includes(within);

const OIDS = { int8: 20, date: 1082 } as const;
const types = {
  getTypeParser: ((oid: number, format?: "text" | "binary") => {
    if (oid === OIDS.int8) return parseInt8;
    if (oid === OIDS.date) return String;
    return pg.types.getTypeParser(oid, format as "text");
  }) as typeof pg.types.getTypeParser,
};

function parseInt8(text: string): number {
  const value = Number(text);
  assert(Number.isSafeInteger(value), `integer too large: ${text}`);
  return value;
}

/**
 * Connects as `tefo_app`, which owns nothing (design 4.2), whatever role the URL signs in with.
 * Connections are made on demand; the first fault shows at the first statement.
 */
export function openDatabase(url: string, options: { connections: number }): Database {
  const settings =
    "-c role=tefo_app -c plan_cache_mode=force_generic_plan -c statement_timeout=30000 -c lock_timeout=10000 -c idle_in_transaction_session_timeout=60000";
  const config = { connectionString: url, options: settings, types, pipeline: true, application_name: "tefo" };
  const pool = new pg.Pool({
    ...config,
    max: options.connections,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 60_000,
  });
  // Without a listener on every client, a backend that dies ends the process.
  pool.on("connect", (client) => client.on("error", () => {}));
  pool.on("error", () => {});

  const transaction = async <T>(organisation: OrganisationId, work: (tx: Tx) => Promise<T>): Promise<T> => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await attemptTransaction(pool, organisation, work);
      } catch (error) {
        if (attempt >= ATTEMPTS || !RETRIED.has(sqlState(error) ?? "")) throw error;
      }
    }
  };

  return {
    transaction,
    read: transaction,
    sql: async <Row>(strings: TemplateStringsArray, ...values: unknown[]) => {
      const client = await connect(pool);
      try {
        const { rows } = await client.query(statement(strings, values));
        client.release();
        return rows as Row[];
      } catch (error) {
        client.release(isConnectionFault(error));
        throw unavailable(error);
      }
    },
    listen: (channel, wake) => listen(config, channel, wake),
    close: () => pool.end(),
  };
}

async function attemptTransaction<T>(
  pool: pg.Pool,
  organisation: OrganisationId,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  assert(/^org_[0-9a-z]{26}$/.test(organisation), "a transaction names its organisation");
  const client = await connect(pool);
  // The first failure of the server explains all that follow it ("current transaction is aborted").
  let firstError: unknown = null;
  const watched = <R>(sent: Promise<R>): Promise<R> => {
    sent.catch((error: unknown) => {
      firstError ??= error;
    });
    return sent;
  };
  const queued: Promise<unknown>[] = [];
  const gather = gatherWrites(client);
  const send = (strings: TemplateStringsArray, values: unknown[]) => {
    gather();
    return watched(client.query(statement(strings, values)));
  };
  const tx: Tx = {
    organisation,
    sql: async <Row>(strings: TemplateStringsArray, ...values: unknown[]) =>
      (await send(strings, values)).rows as Row[],
    queue: (strings, ...values) => void queued.push(send(strings, values)),
  };
  try {
    gather();
    watched(client.query(`begin; set local app.organisation_id = '${organisation}'`));
    const result = await work(tx);
    gather();
    const commit = watched(client.query("commit"));
    await Promise.all(queued);
    assert((await commit).command === "COMMIT", "a transaction that did not fail is committed");
    client.release();
    return result;
  } catch (error) {
    const cause = firstError ?? error;
    if (isConnectionFault(cause)) client.release(true);
    else
      await client.query("rollback").then(
        () => client.release(),
        () => client.release(true),
      );
    throw unavailable(cause);
  }
}

/**
 * Statements sent within one turn of the event loop leave in one packet: a server process woken once for five statements does them
 * in a third of the time it takes when it is woken for each.
 */
function gatherWrites(client: pg.PoolClient): () => void {
  const { connection } = client as typeof client & { connection: { stream: Writable } };
  const { stream } = connection;
  let gathering = false;
  return () => {
    if (gathering) return;
    gathering = true;
    stream.cork();
    setImmediate(() => {
      gathering = false;
      stream.uncork();
    });
  };
}

async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw unavailable(error);
  }
}

/** A fault of the connection, not of a statement: the client must not be used again. */
function isConnectionFault(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return /^(08|57P0)/.test(error.code ?? "");
  return error instanceof Error && /connection|ECONN|EPIPE|not queryable|timeout/i.test(error.message);
}

/** Contract 8: without a database the caller is told to come back, not that something is broken. */
function unavailable(error: unknown): unknown {
  const busy = sqlState(error) === LOCK_TIMEOUT || sqlState(error) === "53300";
  if (!busy && !(isConnectionFault(error) && !(error instanceof ApiError))) return error;
  const answer = new ApiError(
    "service_unavailable",
    503,
    "The service cannot reach its database right now. Try again shortly.",
    {
      headers: { "retry-after": "2" },
    },
  );
  answer.cause = error;
  return answer;
}

/** A piece of SQL with its own values, to be placed in another statement: `${part`and email = ${email}`}`. */
export class Part {
  readonly strings: TemplateStringsArray;
  readonly values: unknown[];
  constructor(strings: TemplateStringsArray, values: unknown[]) {
    this.strings = strings;
    this.values = values;
  }
}

/** For statements whose conditions differ from call to call; each form that occurs is prepared once. */
export const part = (strings: TemplateStringsArray, ...values: unknown[]): Part => new Part(strings, values);

/** No condition. */
export const NOTHING = part``;

const prepared = new WeakMap<TemplateStringsArray, { name: string; text: string }>();
const nameOf = (text: string): string => createHash("sha1").update(text).digest("base64url");

function statement(strings: TemplateStringsArray, values: unknown[]): pg.QueryConfig {
  if (values.some((value) => value instanceof Part)) {
    const flat: unknown[] = [];
    const text = compose(strings, values, flat);
    return { name: nameOf(text), text, values: flat };
  }
  let known = prepared.get(strings);
  if (!known) {
    const text = strings.reduce((sql, piece, index) => `${sql}$${index}${piece}`);
    known = { name: nameOf(text), text };
    prepared.set(strings, known);
  }
  assert(!values.includes(undefined), `undefined value in: ${known.text}`);
  return { ...known, values };
}

function compose(strings: TemplateStringsArray, values: unknown[], flat: unknown[]): string {
  return strings.reduce((sql, piece, index) => {
    const value = values[index - 1];
    if (value instanceof Part) return sql + compose(value.strings, value.values, flat) + piece;
    assert(value !== undefined, `undefined value in: ${strings.join("?")}`);
    flat.push(value);
    return `${sql}$${flat.length}${piece}`;
  });
}

function listen(config: pg.ClientConfig, channel: string, wake: () => void): () => Promise<void> {
  let client: pg.Client | null = null;
  let stopped = false;
  let retry: NodeJS.Timeout | undefined;
  const again = () => {
    if (stopped || retry) return;
    retry = setTimeout(() => {
      retry = undefined;
      void start();
    }, 1_000);
  };
  const start = async () => {
    const next = new pg.Client({ ...config, pipeline: false });
    next.on("error", again);
    next.on("end", again);
    next.on("notification", wake);
    client = next;
    await next
      .connect()
      .then(() => next.query(`listen ${pg.escapeIdentifier(channel)}`))
      .then(wake, again);
  };
  void start();
  return async () => {
    stopped = true;
    clearTimeout(retry);
    await client?.end().catch(() => {});
  };
}
