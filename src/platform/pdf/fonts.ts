import { readFileSync } from "node:fs";
import { inflateSync } from "node:zlib";
import { isWithin, otherFont, otherPartWith, type Ranges, readRanges } from "./other-fonts.ts";

/** The two weights that documents are written in. */
export type Weight = "regular" | "bold";

/** Text in one font: `font` is a built-in name of pdfkit, or a name that `fontFile` knows. */
export interface Run {
  readonly font: string;
  readonly text: string;
}

/** Fonts and characters that every PDF reader has, so that no font file is embedded. */
const BUILT_IN: Readonly<Record<Weight, string>> = { regular: "Helvetica", bold: "Helvetica-Bold" };
const WIN_ANSI = /^[\x20-\x7e\xa0-\xff€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]*$/;

/** Noto Sans is used for other characters; each file covers a part of Unicode, the most frequent first. */
const PARTS = ["latin", "latin-ext", "vietnamese", "greek", "greek-ext", "cyrillic", "cyrillic-ext", "devanagari"];
const FILE_WEIGHTS: Readonly<Record<Weight, number>> = { regular: 400, bold: 700 };
/** Replaces a character that no font has. It is in the part `latin`. */
const REPLACEMENT = "\ufffd";
/** Most combining marks on one letter; more would overlap other lines. */
const CLUSTER_MAX = 8;

const letters = new Intl.Segmenter("en", { granularity: "grapheme" });

/** The graphemes of a text: combining marks stay with their letter. */
export const lettersOf = (text: string): string[] => Array.from(letters.segment(text), ({ segment }) => segment);

/**
 * Text as a page can show it: line breaks are `\n`, and control characters and marks that change the writing direction
 * are removed.
 */
export function printable(text: string): string {
  if (WIN_ANSI.test(text)) return text.replaceAll("\u00ad", "");
  return text
    .toWellFormed()
    .normalize("NFC")
    .replace(/\r\n|[\r\v\f\u0085\u2028\u2029]/g, "\n")
    .replace(/[\u2007\u202f]/g, "\u00a0")
    .replace(/[\t\u1680\u2000-\u200a\u205f\u3000]/g, " ")
    .replace(/[\u2010\u2011]/g, "-")
    .replace(/(?!\n|\u200c|\u200d)[\p{Cc}\p{Cf}]/gu, "");
}

/** Splits one word of `printable` text by the fonts that have its letters. A word is written in one font when one has all its letters. */
export function runsOf(word: string, weight: Weight): Run[] {
  if (WIN_ANSI.test(word)) return [{ font: BUILT_IN[weight], text: word }];
  const runs: Run[] = [];
  for (const letter of lettersOf(word)) {
    const { part, text } = shapeOf(letter);
    const font = `${part}-${FILE_WEIGHTS[weight]}`;
    const last = runs.at(-1);
    if (last?.font === font) runs[runs.length - 1] = { font, text: last.text + text };
    else runs.push({ font, text });
  }
  return runs;
}

/** Whether a font of `runsOf` is one that every PDF reader has. */
export const isBuiltIn = (font: string): boolean => font.startsWith(BUILT_IN.regular);

/** A font file, and the weight to write in when it holds every weight. */
export interface FontFile {
  readonly bytes: Buffer;
  readonly axes?: { readonly wght: number };
}

/** Files that are kept; the scripts of East Asia have hundreds, which one document seldom needs twice. */
const FILES_MAX = 48;
const files = new Map<string, FontFile>();

/** The file of a font of `runsOf`, or null for a built-in one. */
export function fontFile(font: string): FontFile | null {
  if (isBuiltIn(font)) return null;
  const known = files.get(font);
  if (known) return known;
  const dash = font.lastIndexOf("-");
  const file = readFont(font.slice(0, dash), Number(font.slice(dash + 1)));
  const [oldest] = files.keys();
  if (files.size >= FILES_MAX && oldest !== undefined) files.delete(oldest);
  files.set(font, file);
  return file;
}

function readFont(part: string, weight: number): FontFile {
  if (PARTS.includes(part))
    return { bytes: unpacked(readFileSync(new URL(`files/noto-sans-${part}-${weight}-normal.woff`, folder()))) };
  return { bytes: otherFont(part, weight), axes: { wght: weight } };
}

/**
 * The TrueType font inside a WOFF file (W3C WOFF 1.0, 4 and 5). pdfkit reads both, but it would unpack the file for
 * every document, which takes ten times as long as the rest.
 */
function unpacked(woff: Buffer): Buffer {
  const count = woff.readUInt16BE(12);
  const head = Buffer.alloc(12 + 16 * count);
  woff.copy(head, 0, 4, 8);
  head.writeUInt16BE(count, 4);
  const tables: Buffer[] = [head];
  let at = head.length;
  for (let index = 0; index < count; index++) {
    const entry = 44 + 20 * index;
    const [start, packed, length] = [4, 8, 12].map((field) => woff.readUInt32BE(entry + field)) as [
      number,
      number,
      number,
    ];
    const data = woff.subarray(start, start + packed);
    const table = Buffer.alloc(Math.ceil(length / 4) * 4);
    (packed < length ? inflateSync(data) : data).copy(table);
    const record = 12 + 16 * index;
    woff.copy(head, record, entry, entry + 4);
    woff.copy(head, record + 4, entry + 16, entry + 20);
    head.writeUInt32BE(at, record + 8);
    head.writeUInt32BE(length, record + 12);
    tables.push(table);
    at += table.length;
  }
  return Buffer.concat(tables);
}

const folder = () => new URL("./", import.meta.resolve("@fontsource/noto-sans/package.json"));
let ranges: ReadonlyMap<string, Ranges> | undefined;

interface Shape {
  readonly part: string;
  readonly text: string;
}

/** Letters whose shape is kept; a language has a few thousand at most. */
const SHAPES_MAX = 10_000;
const shapes = new Map<string, Shape>();

function shapeOf(letter: string): Shape {
  const known = shapes.get(letter);
  if (known) return known;
  const found = findShape(letter);
  if (shapes.size >= SHAPES_MAX) shapes.clear();
  if (letter.length <= 2 * CLUSTER_MAX) shapes.set(letter, found);
  return found;
}

/** The part that has the letter; when none has it with its marks, the letter without them. */
function findShape(letter: string): Shape {
  const signs = Array.from(letter).slice(0, CLUSTER_MAX);
  for (const text of [signs.join(""), signs[0] ?? ""]) {
    const points = pointsOf(text);
    const part = partWith(points);
    if (part !== undefined) return { part, text };
    const other = otherPartWith(points);
    // Their files have no signs that join or choose: those signs would be written as boxes.
    if (other !== undefined) return { part: other, text: String.fromCodePoint(...points) };
  }
  return { part: "latin", text: REPLACEMENT };
}

/** The code points that must be written: not joiners and variation selectors. */
const pointsOf = (letter: string): readonly number[] =>
  Array.from(letter, (sign) => sign.codePointAt(0) ?? 0).filter(
    (point) => !(point === 0x200c || point === 0x200d || (point >= 0xfe00 && point <= 0xfe0f)),
  );

/** The first part that has every one of the code points. */
function partWith(points: readonly number[]): string | undefined {
  ranges ??= readRanges(folder());
  return PARTS.find((part) => {
    const of = ranges?.get(part) ?? [];
    return points.every((point) => isWithin(of, point));
  });
}
