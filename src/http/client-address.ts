import type { FastifyRequest } from "fastify";

/**
 * The client's address: the entry of X-Forwarded-For that many places from the right, where `proxies` counts the
 * proxies in front; with 0 the header is ignored, since anyone can send it (contract 2).
 */
export function clientAddress(request: FastifyRequest, proxies: number): string {
  const peer = request.socket.remoteAddress ?? "unknown";
  if (proxies === 0) return peer;
  const header = request.headers["x-forwarded-for"];
  const entries = (Array.isArray(header) ? header.join(",") : (header ?? "")).split(",").map((entry) => entry.trim());
  const entry = entries.at(-proxies);
  return entry && /^[0-9a-fA-F.:]{2,45}$/.test(entry) ? entry : peer;
}
