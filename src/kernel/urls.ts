import { codePoints } from "./text.ts";

/** A refusal whose message says what to change; callers turn it into an issue about the field. */
export interface UrlRefusal {
  readonly ok: false;
  readonly message: string;
}

const RETURN_URL_MAX = 1000;
/**
 * Characters that some parsers drop or change without an error (tabs, backslashes, lone surrogates), so that two
 * parsers may read two URLs.
 */
const AMBIGUOUS = /[\s\\\p{Cc}\p{Cs}]/u;
const HOST = /^([a-z0-9_-]+(\.[a-z0-9_-]+)*\.?|\[[0-9a-f:]+\])$/;
/** The only addresses that a sandbox organisation may name without TLS (interface 13.3). */
const LOOPBACK_NAMES = ["127.0.0.1", "localhost"];

/** Whether the host of a URL is this machine. */
export const isLoopbackHost = (hostname: string): boolean => LOOPBACK_NAMES.includes(hostname) || hostname === "[::1]";

const refuse = (message: string): UrlRefusal => ({ ok: false, message });

/**
 * An absolute https URL, written exactly as every parser reads it: no user-info, no other spelling of its host
 * (decimal, octal or hex addresses, full-width dots, percent-encoding; decisions.md#ambiguous-urls). With `sandbox` also
 * `http://127.0.0.1:*` and `http://localhost:*`, and nothing else without TLS.
 */
export function parseUrl(text: string, { sandbox }: { sandbox: boolean }): { ok: true; url: URL } | UrlRefusal {
  const forms = sandbox ? "https://, http://127.0.0.1 or http://localhost" : "https://";
  const [, scheme, authority] = /^(https?):\/\/([^/?#]+)/.exec(text) ?? [];
  if (scheme === undefined || authority === undefined || (scheme === "http" && !sandbox))
    return refuse(`The URL must begin with ${forms}.`);
  if (AMBIGUOUS.test(text)) return refuse("The URL must not hold spaces, control characters or backslashes.");
  if (authority.includes("@")) return refuse("The URL must not hold a user name or password.");
  if (!URL.canParse(text)) return refuse("The URL's host or port is not valid.");
  const url = new URL(text);
  const host = authority.replace(/:\d*$/, "").toLowerCase();
  if (host !== url.hostname) return refuse(`The URL's host must be written as ${url.hostname}.`);
  if (!HOST.test(host) || url.port === "0") return refuse("The URL's host or port is not valid.");
  if (scheme === "http" && !LOOPBACK_NAMES.includes(host)) return refuse(`The URL must begin with ${forms}.`);
  return { ok: true, url };
}

/** An origin for the list of allowed return URLs (interface 5.7), in canonical form: lower case, without the default port. */
export function parseOrigin(text: string, options: { sandbox: boolean }): { ok: true; origin: string } | UrlRefusal {
  const parsed = parseUrl(text, options);
  if (!parsed.ok) return parsed;
  const { origin, pathname, search, hash } = parsed.url;
  if (pathname + search + hash !== "/" || /[?#]/.test(text))
    return refuse(`An origin has no path, query or fragment: write ${origin}`);
  return { ok: true, origin };
}

/**
 * A return URL (interface 4.2 and 4.12) as it was written but without its fragment, and its origin, which must be on the
 * allow-list. At most 1000 characters.
 */
export function parseReturnUrl(
  text: string,
  options: { sandbox: boolean },
): { ok: true; origin: string; url: string } | UrlRefusal {
  if (codePoints(text) > RETURN_URL_MAX) return refuse(`The URL must be at most ${RETURN_URL_MAX} characters.`);
  const parsed = parseUrl(text, options);
  if (!parsed.ok) return parsed;
  return { ok: true, origin: parsed.url.origin, url: text.replace(/#.*$/s, "") };
}

/**
 * A return URL with these parameters at the end of its query. Parameters of these names that it had are removed: a reader takes the
 * first of a name. The rest is unchanged. Encoded for a header.
 */
export function withQuery(returnUrl: string, parameters: Readonly<Record<string, string>>): string {
  const names = Object.keys(parameters);
  const [address = "", query = ""] = returnUrl.split(/\?(.*)/s);
  const kept = query.split("&").filter((part) => {
    const given = new URLSearchParams(part);
    return part !== "" && !names.some((name) => given.has(name));
  });
  const added = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return new URL(`${address}?${[...kept, ...added].join("&")}`).href;
}
