import { lineAt } from "./source.ts";
import type { Finding } from "./tidy-imports.ts";
import type { TextFile } from "./tidy-tree.ts";

/** The targets of citations. */
export interface Citable {
  /** Headings of docs/interface: `4` and `4.8`. */
  readonly sections: ReadonlySet<string>;
  /** Anchors of docs/decisions.md, each with the line of its heading. */
  readonly decisions: ReadonlyMap<string, number>;
  /** Documents that are not in the repository; a citation of one is a finding. */
  readonly retired: readonly string[];
}

const DECISIONS = "docs/decisions.md";
const MORE = String.raw`(?:(?:,| and| or| to) (\d+(?:\.\d+)?))?`;
const INTERFACE = new RegExp(String.raw`\binterface (\d+(?:\.\d+)?)${MORE}${MORE}`, "gi");
/** `decisions.md#late-success-wins`, also where a comment breaks the line. */
const ANCHORS = /\bdecisions\.md#([a-z0-9-]+)/g;
const NUMBERED = /\bdecisions?\s+(?:\*|\/\/|--)?\s*\d/gi;

/**
 * Citations without a target: `interface 4.8` without such a heading, `decisions.md#lock-order` without such a decision, a decision by a
 * number; and decisions that no other file cites.
 */
export function citationFindings(files: readonly TextFile[], { sections, decisions, retired }: Citable): Finding[] {
  const retiredWords = new RegExp(`\\b(?:${retired.join("|")})(?: part)? \\d+(?:\\.\\d+)?`, "gi");
  const cited = new Set(
    files.flatMap(({ path, text }) =>
      path === DECISIONS ? [] : [...text.matchAll(ANCHORS)].map(([, anchor = ""]) => anchor),
    ),
  );
  return [
    ...files.flatMap(({ path, text }) => {
      const finding = (at: number, mend: string): Finding => ({ file: path, line: lineAt(text, at), mend });
      const missing = (pattern: RegExp, known: { has(name: string): boolean }, mend: (name: string) => string) =>
        [...text.matchAll(pattern)].flatMap((match) =>
          match
            .slice(1)
            .filter((name) => name !== undefined && !known.has(name))
            .map((name) => finding(match.index, mend(name))),
        );
      return [
        ...missing(INTERFACE, sections, (name) => `docs/interface has no section ${name}: cite one that it has`),
        ...missing(ANCHORS, decisions, (name) => `${DECISIONS} has no heading ${name}: cite one that it has`),
        ...[...text.matchAll(NUMBERED)].map((match) =>
          finding(match.index, `decisions have names: cite a heading of ${DECISIONS}, \`decisions.md#lock-order\``),
        ),
        ...(retired.length === 0 ? [] : [...text.matchAll(retiredWords)]).map((match) =>
          finding(match.index, `${match[0]}: readers have no such document; cite docs/interface or a decision`),
        ),
      ];
    }),
    ...[...decisions]
      .filter(([anchor]) => !cited.has(anchor))
      .map(([anchor, line]) => ({
        file: DECISIONS,
        line,
        mend: `nothing cites it: write \`decisions.md#${anchor}\` at the code that would otherwise be changed, or delete it`,
      })),
  ];
}

/** The decisions of docs/decisions.md, its headings of the third level, by the anchors that they get as a page. */
export const decisionAnchors = (decisions: string): Map<string, number> =>
  new Map(
    [...decisions.matchAll(/^### (.+)$/gm)].map(({ 1: heading = "", index }) => [
      heading
        .toLowerCase()
        .replaceAll(/[^a-z0-9 -]/g, "")
        .replaceAll(" ", "-"),
      lineAt(decisions, index),
    ]),
  );
