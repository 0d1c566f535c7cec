import { createHash } from "node:crypto";
import { serialize } from "node:v8";
import { readImport } from "../../flows/customer-subscriptions/read-import.ts";
import type { StatementColumns } from "../../flows/file-reader.ts";
import { previewAsKept, previewStatement, type StatementPreview } from "../../platform/bank-statements/preview.ts";
import { type ReadStatement, readAsKept, readStatement } from "../../platform/bank-statements/read-statement.ts";
import { wholeFileTypeOf } from "../../platform/files.ts";
import { jobs } from "../../platform/thread-jobs.ts";

/* The thread of `createFileReader`. */

/** What the thread is asked to read. */
export type ReadJob =
  | { readonly kind: "statement" | "preview"; readonly bytes: Uint8Array; readonly columns: StatementColumns }
  | { readonly kind: "subscriptions" | "proof"; readonly bytes: Uint8Array };

/** What was read. The parts of a long list are serialized: the other thread opens one when it needs it. */
export type Read =
  | { readonly kind: "statement"; readonly head: Omit<ReadStatement, "lines">; readonly parts: readonly Uint8Array[] }
  | { readonly kind: "preview"; readonly preview: StatementPreview }
  | { readonly kind: "subscriptions"; readonly parts: readonly Uint8Array[] }
  | { readonly kind: "proof"; readonly type: Awaited<ReturnType<typeof wholeFileTypeOf>>; readonly sha256: string };

/** How many lines of a statement stand in one part. */
const LINES_TOGETHER = 300;

async function read(job: ReadJob): Promise<Read> {
  const bytes = Buffer.from(job.bytes.buffer, job.bytes.byteOffset, job.bytes.byteLength);
  switch (job.kind) {
    case "statement": {
      const { lines, ...head } = await statementOf(bytes, job.columns);
      return { kind: "statement", head, parts: await inParts(lines(), LINES_TOGETHER) };
    }
    case "preview":
      return { kind: "preview", preview: await previewOf(bytes, job.columns) };
    case "subscriptions":
      return { kind: "subscriptions", parts: await inParts(readImport(bytes), 1) };
    case "proof":
      return {
        kind: "proof",
        type: await wholeFileTypeOf(bytes),
        sha256: createHash("sha256").update(bytes).digest("hex"),
      };
  }
}

const statementOf = (bytes: Buffer, columns: StatementColumns): Promise<ReadStatement> =>
  "kept" in columns ? readAsKept(bytes, columns.kept) : readStatement(bytes, columns.mapping);

const previewOf = (bytes: Buffer, columns: StatementColumns): Promise<StatementPreview> =>
  "kept" in columns ? previewAsKept(bytes, columns.kept) : previewStatement(bytes, columns.mapping);

async function inParts(all: AsyncIterable<unknown>, size: number): Promise<Uint8Array[]> {
  const parts: Uint8Array[] = [];
  let part: unknown[] = [];
  for await (const one of all) {
    part.push(one);
    if (part.length < size) continue;
    parts.push(serialized(part));
    part = [];
  }
  if (part.length > 0) parts.push(serialized(part));
  return parts;
}

/** In memory of its own, which can be given away. */
const serialized = (part: readonly unknown[]): Uint8Array => new Uint8Array(serialize(part));

/** Reads a file. */
export const perform = jobs(read, (result) =>
  "parts" in result ? result.parts.map(({ buffer }) => buffer as ArrayBuffer) : [],
);
