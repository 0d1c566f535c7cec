import type pg from "pg";

/** A statement with its values, prepared under a name that stands for its text on every connection; without a name it is prepared anew. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

export interface Answer {
  readonly rows: Record<string, unknown>[];
  /** The server's word for what it did, such as "COMMIT". */
  readonly tag: string;
}

type Types = pg.CustomTypesConfig;

interface Column {
  readonly name: string;
  parse(text: string): unknown;
}

interface Pending {
  readonly statement: Statement;
  readonly owner: object | null;
  /** As they travel: text, or bytes. */
  readonly values: (string | Buffer | null)[];
  readonly rows: Record<string, unknown>[];
  columns: readonly Column[] | null;
  /** A value of a row that could not be read. */
  fault: unknown;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/** What the columns of each statement are, once a connection has told: nobody asks it again. */
const knownColumns = new WeakMap<pg.Connection, Map<string, readonly Column[]>>();
const columnsOn = (connection: pg.Connection): Map<string, readonly Column[]> => {
  const columns = knownColumns.get(connection) ?? new Map<string, readonly Column[]>();
  knownColumns.set(connection, columns);
  return columns;
};

export interface Packets {
  /** Leaves with all that is given within this turn of the event loop, after what left before has been answered. */
  send(statement: Statement, owner?: object): Promise<Answer>;
  /** Nothing leaves any more, what waits is forgotten. False while an answer is still to come. */
  stop(): boolean;
  /** Whether the block of a packet that failed is still open. */
  open(): boolean;
}

/** What stands around the statements of each packet, such as the beginning and the end of a block; `undo` ends a block that failed. */
export interface PacketBlock {
  readonly before: readonly Statement[];
  readonly after: readonly Statement[];
  readonly undo: Statement;
}

/**
 * Sends statements in packets with one answer to all of them: each packet wakes both sides, and that costs more than most statements
 * do. Outside of `begin` and `commit`, a packet is a transaction of its own; with `around`, it is what that makes of it. A statement that
 * fails fails those behind it in its packet; with `undo`, one that has an owner fails those of its owner only, sent or not: `undo`
 * follows, and then those behind.
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

/** A packet with what stands around it; an `open` block of a packet that failed is ended first. */
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

/** What `pg` calls a query: it hands over the answers in the order of the statements. */
class Packet implements pg.Submittable {
  /** Of the statement that is being answered: `pg` keeps on its connection which the server has prepared. */
  name: string | undefined;
  text: string | undefined;
  readonly #statements: readonly Pending[];
  readonly #types: Types;
  readonly #answered: (failed: readonly Pending[], error: unknown) => void;
  #at = 0;
  #columns = new Map<string, readonly Column[]>();

  /** `answered` is told what failed: the first because of the error, those behind it because of the first. */
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
      const { name, text } = pending.statement;
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

  /** The server has skipped what was behind. */
  handleError(error: unknown): void {
    const failed = this.#statements.slice(this.#at);
    this.#turnTo(this.#statements.length);
    this.#answered(failed, error);
  }

  handleReadyForQuery(): void {
    this.#answered([], null);
  }
}

/** Undefined never comes this far: `statement` of database.ts refuses it. */
function encode(value: unknown): string | Buffer | null {
  if (value === null || typeof value === "string") return value;
  if (Buffer.isBuffer(value)) return value;
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return `{${value.map(element).join(",")}}`;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Of an array in PostgreSQL's text form. */
function element(value: unknown): string {
  if (Array.isArray(value)) return `{${value.map(element).join(",")}}`;
  const text = Buffer.isBuffer(value) ? `\\x${value.toString("hex")}` : encode(value);
  return text === null ? "NULL" : `"${String(text).replaceAll(/[\\"]/g, "\\$&")}"`;
}
