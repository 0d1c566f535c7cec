import { isLoopbackHost } from "../kernel/urls.ts";
import type { GatewayAdapter, GatewayCall } from "./contract.ts";
import { GatewayUnclear } from "./http.ts";

/**
 * Answers the URL when a payer's browser may be sent to it: https at one of the gateway's `payerDomains` or a
 * subdomain, or at the base URL that replaces the gateway's; a base URL on this machine allows every port of it. For a
 * simulated gateway this service's own address is allowed. Throws `GatewayUnclear` for any other URL, from whatever
 * answer or configuration: the payment may have been started, and no payer is sent to an unknown host.
 */
export function requirePayerUrl(
  { type, simulated, payerDomains = [] }: Pick<GatewayAdapter, "type" | "simulated" | "payerDomains">,
  { baseUrl }: Pick<GatewayCall, "baseUrl">,
  text: string,
): string {
  const url = URL.parse(text);
  if (simulated || (url && url.username === "" && url.password === "" && allowed(url, payerDomains, baseUrl)))
    return text;
  throw new GatewayUnclear(`${type}: it names a page for payers that is not at its own hosts`);
}

/** As `requirePayerUrl`, for short links at hosts that the gateway does not document: any https address is allowed. */
export const requireShortLink = (
  adapter: Parameters<typeof requirePayerUrl>[0],
  call: Pick<GatewayCall, "baseUrl">,
  text: string,
): string => {
  const url = URL.parse(text);
  return url?.protocol === "https:" && url.username === "" && url.password === ""
    ? text
    : requirePayerUrl(adapter, call, text);
};

function allowed({ protocol, hostname, origin }: URL, domains: readonly string[], baseUrl: string | null): boolean {
  if (protocol === "https:" && domains.some((domain) => hostname === domain || hostname.endsWith(`.${domain}`)))
    return true;
  const base = baseUrl === null ? null : URL.parse(baseUrl);
  if (base === null) return false;
  return (
    origin === base.origin || (/^https?:$/.test(protocol) && isLoopbackHost(hostname) && isLoopbackHost(base.hostname))
  );
}
