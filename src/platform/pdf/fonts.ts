import { readFileSync } from "node:fs";

/** The two weights that documents are written in. */
export type Weight = "regular" | "bold";

/** Text in one font: `font` is a name that pdfkit has built in, or one of `fontFile`. */
export interface Run {
  readonly font: string;
  readonly text: string;
}

/** What the fonts that every reader of PDFs has can write: no file is embedded for it. */
const BUILT_IN: Readonly<Record<Weight, string>> = { regular: "Helvetica", bold: "Helvetica-Bold" };
const WIN_ANSI = /^[\x20-\x7e\xa0-\xff€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]*$/;

/** Noto Sans writes the rest; its files hold a part of Unicode each, the commonest first. */
const PARTS = ["latin", "latin-ext", "vietnamese", "greek", "greek-ext", "cyrillic", "cyrillic-ext", "devanagari"];
const FILE_WEIGHTS: Readonly<Record<Weight, number>> = { regular: 400, bold: 700 };
/** Stands where no font has the letter. It is in the part `latin`. */
const REPLACEMENT = "\ufffd";
/** Marks piled on one letter beyond this would run over the lines around it. */
const CLUSTER_MAX = 8;

const FOLDER = new URL("./", import.meta.resolve("@fontsource/noto-sans/package.json"));
const letters = new Intl.Segmenter("en", { granularity: "grapheme" });

/** What a reader calls a letter each: marks stay with what they stand on. */
export const lettersOf = (text: string): string[] => Array.from(letters.segment(text), ({ segment }) => segment);

/**
 * Text as a page can show it: line breaks are `\n`, and what has no shape of its own but moves others (control characters, marks
 * that turn the writing direction around) is gone.
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

/** Splits one word of `printable` text by the fonts that have its letters. A word is not written in two faces if it can be helped. */
export function runsOf(word: string, weight: Weight): Run[] {
  if (WIN_ANSI.test(word)) return [{ font: BUILT_IN[weight], text: word }];
  const runs: Run[] = [];
  for (const letter of lettersOf(word)) {
    const part = partWith(letter);
    const font = `${part ?? "latin"}-${FILE_WEIGHTS[weight]}`;
    const text = part === undefined ? REPLACEMENT : Array.from(letter).slice(0, CLUSTER_MAX).join("");
    const last = runs.at(-1);
    if (last?.font === font) runs[runs.length - 1] = { font, text: last.text + text };
    else runs.push({ font, text });
  }
  return runs;
}

const files = new Map<string, Buffer>();

/** The bytes of a font of `runsOf`, or null for a built-in one. Read once: there are 16 of them, half a megabyte in all. */
export function fontFile(font: string): Buffer | null {
  if (font.startsWith(BUILT_IN.regular)) return null;
  const known = files.get(font);
  if (known) return known;
  const bytes = readFileSync(new URL(`files/noto-sans-${font}-normal.woff`, FOLDER));
  files.set(font, bytes);
  return bytes;
}

type Ranges = readonly (readonly [first: number, last: number])[];
let ranges: ReadonlyMap<string, Ranges> | undefined;

/** The first part that has every sign of the letter; joiners and variation selectors need no shape. */
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
