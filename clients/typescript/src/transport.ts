import { ConnectionFailed, refusalOf, type TefoError, TimedOut } from "./errors.ts";
import { type List, listOf, type Page } from "./lists.ts";
import type { ClientOptions, RequestOptions } from "./options.ts";
import { formBytes } from "./uploads.ts";

/** What a method sends. */
export interface Call {
  readonly body?: unknown;
  /** Sent as `multipart/form-data`. */
  readonly form?: object;
  readonly query?: object | undefined;
  /** Whether the service stores the answer under the Idempotency-Key. */
  readonly keyed?: boolean;
  readonly options?: RequestOptions | undefined;
}

/** Sends requests. */
export interface Transport {
  json<Answer>(method: string, path: string, call: Call): Promise<Answer>;
  file(path: string, call: Call): Promise<Response>;
  list<Item>(path: string, query: object | undefined, options: RequestOptions | undefined): List<Item>;
}

/** A group of methods. */
export class Resource {
  protected readonly transport: Transport;
  constructor(transport: Transport) {
    this.transport = transport;
  }
}

/** A path with its parameters encoded. An empty one would lead elsewhere, so it throws a TypeError. */
export const path = (parts: TemplateStringsArray, ...values: readonly string[]): string =>
  parts.reduce((text, part, at) => {
    const value = values[at - 1];
    if (typeof value !== "string" || value === "") throw new TypeError(`an id is missing in ${parts.join("…")}`);
    return `${text}${encodeURIComponent(value)}${part}`;
  });

const TIMEOUT_MS = 30_000;
const RETRIES = 4;
const RETRY_WAIT_MAX_MS = 60_000;
const FIRST_WAIT_MS = 500;
const OWN_WAIT_MAX_MS = 8_000;

/** One request, which is the same in each attempt. */
interface Sent {
  readonly method: string;
  readonly url: string;
  readonly path: string;
  readonly init: RequestInit;
  /** Whether it may be sent again though it may have been carried out. */
  readonly repeatable: boolean;
  readonly timeoutMs: number;
  readonly retries: number;
  readonly signal: AbortSignal | undefined;
}

/** Sends by `fetch`, again where that is safe. `wait` is for tests. */
export function createTransport(
  options: ClientOptions,
  userAgent: string,
  wait: (ms: number, signal: AbortSignal | undefined) => Promise<void> = pause,
): Transport {
  const { apiKey, baseUrl } = options;
  if (!apiKey) throw new TypeError("apiKey is missing: new Tefo({ apiKey, baseUrl })");
  if (!baseUrl) throw new TypeError("baseUrl is missing: the address of your Tefo, such as https://pay.example.co.za");
  const root = `${baseUrl.replace(/\/+$/, "")}/api/v1`;
  const send = async (method: string, place: string, call: Call) => {
    const given = call.options ?? {};
    const headers: Record<string, string> = { authorization: `Bearer ${apiKey}`, "user-agent": userAgent };
    if (method === "POST") headers["idempotency-key"] = given.idempotencyKey ?? crypto.randomUUID();
    const body = await bodyOf(call);
    if (body) headers["content-type"] = body.type;
    const sent: Sent = {
      method,
      path: place,
      url: `${root}${place}${queryText(call.query)}`,
      init: { method, headers, ...(body ? { body: body.content } : {}) },
      repeatable: method === "POST" ? call.keyed === true : method !== "DELETE",
      timeoutMs: given.timeoutMs ?? options.timeoutMs ?? TIMEOUT_MS,
      retries: given.retries ?? options.retries ?? RETRIES,
      signal: given.signal,
    };
    return repeated(sent, options, wait);
  };
  const json = async <Answer>(method: string, place: string, call: Call) => {
    const { text } = await send(method, place, call);
    return (text === "" ? null : JSON.parse(text)) as Answer;
  };
  return {
    json,
    file: async (place, call) => (await send("GET", place, call)).response,
    list: <Item>(place: string, query: object | undefined, given: RequestOptions | undefined) =>
      listOf(query ?? {}, (asked) => json<Page<Item>>("GET", place, { query: asked, options: given })),
  };
}

async function bodyOf(call: Call): Promise<{ type: string; content: string | ArrayBuffer } | null> {
  if (call.form) {
    const { type, bytes } = await formBytes(call.form);
    return { type, content: bytes };
  }
  return call.body === undefined ? null : { type: "application/json", content: JSON.stringify(call.body) };
}

/** `?status=open&metadata[order]=1042`; what is undefined or null is left out. */
export function queryText(query: object | undefined): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value === undefined || value === null) continue;
    if (typeof value !== "object") search.append(name, String(value));
    else if (Array.isArray(value)) for (const one of value) search.append(name, String(one));
    else for (const [key, one] of Object.entries(value)) search.append(`${name}[${key}]`, String(one));
  }
  const text = search.toString();
  return text === "" ? "" : `?${text}`;
}

interface Received {
  readonly response: Response;
  /** The body of JSON; of a file nothing, which its caller reads. */
  readonly text: string;
}

/** Sends until there is an answer that is to be kept, or no attempt is left. */
async function repeated(
  sent: Sent,
  options: ClientOptions,
  wait: (ms: number, signal: AbortSignal | undefined) => Promise<void>,
): Promise<Received> {
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await attempted(sent, options, attempt);
    if ("response" in outcome) return outcome;
    const { error } = outcome;
    const asked = error.retryAfter === null ? null : error.retryAfter * 1000;
    const ms = asked ?? ownWait(attempt);
    const isTooLong = ms > (options.retryWaitMaxMs ?? RETRY_WAIT_MAX_MS);
    if (attempt > sent.retries || isTooLong || !mayRepeat(error, sent.repeatable)) throw error;
    await wait(ms, sent.signal);
  }
}

/**
 * After 429, 503 and 409 with `Retry-After` nothing was done (interface 4.1); without an answer nobody knows, so the
 * service itself has to recognise the repetition.
 */
function mayRepeat(error: TefoError, repeatable: boolean): boolean {
  if (error.status === null) return repeatable;
  return error.status === 429 || error.status === 503 || (error.status === 409 && error.retryAfter !== null);
}

/** Twice as long each time, less a random half, so that clients which failed together do not return together. */
const ownWait = (attempt: number): number =>
  Math.min(OWN_WAIT_MAX_MS, FIRST_WAIT_MS * 2 ** (attempt - 1)) * (1 - Math.random() / 2);

async function attempted(
  sent: Sent,
  options: ClientOptions,
  attempt: number,
): Promise<Received | { error: TefoError }> {
  const { signal, timeoutMs } = sent;
  signal?.throwIfAborted();
  const own = new AbortController();
  const abort = () => own.abort(signal?.reason);
  signal?.addEventListener("abort", abort, { once: true });
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    own.abort();
  }, timeoutMs);
  const started = Date.now();
  let received: Received;
  try {
    const response = await (options.fetch ?? fetch)(sent.url, { ...sent.init, signal: own.signal });
    const isJson = /json/.test(response.headers.get("content-type") ?? "");
    received = { response, text: isJson || !response.ok ? await response.text() : "" };
  } catch (cause) {
    signal?.throwIfAborted();
    if (late) return { error: new TimedOut(`No answer within ${timeoutMs} ms.`, { cause }) };
    return { error: new ConnectionFailed(`No answer from ${new URL(sent.url).origin}.`, { cause }) };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
  const { response, text } = received;
  options.onAnswer?.({
    method: sent.method,
    path: sent.path,
    status: response.status,
    requestId: response.headers.get("x-request-id"),
    warnings: response.headers.get("tefo-warnings"),
    attempt,
    ms: Date.now() - started,
  });
  return response.ok ? received : { error: refusalOf(response, text) };
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", abort, { once: true });
  });
}
