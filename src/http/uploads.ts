import multipart from "@fastify/multipart";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { ApiError, invalid } from "../kernel/errors.ts";
import type { UploadedFile, UploadRule } from "./endpoint.ts";

/** What came as `multipart/form-data`. */
export interface Upload {
  /** Text fields; of one sent twice the last. */
  readonly fields: Readonly<Record<string, string>>;
  /** Null when none was sent under the field's name. */
  readonly file: UploadedFile | null;
}

/** What a form of ours sends beside its file is small; busboy's bounds for the rest. */
const LIMITS = { parts: 20, fields: 16, files: 4, fieldNameSize: 100, fieldSize: 4096, headerPairs: 20 };
/** Boundaries, headers and fields around a file. */
const AROUND_BYTES = 128 * 1024;

/** Multipart bodies, in a scope of their own: their handlers read them with `readUpload`. What is none is refused unread. */
export function acceptUploads(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser("*", (_request, _body, done) => done(null));
  scope.register(multipart);
}

/**
 * Reads the body as it arrives, and keeps no more of it than the rule allows. Throws 413 for a file over the limit, 415 for what is not
 * multipart, 400 for a body that breaks off, cannot be read, or holds files beside the one that is wanted.
 */
export async function readUpload(request: FastifyRequest, rule: UploadRule): Promise<Upload> {
  if (Number(request.headers["content-length"] ?? 0) > rule.maxBytes + AROUND_BYTES) throw tooLarge(rule);
  if (!request.isMultipart()) throw notMultipart();
  try {
    return await readParts(request, rule);
  } catch (error) {
    throw error instanceof ApiError ? error : unreadable();
  } finally {
    // Whatever was not wanted of the body must still leave the connection, or the sender never comes to read the answer.
    request.raw.unpipe();
    request.raw.resume();
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

/** The file that the endpoint is for. 400 when it was not sent. */
export function fileOf(upload: unknown, { field }: UploadRule): UploadedFile {
  const { file } = upload as Upload;
  if (file) return file;
  throw invalid(`Send the file as multipart/form-data, in the field named ${field}.`);
}

const notMultipart = (): ApiError =>
  new ApiError("invalid_request", 415, "Send the file with the header Content-Type: multipart/form-data.");

const tooLarge = ({ maxBytes }: UploadRule): ApiError =>
  new ApiError("invalid_request", 413, `The file must be at most ${maxBytes / 1024 / 1024} MB.`);

const unreadable = (): ApiError => invalid("The multipart body cannot be read: it is not well formed, or broke off.");
