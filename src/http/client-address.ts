import type { FastifyRequest } from "fastify";
import { canonicalAddress, isLoopback } from "../platform/addresses.ts";

/**
 * The client's IP address in canonical form. `proxies` is the number of trusted proxies in front of the service: the
 * address is the entry of X-Forwarded-For at that position from the right. With 0 proxies the header is ignored, since
 * any client can send it. When the entry is not an address, the address of the connection is used.
 */
export function clientAddress(request: FastifyRequest, proxies: number): string {
  return forwardedAddress(request, proxies) ?? peerAddress(request);
}

/**
 * Whether the request was made on this machine. A request that a proxy has forwarded was not, unless the number of
 * proxies is configured and their entry is a loopback address. An entry that is not an address counts as another
 * machine.
 */
export function isFromThisMachine(request: FastifyRequest, proxies: number): boolean {
  const { "x-forwarded-for": forwardedFor, forwarded } = request.headers;
  if (forwardedFor === undefined && forwarded === undefined) return isLoopback(peerAddress(request));
  const client = forwardedAddress(request, proxies);
  return client !== null && isLoopback(client) && isLoopback(peerAddress(request));
}

const peerAddress = ({ socket: { remoteAddress = "unknown" } }: FastifyRequest): string =>
  canonicalAddress(remoteAddress) ?? remoteAddress;

/**
 * The address that the outermost trusted proxy saw. Null without proxies, without an entry of it, or when the entry is
 * not an address.
 */
function forwardedAddress(request: FastifyRequest, proxies: number): string | null {
  if (proxies === 0) return null;
  const header = request.headers["x-forwarded-for"];
  const entries = (Array.isArray(header) ? header.join(",") : (header ?? "")).split(",").map((entry) => entry.trim());
  return canonicalAddress(entries.at(-proxies) ?? "");
}
