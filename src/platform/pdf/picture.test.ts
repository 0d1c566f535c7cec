import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { crc32, deflateSync } from "node:zlib";
import sharp from "sharp";
import { decodePicture } from "./picture.ts";

const BEGINS = Buffer.from("89504e470d0a1a0a", "hex");

function chunk(name: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

interface PngOptions {
  readonly width?: number;
  readonly height?: number;
  readonly bits: number;
  readonly type: number;
  readonly interlaced?: number;
  /** Rows with their filters, in hex. */
  readonly rows: string;
  readonly palette?: string;
  readonly clear?: string;
}

function png({ width = 2, height = 1, bits, type, interlaced = 0, rows, palette, clear }: PngOptions): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([bits, type, 0, 0, interlaced], 8);
  return Buffer.concat([
    BEGINS,
    chunk("IHDR", head),
    ...(palette ? [chunk("PLTE", Buffer.from(palette, "hex"))] : []),
    ...(clear ? [chunk("tRNS", Buffer.from(clear, "hex"))] : []),
    chunk("IDAT", deflateSync(Buffer.from(rows, "hex"))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** A decoded picture: its size, and its rows in hex, plain RGB. */
async function readPicture(bytes: Buffer) {
  const decoded = await decodePicture(bytes);
  if (!decoded) return null;
  const { data, info } = await sharp(decoded).raw().toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  const rows = Array.from({ length: height }, (_, y) =>
    data.subarray(y * width * channels, (y + 1) * width * channels).toString("hex"),
  );
  return { width, height, channels, rows };
}

describe("PNG, of every kind, becomes plain colour on white", () => {
  const cases: [name: string, wanted: PngOptions, rows: string[]][] = [
    ["RGB", { bits: 8, type: 2, rows: "00ff000000ff00" }, ["ff000000ff00"]],
    ["RGB of 16 bits", { bits: 16, type: 2, rows: "00ff11002200330044ff550066" }, ["ff000000ff00"]],
    ["RGBA: opaque, clear", { bits: 8, type: 6, rows: "00ff0000ff0000ff00" }, ["ff0000ffffff"]],
    ["RGBA: half", { width: 1, bits: 8, type: 6, rows: "0000000080" }, ["7f7f7f"]],
    ["interlaced", { width: 1, bits: 8, type: 2, interlaced: 1, rows: "00ff0000" }, ["ff0000"]],
    [
      "a clear colour",
      { width: 3, bits: 8, type: 2, rows: "00ff000000ff00000000", clear: "00ff00000000" },
      ["ffffff00ff00000000"],
    ],
    ["grey", { bits: 8, type: 0, rows: "000080" }, ["000000808080"]],
    ["grey of 1 bit", { bits: 1, type: 0, rows: "0040" }, ["000000ffffff"]],
    ["grey with alpha", { bits: 8, type: 4, rows: "0010ff1000" }, ["101010ffffff"]],
    ["palette of 4 bits", { bits: 4, type: 3, rows: "0001", palette: "ff0000123456" }, ["ff0000123456"]],
    [
      "palette with a clear colour",
      { bits: 8, type: 3, rows: "000001", palette: "ff0000123456", clear: "ff00" },
      ["ff0000ffffff"],
    ],
    ["filter left", { bits: 8, type: 0, rows: "011005" }, ["101010151515"]],
    [
      "filters up, mean and Paeth",
      { height: 4, bits: 8, type: 0, rows: "001020020101030100040101" },
      ["101010202020", "111111212121", "090909151515", "0a0a0a161616"],
    ],
  ];
  for (const [name, wanted, rows] of cases)
    test(name, async () => {
      const picture = await readPicture(png(wanted));
      const { width = 2, height = 1 } = wanted;
      assert.deepEqual(picture, { width, height, channels: 3, rows });
    });
});

describe("a picture that cannot be drawn gives null and throws nothing", () => {
  const fine: PngOptions = { bits: 8, type: 2, rows: "00ff000000ff00" };
  const whole = png(fine);
  const jpeg = (frame: string) => Buffer.from(`ffd8ffe000041234${frame}`, "hex");
  const cases: [name: string, bytes: Buffer][] = [
    ["nothing", Buffer.alloc(0)],
    ["HTML", Buffer.from("<html>")],
    ["WebP", Buffer.from("524946460000000057454250", "hex")],
    ["a cut PNG", whole.subarray(0, 40)],
    ["a PNG of a signature alone", BEGINS],
    ["a filter that does not exist", png({ ...fine, rows: "09ff000000ff00" })],
    ["a size that fills the memory", png({ ...fine, width: 60_000, height: 60_000 })],
    ["no size", png({ ...fine, width: 0 })],
    ["a palette that is not there", png({ bits: 8, type: 3, rows: "000001" })],
    ["a depth that does not exist", png({ ...fine, bits: 3 })],
    ["less data than declared", png({ ...fine, rows: "00ff0000" })],
    ["a broken stream", Buffer.concat([whole.subarray(0, 44), Buffer.alloc(6, 7), whole.subarray(50)])],
    ["a JPEG without a frame", jpeg("")],
    ["a JPEG of no size", jpeg("ffc000110800000000030000000000")],
    ["a JPEG of 12 bits", jpeg("ffc000110c00100020030000000000")],
    ["a JPEG that does not decode", jpeg("ffc300110800100020030000000000")],
  ];
  for (const [name, bytes] of cases) test(name, async () => assert.equal(await readPicture(bytes), null));
});

test("a WebP becomes plain colour on white", async () => {
  // 2 × 1, lossless: opaque red, and clear.
  const bytes = Buffer.from("UklGRhwAAABXRUJQVlA4TBAAAAAvAQAAEA8Q8x/zH4yM6H8A", "base64");
  assert.deepEqual(await readPicture(bytes), { width: 2, height: 1, channels: 3, rows: ["ff0000ffffff"] });
});

const plain = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: "#646464" } });

test("a large picture is reduced to print resolution", async () => {
  const picture = await readPicture(await plain(2000, 2000).png().toBuffer());
  assert(picture);
  assert.deepEqual([picture.width, picture.height], [225, 225]);
  assert.deepEqual(picture.rows[0], "646464".repeat(225));
});

test("a photograph stays a JPEG, is turned upright, and loses what its camera wrote into it", async () => {
  const lying = await plain(32, 16)
    .withExif({ IFD0: { Artist: "Thandi" } })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer();
  const decoded = await decodePicture(lying);
  assert(decoded);
  const { format, width, height, orientation, exif } = await sharp(decoded).metadata();
  assert.deepEqual([format, width, height, orientation, exif], ["jpeg", 16, 32, undefined, undefined]);
});

test("a JPEG in the colours of print becomes one in the colours of screens", async () => {
  const decoded = await decodePicture(await plain(8, 8).toColourspace("cmyk").jpeg().toBuffer());
  assert(decoded);
  const { space, channels } = await sharp(decoded).metadata();
  assert.deepEqual([space, channels], ["srgb", 3]);
});
