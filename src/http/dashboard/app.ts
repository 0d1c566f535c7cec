import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

/** The path at which the web app is served; its own addresses are below it. */
const DASHBOARD_PATH = "/dashboard";

/** A built file and its compressed forms, made by the build. */
interface BuiltFile {
  readonly type: string;
  readonly plain: Buffer;
  readonly br: Buffer | null;
  readonly gzip: Buffer | null;
}

const TYPES: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".json": "application/json",
};
/** Names of files below this folder hold a hash of their content. */
const ASSETS = "assets";
/** The text in the built page that each response's nonce replaces. */
const NONCE = "__NONCE__";

/**
 * Serves the built web app of `folder` at `/dashboard`: every address below it returns the same page, which is never
 * cached, and `/` redirects there. Without a built web app, the page says how to build it. Addresses of the dashboard's
 * API are not affected.
 */
export function registerDashboardApp(app: FastifyInstance, folder: string): void {
  const files = readFiles(join(folder, ASSETS));
  const page = existsSync(join(folder, "index.html")) ? readFileSync(join(folder, "index.html"), "utf8") : null;
  app.get("/", (_request, reply) => reply.redirect(DASHBOARD_PATH, 302));
  app.get(DASHBOARD_PATH, (_request, reply) => sendPage(reply, page));
  app.get<{ Params: { "*": string } }>(`${DASHBOARD_PATH}/*`, (request, reply) => {
    const path = request.params["*"];
    if (path === "api" || path.startsWith("api/")) return reply.callNotFound();
    if (!path.startsWith(`${ASSETS}/`)) return sendPage(reply, page);
    const file = files.get(path.slice(ASSETS.length + 1));
    return file ? sendFile(request, reply, file) : reply.callNotFound();
  });
}

function readFiles(folder: string): Map<string, BuiltFile> {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const compressed = (name: string) => (names.includes(name) ? readFileSync(join(folder, name)) : null);
  return new Map(
    names.flatMap((name) => {
      const type = TYPES[extname(name)];
      if (type === undefined) return [];
      const plain = readFileSync(join(folder, name));
      return [[name, { type, plain, br: compressed(`${name}.br`), gzip: compressed(`${name}.gz`) }]];
    }),
  );
}

function sendPage(reply: FastifyReply, page: string | null): FastifyReply {
  const nonce = randomBytes(16).toString("base64");
  reply.headers({
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": policy(nonce),
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "X-Robots-Tag": "noindex, nofollow",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
  });
  if (page === null)
    return reply
      .code(503)
      .send("<!doctype html><title>Tefo</title><p>The dashboard is not built. Run: npm run build</p>");
  return reply.send(page.replaceAll(NONCE, nonce));
}

/**
 * The component library writes style sheets while it runs, so these have a nonce; scripts are files only. A mail that
 * is shown in a frame has style attributes, and a proof of payment is a PDF that the page has read
 * (decisions.md#frames-and-nonces).
 */
const policy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "connect-src 'self'",
    "manifest-src 'self'",
    "frame-src 'self' blob:",
    "object-src blob:",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");

function sendFile(request: FastifyRequest, reply: FastifyReply, file: BuiltFile): FastifyReply {
  reply.headers({
    "Content-Type": file.type,
    "Cache-Control": "public, max-age=31536000, immutable",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    Vary: "Accept-Encoding",
  });
  for (const coding of ["br", "gzip"] as const) {
    const body = file[coding];
    if (body && takes(request, coding)) return reply.header("Content-Encoding", coding).send(body);
  }
  return reply.send(file.plain);
}

const takes = (request: FastifyRequest, coding: string): boolean =>
  String(request.headers["accept-encoding"] ?? "")
    .split(",")
    .some((offer) => offer.trim().split(";")[0]?.toLowerCase() === coding && !/;\s*q=0(\.0*)?\s*$/.test(offer));
