import type { default as PDFDocument } from "pdfkit";

/** An outline as fontkit has it: of lines and quadratic curves. */
interface Outline {
  readonly commands: readonly { readonly command: string; readonly args: readonly number[] }[];
}

interface WithSubset {
  readonly _font: { readonly subset: { glyphEncoder: { encodeSimple(outline: Outline): Buffer } } };
}

/**
 * Lets the document's present font, of many weights, be embedded in the weight that was chosen. fontkit would write its
 * outlines again, but with a version of its own dependency in which that fails.
 */
export function embedsItsWeight(doc: typeof PDFDocument): void {
  (doc as typeof PDFDocument & WithSubset)._font.subset.glyphEncoder = { encodeSimple };
}

/** A glyph of TrueType, with each step in two bytes; the file is compressed afterwards. */
function encodeSimple({ commands }: Outline): Buffer {
  const points: { x: number; y: number; on: boolean }[] = [];
  const ends: number[] = [];
  for (const { command, args } of commands) {
    for (let at = 0; at + 1 < args.length; at += 2) {
      const on = command !== "quadraticCurveTo" || at === 2;
      points.push({ x: Math.round(args[at] ?? 0), y: Math.round(args[at + 1] ?? 0), on });
    }
    if (command === "closePath") ends.push(points.length - 1);
  }
  if (points.length === 0) return Buffer.alloc(0);
  if (ends.at(-1) !== points.length - 1) ends.push(points.length - 1);
  const glyph = Buffer.alloc(Math.ceil((12 + 2 * ends.length + 5 * points.length) / 4) * 4);
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  let at = 0;
  for (const value of [ends.length, Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys), ...ends, 0])
    at = glyph.writeInt16BE(value, at);
  for (const { on } of points) at = glyph.writeUInt8(on ? 1 : 0, at);
  for (const steps of [xs, ys]) {
    let last = 0;
    for (const value of steps) {
      at = glyph.writeInt16BE(value - last, at);
      last = value;
    }
  }
  return glyph;
}
