import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { gathered } from "./gather.ts";
import { allowSilence } from "./lost-servers.ts";
import { type Statement, sendNow } from "./packets.ts";
import { attemptAlone, openPool, poolConfig, types } from "./pool.ts";

/** Servers that follow the primary, as one address, which may lead to several. */
export interface Replicas {
  /** A connection to one that has replayed all that was committed before this call; null: the primary has to answer. */
  connect(): Promise<pg.PoolClient | null>;
  /** Asks none before the next look: a read has failed there. */
  rest(): void;
  /** How far behind the one of the last look was, in seconds; null when none answers, or none follows. */
  lagSeconds(): number | null;
  close(): Promise<void>;
}

/** A place in the write-ahead log, such as `0/3000148`. */
type Position = string;

/** A statement that takes longer is given to the primary, which has three times as long. */
const [STATEMENT_MS, SILENCE_MS] = [10_000, 12_000];
const CONNECTS_MS = 1_000;
/** How long a read waits for what was committed before it. Most is replayed within a few milliseconds. */
const WAIT_MS = 100;
const STEP_MS = 3;
/** How long a server may take to say how far it is. */
const ANSWER_MS = 1_000;
const LOOK_MS = 1_000;

/** It follows, and is late. */
class Behind extends Error {
  readonly seconds: number;
  constructor(seconds: number) {
    super(`the replica is ${seconds} s behind`);
    this.seconds = seconds;
  }
}

/** Replicas to open beside a database. `changed` is told when they begin or cease to answer. */
export interface ReplicaOptions {
  readonly url: string;
  changed(answers: boolean): void;
}

/**
 * Reads answered by replicas see all that was committed before they began, whichever process committed it
 * (decisions.md#reads-from-a-replica).
 */
export function followReplicas(
  primary: pg.Pool,
  { url, connections, changed }: ReplicaOptions & { readonly connections: number },
): Replicas {
  const config = { ...poolConfig(url, STATEMENT_MS), connectionTimeoutMillis: CONNECTS_MS, max: connections };
  const pool = openPool(config, SILENCE_MS);
  let lag: number | null = null;
  let [answers, told] = [false, false];
  const committed = committedOn(primary);
  async function look(): Promise<void> {
    try {
      const { client, at } = await upToDate(pool, committed);
      client.release();
      const [row] = (await attemptAlone(primary, { name: "written", text: WRITTEN, values: [at] })).rows;
      answers = row?.["is"] === true;
      lag = answers ? 0 : null;
    } catch (error) {
      answers = false;
      lag = error instanceof Behind ? error.seconds : null;
    }
    if (answers !== told) changed(answers);
    told = answers;
  }
  let looking: Promise<void> | null = null;
  const lookOnce = () => {
    looking ??= look().finally(() => {
      looking = null;
    });
  };
  const timer = setInterval(lookOnce, LOOK_MS);
  lookOnce();
  const rest = () => {
    answers = false;
  };

  return {
    async connect() {
      if (!answers) return null;
      try {
        return (await upToDate(pool, committed)).client;
      } catch {
        rest();
        return null;
      }
    },
    rest,
    lagSeconds: () => lag,
    async close() {
      clearInterval(timer);
      await looking;
      await pool.end();
    },
  };
}

/** Answers up to where the primary has committed: asked once for all reads that begin meanwhile, after they began. */
function committedOn(primary: pg.Pool): () => Promise<Position> {
  const ask = gathered<null, Position, "primary">(
    async (_primary, reads) => {
      const until = String((await attemptAlone(primary, COMMITTED)).rows[0]?.["until"]);
      return reads.map(() => until);
    },
    Number.POSITIVE_INFINITY,
    { begin: (first) => first() },
  );
  return () => ask("primary", null);
}

/** A connection to a replica that has replayed all that is committed now, and how far it is. Throws when it is away or late. */
async function upToDate(
  pool: pg.Pool,
  committed: () => Promise<Position>,
): Promise<{ client: pg.PoolClient; at: Position }> {
  const until = await committed();
  const client = await pool.connect();
  try {
    allowSilence(client, ANSWER_MS);
    const at = await replayed(client, until);
    allowSilence(client, SILENCE_MS);
    return { client, at };
  } catch (error) {
    // The next connection may lead to another server.
    client.release(true);
    throw error;
  }
}

/**
 * Waits until a server has replayed up to `until`; answers how far it is. It is asked before the read begins, since a statement sees
 * what was replayed when it began, and this one may be answered by what was replayed after.
 */
async function replayed(client: pg.PoolClient, until: Position): Promise<Position> {
  const began = performance.now();
  for (;;) {
    const [row] = (await sendNow(client, types, { name: "replayed", text: REPLAYED, values: [until] })).rows;
    if (row?.["follows"] !== true) throw new Error("The server follows no primary.");
    if (row["reached"] === true) return String(row["at"]);
    if (performance.now() - began > WAIT_MS) throw new Behind(Number(row["behind"]));
    await sleep(STEP_MS);
  }
}

/** Up to where commits that were answered are in the log. */
const COMMITTED: Statement = {
  name: "committed",
  text: "select pg_current_wal_flush_lsn()::text as until",
  values: [],
};
/** False of what another server has written, as where a replica followed one that was lost. */
const WRITTEN = `select pg_current_wal_flush_lsn() >= $1::pg_lsn as "is"`;
const REPLAYED = `
  select pg_is_in_recovery() as follows, pg_last_wal_replay_lsn() >= $1::pg_lsn as reached,
         pg_last_wal_replay_lsn()::text as at,
         round(greatest(0, extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp())), 3)::text as behind`;
