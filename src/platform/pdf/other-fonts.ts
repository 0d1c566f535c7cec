import { readFileSync } from "node:fs";
import { charactersOf, fromWoff2 } from "./woff2.ts";

/** The code points that a font file covers. */
export type Ranges = readonly (readonly [first: number, last: number])[];

/**
 * The fonts of the scripts that Noto Sans itself lacks, in the order in which they are asked. Each is of many files,
 * each with all weights and with a part of the letters, so that a name takes a few kilobytes. Read when a document
 * first holds such a letter.
 */
const FAMILIES: Readonly<Record<string, () => string>> = {
  "noto-sans-hebrew": () => import.meta.resolve("@fontsource-variable/noto-sans-hebrew/package.json"),
  "noto-sans-arabic": () => import.meta.resolve("@fontsource-variable/noto-sans-arabic/package.json"),
  "noto-sans-thai": () => import.meta.resolve("@fontsource-variable/noto-sans-thai/package.json"),
  "noto-emoji": () => import.meta.resolve("@fontsource-variable/noto-emoji/package.json"),
  "noto-sans-sc": () => import.meta.resolve("@fontsource-variable/noto-sans-sc/package.json"),
  "noto-sans-jp": () => import.meta.resolve("@fontsource-variable/noto-sans-jp/package.json"),
  "noto-sans-tc": () => import.meta.resolve("@fontsource-variable/noto-sans-tc/package.json"),
  "noto-sans-kr": () => import.meta.resolve("@fontsource-variable/noto-sans-kr/package.json"),
};

/** Files of letters that Noto Sans has. */
const OF_NOTO_SANS = /^(latin|cyrillic|greek|vietnamese|math|symbols)/;

const folderOf = (family: string): URL => new URL("./", FAMILIES[family]?.());

/** The ranges of each file of a package in `folder`, by the name that the file has in it. */
export function readRanges(folder: URL): ReadonlyMap<string, Ranges> {
  const named = JSON.parse(readFileSync(new URL("unicode.json", folder), "utf8")) as Record<string, string>;
  return new Map(
    Object.entries(named).map(([part, text]) => [
      part.replace(/[[\]]/g, ""),
      text.split(",").map((range) => {
        const [first = "", last = first] = range.replace("U+", "").split("-");
        return [Number.parseInt(first, 16), Number.parseInt(last, 16)] as const;
      }),
    ]),
  );
}

/** Whether the code point is in one of the ranges. */
export const isWithin = (ranges: Ranges, point: number): boolean =>
  ranges.some(([first, last]) => point >= first && point <= last);

let parts: ReadonlyMap<number, readonly string[]> | undefined;

/** The first file, as `family/part`, that has every one of the code points. */
export function otherPartWith(points: readonly number[]): string | undefined {
  parts ??= readParts();
  const [first = 0] = points;
  return parts.get(first)?.find((part) => points.every((point) => lettersOf(part).has(point)));
}

const letters = new Map<string, ReadonlySet<number>>();

/** The letters that a file has: the list of its package names some that it lacks. */
function lettersOf(part: string): ReadonlySet<number> {
  const found = letters.get(part) ?? charactersOf(readFileSync(fileOf(part)));
  letters.set(part, found);
  return found;
}

function fileOf(name: string): URL {
  const [family = "", part = ""] = name.split("/");
  return new URL(`files/${family}-${part}-wght-normal.woff2`, folderOf(family));
}

/** The files that say they have each code point. */
function readParts(): ReadonlyMap<number, readonly string[]> {
  const found = new Map<number, string[]>();
  for (const family of Object.keys(FAMILIES))
    for (const [part, ranges] of readRanges(folderOf(family))) {
      if (OF_NOTO_SANS.test(part)) continue;
      for (const [first, last] of ranges)
        for (let point = first; point <= last; point++) {
          const files = found.get(point);
          if (files) files.push(`${family}/${part}`);
          else found.set(point, [`${family}/${part}`]);
        }
    }
  return found;
}

/** The bytes of a file of `otherPartWith` for one weight. */
export function otherFont(name: string, weight: number): Buffer {
  const bytes = fromWoff2(readFileSync(fileOf(name)));
  return withMark(
    bytes,
    [...`${name}-${weight}`].reduce((sum, sign) => (sum * 31 + sign.charCodeAt(0)) % 2 ** 32, 7),
  );
}

/** Marks the font by its checksum: pdfkit takes fonts of one name and one checksum for the same, whatever letters they have. */
function withMark(font: Buffer, mark: number): Buffer {
  for (let record = 12; record < 12 + 16 * font.readUInt16BE(4); record += 16)
    if (font.toString("latin1", record, record + 4) === "head")
      font.writeUInt32BE(mark, font.readUInt32BE(record + 8) + 8);
  return font;
}
