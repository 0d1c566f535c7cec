import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { EventDeclaration } from "../../events/event.ts";
import type { Endpoint } from "../endpoint.ts";
import { refuseOtherMethods } from "../methods.ts";
import { writtenDocument } from "../openapi/written.ts";
import { clientDocument, dashboardDocument } from "../openapi.ts";
import { type DocsFile, fileOf, once, send } from "./files.ts";
import { type Assets, markdownPath } from "./layout.ts";
import { postmanCollection } from "./postman.ts";
import { referencePage, viewerScript } from "./reference.ts";
import { openSite } from "./site.ts";

/** What a path is answered with. */
interface Answer {
  readonly headers: Readonly<Record<string, string>>;
  file(): Promise<DocsFile>;
}

const FOREVER = { "cache-control": "public, max-age=31536000, immutable" };
/** A browser keeps the file, and asks each time whether it has changed. */
const ASK = { "cache-control": "no-cache" };
const READ = new Set(["GET", "HEAD"]);

/**
 * Registers the OpenAPI documents, the documentation below `/docs`, its reference with a form to try calls, and
 * `/llms.txt`, all without authentication. Pages are made at the first request, and load nothing from another host.
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
      fileOf(JSON.stringify(clientDocument(described.client, described.events)), "json"),
    ),
    "/dashboard/api/openapi.json": once(() => fileOf(JSON.stringify(dashboardDocument(described.dashboard)), "json")),
  };
  for (const [url, document] of Object.entries(documents)) {
    refuseOtherMethods(app, url, READ);
    app.get(url, async (request, reply) =>
      send(request, reply, await document(), { "cache-control": "public, max-age=60" }),
    );
  }
  const site = once(async () => {
    const { answers, missing } = await answersOf(app.baseUrl);
    return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const answer = answers.get(decoded(request.url));
      if (answer) return send(request, reply, await answer.file(), answer.headers);
      return send(request, reply.code(404), await missing.file(), missing.headers);
    };
  });
  for (const url of ["/docs", "/docs/*", "/llms.txt"]) {
    refuseOtherMethods(app, url, READ);
    app.get(url, async (request, reply) => (await site())(request, reply));
  }
}

/** The path of a URL; one with broken escapes is no page. */
function decoded(url: string): string {
  const [path = ""] = url.split("?", 1);
  try {
    return decodeURIComponent(path);
  } catch {
    return "";
  }
}

async function answersOf(baseUrl: string) {
  const document = writtenDocument();
  const site = await openSite(document, baseUrl);
  const viewer = once(async () => fileOf(await viewerScript(), "js"));
  const style = await assetOf("docs.css");
  const script = await assetOf("docs.js");
  const assets: Assets = { style: style.path, script: script.path };
  const answers = new Map<string, Answer>();
  const serve = (path: string, file: () => Promise<DocsFile>, headers: Answer["headers"] = ASK): void => {
    answers.set(path, { headers, file: once(file) });
  };
  for (const asset of [style, script]) serve(asset.path, async () => asset.file, FOREVER);
  for (const path of site.paths) {
    serve(path, () => fileOf(site.page(path, assets), "html"), PAGE_HEADERS);
    serve(markdownPath(path), () => fileOf(site.markdown(path), "markdown"));
  }
  for (const { path, read } of site.files) serve(path, async () => fileOf(await read(), "text"));
  for (const path of ["/llms.txt", "/docs/llms.txt"]) serve(path, () => fileOf(site.llms(), "text"));
  serve("/docs/search.json", async () => fileOf(JSON.stringify(await site.search()), "json"));
  serve("/docs/postman.json", () => fileOf(JSON.stringify(postmanCollection(document(), baseUrl), null, 1), "json"));
  // Loading the viewer takes as long as all pages: only who opens the reference waits for it.
  const reference = once(async () => {
    const path = `/docs/assets/reference-${(await viewer()).hash}.js`;
    serve(path, viewer, FOREVER);
    return fileOf(referencePage(path).toString(), "html");
  });
  serve("/docs/reference", reference, VIEWER_HEADERS);
  const missing: Answer = { headers: PAGE_HEADERS, file: once(() => fileOf(site.missing(assets), "html")) };
  return { answers, missing };
}

/** A file of the folder `assets`, with its content's hash in its path. */
async function assetOf(name: "docs.css" | "docs.js"): Promise<{ path: string; file: DocsFile }> {
  const [base = "", type = ""] = name.split(".");
  const file = await fileOf(await readFile(join(import.meta.dirname, "assets", name)), type === "css" ? "css" : "js");
  return { path: `/docs/assets/${base}-${file.hash}.${type}`, file };
}

const headersOf = (styles: string): Readonly<Record<string, string>> => ({
  "content-security-policy": [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${styles}`,
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
});

const PAGE_HEADERS = headersOf("'self'");
/** The viewer writes its style sheets into the page. */
const VIEWER_HEADERS = headersOf("'self' 'unsafe-inline'");
