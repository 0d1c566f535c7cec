import { type Html, html } from "../html.ts";
import { accentUrl, assetUrl } from "./assets/assets.ts";
import { type Brand, logoSource, name, safeHref, support } from "./parts.ts";

/** A redirect for browsers without script; with `url` null the same page is loaded again. */
export interface Refresh {
  readonly seconds: number;
  readonly url: string | null;
}

/** A whole page. */
export interface PageModel {
  /** The window's title. */
  readonly title: string;
  /** Null when no merchant is known, as on a 404 page. */
  readonly brand: Brand | null;
  /** `wide` has room for two columns, `middle` for lists, `narrow` for a short text. */
  readonly width: "wide" | "middle" | "narrow";
  /** The `<main>` element. */
  readonly main: Html;
  readonly refresh?: Refresh | null;
}

const TEST_BANNER = html`<p class="test">This is a test. No money moves.</p>`;

/** The HTML document of every hosted page (interface 15.2), without inline script or style and without other hosts. */
export function page(model: PageModel): Html {
  const accent = accentUrl(model.brand?.accentColour ?? null);
  return html`<!doctype html>
<html lang="en-ZA">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${model.title}</title>
<link rel="stylesheet" href="${assetUrl("page.css")}">
${accent && html`<link rel="stylesheet" href="${accent}">`}
<link rel="icon" href="${assetUrl("icon.svg")}" type="image/svg+xml">
<script src="${assetUrl("page.js")}" defer></script>
${refresh(model.refresh ?? null)}
</head>
<body>
${header(model)}
${model.main}
${footer(model)}
</body>
</html>
`;
}

// Only for browsers without script: page.js polls and redirects itself, and lets the reader cancel.
function refresh(refresh: Refresh | null): Html | null {
  if (!refresh) return null;
  const url = safeHref(refresh.url);
  if (refresh.url !== null && url === null) return null;
  const target = url !== null && html`;url=${url}`;
  return html`<noscript><meta http-equiv="refresh" content="${refresh.seconds}${target}"></noscript>`;
}

function header({ brand, width }: PageModel): Html {
  if (!brand) return html`<header class="frame ${width}"><div class="merchant"></div></header>`;
  const logo = logoSource(brand.logoUrl);
  const mark = logo
    ? html`<img src="${logo}" alt="">`
    : html`<span class="initial" aria-hidden="true">${initial(brand.name)}</span>`;
  return html`<header>${brand.sandbox ? TEST_BANNER : ""}
<div class="frame ${width}"><div class="merchant">${mark}<span dir="auto">${brand.name}</span></div></div></header>`;
}

function footer({ brand, width }: PageModel): Html {
  // Narrow pages name the contact in their text.
  const help = brand && width !== "narrow" && support(brand);
  if (!help && brand?.hideProduct) return html`<footer class="foot frame ${width}"></footer>`;
  return html`<footer class="foot frame ${width}"><ul>
${help ? html`<li>Questions for ${name(brand.name)}? ${help}</li>` : ""}
${brand?.hideProduct ? "" : html`<li>Payments by Tefo</li>`}
</ul></footer>`;
}

const LETTERS = new Intl.Segmenter("en");

/** The first letter: an emoji or an accented letter of several code points is one. */
function initial(text: string): string {
  const [first] = LETTERS.segment(text.trim());
  return first?.segment.toLocaleUpperCase("en") ?? "";
}
