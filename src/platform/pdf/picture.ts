import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { init as loadDecoder, default as unpackWebp } from "@jsquash/webp/decode.js";
import { convertIndexedToRgb, type DecodedPng, decode, encode } from "fast-png";
import { pictureTypeOf } from "../../kernel/pictures.ts";

/** An image that is safe to draw. */
export interface Picture {
  readonly bytes: Buffer;
  readonly width: number;
  readonly height: number;
}

/** Red, green, blue and alpha of each pixel, 8 bits each. */
interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray | Uint8Array;
}

/** A small file may declare a huge picture; more pixels would take too much memory and time. */
const PIXELS_MAX = 4_000_000;
/** 300 dots per inch of the largest place for a picture, 170 × 54 points. */
const PRINTED = { width: 708, height: 225 };

/**
 * A PNG, JPEG or WebP as documents hold it: a JPEG as it is, the others decoded, drawn on white, reduced to print resolution
 * and written as plain PNG. Null when it is another format, is damaged, or is over 4 megapixels. Takes up to a second of the thread.
 */
export async function decodePicture(bytes: Buffer): Promise<Buffer | null> {
  const type = pictureTypeOf(bytes);
  if (type === "jpg") return sizeOfJpeg(bytes) && bytes;
  try {
    const pixels = type === "png" ? readPng(bytes) : type === "webp" ? await readWebp(bytes) : null;
    return pixels && writePng(shrink(pixels));
  } catch {
    return null;
  }
}

/** A picture of `decodePicture`, ready to draw. Null for anything else. */
export function openPicture(bytes: Buffer): Picture | null {
  const size = pictureTypeOf(bytes) === "png" ? sizeOfPng(bytes) : sizeOfJpeg(bytes);
  return size && { bytes, ...size };
}

type Size = Pick<Picture, "width" | "height">;

const sizeOfPng = (bytes: Buffer): Size | null =>
  bytes.length < 24 ? null : { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };

/** The size of a JPEG that PDF readers decode (baseline, extended or progressive, 8 bits); null for another. */
function sizeOfJpeg(bytes: Buffer): Size | null {
  for (let at = 2; at + 10 <= bytes.length; ) {
    const [marker, length] = [bytes.readUInt16BE(at), bytes.readUInt16BE(at + 2)];
    if (marker < 0xffc0 || length < 2) return null;
    if (marker <= 0xffc2) {
      const [height, width] = [bytes.readUInt16BE(at + 5), bytes.readUInt16BE(at + 7)];
      const drawable = bytes[at + 4] === 8 && [1, 3, 4].includes(bytes[at + 9] ?? 0);
      return drawable && width > 0 && height > 0 ? { width, height } : null;
    }
    at += 2 + length;
  }
  return null;
}

const fits = (size: Size | null): boolean =>
  size !== null && size.width > 0 && size.height > 0 && size.width * size.height <= PIXELS_MAX;

/** Alpha comes from the last sample, or from the one colour that the file marks as transparent. */
function readPng(bytes: Buffer): Pixels | null {
  if (!fits(sizeOfPng(bytes))) return null;
  const png = decode(bytes);
  const indexed = bytes[COLOUR_TYPE_AT] === INDEXED;
  // Grey of less than 8 bits is packed like palette indexes, so it gets a palette of greys.
  const palette = indexed ? png.palette : png.depth < 8 ? ramp(png.depth) : undefined;
  if (indexed && !palette) return null;
  const source = palette ? convertIndexedToRgb({ ...png, palette } as Indexed) : png.data;
  const samples = palette?.[0]?.length ?? png.channels;
  if (source.length !== png.width * png.height * samples) return null;
  return { width: png.width, height: png.height, data: toRgba(png, source, samples) };
}

const COLOUR_TYPE_AT = 25;
const INDEXED = 3;

function toRgba({ width, height, depth, transparency }: DecodedPng, source: DecodedPng["data"], samples: number) {
  const shift = depth === 16 ? 8 : 0;
  const [green, blue] = samples >= 3 ? [1, 2] : [0, 0];
  const opaque = samples % 2 === 1;
  const [clearRed, clearGreen, clearBlue] = [0, green, blue].map((at) => transparency?.[at] ?? -1);
  const data = new Uint8Array(width * height * 4);
  for (let at = 0, to = 0; at < source.length; at += samples, to += 4) {
    const [r = 0, g = 0, b = 0] = [source[at], source[at + green], source[at + blue]];
    data[to] = r >> shift;
    data[to + 1] = g >> shift;
    data[to + 2] = b >> shift;
    if (opaque) data[to + 3] = r === clearRed && g === clearGreen && b === clearBlue ? 0 : 255;
    else data[to + 3] = (source[at + samples - 1] ?? 0) >> shift;
  }
  return data;
}

type Indexed = Parameters<typeof convertIndexedToRgb>[0];

const ramp = (depth: DecodedPng["depth"]): [number, number, number][] =>
  Array.from({ length: 2 ** depth }, (_, index) => {
    const grey = Math.round((index * 255) / (2 ** depth - 1));
    return [grey, grey, grey];
  });

let decoder: Promise<void> | undefined;

async function readWebp(bytes: Buffer): Promise<Pixels | null> {
  if (!fits(sizeOfWebp(bytes))) return null;
  decoder ??= startDecoder();
  await decoder;
  return unpackWebp(new Uint8Array(bytes).buffer);
}

/** The decoder expects a browser, so its WebAssembly module and the class `ImageData` are given to it. */
async function startDecoder(): Promise<void> {
  Object.assign(globalThis, {
    ImageData: class {
      readonly data: Uint8ClampedArray;
      readonly width: number;
      readonly height: number;
      constructor(data: Uint8ClampedArray, width: number, height: number) {
        this.data = data;
        this.width = width;
        this.height = height;
      }
    },
  });
  const program = fileURLToPath(import.meta.resolve("@jsquash/webp/codec/dec/webp_dec.wasm"));
  await loadDecoder({ wasmBinary: new Uint8Array(await readFile(program)).buffer });
}

/** The size from the first chunk of the file: extended header, lossless or lossy picture (RFC 9649). */
function sizeOfWebp(bytes: Buffer): Size | null {
  if (bytes.length < 30) return null;
  switch (bytes.toString("latin1", 12, 16)) {
    case "VP8X":
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    case "VP8L": {
      const bits = bytes.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case "VP8 ":
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    default:
      return null;
  }
}

/** Draws on white and reduces to print resolution: each pixel is the mean of those it replaces. Three samples per pixel. */
function shrink({ width, height, data }: Pixels): Pixels {
  const scale = Math.min(1, PRINTED.width / width, PRINTED.height / height);
  const [wide, high] = [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))];
  const small = new Uint8Array(wide * high * 3);
  for (let y = 0; y < high; y++) {
    const [top, bottom] = [Math.floor((y * height) / high), Math.ceil(((y + 1) * height) / high)];
    for (let x = 0; x < wide; x++) {
      const [left, right] = [Math.floor((x * width) / wide), Math.ceil(((x + 1) * width) / wide)];
      small.set(meanOf(data, width, left, right, top, bottom), (y * wide + x) * 3);
    }
  }
  return { width: wide, height: high, data: small };
}

function meanOf(
  data: Pixels["data"],
  width: number,
  left: number,
  right: number,
  top: number,
  bottom: number,
): [number, number, number] {
  let [red, green, blue] = [0, 0, 0];
  for (let y = top; y < bottom; y++)
    for (let at = (y * width + left) * 4; at < (y * width + right) * 4; at += 4) {
      const opacity = (data[at + 3] ?? 0) / 255;
      const white = 255 * (1 - opacity);
      red += (data[at] ?? 0) * opacity + white;
      green += (data[at + 1] ?? 0) * opacity + white;
      blue += (data[at + 2] ?? 0) * opacity + white;
    }
  const count = (right - left) * (bottom - top);
  return [Math.round(red / count), Math.round(green / count), Math.round(blue / count)];
}

const writePng = ({ width, height, data }: Pixels): Buffer =>
  Buffer.from(encode({ width, height, data, channels: 3, depth: 8 }, { zlib: { level: 9 } }));
