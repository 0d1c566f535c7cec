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
  /** Words that no passage has, since all have them: who looks for them means the others. */
  readonly common: readonly string[];
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
  (
    "about after again all also and any are because been before being below beside both but can could does each " +
    "else every for from given has have here how however into its itself just kept let like made makes may more " +
    "most must never not nothing now once one only other others otherwise out over own same says see should since " +
    "some still such than that the their them then there these they this those through too two under unless until " +
    "upon very was were what when where whether which while who whole whose why will with within without would yet " +
    "you your"
  ).split(" "),
);

/** The index of all pages. */
export const searchIndex = (pages: readonly Searched[]): SearchIndex => ({
  common: [...COMMON],
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
