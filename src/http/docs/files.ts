import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";

const compress = promisify(gzip);

/** A file as it is sent. */
export interface DocsFile {
  readonly body: Buffer;
  readonly gzip: Buffer;
  /** A hash of the content. */
  readonly hash: string;
  readonly type: string;
}

const TYPES = {
  css: "text/css; charset=utf-8",
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  json: "application/json; charset=utf-8",
  markdown: "text/markdown; charset=utf-8",
  text: "text/plain; charset=utf-8",
} as const;

/** Compresses a file once, for all who ask for it. */
export async function fileOf(body: Buffer | string, type: keyof typeof TYPES): Promise<DocsFile> {
  const bytes = Buffer.from(body);
  return {
    body: bytes,
    gzip: await compress(bytes),
    hash: createHash("sha256").update(bytes).digest("hex").slice(0, 20),
    type: TYPES[type],
  };
}

/** Calls `make` at the first request and keeps its result; after a failure the next request calls it again. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = null;
      throw error;
    });
    return made;
  };
}

/** Sends a file, compressed where that is accepted, or 304 where the browser has it. */
export function send(
  request: FastifyRequest,
  reply: FastifyReply,
  file: DocsFile,
  headers: Readonly<Record<string, string>>,
): FastifyReply {
  const zipped = /\bgzip\b/.test(String(request.headers["accept-encoding"] ?? ""));
  // The tag is weak: both codings have it.
  const tag = `W/"${file.hash}"`;
  reply.headers({
    "content-type": file.type,
    "x-content-type-options": "nosniff",
    etag: tag,
    vary: "accept-encoding",
    ...headers,
  });
  if (request.headers["if-none-match"] === tag) return reply.code(304).send();
  if (zipped) reply.header("content-encoding", "gzip");
  return reply.send(zipped ? file.gzip : file.body);
}
