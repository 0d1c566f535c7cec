import { createHash } from "node:crypto";
import { type PictureType, pictureTypeOf } from "../../../kernel/pictures.ts";

const MEDIA: Readonly<Record<PictureType, string>> = { png: "image/png", jpg: "image/jpeg", webp: "image/webp" };

/** Bytes of a logo, at most: a page with it has at most 30 kB (interface 15.2). */
const BYTES_MAX = 20_000;

export type LogoReading =
  | { readonly ok: true; readonly bytes: Buffer; readonly extension: PictureType }
  | { readonly ok: false; readonly message: string };

/** The message for a text that is not a logo. */
export const LOGO_EXPECTED = "The logo must be a data: URL of a PNG, JPEG or WebP image, as data:image/png;base64,…";

const refuse = (message: string): LogoReading => ({ ok: false, message });

/** Reads a `data:` URL of a PNG, JPEG or WebP image of at most 20 kB. The bytes decide the type, not the URL. */
export function readLogo(url: string): LogoReading {
  const [, encoded] = /^data:image\/[a-z0-9.+-]+;base64,([A-Za-z0-9+/]*={0,2})$/.exec(url) ?? [];
  if (encoded === undefined) return refuse(LOGO_EXPECTED);
  const bytes = Buffer.from(encoded, "base64");
  if (bytes.length > BYTES_MAX) return refuse(`The logo must be at most ${BYTES_MAX / 1000} kB.`);
  const type = pictureTypeOf(bytes);
  return type ? { ok: true, bytes, extension: type } : refuse("The logo must be a PNG, JPEG or WebP image.");
}

/** The path of a logo. It depends on the bytes, so browsers may cache it for ever. */
export const logoPath = (slug: string, bytes: Uint8Array, extension: PictureType): string =>
  `/assets/logo/${slug}/${createHash("sha256").update(bytes).digest("hex").slice(0, 20)}.${extension}`;

/** The media type, by the path's extension. */
export const logoType = (path: string): string =>
  MEDIA[path.split(".").at(-1) as PictureType] ?? "application/octet-stream";
