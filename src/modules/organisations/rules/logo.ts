import { createHash } from "node:crypto";

/**
 * Ways of writing an image that browsers and mail clients show and that cannot hold script, as SVG can; each by the
 * first bytes, in hex.
 */
const FORMATS = [
  { extension: "png", type: "image/png", begins: /^89504e470d0a1a0a/ },
  { extension: "jpg", type: "image/jpeg", begins: /^ffd8ff/ },
  { extension: "webp", type: "image/webp", begins: /^52494646.{8}57454250/ },
] as const;

/** The pages that show it weigh at most 30 kB with it (interface 15.2). */
const BYTES_MAX = 20_000;

export type LogoReading =
  | { readonly ok: true; readonly bytes: Buffer; readonly extension: string }
  | { readonly ok: false; readonly message: string };

const refuse = (message: string): LogoReading => ({ ok: false, message });

/**
 * Reads a `data:` URL of a PNG, JPEG or WebP image of at most 20 kB. What the bytes are decides, not what the URL says
 * they are.
 */
export function readLogo(url: string): LogoReading {
  const [, encoded] = /^data:image\/[a-z0-9.+-]+;base64,([A-Za-z0-9+/]*={0,2})$/.exec(url) ?? [];
  if (encoded === undefined)
    return refuse("The logo must be a data: URL of a PNG, JPEG or WebP image, as data:image/png;base64,…");
  const bytes = Buffer.from(encoded, "base64");
  if (bytes.length > BYTES_MAX) return refuse(`The logo must be at most ${BYTES_MAX / 1000} kB.`);
  const head = bytes.toString("hex", 0, 12);
  const format = FORMATS.find(({ begins }) => begins.test(head));
  return format
    ? { ok: true, bytes, extension: format.extension }
    : refuse("The logo must be a PNG, JPEG or WebP image.");
}

/** Where the logo is served: another path for other bytes, so that it can be kept for ever. */
export const logoPath = (slug: string, bytes: Uint8Array, extension: string): string =>
  `/assets/logo/${slug}/${createHash("sha256").update(bytes).digest("hex").slice(0, 20)}.${extension}`;

/** Content type by the path's extension. */
export const logoType = (path: string): string =>
  FORMATS.find(({ extension }) => path.endsWith(`.${extension}`))?.type ?? "application/octet-stream";
