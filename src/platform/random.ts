import { randomBytes } from "node:crypto";

/** Random bytes are read 4096 at a time: one read of 4096 bytes takes as long as a read of a few. */
const PAGE_BYTES = 4096;
let page = Buffer.alloc(0);
let at = 0;

/** Up to 4096 bytes that nobody can guess, for ids and initialisation vectors; keys and tokens take theirs from the system. */
export function unpredictableBytes(length: number): Buffer {
  if (at + length > page.length) {
    page = randomBytes(PAGE_BYTES);
    at = 0;
  }
  at += length;
  return page.subarray(at - length, at);
}
