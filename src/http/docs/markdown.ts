import { lexer, type Token, type Tokens } from "marked";
import { type Html, type HtmlValue, html } from "../../templates/html.ts";
import type { Head } from "./page.ts";

/** A heading of a page below its title. */
export interface Heading {
  /** 2 for a section, 3 for a part of one. */
  readonly level: number;
  readonly text: string;
  readonly anchor: string;
}

/** The words below one heading, for the search. The first has the page's title and no anchor. */
export interface Passage {
  readonly heading: string;
  readonly anchor: string | null;
  readonly text: string;
}

/** What a page's Markdown becomes. */
export interface Rendered extends Head {
  /** The first heading, which the body lacks. */
  readonly heading: Html;
  readonly body: Html;
  readonly headings: readonly Heading[];
  readonly passages: readonly Passage[];
}

/** The first heading, and the first sentence of the first paragraph, without marks. Reads no further than it must. */
export function headOf(markdown: string): Head {
  const until = markdown.indexOf("\n### ");
  const beginning = /^.*?\n\n(?![#<|`\s]|- )[^\n]+(\n[^\n]+)*/s.exec(markdown)?.[0];
  return headIn(lexer(beginning ?? (until < 0 ? markdown : markdown.slice(0, until))));
}

function headIn(tokens: readonly Token[]): Head {
  const heading = tokens.find(isHeading);
  const first = tokens.find((token): token is Tokens.Paragraph => token.type === "paragraph");
  return { title: plain(heading?.tokens), about: firstSentence(first ? plain(first.tokens) : "") };
}

/**
 * Renders Markdown. HTML in it is shown as text, and comments are left out. Headings get the anchors that GitHub gives
 * them, and levels without gaps.
 */
export function render(markdown: string): Rendered {
  const tokens = lexer(markdown);
  const anchors = anchorsOf(tokens);
  const headings = tokens.flatMap((token) => anchors.get(token) ?? []);
  const first = tokens.find(isHeading);
  return {
    ...headIn(tokens),
    heading: first ? headingOf(first, anchors) : html``,
    body: html`${tokens.filter((token) => token !== first).map((token) => block(token, anchors))}`,
    headings: headings.slice(1),
    passages: passagesOf(tokens, anchors),
  };
}

const isHeading = (token: Token): token is Tokens.Heading => token.type === "heading";

/** Each heading's anchor and level; the level is its depth among the headings above it. */
function anchorsOf(tokens: readonly Token[]): ReadonlyMap<Token, Heading> {
  const used = new Map<string, number>();
  const above: number[] = [];
  return new Map(
    tokens.filter(isHeading).map((heading) => {
      while ((above.at(-1) ?? 0) >= heading.depth) above.pop();
      above.push(heading.depth);
      const text = plain(heading.tokens);
      const slug = slugOf(text);
      const count = used.get(slug) ?? 0;
      used.set(slug, count + 1);
      return [heading, { level: above.length, text, anchor: count === 0 ? slug : `${slug}-${count}` }];
    }),
  );
}

/** The anchor that GitHub gives to a heading. */
const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");

/** The first sentence that says something, up to its full stop. */
const firstSentence = (text: string): string =>
  (/^.{9,}?\.(?=\s|$)/s.exec(text)?.[0] ?? text).replaceAll(/\s+/g, " ").replace(/:$/, ".");

type Anchors = ReadonlyMap<Token, Heading>;

function passagesOf(tokens: readonly Token[], anchors: Anchors): Passage[] {
  const passages: { heading: string; anchor: string | null; text: string }[] = [];
  for (const token of tokens) {
    const heading = anchors.get(token);
    if (heading)
      passages.push({ heading: heading.text, anchor: passages.length === 0 ? null : heading.anchor, text: "" });
    else {
      const last = passages.at(-1);
      if (last && !isData(token)) last.text += ` ${plain([token])}`;
    }
  }
  return passages.map((passage) => ({ ...passage, text: passage.text.replaceAll(/\s+/g, " ").trim() }));
}

/** Examples of data name fields that the text names too: in the search they would hide it. */
const isData = (token: Token): boolean => token.type === "code" && token.lang === "json";

/** The words of tokens, without marks and comments. */
function plain(tokens: readonly Token[] | undefined): string {
  return (tokens ?? []).map(plainOf).join("");
}

function plainOf(token: Token): string {
  if (token.type === "html") return isComment(token) ? "" : token.raw;
  if (token.type === "table") {
    const { header, rows } = token as Tokens.Table;
    return [header, ...rows].map((row) => row.map((cell) => plain(cell.tokens)).join(" ")).join(" ");
  }
  if (token.type === "list") return (token as Tokens.List).items.map((item) => `${plain(item.tokens)} `).join("");
  if (token.type === "br" || token.type === "space") return " ";
  const inner = "tokens" in token ? token.tokens : undefined;
  return inner && inner.length > 0 ? plain(inner) : "text" in token ? String(token.text) : "";
}

const isComment = (token: Token): boolean => /^\s*<!--/.test(token.raw);

function block(token: Token, anchors: Anchors): HtmlValue {
  switch (token.type) {
    case "heading":
      return headingOf(token as Tokens.Heading, anchors);
    case "paragraph":
      return html`<p>${inline(token.tokens)}</p>\n`;
    case "code":
      return codeOf(token as Tokens.Code);
    case "table":
      return tableOf(token as Tokens.Table);
    case "list":
      return listOf(token as Tokens.List, anchors);
    case "blockquote":
      return html`<blockquote>${(token.tokens ?? []).map((part) => block(part, anchors))}</blockquote>\n`;
    case "hr":
      return html`<hr>\n`;
    case "space":
      return null;
    case "html":
      return isComment(token) ? null : html`<p>${token.raw}</p>\n`;
    default:
      return inline([token]);
  }
}

function headingOf(token: Tokens.Heading, anchors: Anchors): Html {
  const { level = 2, anchor = "" } = anchors.get(token) ?? {};
  if (level === 1) return html`<h1 id="${anchor}">${inline(token.tokens)}</h1>\n`;
  const linked = token.tokens.some(({ type }) => type === "link");
  const words = linked ? inline(token.tokens) : html`<a href="#${anchor}">${inline(token.tokens)}</a>`;
  if (level === 2) return html`<h2 id="${anchor}">${words}</h2>\n`;
  if (level === 3) return html`<h3 id="${anchor}">${words}</h3>\n`;
  return html`<h4 id="${anchor}">${words}</h4>\n`;
}

// What scrolls must be reached by keyboard.
const codeOf = ({ text, lang }: Tokens.Code): Html =>
  html`<pre tabindex="0"${lang ? html` data-language="${lang}"` : ""}><code>${text}</code></pre>\n`;

/** A table whose heads are all empty is a list of facts: the first cell of each row names the others. */
function tableOf({ header, rows }: Tokens.Table): Html {
  const isFacts = header.every(({ text }) => text.trim() === "");
  const names = header.map(({ text }) => text.replaceAll("`", "")).filter((text) => text.trim() !== "");
  const head = html`<thead><tr>${header.map(({ text, tokens }) =>
    text.trim() === "" ? html`<td></td>` : html`<th scope="col">${inline(tokens)}</th>`,
  )}</tr></thead>`;
  const label = isFacts ? "Facts" : `Table: ${names.join(", ")}`;
  return html`<div class="scroll" tabindex="0" role="group" aria-label="${label}"><table>${isFacts ? "" : head}<tbody>
${rows.map(
  (row) => html`<tr>${row.map(({ tokens }, place) =>
    isFacts && place === 0 ? html`<th scope="row">${inline(tokens)}</th>` : html`<td>${inline(tokens)}</td>`,
  )}</tr>
`,
)}</tbody></table></div>
`;
}

function listOf({ ordered, start, items }: Tokens.List, anchors: Anchors): Html {
  const lines = items.map(({ tokens }) => html`<li>${tokens.map((part) => block(part, anchors))}</li>\n`);
  if (!ordered) return html`<ul>\n${lines}</ul>\n`;
  return start === 1 || start === "" ? html`<ol>\n${lines}</ol>\n` : html`<ol start="${start}">\n${lines}</ol>\n`;
}

function inline(tokens: readonly Token[] | undefined): HtmlValue {
  return (tokens ?? []).map((token): HtmlValue => {
    switch (token.type) {
      case "codespan":
        return html`<code>${(token as Tokens.Codespan).text}</code>`;
      case "strong":
        return html`<strong>${inline(token.tokens)}</strong>`;
      case "em":
        return html`<em>${inline(token.tokens)}</em>`;
      case "del":
        return html`<del>${inline(token.tokens)}</del>`;
      case "link":
        return html`<a href="${(token as Tokens.Link).href}">${inline(token.tokens)}</a>`;
      case "br":
        return html`<br>`;
      case "html":
        return isComment(token) ? null : token.raw;
      default:
        return "tokens" in token && token.tokens
          ? inline(token.tokens)
          : "text" in token
            ? String(token.text)
            : token.raw;
    }
  });
}
