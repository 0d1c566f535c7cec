import type { default as PDFDocument } from "pdfkit";
import { inVisualOrder, turnsRound } from "./direction.ts";
import { type FontFile, fontFile, isBuiltIn, lettersOf, printable, type Run, runsOf, type Weight } from "./fonts.ts";
import { embedsItsWeight } from "./outline.ts";

/** Style of text. Lengths are points, 72 to the inch. */
export interface Style {
  readonly weight: Weight;
  readonly size: number;
  /** Line height. */
  readonly leading: number;
  /** `#rrggbb`. */
  readonly colour: string;
}

/** One line, ready to draw. */
export interface TextLine {
  readonly runs: readonly Run[];
  readonly width: number;
  readonly style: Style;
}

type Doc = typeof PDFDocument;

/** Measures, breaks and draws text with the fonts of one document. */
export interface TextLayout {
  /**
   * Lines no wider than `width`: broken at spaces, within a word only when the word alone is wider. Empty lines within the text
   * are kept, those at its start and end are not. Empty text has no lines.
   */
  lines(text: string, style: Style, width: number): TextLine[];
  /** The width of the text's widest line when nothing is broken. */
  width(text: string, style: Style): number;
  /**
   * Draws a line with its top left corner there; with `more` a space is added, so that a screen reader separates the
   * last word from the next line.
   */
  draw(line: TextLine, x: number, y: number, more: boolean): void;
}

/** Height of capitals in Helvetica and Noto Sans, as a share of the font size. */
const CAPITALS = 0.716;

/** A text layout that draws into `doc`. */
export function openTextLayout(doc: Doc): TextLayout {
  const fonts = openFonts(doc);
  return {
    lines(text, style, width) {
      const clean = printable(text).replace(/^[ \n]+|[ \n]+$/g, "");
      if (clean === "") return [];
      return clean
        .split("\n")
        .flatMap((paragraph) => broken(fonts, paragraph, style, width))
        .map((line) => finish(fonts, line, style));
    },
    width: (text, style) =>
      Math.max(
        0,
        ...printable(text)
          .split("\n")
          .map((line) => unbroken(fonts, line, style)),
      ),
    draw({ runs, style: { size, leading, colour } }, x, y, more) {
      const baseline = y + (leading + CAPITALS * size) / 2;
      let at = x;
      for (const [index, run] of runs.entries()) {
        fonts.select(run.font, size);
        // Other fonts may lack the space, or write it at the other end.
        const text = more && index === runs.length - 1 && isBuiltIn(run.font) ? `${run.text} ` : run.text;
        doc.fillColor(colour).text(text, at, baseline, { lineBreak: false, baseline: "alphabetic" });
        at += fonts.width(run, size);
      }
      const last = runs.at(-1);
      if (!more || !last || isBuiltIn(last.font)) return;
      fonts.select("Helvetica", size);
      doc.text(" ", at, baseline, { lineBreak: false, baseline: "alphabetic" });
    },
  };
}

interface Fonts {
  /** Selects the font that `doc` writes in. */
  select(font: string, size: number): void;
  width(run: Run, size: number): number;
}

/** pdfkit also takes the axes of a font of many weights; its types do not say so. */
const takesAxes = (doc: Doc) =>
  doc as Doc & { registerFont(name: string, bytes: Buffer, axes: FontFile["axes"]): void };

function openFonts(doc: Doc): Fonts {
  const widths = new Map<string, number>();
  const opened = new Set<string>();
  const select = (font: string, size: number): void => {
    if (!opened.has(font)) {
      const file = fontFile(font);
      if (file) takesAxes(doc).registerFont(font, file.bytes, file.axes);
      opened.add(font);
      doc.font(font);
      if (file?.axes) embedsItsWeight(doc);
    }
    doc.font(font).fontSize(size);
  };
  return {
    select,
    width({ font, text }, size) {
      const key = `${font} ${size} ${text}`;
      const known = widths.get(key);
      if (known !== undefined) return known;
      select(font, size);
      const width = doc.widthOfString(text);
      widths.set(key, width);
      return width;
    },
  };
}

const wordWidth = (fonts: Fonts, word: string, { weight, size }: Style): number =>
  runsOf(word, weight).reduce((sum, run) => sum + fonts.width(run, size), 0);

/** Sum of the word widths, as `broken` measures: slightly wider than the drawn line, in which spaces are kerned too. */
const unbroken = (fonts: Fonts, line: string, style: Style): number =>
  line.split(/( +)/).reduce((sum, part) => sum + (part === "" ? 0 : wordWidth(fonts, part, style)), 0);

/** The runs of a line: neighbouring words of one font are joined. */
function finish(fonts: Fonts, text: string, style: Style): TextLine {
  const runs = turnsRound(text) ? inVisualOrder(text, (part) => runsOf(part, style.weight)) : runsInOrder(text, style);
  return { runs, width: runs.reduce((sum, run) => sum + fonts.width(run, style.size), 0), style };
}

function runsInOrder(text: string, style: Style): Run[] {
  const runs: Run[] = [];
  for (const word of text.split(/( +)/)) {
    for (const run of word === "" ? [] : runsOf(word, style.weight)) {
      const last = runs.at(-1);
      if (last?.font === run.font) runs[runs.length - 1] = { font: run.font, text: last.text + run.text };
      else runs.push(run);
    }
  }
  return runs;
}

function broken(fonts: Fonts, paragraph: string, style: Style, width: number): string[] {
  const found: string[] = [];
  const space = wordWidth(fonts, " ", style);
  let [line, used] = ["", 0];
  for (const word of paragraph.split(/ +/).filter((part) => part !== "")) {
    const length = wordWidth(fonts, word, style);
    if (line !== "" && used + space + length <= width) {
      line += ` ${word}`;
      used += space + length;
      continue;
    }
    if (line !== "") found.push(line);
    const parts = length > width ? pieces(fonts, word, style, width) : [word];
    found.push(...parts.slice(0, -1));
    line = parts.at(-1) ?? "";
    used = parts.length > 1 ? wordWidth(fonts, line, style) : length;
  }
  return [...found, line];
}

/** The pieces of a word that is wider than a line. */
function pieces(fonts: Fonts, word: string, style: Style, width: number): string[] {
  const found: string[] = [];
  let [piece, used] = ["", 0];
  for (const letter of lettersOf(word)) {
    const more = wordWidth(fonts, letter, style);
    if (piece !== "" && used + more > width) {
      found.push(piece);
      [piece, used] = ["", 0];
    }
    piece += letter;
    used += more;
  }
  return [...found, piece];
}
