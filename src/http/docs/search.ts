import type { Passage } from "./markdown.ts";

/** A page in the search. */
export interface Searched {
  readonly path: string;
  readonly section: string;
  readonly title: string;
  readonly passages: readonly Passage[];
}

/**
 * What the search of the browser reads: for each page its section, title and path, and for each of its headings the
 * text, the anchor and the words below it, each once.
 */
export interface SearchIndex {
  readonly pages: readonly {
    readonly section: string;
    readonly title: string;
    readonly path: string;
    readonly passages: readonly (readonly [heading: string, anchor: string, words: string])[];
  }[];
}

/** Shorter words say nothing, and longer ones are keys, ids and hashes. */
const WORD = /[\p{L}\p{N}_.-]{3,40}/gu;
const COMMON = new Set(
  "and are but can for from has have its not one that the their them then there they this was when which with you your".split(
    " ",
  ),
);

/** The index of all pages. */
export const searchIndex = (pages: readonly Searched[]): SearchIndex => ({
  pages: pages.map(({ path, section, title, passages }) => ({
    section,
    title,
    path,
    passages: passages.map(({ heading, anchor, text }) => [heading, anchor ?? "", wordsOf(text)] as const),
  })),
});

const wordsOf = (text: string): string =>
  [...new Set([...text.toLowerCase().matchAll(WORD)].map(([word]) => word.replaceAll(/^[.-]+|[.-]+$/g, "")))]
    .filter((word) => word.length > 2 && !COMMON.has(word))
    .join(" ");
