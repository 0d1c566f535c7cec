import { isLoopbackHost } from "../kernel/urls.ts";
import type { GatewayAdapter, GatewayCall } from "./contract.ts";
import { GatewayUnclear } from "./http.ts";

/**
 * The URL itself, when a payer's browser may be sent to it: https at one of the gateway's `payerDomains` or below one, or at the base URL that takes the
 * gateway's place; a base URL on this machine allows the whole machine. A simulated gateway is this service. Throws `GatewayUnclear` for any other,
 * whatever answer or configuration it came from: the payment may have been started, and nobody is led to an unknown host.
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

/** As `requirePayerUrl`, where the gateway leads payers by short links at hosts that it does not document: any https address will do. */
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
