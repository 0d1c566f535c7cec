import { brotliDecompressSync } from "node:zlib";
import { assert } from "../../kernel/assert.ts";

/**
 * The TrueType font inside a WOFF2 file (W3C WOFF 2.0, 4 and 5), without hinting, which a PDF does not need. fontkit
 * reads WOFF2, but cannot take a part of one, nor another weight than the default, which is the thinnest.
 */
export function fromWoff2(file: Buffer): Buffer {
  const { flavor, tables, areGlyphsPacked } = readTables(file);
  if (areGlyphsPacked) unpackGlyphs(tables);
  return joined(flavor, tables);
}

/** The code points that a WOFF2 file has letters for. */
export function charactersOf(file: Buffer): ReadonlySet<number> {
  const cmap = readTables(file).tables.get("cmap") ?? Buffer.alloc(4);
  const found = new Set<number>();
  for (let table = 0; table < cmap.readUInt16BE(2); table++) {
    const at = cmap.readUInt32BE(4 + 8 * table + 4);
    const format = cmap.readUInt16BE(at);
    if (format === 12) addGroups(cmap, at, found);
    else if (format === 4) addSegments(cmap, at, found);
  }
  return found;
}

/** Format 12: each group maps its code points to glyphs. */
function addGroups(cmap: Buffer, at: number, found: Set<number>): void {
  for (let group = 0; group < cmap.readUInt32BE(at + 12); group++) {
    const [first, last] = [cmap.readUInt32BE(at + 16 + 12 * group), cmap.readUInt32BE(at + 20 + 12 * group)];
    for (let point = first; point <= last; point++) found.add(point);
  }
}

/** Format 4: a segment maps its code points by a difference, or by a list in which 0 stands for none. */
function addSegments(cmap: Buffer, at: number, found: Set<number>): void {
  const doubled = cmap.readUInt16BE(at + 6);
  for (let segment = 0; segment < doubled; segment += 2) {
    const [last, first] = [cmap.readUInt16BE(at + 14 + segment), cmap.readUInt16BE(at + 16 + doubled + segment)];
    const offsetAt = at + 16 + 3 * doubled + segment;
    const offset = cmap.readUInt16BE(offsetAt);
    for (let point = first; point <= last && point < 0xffff; point++)
      if (offset === 0 || cmap.readUInt16BE(offsetAt + offset + 2 * (point - first)) !== 0) found.add(point);
  }
}

function readTables(file: Buffer): { flavor: number; tables: Map<string, Buffer>; areGlyphsPacked: boolean } {
  const head = reader(file);
  const flavor = head.skip(4).u32();
  const count = head.skip(4).u16();
  const packed = head.skip(6).u32();
  head.skip(24);
  const entries = Array.from({ length: count }, () => entryOf(head));
  const data = brotliDecompressSync(file.subarray(head.at(), head.at() + packed));
  const tables = new Map<string, Buffer>();
  let at = 0;
  for (const { tag, length, stored } of entries) {
    tables.set(tag, data.subarray(at, at + (stored ?? length)));
    at += stored ?? length;
  }
  return { flavor, tables, areGlyphsPacked: entries.some(({ tag, stored }) => tag === "glyf" && stored !== null) };
}

const KNOWN_TAGS =
  "cmap head hhea hmtx maxp name OS/2 post cvt  fpgm glyf loca prep CFF  VORG EBDT EBLC gasp hdmx kern " +
  "LTSH PCLT VDMX vhea vmtx BASE GDEF GPOS GSUB EBSC JSTF MATH CBDT CBLC COLR CPAL SVG  sbix acnt avar " +
  "bdat bloc bsln cvar fdsc feat fmtx fvar gvar hsty just lcar mort morx opbd prop trak Zapf Silf Glat " +
  "Gloc Feat Sill";
const NO_TRANSFORM = 3;

function entryOf(head: Reader): { tag: string; length: number; stored: number | null } {
  const flags = head.u8();
  const known = flags & 0x3f;
  const tag = known === 0x3f ? head.bytes(4).toString("latin1") : KNOWN_TAGS.slice(known * 5, known * 5 + 4);
  const length = head.base128();
  const isGlyphs = tag === "glyf" || tag === "loca";
  const isTransformed = isGlyphs ? flags >> 6 !== NO_TRANSFORM : flags >> 6 !== 0;
  assert(isGlyphs || !isTransformed, `no font of ours has a transformed ${tag}`);
  return { tag, length, stored: isTransformed ? head.base128() : null };
}

/** The file of tables as TrueType has it; checksums are left 0, which nobody reads. */
function joined(flavor: number, tables: ReadonlyMap<string, Buffer>): Buffer {
  const head = Buffer.alloc(12 + 16 * tables.size);
  head.writeUInt32BE(flavor, 0);
  head.writeUInt16BE(tables.size, 4);
  const parts = [head];
  let [at, record] = [head.length, 12];
  for (const [tag, table] of tables) {
    head.write(tag, record, "latin1");
    head.writeUInt32BE(at, record + 8);
    head.writeUInt32BE(table.length, record + 12);
    const filled = Buffer.alloc(Math.ceil(table.length / 4) * 4);
    table.copy(filled);
    parts.push(filled);
    at += filled.length;
    record += 16;
  }
  return Buffer.concat(parts);
}

/** The streams of a transformed `glyf` table, in their order. */
interface Streams {
  readonly contours: Reader;
  readonly points: Reader;
  readonly flags: Reader;
  readonly glyphs: Reader;
  readonly composites: Reader;
  readonly boxes: Reader;
}

/** Replaces the transformed `glyf` and the empty `loca` by those of TrueType. */
function unpackGlyphs(tables: Map<string, Buffer>): void {
  const table = tables.get("glyf") ?? Buffer.alloc(0);
  const head = reader(table).skip(4);
  const count = head.u16();
  head.skip(2);
  const sizes = Array.from({ length: 7 }, () => head.u32());
  let at = head.at();
  const [contours, points, flags, glyphs, composites, boxed] = sizes.map((size) => {
    at += size;
    return table.subarray(at - size, at);
  }) as [Buffer, Buffer, Buffer, Buffer, Buffer, Buffer, Buffer];
  const marks = 4 * Math.floor((count + 31) / 32);
  const streams: Streams = {
    contours: reader(contours),
    points: reader(points),
    flags: reader(flags),
    glyphs: reader(glyphs),
    composites: reader(composites),
    boxes: reader(boxed).skip(marks),
  };
  const loca = Buffer.alloc(4 * (count + 1));
  const parts: Buffer[] = [];
  let end = 0;
  for (let glyph = 0; glyph < count; glyph++) {
    const hasBox = ((boxed[glyph >> 3] ?? 0) & (0x80 >> (glyph & 7))) !== 0;
    const bytes = glyphOf(streams, hasBox);
    parts.push(bytes);
    end += bytes.length;
    loca.writeUInt32BE(end, 4 * (glyph + 1));
  }
  tables.set("glyf", Buffer.concat(parts));
  tables.set("loca", loca);
  const header = Buffer.from(tables.get("head") ?? Buffer.alloc(0));
  // Offsets of four bytes.
  header.writeInt16BE(1, 50);
  tables.set("head", header);
}

function glyphOf(streams: Streams, hasBox: boolean): Buffer {
  const contours = streams.contours.i16();
  if (contours === 0) return Buffer.alloc(0);
  if (contours < 0) return compositeOf(streams);
  const ends: number[] = [];
  let count = 0;
  for (let contour = 0; contour < contours; contour++) {
    count += streams.points.u255();
    ends.push(count - 1);
  }
  const points = pointsOf(streams, count);
  // The length of the hinting, which is left out.
  streams.glyphs.u255();
  const glyph = Buffer.alloc(Math.ceil((10 + 2 * contours + 2 + 5 * count) / 4) * 4);
  glyph.writeInt16BE(contours, 0);
  writeBox(glyph, hasBox ? Array.from({ length: 4 }, () => streams.boxes.i16()) : boxOf(points));
  let at = 10;
  for (const end of ends) at = glyph.writeUInt16BE(end, at);
  at += 2;
  for (const { on } of points) at = glyph.writeUInt8(on ? 1 : 0, at);
  for (const axis of ["x", "y"] as const) {
    let last = 0;
    for (const point of points) {
      at = glyph.writeInt16BE(point[axis] - last, at);
      last = point[axis];
    }
  }
  return glyph;
}

const writeBox = (glyph: Buffer, box: readonly number[]): void => {
  for (const [index, edge] of box.entries()) glyph.writeInt16BE(edge, 2 + 2 * index);
};

const boxOf = (points: readonly Point[]): readonly number[] => {
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
};

/** A glyph of other glyphs: kept as it is, without hinting. */
function compositeOf({ composites, glyphs, boxes }: Streams): Buffer {
  const box = Array.from({ length: 4 }, () => boxes.i16());
  const parts: Buffer[] = [];
  let [more, isHinted] = [true, false];
  while (more) {
    const flags = composites.u16();
    more = (flags & 0x20) !== 0;
    isHinted ||= (flags & 0x100) !== 0;
    const scale = flags & 0x8 ? 2 : flags & 0x40 ? 4 : flags & 0x80 ? 8 : 0;
    const kept = Buffer.alloc(2);
    kept.writeUInt16BE(flags & ~0x100, 0);
    parts.push(kept, composites.bytes(2 + (flags & 1 ? 4 : 2) + scale));
  }
  if (isHinted) glyphs.u255();
  const body = Buffer.concat(parts);
  const glyph = Buffer.alloc(Math.ceil((10 + body.length) / 4) * 4);
  glyph.writeInt16BE(-1, 0);
  writeBox(glyph, box);
  body.copy(glyph, 10);
  return glyph;
}

interface Point {
  readonly x: number;
  readonly y: number;
  readonly on: boolean;
}

/** WOFF 2.0, 5.2: each flag says how many bytes its step in x and y takes. */
function pointsOf({ flags, glyphs }: Streams, count: number): Point[] {
  let [x, y] = [0, 0];
  return Array.from({ length: count }, () => {
    const flag = flags.u8();
    const [dx, dy] = stepOf(flag & 0x7f, glyphs);
    x += dx;
    y += dy;
    return { x, y, on: flag < 0x80 };
  });
}

function stepOf(kind: number, from: Reader): [dx: number, dy: number] {
  const x = (size: number) => (kind & 1 ? size : -size);
  const y = (size: number) => (kind & 2 ? size : -size);
  if (kind < 10) return [0, x(((kind & 14) << 7) + from.u8())];
  if (kind < 20) return [x((((kind - 10) & 14) << 7) + from.u8()), 0];
  if (kind < 84) {
    const [past, both] = [kind - 20, from.u8()];
    return [x(1 + (past & 0x30) + (both >> 4)), y(1 + ((past & 0x0c) << 2) + (both & 15))];
  }
  if (kind < 120) {
    const past = kind - 84;
    return [x(1 + (Math.floor(past / 12) << 8) + from.u8()), y(1 + (((past % 12) >> 2) << 8) + from.u8())];
  }
  if (kind < 124) {
    const [first, middle, last] = [from.u8(), from.u8(), from.u8()];
    return [x((first << 4) + (middle >> 4)), y(((middle & 15) << 8) + last)];
  }
  return [x(from.u16()), y(from.u16())];
}

type Reader = ReturnType<typeof reader>;

function reader(bytes: Buffer) {
  let place = 0;
  const moved = (by: number): number => {
    place += by;
    return place - by;
  };
  const self = {
    at: () => place,
    skip(by: number) {
      moved(by);
      return self;
    },
    u8: () => bytes.readUInt8(moved(1)),
    u16: () => bytes.readUInt16BE(moved(2)),
    i16: () => bytes.readInt16BE(moved(2)),
    u32: () => bytes.readUInt32BE(moved(4)),
    bytes: (length: number) => bytes.subarray(moved(length), place),
    /** A number of seven bits a byte; the last byte has no high bit. */
    base128(): number {
      let value = 0;
      for (;;) {
        const byte = self.u8();
        value = value * 128 + (byte & 0x7f);
        if (byte < 0x80) return value;
      }
    },
    /** WOFF 2.0, 4.3: a small number in one byte. */
    u255(): number {
      const first = self.u8();
      if (first === 253) return self.u16();
      if (first === 254) return self.u8() + 506;
      return first === 255 ? self.u8() + 253 : first;
    },
  };
  return self;
}
