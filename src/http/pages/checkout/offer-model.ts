import type { Offer } from "../../../flows/checkout/offers.ts";
import type { CheckoutFacts } from "../../../flows/checkout/read-checkout.ts";
import { ApiError } from "../../../kernel/errors.ts";
import type { CheckoutSession } from "../../../modules/checkout-sessions/types.ts";
import type { OfferModel, PortalOfCustomer } from "../../../templates/pages/checkout.ts";
import { invalidFields, type Redisplay, redisplay } from "../form-page.ts";
import type { SaleVisit } from "./visit.ts";

/** An offer as the page shows it. */
export const offerModel = ({
  id,
  name,
  currency,
  today,
  discount,
  taxRate,
  taxInclusive,
  trialEnd,
  later,
}: Offer): OfferModel => ({
  id,
  name,
  currency,
  lines: today.lines,
  discount,
  taxRate,
  taxInclusive,
  tax: today.tax,
  total: today.total,
  trialEnd,
  later,
});

/**
 * The customer's own page: plans can be ended there if the settings allow it; a product that a gateway charges cannot.
 */
export const portalOf = (
  { ctx, asked }: SaleVisit,
  { settings }: Pick<CheckoutFacts, "settings">,
): PortalOfCustomer => ({
  url: `/portal/${ctx.organisation.slug}`,
  ends: asked.kind === "package" && settings.portal.cancel,
});

/** The product or package of a session on the page, with the chosen offer and the currency of plans. */
export const soldBy = (
  { asked: { kind, id } }: SaleVisit,
  { currency }: Pick<CheckoutFacts, "currency">,
  chosen: Offer | null,
) =>
  (kind === "package"
    ? { packageId: id, planId: chosen?.id ?? null, productId: null, currency }
    : { packageId: null, planId: null, productId: id, currency: null }) as Pick<
    CheckoutSession,
    "packageId" | "planId" | "productId" | "currency"
  >;

/** The page's message about a refused submission; null for an unexpected error. */
export function refusalOf(error: unknown): { readonly redisplay: Redisplay } | null {
  if (!(error instanceof ApiError)) return null;
  if (error.code === "plan_limit")
    return redisplay(403, "No new customers can be taken here at the moment. Please contact the merchant.");
  const field = error.issues?.[0]?.path[0];
  return field === "email" || field === "couponCode" ? invalidFields({ [field]: error.message }) : null;
}
