/** A file to upload: a `File`, a `Blob`, or bytes with a name, whose ending says what they are. */
export type Upload = Blob | { readonly name: string; readonly data: Uint8Array | string; readonly type?: string };

const TYPES: Readonly<Record<string, string>> = {
  pdf: "application/pdf",
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  csv: "text/csv",
  xml: "application/xml",
};

function blobOf(upload: Upload): [Blob, string] {
  if (upload instanceof Blob) return [upload, "name" in upload ? String(upload.name) : "file"];
  const ending = upload.name.split(".").at(-1)?.toLowerCase() ?? "";
  const type = upload.type ?? TYPES[ending] ?? "application/octet-stream";
  return [new Blob([upload.data as string], { type }), upload.name];
}

/**
 * The bytes of a form and their Content-Type. They are made once, so that a request which is sent again under the same
 * Idempotency-Key is the same byte for byte.
 */
export async function formBytes(fields: object): Promise<{ bytes: ArrayBuffer; type: string }> {
  const form = new FormData();
  // A file is sent last: what a server reads before it says how to read the file.
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
  const isFile = ([, value]: [string, unknown]) => typeof value === "object";
  for (const [name, value] of entries.filter((entry) => !isFile(entry))) form.append(name, String(value));
  for (const [name, value] of entries.filter(isFile)) form.append(name, ...blobOf(value as Upload));
  const whole = new Response(form);
  return { type: whole.headers.get("content-type") ?? "", bytes: await whole.arrayBuffer() };
}
