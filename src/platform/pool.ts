import pg from "pg";
import { assert } from "../kernel/assert.ts";
import { isClientUnusable, unavailable, withoutDatabase } from "./faults.ts";
import { allowSilence, breakWhenSilent, NOTICES_LOSS, SILENCE_MS, unusedMs } from "./lost-servers.ts";
import { type Answer, type Statement, sendNow } from "./packets.ts";

const OIDS = { int8: 20, date: 1082 } as const;
/** How values are parsed: whole numbers as numbers, days as text. */
export const types = {
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

const STATEMENT_MS = 30_000;

/**
 * Signs in as whatever role the URL names, and takes the role `tefo_app` (decisions.md#role-that-owns-nothing). The server ends a statement
 * after `statementMs`.
 */
export const poolConfig = (url: string, statementMs = STATEMENT_MS) => ({
  connectionString: url,
  options:
    `-c role=tefo_app -c plan_cache_mode=force_generic_plan -c statement_timeout=${statementMs} -c lock_timeout=10000 ` +
    "-c idle_in_transaction_session_timeout=60000",
  types,
  application_name: "tefo",
  ...NOTICES_LOSS,
});

/** Lets the server of a distributed database choose how it plans, since it finds the node of a row by the values. */
const PLANS = `do $$ begin
  if exists (select from pg_extension where extname = 'citus') then set plan_cache_mode = 'auto'; end if;
end $$`;

/** Opens a pool, one of whose connections is given up when its server is silent for `silenceMs`. */
export function openPool(config: pg.PoolConfig, silenceMs = SILENCE_MS): pg.Pool {
  const pool = new pg.Pool({ ...config, idleTimeoutMillis: unusedMs(silenceMs) });
  pool.on("connect", (client) => {
    // Without a listener for `error` on every client, a connection that is lost ends the process.
    client.on("error", () => {});
    breakWhenSilent(client, silenceMs);
    // It is sent before the first statement of whoever asked for the connection, which fails too when this one does.
    client.query(PLANS).catch(() => {});
  });
  pool.on("release", (_error, client) => allowSilence(client, silenceMs));
  pool.on("error", () => {});
  return pool;
}

/** Rolls back and returns the client to the pool; closes it when `broken`. */
export const releaseClient = (client: pg.PoolClient, broken: boolean): Promise<void> | void =>
  broken
    ? client.release(true)
    : client.query("rollback").then(
        () => client.release(),
        () => client.release(true),
      );

/** Sends one statement in a transaction of its own. Throws 503 without a database. */
export async function attemptAlone(pool: pg.Pool, alone: Statement): Promise<Answer> {
  const client = await connect(pool);
  try {
    const outcome = await sendNow(client, types, alone);
    client.release();
    return outcome;
  } catch (error) {
    client.release(isClientUnusable(error));
    throw unavailable(error);
  }
}

/** A connection of the pool, to be released. Throws 503 without a database. */
export async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw withoutDatabase(error);
  }
}
