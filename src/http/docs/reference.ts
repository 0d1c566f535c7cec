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

/** The bar above the viewer, in the viewer's own colours, so that it follows its choice of light and dark. */
const BAR = `
:root { --scalar-custom-header-height: 3.5rem }
body { margin: 0 }
.bar {
  position: sticky; z-index: 20; top: 0; display: flex; gap: 0.75rem; align-items: center; box-sizing: border-box; height: 3.5rem;
  padding: 0 1rem; border-bottom: 1px solid var(--scalar-border-color, #e0ded6); background: var(--scalar-background-1, #fff);
  color: var(--scalar-color-1, #1c1b18); font: 1rem / 1.5 system-ui, sans-serif
}
.bar a { color: inherit; font-weight: 650 }
`;

/** The page on which every call is described and can be tried. `script` is the path of the viewer's script. */
export const referencePage = (script: string): Html => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tefo API reference</title>
<link rel="icon" href="data:,">
<style>${BAR}</style>
</head>
<body>
<header class="bar"><a href="/docs">Tefo docs</a><span>API reference</span></header>
<noscript>The reference needs JavaScript. The description itself does not: <a href="/api/v1/openapi.json">openapi.json</a>.
All calls are listed on <a href="/docs/calls">one page</a>.</noscript>
<script id="api-reference" data-configuration="${JSON.stringify(VIEWER_SETTINGS)}"></script>
<script src="${script}"></script>
</body>
</html>
`;
