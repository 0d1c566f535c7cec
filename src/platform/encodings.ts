import { isUtf8 } from "node:buffer";

/** Bytes of a file that are decoded at once; other work can run in between. */
const PIECE_BYTES = 65_536;
const BEGINNING_BYTES = 8192;

/**
 * The encoding of a text file, as `TextDecoder` names it: UTF-16 by its byte order mark or by its zero bytes, UTF-8 when it is that, else
 * Windows-1252, as spreadsheets and banks write it.
 */
function encodingOf(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  if (first !== 0 && second === 0) return "utf-16le";
  if (first === 0 && second !== 0 && bytes.length > 1) return "utf-16be";
  return isUtf8(bytes) ? "utf-8" : "windows-1252";
}

/** The text of a file in pieces, without its byte order mark. */
export function* decodedText(bytes: Uint8Array): Generator<string> {
  const decoder = new TextDecoder(encodingOf(bytes));
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    const piece = decoder.decode(bytes.subarray(at, at + PIECE_BYTES), { stream: true });
    if (piece !== "") yield piece;
  }
  const rest = decoder.decode();
  if (rest !== "") yield rest;
}

/** The first few thousand characters of a file. */
export const beginningOf = (bytes: Uint8Array): string =>
  new TextDecoder(encodingOf(bytes)).decode(bytes.subarray(0, BEGINNING_BYTES));
