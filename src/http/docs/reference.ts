import Fastify from "fastify";
import { type Html, html } from "../../templates/html.ts";

/** The viewer's script, read from its plugin, which would serve it uncompressed. */
export async function viewerScript(): Promise<Buffer> {
  const { default: viewer } = await import("@scalar/fastify-api-reference");
  const source = Fastify();
  await source.register(viewer, { routePrefix: "/viewer", configuration: { url: "/" } });
  const { statusCode, rawPayload } = await source.inject("/viewer/js/scalar.js");
  await source.close();
  if (statusCode !== 200) throw new Error(`The reference's viewer has no script: ${statusCode}`);
  return rawPayload;
}

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

/** The page on which every call is described and can be tried. `script` and `style` are paths. */
export const referencePage = ({ script, style }: { readonly script: string; readonly style: string }): Html =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tefo API reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${style}">
</head>
<body class="reference">
<header class="bar"><a class="brand" href="/docs">Tefo docs</a><span class="muted">API reference</span></header>
<noscript>The reference needs JavaScript. The description itself does not: <a href="/api/v1/openapi.json">openapi.json</a>.
All calls are listed on <a href="/docs/calls">one page</a>.</noscript>
<script id="api-reference" data-configuration="${JSON.stringify(VIEWER_SETTINGS)}"></script>
<script src="${script}"></script>
</body>
</html>
`;
