import { encode, renderSVG } from "uqr";

/** A QR code of a text as SVG, with the quiet zone of four modules that readers need. */
export const qrSvg = (text: string): string => renderSVG(text, { ecc: "M", border: 4, pixelSize: 10 });

/**
 * The rows of a QR code for paper, without a quiet zone; true is dark. A quarter of it may be soiled or torn (level Q).
 */
export const qrRows = (text: string): boolean[][] => encode(text, { ecc: "Q", border: 0 }).data;

/** A QR code of a text as PNG, `size` pixels wide and high. */
export async function qrPng(text: string, size: number): Promise<Buffer> {
  // Loaded when the first picture is asked for: it is 10 MB of native code.
  const { default: sharp } = await import("sharp");
  return sharp(Buffer.from(qrSvg(text)))
    .resize(size, size, { kernel: "nearest" })
    .png({ palette: true })
    .toBuffer();
}
