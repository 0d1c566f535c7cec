import PDFDocument from "pdfkit";
import { qrRows } from "../qr-code.ts";
import { printable } from "./fonts.ts";
import { openTextLayout, type Style, type TextLine } from "./text.ts";

/** Width and height of an A4 page in points. */
const [PAGE_WIDTH, PAGE_HEIGHT] = [595.28, 841.89];

/** A node of the document's structure, which screen readers use. */
export type Element = PDFKit.PDFStructureElement;

/** Metadata and layout of a document. */
export interface SheetOptions {
  readonly title: string;
  readonly author: string;
  readonly subject: string;
  /** Time of the document, not of the machine, so that the same input gives the same bytes. */
  readonly created: Date;
  /** Margins in points. */
  readonly margins: { readonly side: number; readonly top: number; readonly bottom: number };
  /** Draws the head of every page and sets `sheet.y` below it; `page` counts from 1. */
  onPage(sheet: Sheet, page: number): void;
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A document that is being drawn. Blocks are placed one below the other; `y` is in points from the top edge. */
export interface Sheet {
  readonly left: number;
  readonly width: number;
  /** Top of the next block. */
  y: number;
  /** Points between `y` and the bottom margin. */
  readonly rest: number;
  newPage(): void;
  /** Begins a new page when less than `height` is left of this one. */
  ensureSpace(height: number): void;
  lines(text: string, style: Style, width: number): TextLine[];
  textWidth(text: string, style: Style): number;
  /** A part of the structure (`Table`, `P`, `H1`), inside `parent` or at the top. */
  element(type: string, parent?: Element): Element;
  /**
   * Draws lines one below the other and answers their height. Without `element` they are decoration, which screen readers skip.
   * Does not move `y` and breaks no page.
   */
  write(lines: readonly TextLine[], at: Placement, element?: { readonly of: Element; readonly type: string }): number;
  fill(box: Box, colour: string, radius?: number): void;
  /** A horizontal line, centred on `y`. */
  rule(at: Pick<Box, "x" | "y" | "width">, colour: string, thickness?: number): void;
  /** Draws a result of `decodePicture` as large as the box allows and answers its height; null when the bytes are no picture. */
  picture(bytes: Buffer, box: Box, says: string): number | null;
  /** Draws the QR code of a text, without its quiet zone, as large as the box allows; `says` describes it. */
  qrCode(text: string, box: Box, says: string): void;
  /** Writes lines in the middle of a box; the whole box is a link to `url` (http or https). */
  button(lines: readonly TextLine[], box: Box, url: string): void;
  /** Draws `footer` on every page and closes the document. */
  finish(footer: (page: number, pages: number) => void): Promise<Buffer>;
}

/** Position of lines: from `x`, within `width`. */
export interface Placement {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly align?: "left" | "right" | "centre";
}

/** Height of lines placed one below the other, in points. */
export const heightOf = (lines: readonly TextLine[]): number =>
  lines.reduce((sum, { style }) => sum + style.leading, 0);

/** Opens an A4 document with its first page. */
export function openSheet(options: SheetOptions): Sheet {
  const { margins } = options;
  const doc = newDocument(options);
  const written = collected(doc);
  const root = doc.struct("Document");
  doc.addStructure(root);
  const state = { y: margins.top, top: margins.top, pages: 0 };
  const sheet: Sheet = {
    ...drawingOn(doc, root),
    left: margins.side,
    width: PAGE_WIDTH - 2 * margins.side,
    get y() {
      return state.y;
    },
    set y(value) {
      state.y = value;
    },
    get rest() {
      return PAGE_HEIGHT - margins.bottom - state.y;
    },
    newPage() {
      doc.addPage();
      state.y = margins.top;
      options.onPage(sheet, ++state.pages);
      state.top = state.y;
    },
    ensureSpace(height) {
      // On an empty page, a new page would give no more space.
      if (height > sheet.rest && state.y > state.top) sheet.newPage();
    },
    finish(footer) {
      for (let page = 1; page <= state.pages; page++) {
        doc.switchToPage(page - 1);
        footer(page, state.pages);
      }
      root.end();
      doc.end();
      return written;
    },
  };
  sheet.newPage();
  return sheet;
}

/** The functions that draw at a given position. */
type Drawing = Pick<
  Sheet,
  "lines" | "textWidth" | "element" | "write" | "fill" | "rule" | "picture" | "qrCode" | "button"
>;

function drawingOn(doc: PDFKit.PDFDocument, root: Element): Drawing {
  const type = openTextLayout(doc);
  const decoration = (draw: () => void): void => {
    doc.markContent("Artifact", { type: "Layout" });
    draw();
    doc.endMarkedContent();
  };
  const drawing: Drawing = {
    lines: type.lines,
    textWidth: type.width,
    element(kind, parent = root) {
      const element = doc.struct(kind);
      parent.add(element);
      return element;
    },
    write(lines, { x, y, width, align = "left" }, element) {
      const draw = () => {
        let top = y;
        for (const [index, line] of lines.entries()) {
          const free = width - line.width;
          const from = x + (align === "left" ? 0 : align === "right" ? free : free / 2);
          type.draw(line, from, top, index < lines.length - 1);
          top += line.style.leading;
        }
      };
      if (lines.length === 0) return 0;
      if (!element) decoration(draw);
      else inside(doc, element.of, element.type, draw);
      return heightOf(lines);
    },
    fill({ x, y, width, height }, colour, radius = 0) {
      decoration(() =>
        (radius ? doc.roundedRect(x, y, width, height, radius) : doc.rect(x, y, width, height)).fill(colour),
      );
    },
    rule({ x, y, width }, colour, thickness = 0.75) {
      drawing.fill({ x, y: y - thickness / 2, width, height: thickness }, colour);
    },
    picture(bytes, { x, y, width, height }, says) {
      const image = openImage(doc, bytes);
      if (!image) return null;
      const scale = Math.min(width / image.width, height / image.height);
      const size = { width: image.width * scale, height: image.height * scale };
      const figure = doc.struct("Figure", { alt: says });
      drawing.element("P").add(figure);
      inside(doc, figure, "Figure", () => doc.image(bytes, x, y, size));
      return size.height;
    },
    qrCode(text, box, says) {
      const figure = doc.struct("Figure", { alt: says });
      drawing.element("P").add(figure);
      inside(doc, figure, "Figure", () => drawSquares(doc, qrRows(text), box));
    },
    button(lines, { x, y, width, height }, url) {
      const link = doc.struct("Link", {
        alt: lines.map(({ runs }) => runs.map(({ text }) => text).join("")).join(" "),
      });
      root.add(link);
      const middle = { x, y: y + (height - heightOf(lines)) / 2, width, align: "centre" as const };
      drawing.write(lines, middle, { of: link, type: "Link" });
      const options: PDFKit.Mixins.AnnotationOption & { structParent: Element } = { structParent: link };
      doc.link(x, y, width, height, url, options);
    },
  };
  return drawing;
}

/** Draws the dark squares of a QR code, in black. */
function drawSquares(
  doc: PDFKit.PDFDocument,
  rows: readonly (readonly boolean[])[],
  { x, y, width, height }: Box,
): void {
  const side = Math.min(width, height) / rows.length;
  for (const [row, squares] of rows.entries())
    for (const { from, length } of darkRuns(squares)) doc.rect(x + from * side, y + row * side, length * side, side);
  doc.fill("#000000");
}

/** The dark squares of a row that stand side by side. */
function darkRuns(row: readonly boolean[]): { from: number; length: number }[] {
  const runs: { from: number; length: number }[] = [];
  for (const [at, dark] of row.entries()) {
    const last = runs.at(-1);
    if (dark && last && last.from + last.length === at) last.length++;
    else if (dark) runs.push({ from: at, length: 1 });
  }
  return runs;
}

/** The size of a picture in pixels; null when pdfkit cannot read it. */
function openImage(doc: PDFKit.PDFDocument, bytes: Buffer): Pick<Box, "width" | "height"> | null {
  const images = doc as PDFKit.PDFDocument & { openImage(bytes: Buffer): Pick<Box, "width" | "height"> };
  try {
    return images.openImage(bytes);
  } catch {
    return null;
  }
}

function newDocument({ title, author, subject, created }: SheetOptions): PDFKit.PDFDocument {
  return new PDFDocument({
    size: "A4",
    // Margins are kept by this file; with its own, pdfkit would break pages by itself.
    margin: 0,
    autoFirstPage: false,
    bufferPages: true,
    pdfVersion: "1.7",
    tagged: true,
    displayTitle: true,
    lang: "en-ZA",
    info: {
      Title: inOneLine(title),
      Author: inOneLine(author),
      Subject: inOneLine(subject),
      Creator: "Tefo",
      Producer: "Tefo",
      CreationDate: created,
    },
  });
}

const inOneLine = (text: string): string => printable(text).replaceAll("\n", " ");

function inside(doc: PDFKit.PDFDocument, of: Element, type: string, draw: () => void): void {
  const content = doc.markStructureContent(type);
  draw();
  doc.endMarkedContent();
  of.add(content);
}

function collected(doc: PDFKit.PDFDocument): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    doc.on("data", (chunk: Buffer) => chunks.push(chunk));
    doc.on("end", () => resolve(Buffer.concat(chunks)));
    doc.on("error", reject);
  });
}
