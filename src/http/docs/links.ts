import { posix } from "node:path";

/** Where a link between files of the repository leads on the site; null for a file that the site does not have. */
export type Locate = (file: string) => string | null;

const FENCE = /^\s*(```|~~~)/;
/** A link whose target is a file here: no address, no anchor alone, no path of the site. */
const TO_FILE = /\]\((?![a-z][a-z0-9+.-]*:|#|\/)([^)\s#]+)(#[^)\s]*)?\)/gi;

/** The Markdown of `file` with its links to files turned into links to the site, outside of code. */
export function relinked(markdown: string, file: string, locate: Locate): string {
  return outsideCode(markdown, (line) =>
    line.replaceAll(TO_FILE, (link, target: string, anchor = "") => {
      const place = locate(posix.normalize(posix.join(posix.dirname(file), target)));
      return place === null ? link : `](${place}${anchor})`;
    }),
  );
}

/** The files that a Markdown file links to. */
export function linkedFiles(markdown: string, file: string): string[] {
  const found: string[] = [];
  relinked(markdown, file, (target) => {
    found.push(target);
    return null;
  });
  return found;
}

/** Links between pages as links between their Markdown: `/docs/guides/x#y` as `/docs/guides/x.md#y`. */
export const toMarkdownLinks = (
  markdown: string,
  isPage: (path: string) => boolean,
  markdownOf: (path: string) => string,
): string =>
  outsideCode(markdown, (line) =>
    line.replaceAll(/\]\((\/[^)\s#]*)(#[^)\s]*)?\)/g, (link, path: string, anchor = "") =>
      isPage(path) ? `](${markdownOf(path)}${anchor})` : link,
    ),
  );

function outsideCode(markdown: string, change: (line: string) => string): string {
  let isCode = false;
  return markdown
    .split("\n")
    .map((line) => {
      if (FENCE.test(line)) isCode = !isCode;
      return isCode ? line : change(line);
    })
    .join("\n");
}
