import { setImmediate } from "node:timers/promises";
import type { JsonSchema } from "../openapi/json-schema.ts";
import { errorPages } from "./errors.ts";
import { eventPages } from "./events.ts";
import { type LinkedFile, readGuides } from "./guides.ts";
import { callsPage, homePage, type Listed, llmsText } from "./home.ts";
import { type Assets, docsPage, type Entry, markdownPath, type Section } from "./layout.ts";
import { toMarkdownLinks } from "./links.ts";
import { headOf, type Rendered, render } from "./markdown.ts";
import { tagsOf } from "./operations.ts";
import type { Page } from "./page.ts";
import { type SearchIndex, searchIndex } from "./search.ts";

/** The pages of the documentation. Each is made when it is asked for. */
export interface DocsSite {
  /** Paths of all pages. */
  readonly paths: readonly string[];
  /** Other files that pages link to. */
  readonly files: readonly LinkedFile[];
  /** The page as HTML. */
  page(path: string, assets: Assets): string;
  /** The page as Markdown, its links leading to Markdown. */
  markdown(path: string): string;
  /** The page of a path that is no page. */
  missing(assets: Assets): string;
  llms(): string;
  /** Renders all pages, and lets other requests through in between. */
  search(): Promise<SearchIndex>;
}

const WEBHOOKS = "/docs/guides/webhooks";
const REFERENCE: Entry = { path: "/docs/reference", title: "Reference, with a form to try calls" };

/** Reads the Markdown files, and knows every page. `document` gives the client API's description. */
export async function openSite(document: () => JsonSchema, baseUrl: string): Promise<DocsSite> {
  const guides = await readGuides();
  const webhooks = guides.pages.find(({ path }) => path === WEBHOOKS)?.markdown() ?? "";
  const gateways = guides.pages.findIndex(({ section }) => section === "Gateways");
  const pages = [
    ...guides.pages.slice(0, gateways),
    callsPage(() => tagsOf(document())),
    ...errorPages(baseUrl),
    ...eventPages(document, webhooks),
    ...guides.pages.slice(gateways),
  ];
  const listed = kept((page: Page): Listed => {
    const { title, about } = page.head ?? headOf(page.markdown());
    return { path: page.path, section: page.section, title, about };
  });
  const named = pages.filter(({ below }) => !below).map(listed);
  const all = [homePage(named), ...pages];
  const byPath = new Map(all.map((page) => [page.path, page]));
  const sections = sectionsOf(named);
  const rendered = (page: Page): Rendered => render(page.markdown());
  return {
    paths: all.map(({ path }) => path),
    files: guides.files,
    page(path, assets) {
      const page = byPath.get(path) ?? NOWHERE;
      const place = placeOf(page, all, listed);
      return docsPage({ path, ...place, rendered: rendered(page), hasMarkdown: true, sections }, assets).toString();
    },
    markdown: (path) =>
      toMarkdownLinks(byPath.get(path)?.markdown() ?? "", (target) => byPath.has(target), markdownPath),
    missing: (assets) =>
      docsPage({ ...ALONE, path: "", rendered: rendered(NOWHERE), hasMarkdown: false, sections }, assets).toString(),
    llms: () => llmsText(pages.map(listed), baseUrl, markdownPath),
    async search() {
      const searched = [];
      for (const page of all) {
        const { title, passages } = rendered(page);
        searched.push({ path: page.path, section: page.section, title, passages });
        await setImmediate();
      }
      return searchIndex(searched);
    },
  };
}

const NOWHERE: Page = {
  path: "",
  section: "",
  markdown: () => `# Page not found

There is no such page. The menu has every page, and the search looks in all of them. [The first page](/docs) says where to begin.
`,
};
const ALONE = { section: "", above: null, previous: null, next: null } as const;

/** `make`, which is called once for each argument. */
function kept<A extends object, B>(make: (argument: A) => B): (argument: A) => B {
  const results = new Map<A, B>();
  return (argument) => {
    const known = results.get(argument);
    if (known !== undefined) return known;
    const made = make(argument);
    results.set(argument, made);
    return made;
  };
}

function sectionsOf(listed: readonly Listed[]): Section[] {
  const names = [...new Set(listed.map(({ section }) => section))];
  return names.map((name) => {
    const entries = listed.filter(({ section }) => section === name);
    return { name, entries: name === "API" ? [REFERENCE, ...entries] : entries };
  });
}

/** What stands around a page: its neighbours in the navigation, or, below an index, those below the same. */
function placeOf(page: Page, all: readonly Page[], listed: (page: Page) => Listed) {
  const parent = (path: string): string => path.slice(0, path.lastIndexOf("/"));
  const near = all.filter((other) =>
    page.below ? other.below === true && parent(other.path) === parent(page.path) : !other.below,
  );
  const entry = (other: Page | undefined): Entry | null => (other ? listed(other) : null);
  const place = near.indexOf(page);
  return {
    section: page.section,
    above: entry(page.below && all.find(({ path }) => path === parent(page.path))),
    previous: entry(near[place - 1]),
    next: entry(near[place + 1]),
  };
}
