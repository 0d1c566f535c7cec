import { createHash } from "node:crypto";
import { deflateSync, inflateSync } from "node:zlib";

/** An image that is safe to draw. */
export interface Picture {
  readonly bytes: Buffer;
  readonly width: number;
  readonly height: number;
}

/** More than a print of 10 cm at 600 dpi needs; a few bytes can claim any size. */
const PIXELS_MAX = 4_000_000;
const PNG_BEGINS = Buffer.from("89504e470d0a1a0a", "hex");

const kept = new Map<string, Picture | null>();
const KEPT_MAX = 64;

/**
 * Reads a PNG or JPEG; null for what is neither, is broken, or cannot be put on paper (WebP, interlaced PNG, over 4 megapixels).
 * What is transparent becomes white, as paper is. The last ones are remembered.
 */
export function readPicture(bytes: Buffer): Picture | null {
  const key = createHash("sha256").update(bytes).digest("base64");
  const known = kept.get(key);
  if (known !== undefined) return known;
  const picture = bytes.subarray(0, 8).equals(PNG_BEGINS) ? readPng(bytes) : readJpeg(bytes);
  if (kept.size >= KEPT_MAX) kept.delete(kept.keys().next().value ?? "");
  kept.set(key, picture);
  return picture;
}

/** PDFs hold JPEGs as they are; only the size has to be read. */
function readJpeg(bytes: Buffer): Picture | null {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return null;
  for (let at = 2; at + 10 <= bytes.length; ) {
    const marker = bytes.readUInt16BE(at);
    const length = bytes.readUInt16BE(at + 2);
    if (marker < 0xffc0 || length < 2) return null;
    // Baseline, extended and progressive: what readers of PDFs decode.
    if (marker <= 0xffc2) {
      const [bits, height, width, channels] = [
        bytes[at + 4],
        bytes.readUInt16BE(at + 5),
        bytes.readUInt16BE(at + 7),
        bytes[at + 9],
      ];
      const drawable = bits === 8 && (channels === 1 || channels === 3 || channels === 4);
      return drawable && width > 0 && height > 0 ? { bytes, width, height } : null;
    }
    at += 2 + length;
  }
  return null;
}

interface Png {
  readonly width: number;
  readonly height: number;
  readonly bits: number;
  /** Samples of a pixel. */
  readonly channels: number;
  readonly palette: Buffer | null;
  /** The chunk `tRNS`. */
  readonly clear: Buffer | null;
  readonly type: number;
  readonly data: Buffer;
}

const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

/**
 * Decoded here and written anew as plain RGB: what pdfkit decodes by itself it decodes later, where a broken file would end the
 * process instead of the call.
 */
function readPng(bytes: Buffer): Picture | null {
  const png = parsePng(bytes);
  const samples = png && unfilter(png);
  return samples && { bytes: writePng(png, flatten(png, samples)), width: png.width, height: png.height };
}

function parsePng(bytes: Buffer): Png | null {
  const chunks = new Map<string, Buffer[]>();
  for (let at = 8; at + 12 <= bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    if (at + 12 + length > bytes.length) return null;
    const name = bytes.toString("latin1", at + 4, at + 8);
    chunks.set(name, [...(chunks.get(name) ?? []), bytes.subarray(at + 8, at + 8 + length)]);
    at += 12 + length;
  }
  const head = chunks.get("IHDR")?.[0];
  if (head?.length !== 13) return null;
  const [width, height] = [head.readUInt32BE(0), head.readUInt32BE(4)];
  const [bits = 0, type = 0, , , interlaced] = head.subarray(8);
  const channels = CHANNELS[type];
  const palette = chunks.get("PLTE")?.[0] ?? null;
  if (!channels || ![1, 2, 4, 8, 16].includes(bits) || (bits < 8 && channels > 1) || interlaced !== 0) return null;
  if (width === 0 || height === 0 || width * height > PIXELS_MAX || (type === 3 && !palette)) return null;
  const size = (Math.ceil((width * channels * bits) / 8) + 1) * height;
  try {
    const data = inflateSync(Buffer.concat(chunks.get("IDAT") ?? []), { maxOutputLength: size });
    if (data.length !== size) return null;
    return { width, height, bits, channels, type, palette, clear: chunks.get("tRNS")?.[0] ?? null, data };
  } catch {
    return null;
  }
}

/** Takes the filters off the rows (PNG 9.2); null for a filter that does not exist. */
function unfilter({ width, height, bits, channels, data }: Png): Buffer | null {
  const row = Math.ceil((width * channels * bits) / 8);
  const step = Math.max(1, (channels * bits) / 8);
  const out = Buffer.alloc(row * height);
  for (let y = 0; y < height; y++) {
    const filter = data[y * (row + 1)] ?? 0;
    if (filter > 4) return null;
    for (let x = 0; x < row; x++) {
      const at = y * row + x;
      const left = x >= step ? (out[at - step] ?? 0) : 0;
      const up = y > 0 ? (out[at - row] ?? 0) : 0;
      const corner = x >= step && y > 0 ? (out[at - row - step] ?? 0) : 0;
      const guess = [0, left, up, (left + up) >> 1, filter === 4 ? paeth(left, up, corner) : 0][filter] ?? 0;
      out[at] = (data[y * (row + 1) + 1 + x] ?? 0) + guess;
    }
  }
  return out;
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}

/** Every pixel as three bytes, on white. */
function flatten(png: Png, samples: Buffer): Buffer {
  const { width, height, bits, channels, type, palette, clear } = png;
  const row = Math.ceil((width * channels * bits) / 8);
  const out = Buffer.alloc(width * height * 3);
  const sample = (x: number, y: number, channel: number): number => {
    const bit = (x * channels + channel) * bits;
    const byte = samples[y * row + (bit >> 3)] ?? 0;
    // Of 16 bits the first 8 are enough.
    return bits >= 8 ? byte : (byte >> (8 - bits - (bit & 7))) & ((1 << bits) - 1);
  };
  const full = bits < 8 ? (1 << bits) - 1 : 255;
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at += 3) {
      const value = sample(x, y, 0);
      const coloured = type === 2 || type === 6;
      const alpha = type === 3 ? (clear?.[value] ?? 255) : type === 4 || type === 6 ? sample(x, y, channels - 1) : 255;
      for (let channel = 0; channel < 3; channel++) {
        const plain = coloured ? sample(x, y, channel) : (value * 255) / full;
        const colour = type === 3 ? (palette?.[value * 3 + channel] ?? 0) : plain;
        out[at + channel] = 255 + ((colour - 255) * alpha) / 255;
      }
    }
  }
  return out;
}

/** A PNG of the parts that pdfkit passes on as they are; each row is written as the difference from the one above. */
function writePng({ width, height }: Png, pixels: Buffer): Buffer {
  const row = width * 3;
  const rows = Buffer.alloc((row + 1) * height);
  for (let y = 0; y < height; y++) {
    rows[y * (row + 1)] = 2;
    for (let x = 0; x < row; x++) {
      const at = y * row + x;
      rows[y * (row + 1) + 1 + x] = (pixels[at] ?? 0) - (y > 0 ? (pixels[at - row] ?? 0) : 0);
    }
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    PNG_BEGINS,
    chunk("IHDR", head),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** Its check sum is left at zero: pdfkit takes the data out of the chunks and drops them. */
function chunk(name: string, data: Buffer): Buffer {
  const frame = Buffer.alloc(12 + data.length);
  frame.writeUInt32BE(data.length, 0);
  frame.write(name, 4, "latin1");
  data.copy(frame, 8);
  return frame;
}
