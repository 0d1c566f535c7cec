import type { FastifyRequest } from "fastify";
import { canonicalAddress, isLoopback } from "../platform/addresses.ts";

/**
 * The client's address in its canonical form: the entry of X-Forwarded-For that many places from the right, where `proxies` counts
 * the proxies in front; with 0 the header is ignored, since anyone can send it. Where that entry is no address, the
 * address of the connection.
 */
export function clientAddress(request: FastifyRequest, proxies: number): string {
  return forwardedAddress(request, proxies) ?? peerAddress(request);
}

/**
 * Whether the request was made on this machine. One that a proxy passed on was not, unless the proxies in front of us are known and
 * name a loopback address: an entry that is no address proves nothing.
 */
export function isFromThisMachine(request: FastifyRequest, proxies: number): boolean {
  const { "x-forwarded-for": forwardedFor, forwarded } = request.headers;
  if (forwardedFor === undefined && forwarded === undefined) return isLoopback(peerAddress(request));
  const client = forwardedAddress(request, proxies);
  return client !== null && isLoopback(client) && isLoopback(peerAddress(request));
}

const peerAddress = ({ socket: { remoteAddress = "unknown" } }: FastifyRequest): string =>
  canonicalAddress(remoteAddress) ?? remoteAddress;

/** Null without a proxy, without the entry that it writes, and where that entry is no address. */
function forwardedAddress(request: FastifyRequest, proxies: number): string | null {
  if (proxies === 0) return null;
  const header = request.headers["x-forwarded-for"];
  const entries = (Array.isArray(header) ? header.join(",") : (header ?? "")).split(",").map((entry) => entry.trim());
  return canonicalAddress(entries.at(-proxies) ?? "");
}
