import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { accentPalette, parseColour } from "../../../kernel/colour.ts";

/** A static file of the hosted pages. `gzip` is its compressed body, for clients that accept it. */
export interface Asset {
  readonly body: Buffer;
  readonly gzip: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

export type AssetName = "page.css" | "page.js" | "icon.svg" | "sandbox-gateway.css" | "sandbox-gateway.svg";

const TYPES: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
};

const FOREVER = "public, max-age=31536000, immutable";
const FILES = new Map(
  (["page.css", "page.js", "icon.svg", "sandbox-gateway.css", "sandbox-gateway.svg"] as const).map((name) => [
    name,
    load(name),
  ]),
);

/** Path of a static file: `/assets/page-<10 hex digits of the content's hash>.css`. */
export function assetUrl(name: AssetName): string {
  return `/assets/${FILES.get(name)?.fileName}`;
}

/** Path of a merchant's style sheet: `/assets/accent-<6 hex digits>.css`; null without a colour: `page.css` has Tefo's. */
export function accentUrl(colour: string | null): string | null {
  const parsed = parseColour(colour ?? "");
  return parsed && `/assets/accent-${parsed.slice(1)}.css`;
}

/**
 * The file at `/assets/<fileName>`, or null. A name with another version's hash gets this version's file, not cached
 * for long, so that pages work while processes of two versions run at the same time.
 */
export function findAsset(fileName: string): Asset | null {
  const accent = /^accent-([0-9a-f]{6})\.css$/.exec(fileName)?.[1];
  if (accent) return asset(Buffer.from(accentSheet(`#${accent}`)), "css", "public, max-age=86400");
  const [, base, extension] = /^([a-z-]+)-[0-9a-f]{10}\.([a-z]+)$/.exec(fileName) ?? [];
  const file = FILES.get(`${base}.${extension}` as AssetName);
  if (!file) return null;
  return file.fileName === fileName
    ? file.asset
    : { ...file.asset, headers: { ...file.asset.headers, "Cache-Control": "no-cache" } };
}

/** Style sheet with a merchant's colour instead of Tefo's, and a text colour that is readable on it. */
export function accentSheet(colour: string): string {
  const { accent, onAccent, hover, ink, tint } = accentPalette(colour);
  return `:root{--accent:${accent};--on-accent:${onAccent};--accent-hover:${hover};--accent-ink:${ink};--accent-tint:${tint}}`;
}

function load(name: AssetName): { fileName: string; asset: Asset } {
  const body = readFileSync(new URL(name, import.meta.url));
  const [base = "", extension = ""] = name.split(".");
  const hash = createHash("sha256").update(body).digest("hex").slice(0, 10);
  return { fileName: `${base}-${hash}.${extension}`, asset: asset(body, extension, FOREVER) };
}

function asset(body: Buffer, extension: string, caching: string): Asset {
  return {
    body,
    gzip: gzipSync(body),
    headers: {
      "Content-Type": TYPES[extension] ?? "application/octet-stream",
      "Cache-Control": caching,
      "X-Content-Type-Options": "nosniff",
      "Cross-Origin-Resource-Policy": "same-origin",
      Vary: "Accept-Encoding",
    },
  };
}
