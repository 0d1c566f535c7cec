import type { Tag } from "./operations.ts";
import type { Page } from "./page.ts";

/** A page with its sentence. */
export interface Listed {
  readonly path: string;
  readonly section: string;
  readonly title: string;
  readonly about: string;
}

const CALLS = {
  title: "Every call",
  about: "All calls of the API by subject, with their paths below /api/v1.",
} as const;

/** The list of all calls, from the groups that `tags` makes of the description. */
export const callsPage = (tags: () => readonly Tag[]): Page => ({
  path: "/docs/calls",
  section: "API",
  head: CALLS,
  markdown: () => `# ${CALLS.title}

All calls of the API by subject, with their paths below \`/api/v1\`. The [reference](/docs/reference) describes each with its
fields, and has a form to try it with your key.

${tags()
  .map(
    ({ name, about, operations }) => `## ${name}

${about} [Try these calls](/docs/reference#api/tag/${name.toLowerCase().replaceAll(" ", "-")}).

| call | does |
| --- | --- |
${operations.map(({ method, path, summary }) => `| \`${method} ${path}\` | ${summary.replaceAll("|", "\\|")} |`).join("\n")}
`,
  )
  .join("\n")}`,
});

/** The first page of the site: where to begin, and every page that the navigation has. */
export const homePage = (listed: readonly Listed[]): Page => ({
  path: "/docs",
  section: "",
  markdown: () => `# Tefo documentation

Tefo takes payments and bills customers for merchants in South Africa. These pages show how to build on it; each is also
[Markdown](/llms.txt).

- [Quickstart](/docs/guides/quickstart): a payment in five minutes, with money that is not real
- [API reference](/docs/reference): every call and field, with a form to try it
- [Webhooks](/docs/guides/webhooks): hear of payments within a second
- [Testing](/docs/guides/testing): a sandbox with a clock that you can move

${sectionsOf(listed)
  .map(
    ([section, pages]) => `## ${section}

${pages.map(({ path, title, about }) => `- [${title}](${path}): ${about}`).join("\n")}
`,
  )
  .join("\n")}`,
});

/** The list of pages for language models, by the convention of llms.txt: each page's Markdown with a sentence. */
export const llmsText = (
  listed: readonly Listed[],
  baseUrl: string,
  markdownOf: (path: string) => string,
): string => `# Tefo

> Tefo takes payments and bills customers for merchants in South Africa: payment links, invoices, subscriptions, debit orders, by a
> JSON API at ${baseUrl}/api/v1.

The exact shapes of requests and answers are in [openapi.json](${baseUrl}/api/v1/openapi.json) (OpenAPI 3.1).

${sectionsOf(listed)
  .map(
    ([section, pages]) => `## ${section}

${pages.map(({ path, title, about }) => `- [${title}](${baseUrl}${markdownOf(path)}): ${about}`).join("\n")}
`,
  )
  .join("\n")}`;

function sectionsOf(listed: readonly Listed[]): [string, Listed[]][] {
  const sections = new Map<string, Listed[]>();
  for (const page of listed) sections.set(page.section, [...(sections.get(page.section) ?? []), page]);
  return [...sections];
}
