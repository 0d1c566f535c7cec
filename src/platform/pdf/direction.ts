import { createRequire } from "node:module";
import type { Run } from "./fonts.ts";

/** Letters of scripts that are written from right to left. */
const FROM_THE_RIGHT = /[\p{Script=Hebrew}\p{Script=Arabic}]/u;

interface Bidi {
  getEmbeddingLevels(text: string, direction?: "ltr" | "rtl"): { levels: Uint8Array };
  getMirroredCharacter(sign: string): string | null;
}

let loaded: Bidi | undefined;
/** Loaded when the first text needs it. */
function bidi(): Bidi {
  const require = createRequire(import.meta.url);
  loaded ??= (require("bidi-js") as () => Bidi)();
  return loaded;
}

/** Whether a text has letters that are written from right to left. */
export const turnsRound = (text: string): boolean => FROM_THE_RIGHT.test(text);

/**
 * The runs of a line in the order in which they stand on the page, by Unicode's bidirectional algorithm. A font turns
 * the letters of its own run round, when they are of such a script; signs of other fonts are turned round here.
 */
export function inVisualOrder(line: string, runsOf: (text: string) => readonly Run[]): Run[] {
  const { levels } = bidi().getEmbeddingLevels(line);
  const pieces: { readonly level: number; readonly runs: readonly Run[] }[] = [];
  let from = 0;
  for (let at = 1; at <= line.length; at++) {
    const isOne = at < line.length && levels[at] === levels[from] && (line[at] === " ") === (line[at - 1] === " ");
    if (isOne) continue;
    const level = levels[from] ?? 0;
    for (const run of runsOf(line.slice(from, at)))
      pieces.push({ level, runs: [level % 2 === 1 && !turnsRound(run.text) ? mirrored(run) : run] });
    from = at;
  }
  const highest = Math.max(...pieces.map(({ level }) => level));
  for (let level = highest; level > 0; level--) turnFrom(pieces, level);
  return pieces.flatMap(({ runs }) => runs);
}

/** Turns round each sequence of pieces of the level or above (rule L2). */
function turnFrom<T extends { readonly level: number }>(pieces: T[], level: number): void {
  for (let at = 0; at < pieces.length; at++) {
    let end = at;
    while (end < pieces.length && (pieces[end]?.level ?? 0) >= level) end++;
    if (end > at + 1) pieces.splice(at, end - at, ...pieces.slice(at, end).reverse());
    at = Math.max(at, end);
  }
}

const mirrored = ({ font, text }: Run): Run => ({
  font,
  text: Array.from(text, (sign) => bidi().getMirroredCharacter(sign) ?? sign)
    .reverse()
    .join(""),
});
