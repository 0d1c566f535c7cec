import multipart from "@fastify/multipart";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { ApiError, invalid } from "../kernel/errors.ts";
import type { OrganisationId } from "../kernel/ids.ts";
import { createFairQueue } from "../platform/fair-queue.ts";
import { whileArriving } from "./arrival.ts";
import type { UploadedFile, UploadedForm, UploadRule } from "./endpoint.ts";
import { parse } from "./errors.ts";

/** A body of `multipart/form-data`. */
export interface Upload {
  /** The text fields; the last value of a repeated field counts. */
  readonly fields: Readonly<Record<string, string>>;
  /** Null when no file was sent in the rule's field. */
  readonly file: UploadedFile | null;
}

/** Limits for the fields of a form beside its file. */
const LIMITS = { parts: 20, fields: 16, files: 4, fieldNameSize: 100, fieldSize: 4096, headerPairs: 20 };
/** Room for boundaries, headers and fields beside a file. */
const MULTIPART_OVERHEAD_BYTES = 128 * 1024;

/**
 * Uploads that are running in this process, from the first byte that is read to the end of their work, because their
 * files are in memory. A waiting upload sends nothing. Uploads of payers, who are unknown, have a separate limit, so
 * that they keep nobody else out.
 */
const UNDER_WAY = { what: "uploads", together: 12, togetherOfOne: 3, waiting: 60, waitingOfOne: 20, waitMs: 30_000 };
const OF_CLIENTS = createFairQueue(UNDER_WAY);
const OF_PAYERS = createFairQueue(UNDER_WAY);

/** Who sends an upload: a client or member of staff of the organisation, or a payer on one of its pages. */
export interface Uploader {
  readonly of: OrganisationId;
  readonly payer: boolean;
}

/** Accepts multipart bodies in this scope; handlers read them with `withUpload`. Other bodies are refused unread. */
export function acceptUploads(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser("*", (_request, _body, done) => done(null));
  scope.register(multipart);
}

/**
 * Reads the body as a stream, stores at most what the rule allows, and calls `work` with it, when it is the
 * organisation's turn. Throws 429 or 503 when too many uploads are running, 413 for a file over the limit, 415 for a
 * body that is not multipart, 400 for one that is incomplete, invalid, too slow, or has further files.
 */
export async function withUpload<T>(
  request: FastifyRequest,
  rule: UploadRule,
  { of, payer }: Uploader,
  work: (upload: Upload) => Promise<T>,
): Promise<T> {
  try {
    if (Number(request.headers["content-length"] ?? 0) > rule.maxBytes + MULTIPART_OVERHEAD_BYTES) throw tooLarge(rule);
    if (!request.isMultipart()) throw notMultipart();
    return await (payer ? OF_PAYERS : OF_CLIENTS).run(of, async () => work(await readUpload(request, rule)));
  } finally {
    // The rest of the body must still be read, or the client keeps sending and never reads the answer.
    request.raw.unpipe();
    request.raw.resume();
  }
}

async function readUpload(request: FastifyRequest, rule: UploadRule): Promise<Upload> {
  try {
    return await whileArriving(readParts(request, rule), () => request.raw.socket.bytesRead, tooSlow);
  } catch (error) {
    throw error instanceof ApiError ? error : unreadable();
  }
}

async function readParts(request: FastifyRequest, rule: UploadRule): Promise<Upload> {
  const fields = new Map<string, string>();
  let file: UploadedFile | null = null;
  const options = { limits: { ...LIMITS, fileSize: rule.maxBytes }, throwFileSizeLimit: false };
  for await (const part of request.parts(options)) {
    if (part.type === "field") {
      if (typeof part.value === "string") fields.set(part.fieldname, part.value);
      continue;
    }
    if (part.fieldname !== rule.field || file)
      throw invalid(`Send one file, in the field named ${rule.field}, and no other.`);
    const chunks: Buffer[] = [];
    for await (const chunk of part.file) chunks.push(chunk as Buffer);
    if (part.file.truncated) throw tooLarge(rule);
    file = { name: part.filename ?? "", bytes: Buffer.concat(chunks) };
  }
  return { fields: Object.fromEntries(fields), file };
}

/**
 * The uploaded file in the rule's field, with the text fields of the form. Throws 400 when it was not sent, and for
 * invalid fields.
 */
export function uploadedForm({ file, fields }: Upload, { field, form }: UploadRule): UploadedForm<unknown> {
  if (file) return { ...file, form: form && parse(form, fields, "body") };
  throw invalid(`Send the file as multipart/form-data, in the field named ${field}.`);
}

const notMultipart = (): ApiError =>
  new ApiError("invalid_request", 415, "Send the file with the header Content-Type: multipart/form-data.");

const tooLarge = ({ maxBytes }: UploadRule): ApiError =>
  new ApiError("invalid_request", 413, `The file must be at most ${maxBytes / 1024 / 1024} MB.`);

const tooSlow = (): ApiError => invalid("The file arrived too slowly. Send it again over a faster connection.");

const unreadable = (): ApiError => invalid("The multipart body cannot be read: it is not well formed, or broke off.");
