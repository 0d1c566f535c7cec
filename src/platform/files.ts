import { fileTypeFromBuffer } from "file-type";

/** What a proof of payment may be (interface 4.9). */
export const PROOF_TYPES = ["application/pdf", "image/png", "image/jpeg"] as const;
export type ProofType = (typeof PROOF_TYPES)[number];

/** Readers look for the end of a PDF in about this many bytes. */
const PDF_TAIL = 1024;

const isPdf = (bytes: Buffer): boolean =>
  bytes.toString("latin1", 0, 5) === "%PDF-" && bytes.subarray(-PDF_TAIL).includes("%%EOF");

/** From chunk to chunk, IHDR first, until IEND. */
function isPng(bytes: Buffer): boolean {
  for (let at = 8, first = true; at + 12 <= bytes.length; first = false) {
    const type = bytes.toString("latin1", at + 4, at + 8);
    if (first !== (type === "IHDR") || !/^[A-Za-z]{4}$/.test(type)) return false;
    if (type === "IEND") return true;
    at += 12 + bytes.readUInt32BE(at);
  }
  return false;
}

const START_OF_SCAN = 0xda;
const END_OF_IMAGE = Buffer.from("ffd9", "hex");

/**
 * Ends with the end of a picture; or, where a camera put something behind it, leads from segment to segment to the picture itself, which
 * comes to an end: thumbnails inside segments have ends of their own.
 */
function isJpeg(bytes: Buffer): boolean {
  if (bytes.subarray(-2).equals(END_OF_IMAGE)) return true;
  let at = 2;
  while (at + 4 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1];
    if (marker === 0xff) at += 1;
    else if (marker === START_OF_SCAN) return bytes.includes(END_OF_IMAGE, at);
    else at += 2 + bytes.readUInt16BE(at + 2);
  }
  return false;
}

const IS_WHOLE: Readonly<Record<ProofType, (bytes: Buffer) => boolean>> = {
  "application/pdf": isPdf,
  "image/png": isPng,
  "image/jpeg": isJpeg,
};

/**
 * What the bytes are, whatever the file is called: the type by its first bytes, and whole enough to be opened. Null for anything else,
 * among it a file with something before its own beginning, and one that was cut off. What follows the end of a picture is let be: cameras
 * put things there.
 */
export async function proofTypeOf(bytes: Buffer): Promise<ProofType | null> {
  const found = await fileTypeFromBuffer(bytes);
  const type = PROOF_TYPES.find((candidate) => candidate === found?.mime);
  return type && IS_WHOLE[type](bytes) ? type : null;
}
