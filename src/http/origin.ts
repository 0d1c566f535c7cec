import type { FastifyRequest } from "fastify";
import { ApiError } from "../kernel/errors.ts";

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);
const LOOPBACK = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

/**
 * Refuses a change that another site's page asked for: the browser adds our cookie by itself, so the cookie alone proves
 * nothing (interface 14.1). Ours are BASE_URL's origin and, for whoever works on the machine itself, the loopback name in the
 * request's own Host. A caller that is no browser sends neither Origin nor Sec-Fetch-Site. Throws 403 `permission_required`.
 */
export function requireOwnOrigin(request: FastifyRequest, baseUrl: string): void {
  if (SAFE_METHODS.has(request.method)) return;
  const { origin, host } = request.headers;
  const site = request.headers["sec-fetch-site"];
  if (
    origin === undefined
      ? site === undefined || site === "same-origin" || site === "none"
      : isOwn(origin, baseUrl, host)
  )
    return;
  throw new ApiError(
    "permission_required",
    403,
    `This request comes from a page of another site. Use the dashboard at ${baseUrl}/dashboard.`,
  );
}

const isOwn = (origin: string, baseUrl: string, host: string | undefined): boolean =>
  origin === new URL(baseUrl).origin || (LOOPBACK.test(origin) && origin.replace(/^https?:\/\//, "") === host);
