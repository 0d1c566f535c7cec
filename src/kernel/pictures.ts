/** Image formats that browsers show and that cannot contain script (as SVG can), by their first bytes in hex. */
const BEGINS = {
  png: /^89504e470d0a1a0a/,
  jpg: /^ffd8ff/,
  webp: /^52494646.{8}57454250/,
} as const;

export type PictureType = keyof typeof BEGINS;

const TYPES = Object.keys(BEGINS) as PictureType[];

/** The image format by the first bytes, not by the file name; null for anything else. */
export function pictureTypeOf(bytes: Buffer): PictureType | null {
  const head = bytes.toString("hex", 0, 12);
  return TYPES.find((type) => BEGINS[type].test(head)) ?? null;
}
