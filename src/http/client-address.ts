import { isIP } from "node:net";
import type { FastifyRequest } from "fastify";

/** Some proxies write the client's port behind its address, and IPv6 in brackets then. */
const WITH_PORT = /^(?:([\d.]+):\d+|\[([^\]]+)\](?::\d+)?)$/;

/**
 * The client's address: the entry of X-Forwarded-For that many places from the right, where `proxies` counts the
 * proxies in front; with 0 the header is ignored, since anyone can send it (contract 2).
 */
export function clientAddress(request: FastifyRequest, proxies: number): string {
  const peer = request.socket.remoteAddress ?? "unknown";
  if (proxies === 0) return peer;
  const header = request.headers["x-forwarded-for"];
  const entries = (Array.isArray(header) ? header.join(",") : (header ?? "")).split(",").map((entry) => entry.trim());
  const entry = entries.at(-proxies) ?? "";
  const [, ipv4, ipv6] = WITH_PORT.exec(entry) ?? [];
  const address = ipv4 ?? ipv6 ?? entry;
  return isIP(address) > 0 ? address : peer;
}
