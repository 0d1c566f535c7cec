import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { jpegOf, pdfOf, pngOf } from "../../test/support/uploads.ts";
import { type WholeFileType, wholeFileTypeOf } from "./files.ts";

const pdf = pdfOf();
const png = pngOf();
const jpeg = jpegOf();
const zip = Buffer.from(`504b0304${"00".repeat(26)}504b0506${"00".repeat(18)}`, "hex");
const html = Buffer.from("<!doctype html><title>x</title><script>alert(1)</script>");

const FILES: [string, Buffer, WholeFileType | null][] = [
  ["a PDF", pdf, "application/pdf"],
  ["a PNG", png, "image/png"],
  ["a JPEG", jpeg, "image/jpeg"],
  ["a JPEG with what a telephone puts behind it", Buffer.concat([jpeg, Buffer.from("SEFT trailer")]), "image/jpeg"],
  [
    "a JPEG with padding before a segment",
    Buffer.concat([Buffer.from("ffd8ff", "hex"), jpeg.subarray(2)]),
    "image/jpeg",
  ],
  ["a PDF with a line break at its end", Buffer.concat([pdf, Buffer.from("\r\n")]), "application/pdf"],
  ["nothing", Buffer.alloc(0), null],
  ["a web page", html, null],
  ["a zip file", zip, null],
  ["a zip bomb's beginning", gzipSync(Buffer.alloc(1_000_000)), null],
  ["a PDF cut off", pdf.subarray(0, -8), null],
  ["a PDF whose end is far from the end of the file", Buffer.concat([pdf, Buffer.alloc(2000)]), null],
  ["a web page before a PDF", Buffer.concat([html, pdf]), null],
  ["a zip file before a PDF", Buffer.concat([zip, pdf]), null],
  ["a space before a PDF", Buffer.concat([Buffer.from(" "), pdf]), "application/pdf"],
  ["a byte order mark before a PDF", Buffer.concat([Buffer.from("efbbbf", "hex"), pdf]), "application/pdf"],
  ["1024 bytes before a PDF", Buffer.concat([Buffer.alloc(1024, "x"), pdf]), "application/pdf"],
  ["1025 bytes before a PDF", Buffer.concat([Buffer.alloc(1025, "x"), pdf]), null],
  ["an animated PNG", animated(png), "image/png"],
  ["only the first word of a PDF", Buffer.from("%PDF-"), null],
  ["a PNG cut off", png.subarray(0, -4), null],
  ["only a PNG's signature", png.subarray(0, 8), null],
  ["a PNG whose chunk is longer than the file", lengthened(png), null],
  ["a zip file before a PNG", Buffer.concat([zip, png]), null],
  ["a JPEG cut off, whose thumbnail ends", jpeg.subarray(0, -2), null],
  ["a JPEG of nothing but its ends", Buffer.from("ffd8ffe000024a46ffd9", "hex"), "image/jpeg"],
  ["only a JPEG's beginning", Buffer.from("ffd8ffe0", "hex"), null],
  ["a GIF", Buffer.from("GIF89a\x01\x00\x01\x00\x00\x00\x00;", "latin1"), null],
  ["an SVG", Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"></svg>'), null],
];

/** With the chunk that says how many frames there are, behind the first one. */
function animated(bytes: Buffer): Buffer {
  const frames = Buffer.from("000000086163544c0000000100000000b92d8b5c", "hex");
  return Buffer.concat([bytes.subarray(0, 33), frames, bytes.subarray(33)]);
}

function lengthened(bytes: Buffer): Buffer {
  const other = Buffer.from(bytes);
  other.writeUInt32BE(0xffffffff, 33);
  return other;
}

for (const [name, bytes, type] of FILES)
  test(`${name}: ${type ?? "none"}`, async () => assert.equal(await wholeFileTypeOf(bytes), type));
