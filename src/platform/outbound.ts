import { Resolver } from "node:dns/promises";
import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { isIP, isIPv6, type LookupFunction } from "node:net";
import { truncate } from "../kernel/text.ts";
import { parseHttpDate, secondsBetween } from "../kernel/time.ts";
import { parseUrl, type UrlRefusal } from "../kernel/urls.ts";
import { isPublicAddress } from "./addresses.ts";
import { machineNow } from "./machine-clock.ts";
import { traced } from "./tracing.ts";

/** Covers waiting for a socket, DNS, connecting, TLS and the answer (interface 6.6: success is 2xx within 10 s). */
const TIMEOUT_MS = 10_000;
const ANSWER_BYTES_MAX = 64 * 1024;
const EXCERPT_MAX = 1000;
/** Longer than the pauses of a busy receiver, shorter than the minute after which load balancers drop idle connections. */
const IDLE_MS = 15_000;
const SOCKETS_PER_HOST_MAX = 64;
/** Node's default of 250 ms per address is shorter than a handshake between continents. */
const ADDRESS_ATTEMPT_MS = 1500;
/** Kept-alive sockets that may fail in one post, because the receiver closed them just before they were used again. */
const STALE_SOCKETS_MAX = 3;

/** The outcome of a POST. `statusCode` is null exactly when `error` says why there was no answer. */
export interface PostResult {
  readonly statusCode: number | null;
  readonly durationMs: number;
  readonly error: string | null;
  /** The first 1000 characters of the answer, without control characters; null when it was empty. */
  readonly excerpt: string | null;
  /** `Retry-After` of either form, as whole seconds from now. */
  readonly retryAfterSeconds: number | null;
}

/**
 * Names that no public name server answers: reserved for this machine (RFC 6761), a local network (RFC 6762, RFC 8375) or
 * private use (ICANN's .internal and what networks use like it).
 */
const PRIVATE_NAME = /(^|\.)(localhost|local|localdomain|internal|intranet|private|corp|home|lan|home\.arpa)\.?$/;
/** Ports that browsers block (Fetch, "port blocking"): a request to one could act on a service of another protocol. */
const BLOCKED_BY_BROWSERS = [
  1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
];
/** Ports of databases, queues, caches and administration interfaces, which browsers do not block. */
const DATABASES_AND_MACHINES = [
  445, 873, 1433, 1434, 1521, 1883, 2181, 2375, 2376, 2379, 2380, 3306, 3389, 4222, 5432, 5433, 5672, 5900, 5984, 5985,
  5986, 6379, 6380, 6432, 6443, 7199, 7474, 7687, 8086, 8883, 9042, 9092, 9160, 9200, 9300, 10250, 10255, 11211, 15672,
  27017, 27018, 27019, 33060,
];
const OTHER_PROTOCOLS: ReadonlySet<number> = new Set([...BLOCKED_BY_BROWSERS, ...DATABASES_AND_MACHINES]);

export interface Outbound {
  /**
   * Posts to a merchant's URL. Connects only to public addresses, checked on the address that is
   * dialled; with `allowLoopback` (sandbox organisations) also to http://127.0.0.1:* and http://localhost:*. Follows no
   * redirect, reads at most 64 kB of the answer, takes at most 10 s. Errors of the network are outcomes; nothing is thrown for them.
   */
  post(request: {
    url: string;
    headers: Readonly<Record<string, string>>;
    body: string;
    allowLoopback: boolean;
  }): Promise<PostResult>;
  /** Closes every socket; call it after running posts have ended. */
  close(): void;
}

/** The addresses of a host name; throws, or answers an empty list, when there are none. */
type Resolve = (host: string) => Promise<readonly string[]>;

/** Whether a webhook endpoint may have this URL (interface 13.3); checked on create and change, and again before each post. */
export function checkEndpointUrl(text: string, { sandbox }: { sandbox: boolean }): { ok: true } | UrlRefusal {
  const parsed = parseUrl(text, { sandbox });
  if (!parsed.ok) return parsed;
  if (parsed.url.protocol === "http:") return { ok: true };
  const host = bareHost(parsed.url);
  if (isIP(host) === 0 ? PRIVATE_NAME.test(host) : !isPublicAddress(host))
    return {
      ok: false,
      message: "The URL must name a host on the public internet, not a loopback, private or internal one.",
    };
  if (OTHER_PROTOCOLS.has(Number(parsed.url.port)))
    return {
      ok: false,
      message: `The URL's port ${parsed.url.port} belongs to another protocol than HTTPS. Use 443, 8443 or another port of a web server.`,
    };
  return { ok: true };
}

/** A client with its own pool of kept-alive sockets. Tests replace name look-up and the address check by the options. */
export function createOutbound({
  resolve = resolveName,
  isDialable = isPublicAddress,
  timeoutMs = TIMEOUT_MS,
}: {
  resolve?: Resolve;
  isDialable?: (address: string) => boolean;
  timeoutMs?: number;
} = {}): Outbound {
  const pool = {
    keepAlive: true,
    maxSockets: SOCKETS_PER_HOST_MAX,
    maxFreeSockets: SOCKETS_PER_HOST_MAX,
    timeout: IDLE_MS,
    autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_MS,
  };
  const open = new HttpsAgent({ ...pool, lookup: lookupOf(async (host) => (await resolve(host)).filter(isDialable)) });
  const loopback = new HttpAgent({ ...pool, lookup: lookupOf(async () => ["127.0.0.1", "::1"]) });

  return {
    async post({ url: text, headers, body, allowLoopback }) {
      const started = performance.now();
      const result = (part: Partial<PostResult>): PostResult => ({
        ...{ statusCode: null, error: null, excerpt: null, retryAfterSeconds: null, ...part },
        durationMs: Math.round(performance.now() - started),
      });
      const checked = checkEndpointUrl(text, { sandbox: allowLoopback });
      if (!checked.ok) return result({ error: checked.message });
      const url = new URL(text);
      const signal = AbortSignal.timeout(timeoutMs);
      const options = { method: "POST", headers: { ...headers, "Content-Length": Buffer.byteLength(body) }, signal };
      const send = () =>
        url.protocol === "https:"
          ? httpsRequest(url, { ...options, agent: open })
          : httpRequest(url, { ...options, agent: loopback });
      try {
        const response = await traced("webhook", { "server.address": url.host }, () => exchange(send, body));
        return result({
          statusCode: response.statusCode ?? null,
          excerpt: safeText(await readStart(response)),
          retryAfterSeconds: retryAfter(response.headers["retry-after"]),
        });
      } catch (error) {
        return result({ error: signal.aborted ? `No answer within ${timeoutMs / 1000} s.` : describe(error, url) });
      }
    },
    close() {
      open.destroy();
      loopback.destroy();
    },
  };
}

/** Sends the request; answers the response once its headers are there. Tries again when a kept-alive socket was closed before use. */
async function exchange(send: () => ClientRequest, body: string): Promise<IncomingMessage> {
  for (let stale = 0; ; stale++) {
    const request = send();
    try {
      return await new Promise((resolve, reject) => {
        request.on("response", resolve).on("error", reject);
        // After "101 Switching Protocols" there is only a `close` event.
        request.on("close", () => reject(failure("ECONNRESET")));
        request.end(body);
      });
    } catch (error) {
      const closed = ["ECONNRESET", "EPIPE"].includes(codeOf(error));
      if (!request.reusedSocket || !closed || stale >= STALE_SOCKETS_MAX) throw error;
    }
  }
}

/** At most 64 kB of the body. When it breaks off or stalls, the part received is enough, since the status decides. */
async function readStart(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= ANSWER_BYTES_MAX) break;
    }
  } catch {
    // The status was received, and only it decides.
  }
  return Buffer.concat(chunks).subarray(0, ANSWER_BYTES_MAX);
}

/** Asks name servers directly: getaddrinfo would occupy one of the few threads of the pool while a name server does not answer. */
async function resolveName(host: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: 2000, tries: 2 });
  const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  return answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
}

/** The connection uses the addresses that were checked; there is no second look-up. */
function lookupOf(addressesOf: Resolve): LookupFunction {
  return (host, options, callback) => {
    addressesOf(host).then(
      (addresses) => {
        const all = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
        const [first] = all;
        if (!first) callback(failure("ENOTFOUND"), []);
        else if (options.all) callback(null, all);
        else callback(null, first.address, first.family);
      },
      () => callback(failure("ENOTFOUND"), []),
    );
  };
}

const failure = (code: string): NodeJS.ErrnoException => Object.assign(new Error(code), { code });

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";

/** The error as merchants see it; the same text when a name does not exist and when it leads to a private address. */
function describe(error: unknown, url: URL): string {
  const code = codeOf(error);
  if (code === "ENOTFOUND") return `No public address was found for ${url.hostname}.`;
  if (code === "ECONNREFUSED") return "The connection was refused.";
  if (["ECONNRESET", "EPIPE"].includes(code)) return "The connection was closed before an answer came.";
  if (/CERT|ALTNAME|SELF_SIGNED|UNABLE_TO|INVALID_(CA|PURPOSE)|HOSTNAME_MISMATCH/.test(code))
    return `The host's certificate was not accepted (${code}).`;
  if (code.startsWith("HPE_")) return `The answer was not valid HTTP (${code}).`;
  return `The connection failed (${code || "unknown"}).`;
}

function safeText(bytes: Buffer): string | null {
  const text = bytes
    .toString("utf8")
    .replace(/[^\P{Cc}\n\t]/gu, "")
    .trim();
  return text === "" ? null : truncate(text, EXCERPT_MAX);
}

function retryAfter(value: string | undefined): number | null {
  if (value === undefined) return null;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  const date = parseHttpDate(value);
  return date && Math.max(0, Math.ceil(secondsBetween(machineNow(), date)));
}

const bareHost = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, "$1");
