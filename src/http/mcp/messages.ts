/*
 * Messages of the Model Context Protocol, which are those of JSON-RPC 2.0: https://modelcontextprotocol.io/specification.
 * Versions up to 2025-11-25 begin with `initialize`; from 2026-07-28 on each request says its version.
 */

/** Versions that begin with `initialize`, the latest first. */
const WITH_HANDSHAKE = ["2025-11-25", "2025-06-18", "2025-03-26"];
/** Versions in which each request stands for itself. */
const WITHOUT_HANDSHAKE = ["2026-07-28"];
/** All that are served, the latest first. */
export const VERSIONS: readonly string[] = [...WITHOUT_HANDSHAKE, ...WITH_HANDSHAKE];

/** Codes of errors of JSON-RPC and of the protocol. */
export const CODES = {
  parse: -32_700,
  request: -32_600,
  method: -32_601,
  params: -32_602,
  internal: -32_603,
  headers: -32_020,
  version: -32_022,
} as const;

export type Id = string | number;

/** A request, or a notification, which has no id. */
export interface Message {
  readonly id: Id | null;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The version that the request itself names; null for a client that began with `initialize`. */
  readonly version: string | null;
}

/** A fault of the protocol, with the status of its answer. */
export class Fault extends Error {
  readonly code: number;
  readonly status: number;
  readonly data: unknown;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: number,
    message: string,
    {
      status = 400,
      data,
      headers = {},
    }: { status?: number; data?: unknown; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message);
    this.code = code;
    this.status = status;
    this.data = data;
    this.headers = headers;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Reads a message; null for a client's answer, of which this server expects none. Throws Fault. */
export function messageOf(value: unknown): Message | null {
  if (Array.isArray(value))
    throw new Fault(CODES.request, "Send one message at a time: a list of messages is no message.");
  if (!isObject(value) || value["jsonrpc"] !== "2.0")
    throw new Fault(CODES.request, 'Send a message of JSON-RPC 2.0: an object with "jsonrpc": "2.0" and "method".');
  const { id, method, params = {} } = value;
  const isId = typeof id === "string" || Number.isSafeInteger(id);
  if (id !== undefined && !isId) throw new Fault(CODES.request, "The id of a request is a text or a whole number.");
  if (method === undefined && isId && ("result" in value || "error" in value)) return null;
  if (typeof method !== "string") throw new Fault(CODES.request, "The method of a message is a text.");
  // Some clients send an empty list for no parameters.
  const named = Array.isArray(params) && params.length === 0 ? {} : params;
  if (!isObject(named)) throw new Fault(CODES.params, "The parameters of a message are an object.");
  const meta = named["_meta"];
  const version = isObject(meta) ? meta["io.modelcontextprotocol/protocolVersion"] : undefined;
  return {
    id: (id as Id | undefined) ?? null,
    method,
    params: named,
    version: version === undefined ? null : String(version),
  };
}

/** The version that `initialize` agrees on: the one asked for, else the latest. */
export const agreedVersion = (asked: unknown): string =>
  WITH_HANDSHAKE.find((version) => version === asked) ?? (WITH_HANDSHAKE[0] as string);

/** Throws Fault for a version that is not served, and for headers that say other than the message. */
export function checkHeaders({ method, params, version }: Message, header: (name: string) => string | undefined): void {
  const named = header("mcp-protocol-version");
  const requested = version ?? named;
  if (requested !== undefined && !VERSIONS.includes(requested))
    throw new Fault(CODES.version, "Unsupported protocol version", { data: { supported: VERSIONS, requested } });
  if (version === null) return;
  const expected = [
    ["mcp-protocol-version", version],
    ["mcp-method", method],
    ...(method === "tools/call" ? [["mcp-name", String(params["name"])] as const] : []),
  ] as const;
  for (const [name, value] of expected)
    if (decoded(header(name)) !== value)
      throw new Fault(CODES.headers, `Header mismatch: ${name} must say the same as the message.`);
}

/** A header's value: text that headers cannot hold is sent in Base64. */
function decoded(value: string | undefined): string | undefined {
  const coded = /^=\?base64\?(.*)\?=$/.exec(value ?? "")?.[1];
  return coded === undefined ? value : Buffer.from(coded, "base64").toString();
}

/** The answer to a request, as text. Clients of versions with a handshake refuse what kind of result it is. */
export const resultText = ({ id, version }: Message, result: object): string =>
  JSON.stringify({ jsonrpc: "2.0", id, result: version === null ? result : { resultType: "complete", ...result } });

/** The answer that says what is wrong with a message. */
export const faultText = (id: Id | null, { code, message, data }: Fault): string =>
  JSON.stringify({ jsonrpc: "2.0", id, error: { code, message, ...(data === undefined ? {} : { data }) } });
