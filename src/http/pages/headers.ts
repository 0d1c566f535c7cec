/** The facts that decide the headers of a page. */
export interface PageHeaderOptions {
  /** Whether the organisation is a sandbox: forms may then also redirect to this machine (interface 13.3). */
  readonly sandbox: boolean;
  /** Whether the URL itself is the permission (interface 15.2), so that it is sent to no other site. */
  readonly capability: boolean;
  /** Further origins that a form may redirect to, such as a gateway's stand-in (`GATEWAY_URL_<TYPE>`). */
  readonly formOrigins?: readonly string[];
}

/** Security headers of every hosted page (interface 15.2). */
export function pageHeaders(options: PageHeaderOptions): Record<string, string> {
  return {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": contentSecurityPolicy(options),
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "X-Robots-Tag": "noindex, nofollow",
    "Referrer-Policy": options.capability ? "no-referrer" : "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
  };
}

/**
 * `form-action` also covers redirects after a form (Chromium checks each of them), which lead to a gateway or to the
 * merchant's return URL. So it allows every https origin, and for a sandbox organisation also this machine.
 */
function contentSecurityPolicy({ sandbox, formOrigins = [] }: PageHeaderOptions): string {
  const local = sandbox ? ["http://localhost:*", "http://127.0.0.1:*"] : [];
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    `form-action ${["'self'", "https:", ...local, ...formOrigins].join(" ")}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}
