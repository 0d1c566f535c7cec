import { createHash } from "node:crypto";
import { addAbortSignal, Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { AwsV4Signer } from "aws4fetch";
import { SaxesParser } from "saxes";
import type { BackupPlace } from "./backup-places.ts";

/** A bucket of an S3-compatible service, and the key that signs requests to it. */
export interface BucketOptions {
  /** `s3://bucket/prefix`; the prefix may be missing. */
  readonly url: string;
  /** Of the service; its path is `/`. */
  readonly endpoint: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | null;
}

/** All parts but the last have one size, as some services demand; there may be 10 000. */
const PART_BYTES = 32 * 1024 * 1024;
const PARTS_MAX = 10_000;
const TRIES = 5;
const FIRST_WAIT_MS = 200;
/** A part goes up at 55 kB a second at least; other requests are answered in a minute. */
const [PART_MS, ANSWER_MS] = [600_000, 60_000];
/** Worth another try, beside connections that break. */
const TEMPORARY = new Set([429, 500, 502, 503, 504]);

/** What the service refused: its status, and its code, such as `AccessDenied`. */
class BucketFault extends Error {
  readonly status: number;
  readonly code: string;
  constructor(what: string, status: number, code: string, message: string) {
    super(`${what}: the bucket's service answers ${status}${code && ` ${code}`}${message && `: ${message}`}`);
    this.status = status;
    this.code = code;
  }
}

/** One request. What it is about is said in errors. */
interface Ask {
  readonly what: string;
  readonly method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  /** Null: the bucket itself. */
  readonly key: string | null;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number;
}

/** A bucket with the prefix of its backups. */
interface Bucket {
  readonly address: string;
  addressOf(name: string): string;
  keyOf(name: string): string;
  nameOf(key: string): string;
  /** Tries again what fails for the moment. */
  ask(request: Ask): Promise<Response>;
}

/**
 * Backups in a bucket, under a prefix. Addresses are of the path style (`https://host/bucket/key`), which every service knows. What is
 * stored has its name once its last part was taken. Requests that fail for the moment are tried again.
 */
export function bucketPlace(options: BucketOptions): BackupPlace {
  const bucket = bucketOf(options);
  const { address, addressOf, keyOf, nameOf, ask } = bucket;
  return {
    address,
    addressOf,
    async names() {
      const found: string[] = [];
      const next = (page: Element[]) => ({ "continuation-token": textOf(page, "NextContinuationToken") });
      for await (const page of pages(bucket, { "list-type": "2" }, next))
        found.push(...page.filter(isAt("Contents", "Key")).map(({ text }) => nameOf(text)));
      return found;
    },
    write: (name, content, signal) => store(bucket, name, content, signal),
    async read(name) {
      const get = async (from: number, tag: string | null) => {
        const headers = { ...(from > 0 && { range: `bytes=${from}-` }), ...(tag !== null && { "if-match": tag }) };
        return ask({ what: `read ${addressOf(name)}`, method: "GET", key: keyOf(name), headers });
      };
      return Readable.from(continued(await get(0, null), get), { objectMode: false });
    },
    remove: async (name) => {
      await ask({ what: `remove ${addressOf(name)}`, method: "DELETE", key: keyOf(name) });
    },
    async removePartial(isOurs) {
      const next = (page: Element[]) => ({
        "key-marker": textOf(page, "NextKeyMarker"),
        "upload-id-marker": textOf(page, "NextUploadIdMarker"),
      });
      for await (const page of pages(bucket, { uploads: "" }, next)) {
        const ids = page.filter(isAt("Upload", "UploadId"));
        for (const [at, { text: key }] of page.filter(isAt("Upload", "Key")).entries())
          if (isOurs(nameOf(key))) await abort(bucket, key, ids[at]?.text ?? "");
      }
    },
  };
}

function bucketOf(options: BucketOptions): Bucket {
  const [, name = "", prefix = ""] = /^s3:\/\/([^/]+)\/?(.*?)\/*$/.exec(options.url) ?? [];
  const keyOf = (of: string) => (prefix === "" ? of : `${prefix}/${of}`);
  return {
    address: `s3://${name}${prefix && `/${prefix}`}`,
    addressOf: (of) => `s3://${name}/${keyOf(of)}`,
    keyOf,
    nameOf: (key) => key.slice(keyOf("").length),
    ask: (request) => repeated(request, () => send(options, name, request)),
  };
}

/** Answers about what is below the prefix, page after page; `next` answers what asks for the page after one. */
async function* pages(
  { address, keyOf, ask }: Bucket,
  query: Readonly<Record<string, string>>,
  next: (page: Element[]) => Record<string, string>,
): AsyncGenerator<Element[]> {
  const fixed = { ...query, prefix: keyOf(""), delimiter: "/" };
  for (let at: Record<string, string> | null = {}; at !== null; ) {
    const answer = await ask({ what: `list ${address}`, method: "GET", key: null, query: { ...fixed, ...at } });
    const page = elements(await answer.text());
    yield page;
    at = textOf(page, "IsTruncated") === "true" ? next(page) : null;
  }
}

/** Stores the content part by part, none of which is in memory beside another. */
async function store(bucket: Bucket, name: string, content: Readable, signal?: AbortSignal): Promise<number> {
  if (signal) addAbortSignal(signal, content);
  const [what, key] = [`store ${bucket.addressOf(name)}`, bucket.keyOf(name)];
  const begun = await bucket.ask({ what, method: "POST", key, query: { uploads: "" }, signal });
  const uploadId = textOf(elements(await begun.text()), "UploadId");
  try {
    const tags: string[] = [];
    let bytes = 0;
    for await (const body of inParts(content, PART_BYTES)) {
      if (tags.length === PARTS_MAX)
        throw new Error(`${what}: it has more than the ${PARTS_MAX} parts of 32 MB that may be.`);
      const query = { partNumber: String(tags.length + 1), uploadId };
      const taken = await bucket.ask({ what, method: "PUT", key, query, body, signal, timeoutMs: PART_MS });
      tags.push(taken.headers.get("etag") ?? "");
      bytes += body.length;
    }
    await complete(bucket, name, uploadId, tags);
    const stored = await bucket.ask({ what, method: "HEAD", key });
    const length = stored.headers.get("content-length");
    if (length !== String(bytes)) throw new Error(`${what}: ${length} bytes are there of the ${bytes} that were sent.`);
    return bytes;
  } catch (error) {
    await abort(bucket, key, uploadId).catch(() => {});
    throw error;
  }
}

async function complete(bucket: Bucket, name: string, uploadId: string, tags: readonly string[]): Promise<void> {
  const parts = tags.map((tag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${escaped(tag)}</ETag></Part>`);
  const body = Buffer.from(`<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`);
  const what = `complete ${bucket.addressOf(name)}`;
  try {
    const answer = await bucket.ask({ what, method: "POST", key: bucket.keyOf(name), query: { uploadId }, body });
    // It may begin with 200 before it is known how it ends.
    const told = elements(await answer.text());
    if (textOf(told, "ETag") === "") throw new BucketFault(what, 200, textOf(told, "Code"), textOf(told, "Message"));
  } catch (error) {
    // An earlier try may have completed it, whose answer was lost: the length of what is there decides.
    if (!(error instanceof BucketFault && error.code === "NoSuchUpload")) throw error;
  }
}

const abort = ({ ask }: Bucket, key: string, uploadId: string): Promise<unknown> =>
  ask({ what: `end the upload of ${key}`, method: "DELETE", key, query: { uploadId } });

/** The bytes of an answer; where its connection breaks it is asked for the rest of the same object. */
async function* continued(
  first: Response,
  get: (from: number, tag: string | null) => Promise<Response>,
): AsyncGenerator<Uint8Array> {
  const tag = first.headers.get("etag");
  const length = Number(first.headers.get("content-length"));
  let [answer, at, tries] = [first, 0, 0];
  while (true) {
    try {
      for await (const chunk of answer.body ?? []) {
        at += chunk.length;
        tries = 0;
        yield chunk;
      }
      if (at >= length) return;
      throw new Error(`the answer ended after ${at} of ${length} bytes`);
    } catch (error) {
      if (++tries > TRIES) throw error;
      answer = await get(at, tag);
      if (at > 0 && answer.status !== 206)
        throw new Error(`the bucket's service answers ${answer.status} to a request for a part`);
    }
  }
}

/** Sends a request until it is answered for good: repeats one that fails for the moment. */
async function repeated(request: Ask, once: () => Promise<Response>): Promise<Response> {
  for (let tries = 1; ; tries++) {
    try {
      return await once();
    } catch (error) {
      request.signal?.throwIfAborted();
      const forGood = error instanceof BucketFault && !TEMPORARY.has(error.status);
      if (forGood) throw error;
      if (tries === TRIES) {
        const { message, cause } = error as Error;
        const words = cause instanceof Error && cause.message ? cause.message : message;
        throw error instanceof BucketFault ? error : new Error(`${request.what}: ${words}`, { cause: error });
      }
      await sleep(FIRST_WAIT_MS * 2 ** (tries - 1));
    }
  }
}

/** Signs and sends. Throws a `BucketFault` for an answer that is no success. */
async function send(options: BucketOptions, bucket: string, request: Ask): Promise<Response> {
  const { what, method, key, query = {}, headers = {}, body, signal, timeoutMs = ANSWER_MS } = request;
  const url = new URL(options.endpoint);
  url.pathname = `/${bucket}${key === null ? "" : `/${key.split("/").map(encodeURIComponent).join("/")}`}`;
  url.search = new URLSearchParams(query).toString();
  const signed = await new AwsV4Signer({
    method,
    url: url.href,
    headers: {
      ...headers,
      "x-amz-content-sha256": createHash("sha256")
        .update(body ?? "")
        .digest("hex"),
    },
    accessKeyId: options.accessKeyId,
    secretAccessKey: options.secretAccessKey,
    ...(options.sessionToken !== null && { sessionToken: options.sessionToken }),
    service: "s3",
    region: options.region,
  }).sign();
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Error(`no answer within ${timeoutMs / 1000} s`)), timeoutMs);
  const answer = await fetch(signed.url, {
    method,
    headers: signed.headers,
    redirect: "manual",
    ...(body && { body: new Uint8Array(body) }),
    signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal,
  }).finally(() => clearTimeout(timer));
  if (answer.ok) return answer;
  const told = elements(method === "HEAD" ? "" : await answer.text());
  throw new BucketFault(what, answer.status, textOf(told, "Code"), textOf(told, "Message"));
}

/** The content in pieces of one size, the last of which may be smaller. There is one at least. */
async function* inParts(content: AsyncIterable<Buffer>, size: number): AsyncGenerator<Buffer> {
  let [waiting, length]: [Buffer[], number] = [[], 0];
  for await (const chunk of content) {
    waiting.push(chunk);
    length += chunk.length;
    while (length >= size) {
      const all = Buffer.concat(waiting);
      yield all.subarray(0, size);
      waiting = [all.subarray(size)];
      length -= size;
    }
  }
  yield Buffer.concat(waiting);
}

/** An element of an answer without elements in it. */
interface Element {
  readonly name: string;
  readonly within: string;
  readonly text: string;
}

/** The elements of an XML document in the order in which they end; none when it is no XML, as what a proxy answers. */
function elements(xml: string): Element[] {
  const found: Element[] = [];
  const open: { name: string; text: string }[] = [];
  const parser = new SaxesParser();
  let broken = false;
  parser.on("error", () => {
    broken = true;
  });
  parser.on("opentag", ({ name }) => void open.push({ name, text: "" }));
  parser.on("text", (text) => {
    const last = open.at(-1);
    if (last) last.text += text;
  });
  parser.on("closetag", () => {
    const ended = open.pop();
    if (ended) found.push({ ...ended, within: open.at(-1)?.name ?? "" });
  });
  if (xml.trim() !== "") parser.write(xml).close();
  return broken ? [] : found;
}

const textOf = (found: readonly Element[], name: string): string =>
  found.find((element) => element.name === name)?.text ?? "";

const isAt =
  (within: string, name: string) =>
  (element: Element): boolean =>
    element.within === within && element.name === name;

const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign] ?? sign);
