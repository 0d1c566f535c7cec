import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { EventDeclaration } from "../events/event.ts";
import { type Html, html } from "../templates/html.ts";
import type { Endpoint } from "./endpoint.ts";
import { errorPage } from "./error-page.ts";
import { refuseOtherMethods } from "./methods.ts";
import { clientDocument, dashboardDocument } from "./openapi.ts";

const compress = promisify(gzip);

interface File {
  readonly body: Buffer;
  readonly gzip: Buffer;
  /** A hash of the content. */
  readonly hash: string;
}

const fileOf = async (body: Buffer): Promise<File> => ({
  body,
  gzip: await compress(body),
  hash: createHash("sha256").update(body).digest("hex").slice(0, 20),
});

/** Calls `make` at the first request and keeps its result; after a failure the next request calls it again. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = null;
      throw error;
    });
    return made;
  };
}

/**
 * Registers the OpenAPI documents and the reference page at `/docs`, without authentication. The page loads nothing
 * from another host.
 */
export function registerDocs(
  app: FastifyInstance,
  described: {
    readonly client: readonly Endpoint[];
    readonly dashboard: readonly Endpoint[];
    readonly events: readonly EventDeclaration[];
  },
): void {
  const documents = {
    "/api/v1/openapi.json": once(() =>
      fileOf(Buffer.from(JSON.stringify(clientDocument(described.client, described.events)))),
    ),
    "/dashboard/api/openapi.json": once(() =>
      fileOf(Buffer.from(JSON.stringify(dashboardDocument(described.dashboard)))),
    ),
  };
  const read = new Set(["GET", "HEAD"]);
  for (const url of [...Object.keys(documents), "/docs"]) refuseOtherMethods(app, url, read);
  for (const [url, document] of Object.entries(documents))
    app.get(url, async (request, reply) =>
      send(request, reply, await document(), "application/json; charset=utf-8", "public, max-age=60"),
    );
  const viewer = once(async () => fileOf(await viewerScript()));
  app.get("/docs", async (_request, reply) =>
    reply.headers(PAGE_HEADERS).send(page(`/docs/reference-${(await viewer()).hash}.js`).toString()),
  );
  app.get("/docs/errors", async (_request, reply) => reply.headers(PAGE_HEADERS).send(errorPage().toString()));
  app.get<{ Params: { file: string } }>("/docs/:file", async (request, reply) => {
    const script = await viewer();
    if (request.params.file !== `reference-${script.hash}.js`) return reply.callNotFound();
    return send(request, reply, script, "text/javascript; charset=utf-8", "public, max-age=31536000, immutable");
  });
}

function send(request: FastifyRequest, reply: FastifyReply, file: File, type: string, caching: string): FastifyReply {
  const zipped = /\bgzip\b/.test(String(request.headers["accept-encoding"] ?? ""));
  return reply
    .headers({
      "content-type": type,
      "cache-control": caching,
      "x-content-type-options": "nosniff",
      vary: "accept-encoding",
      ...(zipped ? { "content-encoding": "gzip" } : {}),
    })
    .send(zipped ? file.gzip : file.body);
}

/** The viewer's script, read from its plugin, which would serve it uncompressed. */
async function viewerScript(): Promise<Buffer> {
  const { default: viewer } = await import("@scalar/fastify-api-reference");
  const source = Fastify();
  await source.register(viewer, { routePrefix: "/viewer", configuration: { url: "/" } });
  const { statusCode, rawPayload } = await source.inject("/viewer/js/scalar.js");
  await source.close();
  if (statusCode !== 200) throw new Error(`The reference's viewer has no script: ${statusCode}`);
  return rawPayload;
}

/** Inline styles are allowed: the viewer writes its style sheets into the page. */
const PAGE_HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "cache-control": "no-cache",
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
} as const;

/** Turns off everything that would contact another host: fonts, proxy, assistant, registry. */
const VIEWER_SETTINGS = {
  sources: [
    { title: "API", slug: "api", url: "/api/v1/openapi.json" },
    { title: "Dashboard API", slug: "dashboard", url: "/dashboard/api/openapi.json" },
  ],
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: "never",
  agent: { disabled: true },
  mcp: { disabled: true },
  defaultOpenAllTags: false,
};

const page = (script: string): Html => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tefo API reference</title>
<link rel="icon" href="data:,">
</head>
<body>
<noscript>The reference needs JavaScript. The description itself does not: <a href="/api/v1/openapi.json">openapi.json</a>.</noscript>
<script id="api-reference" data-configuration="${JSON.stringify(VIEWER_SETTINGS)}"></script>
<script src="${script}"></script>
</body>
</html>
`;
