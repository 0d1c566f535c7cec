import { organisationById } from "../../modules/organisations/store.ts";
import { PAY_PAGE } from "../../modules/payment-links/declarations.ts";
import { paymentLinkOfShortCode } from "../../modules/payment-links/store.ts";
import type { PaymentLink } from "../../modules/payment-links/types.ts";
import type { LinkAddresses } from "../../modules/payment-links/view.ts";
import { isShortCode } from "../../platform/tokens.ts";
import type { Ctx } from "../context.ts";
import { hostedPath, hostedUrl, shortUrlOf } from "../hosted-links.ts";
import type { Services } from "../services.ts";

/** `url` and `shortUrl` of a payment link (interface 2.3). */
export const linkAddresses = (ctx: Ctx, link: Pick<PaymentLink, "id" | "shortCode">): LinkAddresses => ({
  url: hostedUrl(ctx, PAY_PAGE, link.id),
  shortUrl: shortUrlOf(ctx, link),
});

/** The path of the page that a short address opens; null when there is no such link. */
export async function pathOfShortLink(services: Services, code: string): Promise<string | null> {
  const link = isShortCode(code) ? await paymentLinkOfShortCode(services.db, code) : null;
  const organisation = link && (await organisationById(services.db, link.organisation_id));
  return organisation && hostedPath({ secrets: services.secrets, organisation }, PAY_PAGE, link.id);
}
