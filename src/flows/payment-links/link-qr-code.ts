import { notFound } from "../../kernel/errors.ts";
import { findPaymentLink } from "../../modules/payment-links/store.ts";
import { qrPng, qrSvg } from "../../platform/qr-code.ts";
import type { Ctx } from "../context.ts";
import { shortUrlOf } from "../hosted-links.ts";
import type { Services } from "../services.ts";

/** Media types of the pictures. */
export const SVG = "image/svg+xml";
export const PNG = "image/png";

/** The short address of a payment link as a QR code (interface 4.2), as SVG or as PNG of `size` pixels. Throws 404. */
export async function linkQrCode(
  services: Services,
  ctx: Ctx,
  id: string,
  as: { readonly svg: true } | { readonly size: number },
): Promise<{ readonly content: Buffer; readonly contentType: string; readonly fileName: string }> {
  const link = await services.db.read(ctx.organisation.id, (tx) => findPaymentLink(tx, id));
  if (!link) throw notFound("payment link");
  const url = shortUrlOf(ctx, link);
  return "svg" in as
    ? { content: Buffer.from(qrSvg(url)), contentType: SVG, fileName: `${link.id}.svg` }
    : { content: await qrPng(url, as.size), contentType: PNG, fileName: `${link.id}.png` };
}
