import sharp from "sharp";
import { pictureTypeOf } from "../../kernel/pictures.ts";

/** A small file may declare a huge picture; more pixels would take too much memory and time. */
const PIXELS_MAX = 4_000_000;
/** 300 dots per inch of the largest place for a picture, 170 × 54 points. */
const PRINTED = { width: 708, height: 225 };

/**
 * A PNG, JPEG or WebP as documents hold it: upright, on white, reduced to print resolution, in sRGB of 8 bits, as PNG
 * or JPEG. Null when it is another format, is damaged, or is over 4 megapixels. Takes up to a second of the thread.
 */
export async function decodePicture(bytes: Buffer): Promise<Buffer | null> {
  const type = pictureTypeOf(bytes);
  if (!type) return null;
  try {
    const printed = sharp(bytes, { limitInputPixels: PIXELS_MAX })
      .autoOrient()
      .flatten({ background: "white" })
      .resize({ ...PRINTED, fit: "inside", withoutEnlargement: true })
      .toColourspace("srgb");
    return await (type === "jpg" ? printed.jpeg({ quality: 90 }) : printed.png({ compressionLevel: 9 })).toBuffer();
  } catch {
    return null;
  }
}
