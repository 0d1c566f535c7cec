import { deserialize } from "node:v8";
import type { FileReader } from "../../flows/file-reader.ts";
import { assert } from "../../kernel/assert.ts";
import type { OrganisationId } from "../../kernel/ids.ts";
import type { ReadRow } from "../../modules/external-periods/schema.ts";
import type { StatementLine } from "../../platform/bank-statements/statement.ts";
import { openThread } from "../../platform/threads.ts";
import type { Read, ReadJob } from "./thread.ts";

/** The bounds of what a file may hold (`csv.ts`, `markup.ts`) leave some seconds for the worst file. */
const TIMEOUT_MS = 60_000;
const MEMORY_MEGABYTES = 512;
/** Uploads are limited before their files get here. */
const WAITING = 100;
const IDLE_MS = 60_000;

/** A reader with one thread, which starts with the first file. */
export function createFileReader(): FileReader & { close(): Promise<void> } {
  const thread = openThread<ReadJob, Read>({
    script: new URL("./thread.ts", import.meta.url),
    what: "files",
    timeoutMs: TIMEOUT_MS,
    tooLong: "The file takes too long to read. Send it in parts, or try again shortly.",
    memoryMegabytes: MEMORY_MEGABYTES,
    waiting: WAITING,
    waitingOfOne: WAITING,
    idleMs: IDLE_MS,
  });
  const read = async <Kind extends Read["kind"]>(of: OrganisationId, job: ReadJob & { readonly kind: Kind }) => {
    const result = await thread.run(of, job);
    assert(result.kind === job.kind, "the thread answers what it was asked");
    return result as Extract<Read, { readonly kind: Kind }>;
  };
  return {
    async statement(of, bytes, columns) {
      const { head, parts } = await read(of, { kind: "statement", bytes, columns });
      return {
        ...head,
        async *lines() {
          for (const part of parts) yield* deserialize(part) as StatementLine[];
        },
      };
    },
    statementPreview: async (of, bytes, columns) => (await read(of, { kind: "preview", bytes, columns })).preview,
    async subscriptionRows(of, bytes) {
      const { parts } = await read(of, { kind: "subscriptions", bytes });
      return {
        *[Symbol.iterator]() {
          for (const part of parts) yield* deserialize(part) as readonly (readonly ReadRow[])[];
        },
      };
    },
    proof: (of, bytes) => read(of, { kind: "proof", bytes }),
    close: thread.close,
  };
}
