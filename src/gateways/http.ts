import { setTimeout as sleep } from "node:timers/promises";
import { GATEWAY_EXCHANGES, type GatewayExchange } from "../platform/metrics.ts";
import { traced } from "../platform/tracing.ts";

export interface GatewayRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** In pieces when it is too large to be in memory as a whole; such a request is sent once. */
  readonly body?: string | AsyncIterable<Uint8Array>;
  readonly timeoutMs?: number;
  /** Sending it twice does what sending it once does, so it may be repeated after a fault. True for GET. */
  readonly repeatable?: boolean;
}

export interface GatewayAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Any HTTP status is an answer; throws `GatewayFailed` when there is none in time. Follows no redirect. */
export type GatewayHttp = (request: GatewayRequest) => Promise<GatewayAnswer>;

/**
 * The gateway gave no clear answer: neither done nor failed (decisions.md#unclear-changes-nothing). The message is for logs and holds no
 * secret.
 */
export class GatewayUnclear extends Error {
  override readonly name = "GatewayUnclear";
}

/**
 * The gateway could not be reached, gave no answer in time, failed with 5xx, or sent an unreadable answer. After
 * several in a row it counts as down. Any other unclear answer comes from a gateway that works, such as one that does
 * not know a charge yet.
 */
export class GatewayFailed extends GatewayUnclear {}

/**
 * What was asked for was not sent, so it has not happened: no connection was made, or a call that has to come before it failed
 * (decisions.md#refund-that-was-not-sent).
 */
export class GatewayNotReached extends GatewayFailed {}

/** A call that has to come before the one that has an effect, such as for an access token: when it fails, the other is not sent. */
export async function beforehand<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw error instanceof GatewayUnclear ? new GatewayNotReached(error.message) : error;
  }
}

const TIMEOUT_MS = 15_000;
/** Enough for statements and reports, the largest answers. */
const ANSWER_BYTES_MAX = 8 * 1024 * 1024;
/** Pauses between attempts: long enough for a restart behind a load balancer, short enough for a waiting payer. */
const PAUSES_MS = [200, 800];
const PASSING_STATUSES = new Set([429, 502, 503, 504]);

/**
 * HTTP for adapters. A repeatable request is sent up to three times within its timeout, after a fault or a temporary
 * status; any other is sent once. Messages name the host only: paths, queries and bodies may hold tokens.
 */
export const gatewayHttp: GatewayHttp = async (request) => {
  const { host, pathname } = new URL(request.url);
  // The URL parser would resolve an id such as `..` to another path.
  const [, written = ""] = /^\w+:\/\/[^/?#]*([^?#]*)/.exec(request.url) ?? [];
  if (pathname !== (written || "/")) throw new GatewayNotReached(`${host}: an id cannot stand in a path`);
  const deadline = AbortSignal.timeout(request.timeoutMs ?? TIMEOUT_MS);
  const whole = request.body === undefined || typeof request.body === "string";
  const pauses = whole && (request.repeatable ?? request.method === "GET") ? PAUSES_MS : [];
  let arrived = false;
  for (const pause of pauses) {
    try {
      const answer = await send(request, deadline);
      if (!PASSING_STATUSES.has(answer.status)) return answer;
      arrived = true;
    } catch (error) {
      if (deadline.aborted) throw error;
      arrived ||= !(error instanceof GatewayNotReached);
    }
    await sleep(pause, undefined, { signal: deadline }).catch(() => undefined);
  }
  return send(request, deadline).catch((error: unknown) => {
    // An earlier attempt may have taken effect.
    throw arrived && error instanceof GatewayNotReached ? new GatewayFailed(error.message) : error;
  });
};

/** Codes of a connection that was not made: no such host, refused, unreachable, a certificate that is not trusted. */
const NOT_CONNECTED = new RegExp(
  [
    String.raw`^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|CERT_\w+|`,
    String.raw`ERR_TLS_CERT_\w+|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+)$`,
  ].join(""),
);

async function send(request: GatewayRequest, deadline: AbortSignal): Promise<GatewayAnswer> {
  const { host } = new URL(request.url);
  const began = performance.now();
  const tell = (outcome: string) =>
    GATEWAY_EXCHANGES.publish({
      host,
      outcome,
      seconds: (performance.now() - began) / 1000,
    } satisfies GatewayExchange);
  return traced("gateway", { "server.address": host, "http.request.method": request.method }, async () => {
    try {
      const answer = await exchange(request, host, deadline);
      tell(`${String(answer.status).charAt(0)}xx`);
      return answer;
    } catch (error) {
      tell("no_answer");
      throw error;
    }
  });
}

async function exchange(request: GatewayRequest, host: string, deadline: AbortSignal): Promise<GatewayAnswer> {
  try {
    const response = await fetch(request.url, {
      method: request.method,
      headers: { "user-agent": "Tefo", ...request.headers },
      body: request.body ?? null,
      duplex: "half",
      redirect: "manual",
      signal: deadline,
    });
    const body = await readBody(response);
    return { status: response.status, headers: Object.fromEntries(response.headers), body };
  } catch (error) {
    const why = deadline.aborted ? "no answer in time" : error instanceof Error ? causeOf(error) : "no answer";
    throw new (NOT_CONNECTED.test(why) ? GatewayNotReached : GatewayFailed)(`${host}: ${why}`);
  }
}

async function readBody(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > ANSWER_BYTES_MAX) throw new Error("the answer is too large");
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** The system's error code, such as ECONNREFUSED, which `fetch` puts into the cause. */
function causeOf(error: Error): string {
  const { cause } = error;
  return cause instanceof Error && "code" in cause ? String(cause.code) : error.message;
}
