import { randomBytes } from "node:crypto";
import { crc32, deflateSync } from "node:zlib";

/** A part of a form: a file, or a text field. */
export type Part =
  | { readonly field: string; readonly name: string; readonly type?: string; readonly bytes: Uint8Array }
  | { readonly field: string; readonly text: string };

/** The body and headers of a form, as a browser sends them. */
export async function formOf(...parts: readonly Part[]): Promise<{ body: Buffer; headers: Record<string, string> }> {
  const form = new FormData();
  for (const part of parts)
    if ("text" in part) form.append(part.field, part.text);
    else form.append(part.field, new Blob([new Uint8Array(part.bytes)], { type: part.type ?? "" }), part.name);
  const sent = new Response(form);
  return {
    body: Buffer.from(await sent.arrayBuffer()),
    headers: { "content-type": sent.headers.get("content-type") ?? "" },
  };
}

/** A PDF with one empty page; another `note` gives another file. */
export const pdfOf = (note = ""): Buffer =>
  Buffer.from(
    `%PDF-1.4\n% ${note}\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n`,
  );

/** A PNG of noise. Noise cannot be compressed, so the file is as large as a photograph. */
export function pngOf(width = 4, height = 4): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const row = 1 + 3 * width;
  const pixels = randomBytes(row * height);
  for (let y = 0; y < height; y++) pixels[y * row] = 0;
  return Buffer.concat([
    Buffer.from("89504e470d0a1a0a", "hex"),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(pixels, { level: 0 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

/** A JPEG without a real picture: header, a segment that contains a thumbnail's end marker, and a scan. */
export const jpegOf = (scan = randomBytes(64)): Buffer =>
  Buffer.concat([
    Buffer.from("ffd8ffe000104a46494600010100000100010000", "hex"),
    Buffer.from("ffe10008ffd8ffd9aabb", "hex"),
    Buffer.from("ffda0008010100003f00", "hex"),
    Buffer.from(scan.map((byte) => byte % 0xff)),
    Buffer.from("ffd9", "hex"),
  ]);
