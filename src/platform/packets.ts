import type pg from "pg";
import { type Instant, toTimestamp } from "../kernel/time.ts";
import { allowSilence } from "./lost-servers.ts";

/**
 * A statement with its values. It is prepared once per connection under `name`, which identifies its text; with an
 * empty name it is parsed each time.
 */
export interface Statement {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
  /** The seconds that a statement may take from this one on, where that is longer than a server may be silent. */
  readonly seconds?: number;
}

export interface Answer {
  readonly rows: Record<string, unknown>[];
  /** The server's command tag, such as "COMMIT". */
  readonly tag: string;
}

/** The server ends a statement that takes too long; its word is waited for. */
const GRACE_SECONDS = 10;

type Types = pg.CustomTypesConfig;

interface Column {
  readonly name: string;
  parse(text: string): unknown;
}

interface Pending {
  readonly statement: Statement;
  readonly owner: object | null;
  /** Encoded for the protocol: text, or bytes. */
  readonly values: (string | Buffer | null)[];
  readonly rows: Record<string, unknown>[];
  columns: readonly Column[] | null;
  /** The error of a value that could not be parsed. */
  fault: unknown;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/** Result columns of the prepared statements of a connection, described once by the server. */
const knownColumns = new WeakMap<pg.Connection, Map<string, readonly Column[]>>();
const columnsOn = (connection: pg.Connection): Map<string, readonly Column[]> => {
  const columns = knownColumns.get(connection) ?? new Map<string, readonly Column[]>();
  knownColumns.set(connection, columns);
  return columns;
};

export interface Packets {
  /** Sends the statement with all others of this turn of the event loop, after the packet before has been answered. */
  send(statement: Statement, owner?: object): Promise<Answer>;
  /** Drops the statements that wait and sends no more. False while an answer is still outstanding. */
  stop(): boolean;
  /** Whether the transaction block of a failed packet is still open. */
  open(): boolean;
}

/** Statements sent before and after those of each packet, such as `begin` and `commit`; `undo` ends a block that failed. */
export interface PacketBlock {
  readonly before: readonly Statement[];
  readonly after: readonly Statement[];
  readonly undo: Statement;
}

/**
 * Sends statements in packets, each answered as a whole: waking both processes costs more than most statements
 * (decisions.md#one-packet-a-turn). Outside `begin` and
 * `commit` a packet is a transaction of its own; with `block`, each packet is wrapped in its statements. When a statement fails, the
 * statements after it in the packet fail too. With `undo`, a failed statement that has an owner fails the statements of that owner only,
 * sent or not: `undo` is sent next, then the other statements.
 */
export function packets(
  client: pg.ClientBase,
  types: Types,
  { block, undo }: { readonly block?: PacketBlock; readonly undo?: Statement } = {},
): Packets {
  let waiting: Pending[] = [];
  let underWay = false;
  let open = false;
  const leave = () => {
    if (underWay || waiting.length === 0) return;
    const packet = block ? within(block, waiting, open) : waiting;
    waiting = [];
    open = false;
    underWay = true;
    client.query(new Packet(packet, types, answered));
  };
  const answered = (failed: readonly Pending[], error: unknown) => {
    if (block && failed.length > 0) open = true;
    const owner = failed[0]?.owner ?? null;
    const recovers = undo && owner;
    const behind = recovers ? [...failed, ...waiting] : failed;
    if (recovers) waiting = [unwatched(undo), ...behind.filter((pending) => pending.owner !== owner)];
    for (const pending of behind) if (!recovers || pending.owner === owner) pending.reject(error);
    underWay = false;
    leave();
  };
  return {
    send: (statement, owner) =>
      new Promise((resolve, reject) => {
        waiting.push(pending(statement, owner ?? null, resolve, reject));
        if (waiting.length === 1) setImmediate(leave);
      }),
    stop() {
      waiting = [];
      return !underWay;
    },
    open: () => open,
  };
}

/** A packet with the statements of its block; when the block of the failed packet before is `open`, it is ended first. */
const within = ({ before, after, undo }: PacketBlock, packet: readonly Pending[], open: boolean): Pending[] => [
  ...(open ? [unwatched(undo)] : []),
  ...before.map(unwatched),
  ...packet,
  ...after.map(unwatched),
];

/** Sends one statement at once. */
export const sendNow = (client: pg.ClientBase, types: Types, statement: Statement): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const answered = (failed: readonly Pending[], error: unknown) => failed[0]?.reject(error);
    client.query(new Packet([pending(statement, null, resolve, reject)], types, answered));
  });

const unwatched = (statement: Statement): Pending =>
  pending(
    statement,
    null,
    () => {},
    () => {},
  );

const pending = (
  statement: Statement,
  owner: object | null,
  resolve: (answer: Answer) => void,
  reject: (error: unknown) => void,
): Pending => ({
  statement,
  owner,
  values: statement.values.map(encode),
  rows: [],
  columns: null,
  fault: null,
  resolve,
  reject,
});

/** A packet as `pg` runs a query; resolves the statements in their order. */
class Packet implements pg.Submittable {
  /** Name of the statement that is being answered: `pg` records under it what the server has prepared. */
  name: string | undefined;
  text: string | undefined;
  readonly #statements: readonly Pending[];
  readonly #types: Types;
  readonly #answered: (failed: readonly Pending[], error: unknown) => void;
  #at = 0;
  #columns = new Map<string, readonly Column[]>();

  /** `answered` gets the failed statements: the one with the error first, then those that were skipped after it. */
  constructor(
    statements: readonly Pending[],
    types: Types,
    answered: (failed: readonly Pending[], error: unknown) => void,
  ) {
    this.#statements = statements;
    this.#types = types;
    this.#answered = answered;
    this.#turnTo(0);
  }

  #turnTo(index: number): void {
    this.#at = index;
    const next = this.#statements[index]?.statement;
    this.name = next?.name;
    this.text = next?.text;
  }

  submit(connection: pg.Connection): void {
    const { parsedStatements } = connection as pg.Connection & {
      parsedStatements: Readonly<Record<string, string>>;
    };
    const parsed = new Set<string>();
    this.#columns = columnsOn(connection);
    connection.stream.cork();
    for (const pending of this.#statements) {
      const { name, text, seconds } = pending.statement;
      if (seconds !== undefined) allowSilence({ connection }, (seconds + GRACE_SECONDS) * 1000);
      if (name === "" || (parsedStatements[name] === undefined && !parsed.has(name))) {
        connection.parse({ name, text, types: [] }, true);
        parsed.add(name);
      }
      connection.bind({ statement: name, values: pending.values }, true);
      pending.columns = this.#columns.get(name) ?? null;
      if (pending.columns === null) connection.describe({ type: "P" }, true);
      connection.execute(null, true);
    }
    connection.sync();
    connection.stream.uncork();
  }

  handleRowDescription({ fields }: { fields: readonly pg.FieldDef[] }): void {
    const pending = this.#statements[this.#at];
    if (pending)
      pending.columns = fields.map(({ name, dataTypeID }) => ({
        name,
        parse: this.#types.getTypeParser(dataTypeID, "text"),
      }));
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    const pending = this.#statements[this.#at];
    if (!pending?.columns) return;
    const row: Record<string, unknown> = {};
    try {
      let index = 0;
      for (const { name, parse } of pending.columns) {
        const text = fields[index++] ?? null;
        row[name] = text === null ? null : parse(text);
      }
    } catch (error) {
      pending.fault ??= error;
    }
    pending.rows.push(row);
  }

  handleCommandComplete({ text }: { text: string }): void {
    const pending = this.#statements[this.#at];
    if (!pending) return;
    this.#columns.set(pending.statement.name, pending.columns ?? []);
    this.#turnTo(this.#at + 1);
    if (pending.fault === null) pending.resolve({ rows: pending.rows, tag: text });
    else pending.reject(pending.fault);
  }

  /** The server has skipped the statements after it. */
  handleError(error: unknown): void {
    const failed = this.#statements.slice(this.#at);
    this.#turnTo(this.#statements.length);
    this.#answered(failed, error);
  }

  handleReadyForQuery(): void {
    this.#answered([], null);
  }
}

/** A value as text or bytes. Never undefined: `statement` of database.ts refuses that. */
function encode(value: unknown): string | Buffer | null {
  if (value === null || typeof value === "string") return value;
  if (Buffer.isBuffer(value)) return value;
  if (value instanceof Date) return toTimestamp(value as Instant);
  if (Array.isArray(value)) return `{${value.map(element).join(",")}}`;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** An element of an array in PostgreSQL's text form. */
function element(value: unknown): string {
  if (Array.isArray(value)) return `{${value.map(element).join(",")}}`;
  const text = Buffer.isBuffer(value) ? `\\x${value.toString("hex")}` : encode(value);
  return text === null ? "NULL" : `"${String(text).replaceAll(/[\\"]/g, "\\$&")}"`;
}
