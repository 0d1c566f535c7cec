import { once } from "node:events";
import { Readable } from "node:stream";
import type pg from "pg";

/* Rows of one server's table into another's, by PostgreSQL's COPY, as they come: a table may be larger than memory. */

/** What the client has, and its types do not know. */
type CopyConnection = pg.Connection & {
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
  sendCopyFail(message: string): void;
};

/** Rows are passed on in parts of about so many bytes, since each message of the protocol costs more than most rows. */
const PART_BYTES = 128 * 1024;

/**
 * Sends what `output`, a statement `copy … to stdout` of `from`, gives to `input`, a statement `copy … from stdin` of
 * `to`. Answers the number of rows. When it fails, neither connection can be used again.
 */
export async function copyRows(from: pg.Client, output: string, to: pg.Client, input: string): Promise<number> {
  const reading = new CopyOut(output);
  from.query(reading);
  return new Promise((resolve, reject) => {
    to.query(new CopyIn(input, reading.stream, resolve, reject));
  });
}

/** One `copy … to stdout`, in the form in which the client takes queries. */
class CopyOut implements pg.Submittable {
  readonly stream: Readable;
  readonly #statement: string;
  #connection: pg.Connection | null = null;
  #rows: Buffer[] = [];
  #bytes = 0;

  constructor(statement: string) {
    this.#statement = statement;
    this.stream = new Readable({
      read: () => void this.#connection?.stream.resume(),
      destroy: (error, done) => {
        // A reader that has gone cannot be told in the protocol.
        if (!this.stream.readableEnded) this.#connection?.stream.destroy();
        done(error);
      },
    });
    // It may fail before the other side reads, which then learns of it.
    this.stream.on("error", () => {});
  }

  submit(connection: pg.Connection): void {
    this.#connection = connection;
    connection.query(this.#statement);
  }

  handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    // The chunk is a view of the client's buffer, which is used again.
    this.#rows.push(Buffer.from(chunk));
    this.#bytes += chunk.length;
    if (this.#bytes >= PART_BYTES && !this.#pass()) this.#connection?.stream.pause();
  }

  #pass(): boolean {
    const part = Buffer.concat(this.#rows);
    this.#rows = [];
    this.#bytes = 0;
    return this.stream.push(part);
  }

  handleError(error: Error): void {
    this.stream.destroy(error);
  }

  handleReadyForQuery(): void {
    if (this.#bytes > 0) this.#pass();
    this.stream.push(null);
    // The last part may have paused it, and a stream that has ended is not read again.
    this.#connection?.stream.resume();
  }

  handleRowDescription(): void {}
  handleDataRow(): void {}
  handleCommandComplete(): void {}
  handlePortalSuspended(): void {}
  handleEmptyQuery(): void {}
  handleCopyInResponse(): void {}
}

/** One `copy … from stdin`. */
class CopyIn implements pg.Submittable {
  readonly #statement: string;
  readonly #source: Readable;
  readonly #done: (rows: number) => void;
  readonly #failed: (error: unknown) => void;
  #rows = 0;

  constructor(statement: string, source: Readable, done: (rows: number) => void, failed: (error: unknown) => void) {
    this.#statement = statement;
    this.#source = source;
    this.#done = done;
    this.#failed = failed;
  }

  submit(connection: pg.Connection): void {
    connection.query(this.#statement);
  }

  handleCopyInResponse(connection: CopyConnection): void {
    this.#send(connection).catch((error: unknown) => {
      this.#failed(error);
      connection.sendCopyFail("the other side failed");
    });
  }

  async #send(connection: CopyConnection): Promise<void> {
    for await (const part of this.#source) {
      connection.sendCopyFromChunk(part);
      if (connection.stream.writableNeedDrain) await once(connection.stream, "drain");
    }
    connection.endCopyFrom();
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    this.#rows = Number(/^COPY (\d+)$/.exec(text)?.[1]);
  }

  handleError(error: Error): void {
    this.#failed(error);
    this.#source.destroy();
  }

  handleReadyForQuery(): void {
    // Without effect after an error.
    this.#done(this.#rows);
  }

  handleRowDescription(): void {}
  handleDataRow(): void {}
  handleCopyData(): void {}
  handlePortalSuspended(): void {}
  handleEmptyQuery(): void {}
}
