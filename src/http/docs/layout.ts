import { type Html, html } from "../../templates/html.ts";
import type { Heading, Rendered } from "./markdown.ts";

/** An entry of the navigation. */
export interface Entry {
  readonly path: string;
  readonly title: string;
}

/** A group of the navigation. */
export interface Section {
  readonly name: string;
  readonly entries: readonly Entry[];
}

export interface PageModel {
  readonly path: string;
  readonly section: string;
  readonly rendered: Rendered;
  /** Whether its Markdown is beside it. */
  readonly hasMarkdown: boolean;
  readonly sections: readonly Section[];
  /** The index that leads to it, of a page that the navigation does not name. */
  readonly above: Entry | null;
  readonly previous: Entry | null;
  readonly next: Entry | null;
}

/** Paths of the style sheet, the script and the icon. */
export interface Assets {
  readonly style: string;
  readonly script: string;
}

/** A page of the documentation: it works without its script, which adds the search and the buttons that copy. */
export function docsPage(model: PageModel, assets: Assets): Html {
  const { rendered, path } = model;
  return html`<!doctype html>
<html lang="en-ZA">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${path === "/docs" ? rendered.title : `${rendered.title} · Tefo docs`}</title>
<meta name="description" content="${rendered.about}">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${assets.style}">
${model.hasMarkdown && html`<link rel="alternate" type="text/markdown" href="${markdownPath(path)}">`}
<script src="${assets.script}" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
${header()}
<div class="columns">
${navigation(model)}
<main id="content" tabindex="-1">
${crumbs(model)}
<article>
${rendered.heading}
${contents(rendered.headings, "folded")}
${rendered.body}
</article>
${footer(model)}
</main>
${contents(rendered.headings, "beside")}
</div>
</body>
</html>
`;
}

/** Where the Markdown of a page is. */
export const markdownPath = (path: string): string => (path === "/docs" ? "/docs/index.md" : `${path}.md`);

const header = (): Html => html`<header class="bar">
<button class="menu" type="button" popovertarget="pages">Menu</button>
<a class="brand" href="/docs">Tefo docs</a>
<search hidden>
<input id="query" type="text" role="combobox" aria-label="Search the docs" aria-autocomplete="list" aria-expanded="false"
 aria-controls="results" autocomplete="off" spellcheck="false" placeholder="Search" maxlength="100">
<kbd aria-hidden="true">/</kbd>
<div id="results" role="listbox" aria-label="Results" hidden></div>
<p id="found" class="unseen" role="status"></p>
</search>
<a class="to-reference" href="/docs/reference">API reference</a>
</header>`;

function navigation({ sections, section, path, above }: PageModel): Html {
  const current = above?.path ?? path;
  return html`<nav id="pages" popover aria-label="Pages">
${sections.map(
  ({ name, entries }) => html`<details${name === section ? html` open` : ""}><summary>${name}</summary><ul>
${entries.map(
  (entry) =>
    html`<li><a href="${entry.path}"${entry.path === current ? html` aria-current="page"` : ""}>${entry.title}</a></li>
`,
)}</ul></details>
`,
)}</nav>`;
}

function crumbs({ section, above, path }: PageModel): Html | null {
  if (path === "/docs") return null;
  return html`<p class="crumbs">${section}${above && html` · <a href="${above.path}">${above.title}</a>`}</p>`;
}

/** The headings of a page: beside it where there is room, folded above its text where there is not. */
function contents(headings: readonly Heading[], place: "beside" | "folded"): Html | null {
  const shown = headings.filter(({ level }) => level <= (headings.length > 40 ? 2 : 3));
  if (shown.length < 2) return null;
  const list = html`<ul>${shown.map(
    ({ level, anchor, text }) =>
      html`<li${level > 2 ? html` class="deeper"` : ""}><a href="#${anchor}">${text}</a></li>
`,
  )}</ul>`;
  return place === "beside"
    ? html`<nav class="contents beside" aria-label="On this page"><p>On this page</p>${list}</nav>`
    : html`<details class="contents folded"><summary>On this page</summary>${list}</details>`;
}

function footer({ previous, next, path, hasMarkdown }: PageModel): Html {
  return html`<footer>
${
  (previous || next) &&
  html`<nav class="turn" aria-label="Previous and next page">
${previous ? html`<a rel="prev" href="${previous.path}"><span>Previous</span>${previous.title}</a>` : html`<span></span>`}
${next && html`<a rel="next" href="${next.path}"><span>Next</span>${next.title}</a>`}
</nav>`
}
<p class="muted">${hasMarkdown && html`<a href="${markdownPath(path)}">This page as Markdown</a> · `}<a href="/llms.txt">llms.txt</a> ·
<a href="/api/v1/openapi.json">openapi.json</a> · <a href="/docs/postman.json">Postman collection</a></p>
</footer>`;
}
