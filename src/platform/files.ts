import { fileTypeFromBuffer } from "file-type";

/** Types of files that are known to be complete. */
const WHOLE_FILE_TYPES = ["application/pdf", "image/png", "image/jpeg"] as const;
export type WholeFileType = (typeof WHOLE_FILE_TYPES)[number];

/** PDF readers look for the end marker in the last bytes, about this many. */
const PDF_TAIL = 1024;

/**
 * Readers look for the beginning within the first bytes, this many: mail programs and scanners put some before it.
 * Markup is none of theirs.
 */
const PDF_LEAD = 1024;

function isPdf(bytes: Buffer): boolean {
  const lead = bytes.subarray(0, PDF_LEAD + "%PDF-".length);
  const at = lead.indexOf("%PDF-");
  return at >= 0 && !lead.subarray(0, at).includes("<") && bytes.subarray(-PDF_TAIL).includes("%%EOF");
}

/** Walks the chunks: IHDR must be first, and IEND must be reached. */
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
 * Ends with the end-of-image marker; or, when a camera appended data, the segments lead to a scan that is followed by such a marker.
 * A search for the marker alone would find that of a thumbnail inside a segment.
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

const IS_WHOLE: Readonly<Record<WholeFileType, (bytes: Buffer) => boolean>> = {
  "application/pdf": isPdf,
  "image/png": isPng,
  "image/jpeg": isJpeg,
};

/**
 * The file's type by its bytes, not its name: the first bytes name it, and the file must be complete. Null for anything
 * else, such as a picture with data before its start or a file that was cut off. Data after the end of a picture is
 * allowed, because cameras append some; an animated PNG is a PNG.
 */
export async function wholeFileTypeOf(bytes: Buffer): Promise<WholeFileType | null> {
  const found = await fileTypeFromBuffer(bytes);
  const mime = found?.mime === "image/apng" ? "image/png" : (found?.mime ?? "application/pdf");
  const type = WHOLE_FILE_TYPES.find((candidate) => candidate === mime);
  return type && IS_WHOLE[type](bytes) ? type : null;
}
