import { createHash, createHmac, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { SignatureV4 } from "@smithy/signature-v4";

/*
 * An S3-compatible service in memory, as strict as the strictest: it checks each signature with AWS's own code, the hash of each body, and
 * that all parts but the last have one size. It does what a test tells it to do wrong.
 */

/** The key that its requests must be signed with. */
export const BUCKET_KEY = { accessKeyId: "AKTEST", secretAccessKey: "s3cr3t/+", sessionToken: "token" };
export const REGION = "af-south-1";

/** A request as a test sees it. */
export interface BucketRequest {
  readonly method: string;
  /** Null: the bucket itself. */
  readonly key: string | null;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingMessage["headers"];
}

/**
 * `refuses`: 503. `breaks`: the connection ends before the answer, and nothing was done. `loses`: it was done, and the answer is lost.
 * `fails late`: 200 with an error inside. `cuts`: the answer's body ends in the middle.
 */
export type BucketFault = "refuses" | "breaks" | "loses" | "fails late" | "cuts" | null;

export interface BucketServer {
  readonly url: string;
  readonly objects: Map<string, Buffer>;
  /** Keys of uploads that are neither completed nor aborted, by their ids. */
  readonly uploads: Map<string, { readonly key: string; readonly parts: Map<number, Buffer> }>;
  readonly requests: BucketRequest[];
  /** What becomes of the requests from now on. */
  conduct(of: (request: BucketRequest) => BucketFault): void;
  close(): void;
}

const PAGE = 3;
const MIN_PART_BYTES = 5 * 1024 * 1024;
const CLOCK_MS = 15 * 60_000;

class Sha256 {
  readonly #hash;
  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash =
      secret === undefined
        ? createHash("sha256")
        : createHmac("sha256", typeof secret === "string" ? secret : bytes(secret));
  }
  update(data: Uint8Array): void {
    this.#hash.update(data);
  }
  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }
  reset(): void {}
}
const bytes = (given: ArrayBuffer | ArrayBufferView): Uint8Array =>
  ArrayBuffer.isView(given) ? new Uint8Array(given.buffer, given.byteOffset, given.byteLength) : new Uint8Array(given);

const signer = new SignatureV4({
  credentials: BUCKET_KEY,
  region: REGION,
  service: "s3",
  sha256: Sha256,
  uriEscapePath: false,
  applyChecksum: false,
});

/** What is refused, by its status and code. */
class Refused extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string) {
    super(code);
    [this.status, this.code] = [status, code];
  }
}

interface Answer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: Buffer | string;
}

const quoted = (content: Buffer): string => `"${createHash("md5").update(content).digest("hex")}"`;
const xml = (name: string, text: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<${name}>${text}</${name}>`;

/** Starts the service, with one bucket. */
export async function openBucketServer(bucket: string): Promise<BucketServer> {
  const state = {
    objects: new Map<string, Buffer>(),
    uploads: new Map<string, { key: string; parts: Map<number, Buffer> }>(),
    requests: [] as BucketRequest[],
  };
  let conduct: (request: BucketRequest) => BucketFault = () => null;
  const server = createServer((request, response) => void serve(request, response));
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://bucket");
    const [, first = "", ...rest] = url.pathname.split("/");
    const asked = {
      method: request.method ?? "GET",
      key: rest.length === 0 ? null : decodeURIComponent(rest.join("/")),
      query: Object.fromEntries(url.searchParams),
      headers: request.headers,
    };
    state.requests.push(asked);
    const fault = conduct(asked);
    if (fault === "breaks") {
      // In the middle of what is sent.
      request.once("data", () => request.socket.destroy());
      if (asked.method !== "PUT") request.socket.destroy();
      return;
    }
    try {
      const body = await buffer(request);
      await check(request, url, asked, body);
      if (first !== bucket) throw new Refused(404, "NoSuchBucket");
      if (fault === "refuses") throw new Refused(503, "SlowDown");
      if (fault === "fails late") return send(response, { body: xml("Error", "<Code>InternalError</Code>") }, false);
      const answer = answerOf(state, asked, body);
      if (fault === "loses") return void request.socket.destroy();
      send(response, answer, fault === "cuts");
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const text = xml("Error", `<Code>${error.code}</Code><Message>It is &lt;refused&gt;</Message>`);
      send(response, { status: error.status, body: request.method === "HEAD" ? "" : text }, false);
    }
  }
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    ...state,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    conduct: (of) => {
      conduct = of;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function send(response: ServerResponse, { status = 200, headers = {}, body = "" }: Answer, cut: boolean): void {
  response.writeHead(status, { "content-length": Buffer.byteLength(body), ...headers });
  if (!cut) return void response.end(body);
  response.write(Buffer.from(body).subarray(0, Buffer.byteLength(body) >> 1), () => response.socket?.destroy());
}

/** Throws `Refused` unless the request was signed with the key, now, with this body. */
async function check(request: IncomingMessage, url: URL, asked: BucketRequest, body: Buffer): Promise<void> {
  const { headers } = request;
  const authorization = headers.authorization ?? "";
  const [, date = ""] = /^(\d{8}T\d{6}Z)$/.exec(String(headers["x-amz-date"])) ?? [];
  const at = new Date(date.replace(/^(....)(..)(..T..)(..)(..Z)$/, "$1-$2-$3:$4:$5"));
  if (!(Math.abs(at.getTime() - Date.now()) < CLOCK_MS)) throw new Refused(403, "RequestTimeTooSkewed");
  if (headers["x-amz-content-sha256"] !== createHash("sha256").update(body).digest("hex"))
    throw new Refused(400, "XAmzContentSHA256Mismatch");
  const [, names = ""] = /SignedHeaders=([^,]+),/.exec(authorization) ?? [];
  const signed = Object.fromEntries(names.split(";").map((name) => [name, String(headers[name])]));
  for (const needed of ["host", "x-amz-date", "x-amz-content-sha256", "x-amz-security-token"])
    if (!(needed in signed)) throw new Refused(403, "AccessDenied");
  const again = await signer.sign(
    {
      method: asked.method,
      protocol: "http:",
      hostname: url.hostname,
      path: url.pathname,
      query: { ...asked.query },
      headers: signed,
    },
    { signingDate: at },
  );
  const partsOf = (text: string) => text.split(/[ ,]+/).toSorted();
  if (String(partsOf(again.headers["authorization"] ?? "")) !== String(partsOf(authorization)))
    throw new Refused(403, "SignatureDoesNotMatch");
}

type State = Pick<BucketServer, "objects" | "uploads">;

function answerOf(state: State, asked: BucketRequest, body: Buffer): Answer {
  const { method, key, query } = asked;
  if (key === null) return "uploads" in query ? listUploads(state, query) : list(state, query);
  if (method === "POST" && "uploads" in query) {
    const id = randomBytes(8).toString("hex");
    state.uploads.set(id, { key, parts: new Map() });
    return { body: xml("InitiateMultipartUploadResult", `<Key>${key}</Key><UploadId>${id}</UploadId>`) };
  }
  if ("uploadId" in query) return uploading(state, asked, body);
  const content = state.objects.get(key);
  if (method === "DELETE") {
    state.objects.delete(key);
    return { status: 204 };
  }
  if (!content) throw new Refused(404, "NoSuchKey");
  const { range, "if-match": match } = asked.headers;
  if (match !== undefined && match !== quoted(content)) throw new Refused(412, "PreconditionFailed");
  const from = Number(/^bytes=(\d+)-$/.exec(range ?? "")?.[1] ?? 0);
  const headers = { etag: quoted(content), "content-length": String(content.length - from) };
  return { status: range ? 206 : 200, headers, body: method === "HEAD" ? "" : content.subarray(from) };
}

function uploading({ objects, uploads }: State, { method, key, query }: BucketRequest, body: Buffer): Answer {
  const upload = uploads.get(query["uploadId"] ?? "");
  if (!upload || upload.key !== key) throw new Refused(404, "NoSuchUpload");
  if (method === "PUT") {
    upload.parts.set(Number(query["partNumber"]), body);
    return { headers: { etag: quoted(body) } };
  }
  if (method === "POST") {
    const named = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>(.*?)<\/ETag>/g)];
    const parts = named.map(([, number, tag]) => {
      const part = upload.parts.get(Number(number));
      if (!part || quoted(part) !== tag?.replaceAll("&quot;", '"')) throw new Refused(400, "InvalidPart");
      return part;
    });
    if (parts.length === 0) throw new Refused(400, "MalformedXML");
    const [size = 0] = parts.map(({ length }) => length);
    if (parts.slice(0, -1).some(({ length }) => length < MIN_PART_BYTES || length !== size))
      throw new Refused(400, "EntityTooSmall");
    objects.set(key, Buffer.concat(parts));
    uploads.delete(query["uploadId"] ?? "");
    return { body: xml("CompleteMultipartUploadResult", `<ETag>&quot;whole&quot;</ETag>`) };
  }
  uploads.delete(query["uploadId"] ?? "");
  return { status: 204 };
}

function list({ objects }: State, { prefix = "", "continuation-token": token = "" }: BucketRequest["query"]): Answer {
  const keys = [...objects.keys()]
    .toSorted()
    .filter((key) => key.startsWith(prefix) && !key.slice(prefix.length).includes("/") && key > token);
  const page = keys.slice(0, PAGE);
  const more = keys.length > PAGE;
  const next = more ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : "";
  const contents = page.map((key) => `<Contents><Key>${key}</Key><Size>1</Size></Contents>`).join("");
  return { body: xml("ListBucketResult", `<IsTruncated>${more}</IsTruncated>${next}${contents}`) };
}

function listUploads(
  { uploads }: State,
  { prefix = "", "upload-id-marker": marker = "" }: BucketRequest["query"],
): Answer {
  const ids = [...uploads.keys()].toSorted().filter((id) => uploads.get(id)?.key.startsWith(prefix) && id > marker);
  const page = ids.slice(0, PAGE);
  const next = `<NextKeyMarker>any</NextKeyMarker><NextUploadIdMarker>${page.at(-1)}</NextUploadIdMarker>`;
  const found = page
    .map((id) => `<Upload><Key>${uploads.get(id)?.key}</Key><UploadId>${id}</UploadId></Upload>`)
    .join("");
  return { body: xml("ListMultipartUploadsResult", `<IsTruncated>${ids.length > PAGE}</IsTruncated>${next}${found}`) };
}
