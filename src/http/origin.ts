import type { FastifyRequest } from "fastify";
import { ApiError } from "../kernel/errors.ts";

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);
const LOOPBACK = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

/**
 * Whether a page of ours, or no page at all, made this request. Our origins are BASE_URL's and, for whoever works on the machine itself,
 * the loopback name in the request's own Host. A caller that is no browser sends neither Origin nor Sec-Fetch-Site.
 */
export function isFromOwnPage({ headers }: FastifyRequest, baseUrl: string): boolean {
  const { origin, host, "sec-fetch-site": site } = headers;
  if (origin === undefined) return site === undefined || site === "same-origin" || site === "none";
  return origin === new URL(baseUrl).origin || (LOOPBACK.test(origin) && origin.replace(/^https?:\/\//, "") === host);
}

/**
 * Refuses a change that another site's page asked for: the browser adds our cookie by itself, so the cookie alone proves
 * nothing (interface 14.1). Throws 403 `permission_required`.
 */
export function requireOwnOrigin(request: FastifyRequest, baseUrl: string): void {
  if (SAFE_METHODS.has(request.method) || isFromOwnPage(request, baseUrl)) return;
  throw new ApiError(
    "permission_required",
    403,
    `This request comes from a page of another site. Use the dashboard at ${baseUrl}/dashboard.`,
  );
}
