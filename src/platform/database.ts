import { createHash } from "node:crypto";
import type pg from "pg";
import { assert } from "../kernel/assert.ts";
import { ApiError } from "../kernel/errors.ts";
import type { OrganisationId } from "../kernel/ids.ts";
import { isClientUnusable, isConflict, isStalePlan, refusesWrites, unavailable } from "./faults.ts";
import { gathered } from "./gather.ts";
import { type Hold, hold } from "./hold.ts";
import { listen } from "./listen.ts";
import { type Answer, type PacketBlock, type Packets, packets, type Statement } from "./packets.ts";
import { attemptAlone, connect, openPool, poolConfig, releaseClient, types } from "./pool.ts";
import { followReplicas, type ReplicaOptions, type Replicas } from "./replica.ts";
import { traced } from "./tracing.ts";

/** SQL written in place; every `${value}` becomes a bound parameter (decisions.md#plain-sql). Answers the rows. */
export type Sql = <Row>(strings: TemplateStringsArray, ...values: unknown[]) => Promise<Row[]>;

/** One transaction inside one organisation. Statements are sent at once and run in the order given (pipelined). */
export interface Tx {
  readonly organisation: OrganisationId;
  readonly sql: Sql;
  /** A write whose result nobody reads; its failure fails the commit. Costs no round trip of its own. */
  queue(strings: TemplateStringsArray, ...values: unknown[]): void;
  /** Calls `last` when the work has succeeded, before the commit: to send once what the whole work has collected. */
  beforeCommit(last: () => void): void;
  /** Lets each statement from here on take so many seconds, in place of 30: for those that copy all that there is. */
  mayTake(seconds: number): void;
}

export interface Database {
  /** Reads and writes of one organisation: all or nothing. Runs again on a deadlock, so `work` must only touch the database. */
  transaction<T>(organisation: OrganisationId, work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * As `transaction`, for works of one organisation that would wait for the same row anyway, such as the row that numbers its documents.
   * Works that arrive while others run are executed next, in order, in one transaction with a savepoint each
   * (decisions.md#gathered-requests). Each resolves or rejects by itself, after the commit. Locks of one work are held until the last one
   * has ended.
   */
  gathered<T>(organisation: OrganisationId, work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Reads of one organisation. Statements of one turn of the event loop see one state of the database. */
  read<T>(organisation: OrganisationId, work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Statements outside any organisation: functions of `tefo_gate` and rate windows. */
  readonly sql: Sql;
  /** Whether the database takes writes. After one that it refused, such as when its disk was full, tries one. */
  takesWrites(): Promise<boolean>;
  /** Holds a name for as long as this process lives and does not release it; null when it is held. */
  hold(name: string): Promise<Hold | null>;
  /** Calls `wake` for each notification on the channel until stopped; reconnects by itself. */
  listen(channel: string, wake: () => void): () => Promise<void>;
  /** Null when it was opened without one. */
  readonly replica: Replica | null;
  close(): Promise<void>;
}

/** What answers reads in place of the database (decisions.md#reads-from-a-replica). */
export interface Replica extends Pick<Replicas, "lagSeconds"> {
  /**
   * As `Database.read`, and as fresh: it sees all that was committed before it began. The database answers where the replica is away,
   * late, promoted, or fails.
   */
  readonly read: Database["read"];
  /** How many reads each has answered. */
  reads(): Readonly<Record<"primary" | "replica", number>>;
}

const ATTEMPTS = 4;
/** PostgreSQL keeps 64 subtransactions of a transaction in shared memory; with more, other transactions look each one up on disk. */
const GATHERED_MAX = 64;
const ORGANISATION = /^org_[0-9a-z]{26}$/;

/**
 * Connects as `tefo_app`, which owns nothing (decisions.md#role-that-owns-nothing), whatever role the URL signs in with.
 * Statements are planned once for each connection, but in a distributed database (decisions.md#generic-plans).
 * Connections are opened on demand, so a wrong URL fails at the first statement. One whose server is silent for `silenceMs` is given up.
 */
export function openDatabase(
  url: string,
  options: { connections: number; silenceMs?: number; replica?: ReplicaOptions | null },
): Database {
  const config = poolConfig(url);
  const pool = openPool({ ...config, max: options.connections }, options.silenceMs);

  let refused = false;
  const retried = async <T>(attempt: () => Promise<T>): Promise<T> => {
    for (let attempts = 1; ; attempts++) {
      try {
        return await attempt();
      } catch (error) {
        refused ||= refusesWrites(causeOf(error));
        // Every connection of the pool may hold the stale plan.
        const most = isStalePlan(error) ? options.connections + 1 : isConflict(error) ? ATTEMPTS : 1;
        if (attempts >= most) throw error;
      }
    }
  };

  const transaction: Database["transaction"] = (organisation, work) =>
    traced("transaction", { "tefo.organisation": organisation }, () =>
      retried(() => attemptTransaction(pool, organisation, work)),
    );

  const read: Database["read"] = (organisation, work) =>
    traced("read", { "tefo.organisation": organisation }, () =>
      retried(async () => {
        const block = readBlock(organisation);
        return attemptRead(await connect(pool), block, organisation, work);
      }),
    );
  const replicas = options.replica
    ? followReplicas(pool, { ...options.replica, connections: options.connections })
    : null;

  return {
    transaction,
    gathered: gatheredTransactions(transaction, (organisation, works) =>
      traced("gathered transaction", { "tefo.organisation": organisation, "tefo.works": works.length }, () =>
        retried(() => attemptGathering(pool, organisation, works)),
      ),
    ),
    read,
    sql: <Row>(strings: TemplateStringsArray, ...values: unknown[]) =>
      retried(async () => (await attemptAlone(pool, statement(strings, values))).rows as Row[]),
    async takesWrites() {
      const [state] = (await attemptAlone(pool, READ_ONLY)).rows;
      if (state?.["is"] === true) return false;
      if (refused)
        try {
          await attemptAlone(pool, TRY_WRITING);
          refused = false;
        } catch {
          return false;
        }
      return true;
    },
    hold: (name) => hold(config, name),
    listen: (channel, wake) => listen(config, channel, wake),
    replica: replicas && { ...replicaReads(replicas, read), lagSeconds: replicas.lagSeconds },
    async close() {
      await replicas?.close();
      await pool.end();
    },
  };
}

/** Reads that replicas answer, else the primary. */
function replicaReads(replicas: Replicas, read: Database["read"]): Pick<Replica, "read" | "reads"> {
  const answered = { primary: 0, replica: 0 };
  return {
    async read(organisation, work) {
      const block = readBlock(organisation);
      const client = await replicas.connect();
      if (client)
        try {
          const result = await traced("read from replica", { "tefo.organisation": organisation }, () =>
            attemptRead(client, block, organisation, work),
          );
          answered.replica++;
          return result;
        } catch (error) {
          if (error instanceof ApiError && error.status < 500) throw error;
          replicas.rest();
        }
      answered.primary++;
      return read(organisation, work);
    },
    reads: () => ({ ...answered }),
  };
}

/** What the server said, when it is shown to the caller as another error. */
const causeOf = (error: unknown): unknown => (error instanceof ApiError ? error.cause : error);

const control = (text: string): Statement => ({ name: text, text, values: [] });
const READ_ONLY: Statement = {
  name: "read only",
  text: "select pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as is",
  values: [],
};
/** Takes new room on the disk, and leaves nothing. Not prepared, since it makes a table. */
const TRY_WRITING: Statement = {
  name: "",
  text: "create temporary table tried on commit drop as select md5(n::text) as row from generate_series(1, 10000) n",
  values: [],
};
const BEGIN = control("begin");
const COMMIT = control("commit");
const SAVEPOINT = control("savepoint work");
const RELEASE = control("release savepoint work");
const UNDO = control("rollback to savepoint work");
const BEGIN_READ = control("begin isolation level repeatable read read only");
const ROLLBACK = control("rollback");
/**
 * `set` takes no parameter, and `set_config` does not reach the nodes of a distributed PostgreSQL (decisions.md#distributed-sql). Not
 * prepared, because its text differs.
 */
function enter(organisation: OrganisationId): Statement {
  assert(ORGANISATION.test(organisation), "a transaction names its organisation");
  return { name: "", text: `set local app.organisation_id = '${organisation}'`, values: [] };
}

/** The `Tx` of a work: passes its statements to `send` and keeps the first failure. */
function statementsOf(organisation: OrganisationId, send: Packets["send"]) {
  let failure: unknown = null;
  let ended = false;
  const lasts: (() => void)[] = [];
  const put = (statement: Statement): Promise<Answer> => {
    if (ended) return Promise.reject(new Error("the work of this statement has ended"));
    // Statements after a failed one must not run without it.
    if (failure !== null) return Promise.reject(failure);
    const answer = send(statement);
    answer.catch((error: unknown) => {
      failure ??= error;
    });
    return answer;
  };
  const tx: Tx = {
    organisation,
    sql: async <Row>(strings: TemplateStringsArray, ...values: unknown[]) =>
      (await put(statement(strings, values))).rows as Row[],
    queue: (strings, ...values) => void put(statement(strings, values)).catch(() => {}),
    beforeCommit: (last) => void lasts.push(last),
    mayTake(seconds) {
      put({ name: "", text: `set local statement_timeout = '${seconds}s'`, values: [], seconds }).catch(() => {});
    },
  };
  return {
    tx,
    put,
    finish: () => void lasts.map((last) => last()),
    /** The first error of the server; those after it only say "current transaction is aborted". */
    failure: () => failure,
    /** Refuses further statements: a branch of the work may still be running after another one has failed. */
    end() {
      ended = true;
    },
  };
}

async function attemptTransaction<T>(
  pool: pg.Pool,
  organisation: OrganisationId,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const entry = enter(organisation);
  const client = await connect(pool);
  const { send, stop } = packets(client, types);
  const { tx, put, failure, finish, end } = statementsOf(organisation, send);
  try {
    put(BEGIN);
    put(entry);
    const result = await work(tx);
    finish();
    const committed = put(COMMIT);
    end();
    assert((await committed).tag === "COMMIT", "a transaction that did not fail is committed");
    client.release();
    return result;
  } catch (error) {
    end();
    stop();
    const cause = failure() ?? error;
    await releaseClient(client, isClientUnusable(cause));
    throw unavailable(cause);
  }
}

type Work = (tx: Tx) => Promise<unknown>;
type Outcome = PromiseSettledResult<unknown>;

/** A work that arrives alone runs in a plain transaction, without a savepoint. */
function gatheredTransactions(
  transaction: Database["transaction"],
  gathering: (organisation: OrganisationId, works: readonly Work[]) => Promise<readonly Outcome[]>,
): Database["gathered"] {
  const run = async (organisation: OrganisationId, works: readonly Work[]): Promise<readonly Outcome[]> => {
    const [work] = works;
    if (!work || works.length > 1) return gathering(organisation, works);
    return [{ status: "fulfilled", value: await transaction(organisation, work) }];
  };
  const outcomeOf = gathered(run, GATHERED_MAX, { begin: (first) => first() });
  return async <T>(organisation: OrganisationId, work: (tx: Tx) => Promise<T>) => {
    const outcome = await outcomeOf(organisation, work);
    if (outcome.status === "fulfilled") return outcome.value as T;
    const { reason } = outcome;
    if (isConflict(reason) || isStalePlan(reason)) return transaction(organisation, work);
    throw reason;
  };
}

/**
 * Runs the works in one transaction, each in a savepoint, and commits those that did not fail. Answers the outcome of each; rejects when
 * the transaction as a whole fails. A work begins before the last statements of the one before it are sent, so they share a packet.
 */
async function attemptGathering(
  pool: pg.Pool,
  organisation: OrganisationId,
  works: readonly Work[],
): Promise<readonly Outcome[]> {
  const entry = enter(organisation);
  const client = await connect(pool);
  const { send, stop } = packets(client, types, { undo: UNDO });
  /** Its error is ignored: then the commit fails too. */
  const step = (statement: Statement) => void send(statement).catch(() => {});
  try {
    step(BEGIN);
    step(entry);
    const ended: { outcome: Outcome; failure(): unknown }[] = [];
    for (const work of works) {
      const { tx, failure, finish, end } = statementsOf(organisation, (statement) => send(statement, work));
      step(SAVEPOINT);
      const [outcome] = await Promise.allSettled([(async () => work(tx))()]);
      if (outcome.status === "fulfilled") finish();
      end();
      if (outcome.status === "rejected") step(UNDO);
      step(RELEASE);
      ended.push({ outcome, failure });
    }
    assert((await send(COMMIT)).tag === "COMMIT", "a transaction that did not fail is committed");
    client.release();
    return ended.map(({ outcome, failure }) => {
      const cause = failure() ?? (outcome.status === "rejected" ? outcome.reason : null);
      return cause === null ? outcome : { status: "rejected", reason: unavailable(cause) };
    });
  } catch (error) {
    stop();
    await releaseClient(client, isClientUnusable(error));
    throw unavailable(error);
  }
}

function writesNothing(): never {
  throw new Error("a read queues no writes");
}

/** Each packet is a transaction of its own, which sees one state of the database; no connection stays in a transaction between packets. */
const readBlock = (organisation: OrganisationId): PacketBlock => ({
  before: [BEGIN_READ, enter(organisation)],
  after: [COMMIT],
  undo: ROLLBACK,
});

/** Reads by a connection, and releases it. */
async function attemptRead<T>(
  client: pg.PoolClient,
  block: PacketBlock,
  organisation: OrganisationId,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const { send, stop, open } = packets(client, types, { block });
  const tx: Tx = {
    organisation,
    sql: async <Row>(strings: TemplateStringsArray, ...values: unknown[]) => {
      const sent = send(statement(strings, values));
      // When several fail, the caller gets one of the errors.
      sent.catch(() => {});
      return (await sent).rows as Row[];
    },
    queue: writesNothing,
    beforeCommit: writesNothing,
    mayTake: writesNothing,
  };
  try {
    const result = await work(tx);
    if (open()) await releaseClient(client, false);
    else client.release();
    return result;
  } catch (error) {
    if (stop() && !open()) client.release(isClientUnusable(error));
    else await releaseClient(client, isClientUnusable(error));
    throw unavailable(error);
  }
}

/** A piece of SQL with its own values, to be placed in another statement: `${part`and email = ${email}`}`. */
export class Part {
  readonly strings: readonly string[];
  readonly values: unknown[];
  constructor(strings: readonly string[], values: unknown[]) {
    this.strings = strings;
    this.values = values;
  }
}

/** For statements whose conditions differ from call to call; each form that occurs is prepared once. */
export const part = (strings: TemplateStringsArray, ...values: unknown[]): Part => new Part(strings, values);

/** An empty piece of SQL. */
export const NOTHING = part``;

/** A value that may be missing in one way. Where both null and undefined occur, they mean different things. */
type MaybeMissing<Value> = null extends Value ? (undefined extends Value ? never : Value) : Value;

/** The piece of SQL that a value asks for, such as the condition of a filter; nothing without a value. */
export const when = <Value>(value: MaybeMissing<Value>, piece: (value: NonNullable<Value>) => Part): Part =>
  value === undefined || value === null ? NOTHING : piece(value);

const prepared = new WeakMap<TemplateStringsArray, { name: string; text: string }>();
/** The name of each prepared statement, by its text. */
const names = new Map<string, string>();

function nameOf(text: string): string {
  const name = names.get(text) ?? createHash("sha1").update(text).digest("base64url");
  names.set(text, name);
  return name;
}

function statement(strings: TemplateStringsArray, values: unknown[]): Statement {
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

function compose(strings: readonly string[], values: unknown[], flat: unknown[]): string {
  return strings.reduce((sql, piece, index) => {
    const value = values[index - 1];
    if (value instanceof Part) return sql + compose(value.strings, value.values, flat) + piece;
    if (value === undefined) assert(false, `undefined value in: ${strings.join("?")}`);
    flat.push(value);
    return `${sql}$${flat.length}${piece}`;
  });
}
