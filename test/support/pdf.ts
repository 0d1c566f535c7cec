import assert from "node:assert/strict";
import { inflateSync } from "node:zlib";

/** Text that a page shows: one entry for each piece drawn, with its left end in points from the paper's lower left corner. */
export interface ShownText {
  readonly text: string;
  readonly x: number;
  readonly y: number;
}

/** A PDF of ours, read back. */
export interface ReadPdf {
  readonly pages: readonly (readonly ShownText[])[];
  /** All text in the order in which it was drawn, with single spaces. */
  readonly text: string;
  readonly links: readonly string[];
  /** Entries of the document information, such as `Title`. */
  readonly info: Readonly<Record<string, string>>;
  /** The file without its compressed parts. */
  readonly source: string;
}

const WIN_ANSI = new TextDecoder("windows-1252");

/** Reads what pdfkit writes: objects one after another, streams deflated, text in hexadecimal. */
export function readPdf(pdf: Buffer): ReadPdf {
  const source = pdf.toString("latin1");
  assert.match(source, /^%PDF-1\.7\n[\s\S]*%%EOF\n$/);
  const objects = new Map(
    Array.from(source.matchAll(/^(\d+) 0 obj\n([\s\S]*?)\nendobj$/gm), ([, id = "", body = ""]) => [id, body]),
  );
  const fonts = readFonts(objects);
  const pages = [...objects.values()]
    .filter((body) => /\/Type \/Page\b(?!s)/.test(body))
    .map((body) => readPage(streamOf(objects.get(/\/Contents (\d+) 0 R/.exec(body)?.[1] ?? "")), fonts));
  const text = pages
    .flat()
    .map((piece) => piece.text)
    .join(" ")
    .replace(/\s+/g, " ");
  const links = [...objects.values()].flatMap((body) => /\/S \/URI\n\/URI \((.*)\)/.exec(body)?.[1] ?? []);
  return { pages, text, links, info: readInfo(source, objects), source };
}

function streamOf(body: string | undefined): string {
  const [, bytes] = /\nstream\n([\s\S]*)\nendstream$/.exec(body ?? "") ?? [];
  assert(bytes !== undefined, "a stream");
  const raw = Buffer.from(bytes, "latin1");
  return (body?.includes("/FlateDecode") ? inflateSync(raw) : raw).toString("latin1");
}

type Decode = (hex: string) => string;

/** How the text of each font is written, by the name that pages call it. */
function readFonts(objects: ReadonlyMap<string, string>): Map<string, Decode> {
  const fonts = new Map<string, Decode>();
  for (const body of objects.values()) {
    for (const [, name = "", id = ""] of body.matchAll(/^\/(F\d+) (\d+) 0 R$/gm)) {
      const toUnicode = /\/ToUnicode (\d+) 0 R/.exec(objects.get(id) ?? "")?.[1];
      if (toUnicode === undefined) fonts.set(name, (hex) => WIN_ANSI.decode(Buffer.from(hex, "hex")));
      else fonts.set(name, embedded(streamOf(objects.get(toUnicode))));
    }
  }
  return fonts;
}

/** By the table that the font brings along for those who copy its text. */
function embedded(table: string): Decode {
  const letters: string[] = [];
  for (const [, from = "", list = ""] of table.matchAll(/<([0-9a-f]+)> <[0-9a-f]+> \[(.*)\]/g)) {
    const texts = Array.from(list.matchAll(/<([0-9a-f ]*)>/g), ([, hex = ""]) =>
      Buffer.from(hex.replaceAll(" ", ""), "hex").swap16().toString("utf16le"),
    );
    letters.splice(Number.parseInt(from, 16), texts.length, ...texts);
  }
  return (hex) => (hex.match(/.{4}/g) ?? []).map((glyph) => letters[Number.parseInt(glyph, 16)] ?? "?").join("");
}

function readPage(content: string, fonts: ReadonlyMap<string, Decode>): ShownText[] {
  return Array.from(content.matchAll(/^BT\n([\s\S]*?)\nET$/gm), ([, drawn = ""]) => {
    const [, x = "", y = ""] = /^1 0 0 1 (\S+) (\S+) Tm$/m.exec(drawn) ?? [];
    const font = fonts.get(/^\/(F\d+) /m.exec(drawn)?.[1] ?? "");
    assert(font, "text is drawn in a font of the page");
    const hex = Array.from(drawn.matchAll(/<([0-9a-f]*)>/g), ([, part = ""]) => part);
    return { text: hex.map(font).join(""), x: Number(x), y: Number(y) };
  });
}

function readInfo(source: string, objects: ReadonlyMap<string, string>): Record<string, string> {
  const info = objects.get(/\/Info (\d+) 0 R/.exec(source)?.[1] ?? "") ?? "";
  return Object.fromEntries(
    Array.from(info.matchAll(/^\/(\w+) (\d+) 0 R$/gm), ([, key = "", id = ""]) => {
      const value = Buffer.from((objects.get(id) ?? "").replace(/^\(|\)$/g, "").replace(/\\([()\\])/g, "$1"), "latin1");
      const wide = value[0] === 0xfe && value[1] === 0xff;
      return [key, wide ? value.subarray(2).swap16().toString("utf16le") : value.toString("latin1")];
    }),
  );
}
