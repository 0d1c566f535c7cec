import type { FastifyRequest } from "fastify";
import { ApiError } from "../kernel/errors.ts";
import { isLoopbackHost } from "../kernel/urls.ts";

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/** Whether the browser says that a page of another site made the request, which `Origin: null` hides. */
export const isFromOtherSite = ({ headers: { "sec-fetch-site": site } }: FastifyRequest): boolean =>
  site !== undefined && site !== "same-origin" && site !== "none";

/**
 * Whether a page of this service made the request, or a client that is not a browser, which sends neither Origin nor
 * Sec-Fetch-Site. The service's origins are BASE_URL's and, for work on the machine itself, a loopback name in the
 * request's Host.
 */
export function isFromOwnPage(request: FastifyRequest, baseUrl: string): boolean {
  const { origin, host } = request.headers;
  if (isFromOtherSite(request)) return false;
  if (origin === undefined) return true;
  const given = URL.parse(origin);
  return (
    origin === new URL(baseUrl).origin ||
    (given !== null && origin === given.origin && isLoopbackHost(given.hostname) && given.host === host)
  );
}

/**
 * Throws 403 `permission_required` when a page of another site made the request. The browser adds the session's cookie
 * to such a request too, so the cookie is no proof (interface 14.1).
 */
export function requireOwnOrigin(request: FastifyRequest, baseUrl: string): void {
  if (SAFE_METHODS.has(request.method) || isFromOwnPage(request, baseUrl)) return;
  throw new ApiError(
    "permission_required",
    403,
    `This request comes from a page of another site. Use the dashboard at ${baseUrl}/dashboard.`,
  );
}
