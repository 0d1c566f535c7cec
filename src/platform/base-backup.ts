import { Readable } from "node:stream";
import pg from "pg";

/** The kinds of message in the stream of a base backup that matter here: a new archive begins, and bytes of it. */
const [NEW_ARCHIVE, DATA] = [0x6e, 0x64];

/**
 * A consistent copy of a running cluster, as a tar of its data directory with the write-ahead log that it needs, by
 * PostgreSQL's replication protocol (`BASE_BACKUP`), as `pg_basebackup` makes it. The role of `url` must have the
 * attribute `replication`. The stream ends with an error when the copy is not whole.
 */
export function baseBackup(url: string): Readable {
  const client = new pg.Client({ connectionString: url, replication: "true" } as pg.ClientConfig);
  const query = new BaseBackup(() => void client.end());
  client.on("error", (error) => query.stream.destroy(error));
  client.connect().then(
    () => client.query(query),
    (error) => query.stream.destroy(error),
  );
  return query.stream;
}

/** One `BASE_BACKUP`, in the form in which the client takes queries. It is sent as text: a replication connection knows no other. */
class BaseBackup implements pg.Submittable {
  readonly stream: Readable;
  readonly #end: () => void;
  #connection: pg.Connection | null = null;
  #archives = 0;
  #failed = false;

  constructor(end: () => void) {
    this.#end = end;
    this.stream = new Readable({
      read: () => void this.#connection?.stream.resume(),
      destroy: (error, done) => {
        // A reader that has gone cannot be told in the protocol: the connection is closed.
        this.#end();
        done(error);
      },
    });
  }

  submit(connection: pg.Connection): void {
    this.#connection = connection;
    connection.query("BASE_BACKUP (LABEL 'tefo', WAL true, CHECKPOINT 'fast', MANIFEST 'no')");
  }

  handleCopyData({ chunk }: { readonly chunk: Buffer }, connection: pg.Connection): void {
    if (chunk[0] === NEW_ARCHIVE) this.#archives++;
    // A second archive would be a tablespace, which the embedded cluster has none of.
    if (chunk[0] !== DATA || this.#archives !== 1) return;
    // The chunk is a view of the client's buffer, which is used again.
    if (!this.stream.push(Buffer.from(chunk.subarray(1)))) connection.stream.pause();
  }

  handleError(error: Error): void {
    this.#failed = true;
    this.stream.destroy(error);
  }

  handleReadyForQuery(): void {
    if (!this.#failed && this.#archives === 1) this.stream.push(null);
    else this.stream.destroy(new Error(`The copy holds ${this.#archives} archives instead of one.`));
  }

  handleRowDescription(): void {}
  handleDataRow(): void {}
  handleCommandComplete(): void {}
  handlePortalSuspended(): void {}
  handleEmptyQuery(): void {}
  handleCopyInResponse(): void {}
}
