import { lineAt } from "./source.ts";
import type { Finding } from "./tidy-imports.ts";
import type { TextFile } from "./tidy-tree.ts";

/** The targets of citations. */
export interface Citable {
  /** Headings of docs/interface: `4` and `4.8`. */
  readonly sections: ReadonlySet<string>;
  /** Numbers of docs/decisions.md. */
  readonly decisions: ReadonlySet<string>;
  /** Documents that are not in the repository; a citation of one is a finding. */
  readonly retired: readonly string[];
}

const MORE = String.raw`(?:(?:,| and| or| to) (\d+(?:\.\d+)?))?`;
const NUMBERS = String.raw`(\d+(?:\.\d+)?)${MORE}${MORE}`;
const INTERFACE = new RegExp(`\\binterface ${NUMBERS}`, "gi");
const DECISIONS = new RegExp(`\\bdecisions? ${NUMBERS}`, "gi");

/** Citations without a target: `interface 4.8` without such a heading, `decision 7` without such a number. */
export function citationFindings(files: readonly TextFile[], { sections, decisions, retired }: Citable): Finding[] {
  const retiredWords = new RegExp(`\\b(?:${retired.join("|")})(?: part)? \\d+(?:\\.\\d+)?`, "gi");
  return files.flatMap(({ path, text }) => {
    const finding = (at: number, mend: string): Finding => ({ file: path, line: lineAt(text, at), mend });
    const missing = (pattern: RegExp, known: ReadonlySet<string>, mend: (name: string) => string) =>
      [...text.matchAll(pattern)].flatMap((match) =>
        match
          .slice(1)
          .filter((name) => name !== undefined && !known.has(name))
          .map((name) => finding(match.index, mend(name))),
      );
    return [
      ...missing(INTERFACE, sections, (name) => `docs/interface has no section ${name}: cite one that it has`),
      ...missing(DECISIONS, decisions, (name) => `docs/decisions.md has no ${name}: cite one that it has`),
      ...(retired.length === 0 ? [] : [...text.matchAll(retiredWords)]).map((match) =>
        finding(match.index, `${match[0]}: readers have no such document; cite docs/interface or a decision`),
      ),
    ];
  });
}

/** The numbers of docs/decisions.md. */
export const decisionNumbers = (decisions: string): Set<string> =>
  new Set([...decisions.matchAll(/^(\d+)\. /gm)].map(([, number = ""]) => number));
