import { promisify } from "node:util";
import { crc32, deflateRaw } from "node:zlib";

/** Beside the event loop: a proof of 10 MB takes a third of a second. */
const deflated = promisify(deflateRaw);

/** A file of an archive. */
export interface ZipEntry {
  /** With `/` between folders. */
  readonly name: string;
  readonly content: Buffer;
}

const VERSION = 20;
/** Names are UTF-8. */
const FLAGS = 0x0800;
const DEFLATED = 8;
/** 1 January 1980, the earliest that the format has: the same files give the same bytes. */
const DAY = 0x0021;

/** What both headers of a file have in common. */
function fields(packed: Buffer, { name, content }: ZipEntry): Buffer {
  const head = Buffer.alloc(26);
  head.writeUInt16LE(VERSION, 0);
  head.writeUInt16LE(FLAGS, 2);
  head.writeUInt16LE(DEFLATED, 4);
  head.writeUInt16LE(DAY, 8);
  head.writeUInt32LE(crc32(content), 10);
  head.writeUInt32LE(packed.length, 14);
  head.writeUInt32LE(content.length, 18);
  head.writeUInt16LE(Buffer.byteLength(name), 22);
  return head;
}

/** Writes a ZIP archive in pieces: one file at a time is in memory. At most 65 535 files and 4 GB, which it throws beyond. */
export async function* zip(entries: AsyncIterable<ZipEntry>): AsyncGenerator<Buffer> {
  const directory: Buffer[] = [];
  let at = 0;
  for await (const entry of entries) {
    const packed = await deflated(entry.content);
    const head = fields(packed, entry);
    const name = Buffer.from(entry.name);
    const attributes = Buffer.alloc(14);
    attributes.writeUInt32LE(at, 10);
    directory.push(Buffer.concat([Buffer.from("PK\x01\x02"), Buffer.from([VERSION, 0]), head, attributes, name]));
    const file = Buffer.concat([Buffer.from("PK\x03\x04"), head, name, packed]);
    at += file.length;
    if (at > 0xffff_0000 || directory.length > 0xffff) throw new Error("The archive is too large.");
    yield file;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(directory.length, 8);
  end.writeUInt16LE(directory.length, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(at, 16);
  yield Buffer.concat([listed, end]);
}
