import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./source.ts";

const FOLDER = join(ROOT, "docs/interface");
/** A section that begins with this text describes what is not built yet, and so do the sections below it. */
const TO_COME = "**Not in this version.**";

/** One heading of docs/interface with the text up to the next heading. */
export interface Section {
  readonly file: string;
  readonly heading: string;
  /** `4.8`, or `4` for a part; null for a heading without a number, which belongs to the section above it. */
  readonly number: string | null;
  readonly text: string;
  readonly toCome: boolean;
}

/** The sections of one page, in order. */
export function sectionsOf(file: string, page: string): Section[] {
  const above: { level: number; toCome: boolean }[] = [];
  return page
    .split(/^(?=#+ )/m)
    .filter((part) => part.startsWith("#"))
    .map((part) => {
      const [line = "", ...rest] = part.split("\n");
      const [, hashes = "", heading = ""] = /^(#+) (.*)$/.exec(line) ?? [];
      while ((above.at(-1)?.level ?? 0) >= hashes.length) above.pop();
      const toCome = rest.join("\n").trimStart().startsWith(TO_COME) || (above.at(-1)?.toCome ?? false);
      above.push({ level: hashes.length, toCome });
      const number = /^(\d+(?:\.\d+)?)\.? /.exec(heading)?.[1] ?? null;
      return { file, heading, number, text: rest.join("\n"), toCome };
    });
}

/** Every section of docs/interface. */
export const interfaceSections = (): Section[] =>
  readdirSync(FOLDER)
    .sort()
    .flatMap((file) => sectionsOf(file, readFileSync(join(FOLDER, file), "utf8")));

/** Text between backticks, without them; a span may continue on the next line. */
export const codeSpans = (text: string): string[] =>
  text.split(/\n\n+/).flatMap((block) => [...block.matchAll(/`([^`]+)`/g)].map(([, span = ""]) => span));

/** The rows of the first table that follows `marker`, each as its cells; the heading row is left out. */
export function tableAfter(text: string, marker: string): string[][] {
  const [, after] = text.split(marker);
  const [block = ""] = (after ?? "").trimStart().split("\n\n");
  return block
    .split("\n")
    .slice(2)
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}
