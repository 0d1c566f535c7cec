import { readFileSync } from "node:fs";
import { inflateSync } from "node:zlib";

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

const FOLDER = new URL("./", import.meta.resolve("@fontsource/noto-sans/package.json"));
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

const files = new Map<string, Buffer>();

/** The bytes of a font of `runsOf`, or null for a built-in one. Read once: there are 16 of them, a megabyte in all. */
export function fontFile(font: string): Buffer | null {
  if (font.startsWith(BUILT_IN.regular)) return null;
  const known = files.get(font);
  if (known) return known;
  const bytes = unpacked(readFileSync(new URL(`files/noto-sans-${font}-normal.woff`, FOLDER)));
  files.set(font, bytes);
  return bytes;
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

type Ranges = readonly (readonly [first: number, last: number])[];
let ranges: ReadonlyMap<string, Ranges> | undefined;

/** The part that has the letter; when none has it with its marks, the letter without them. */
function shapeOf(letter: string): { part: string; text: string } {
  const signs = Array.from(letter).slice(0, CLUSTER_MAX);
  for (const text of [signs.join(""), signs[0] ?? ""]) {
    const part = partWith(text);
    if (part !== undefined) return { part, text };
  }
  return { part: "latin", text: REPLACEMENT };
}

/** The first part that has every code point of the letter; joiners and variation selectors are not needed. */
function partWith(letter: string): string | undefined {
  ranges ??= readRanges();
  const points = Array.from(letter, (sign) => sign.codePointAt(0) ?? 0).filter(
    (point) => !(point === 0x200c || point === 0x200d || (point >= 0xfe00 && point <= 0xfe0f)),
  );
  return PARTS.find((part) =>
    points.every((point) => ranges?.get(part)?.some(([first, last]) => point >= first && point <= last)),
  );
}

function readRanges(): ReadonlyMap<string, Ranges> {
  const named = JSON.parse(readFileSync(new URL("unicode.json", FOLDER), "utf8")) as Record<string, string>;
  return new Map(
    Object.entries(named).map(([part, text]) => [
      part,
      text.split(",").map((range) => {
        const [first = "", last = first] = range.replace("U+", "").split("-");
        return [Number.parseInt(first, 16), Number.parseInt(last, 16)] as const;
      }),
    ]),
  );
}
