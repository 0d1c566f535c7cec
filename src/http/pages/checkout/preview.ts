import { gatewaysOfPlan } from "../../../flows/checkout/read-checkout.ts";
import type { Ctx } from "../../../flows/context.ts";
import { cents } from "../../../kernel/money.ts";
import { addMonths, calendarDay } from "../../../kernel/time.ts";
import type { CheckoutDesign } from "../../../modules/checkout-pages/schema.ts";
import { TEMPLATES } from "../../../modules/checkout-pages/schema.ts";
import type { GatewayAccount } from "../../../modules/gateway-accounts/types.ts";
import type { Settings } from "../../../modules/organisations/schema.ts";
import { type CheckoutPageModel, checkoutPage, type OfferModel } from "../../../templates/pages/checkout.ts";
import { type CheckoutResultModel, checkoutResultPage } from "../../../templates/pages/checkout-result.ts";
import { gatewayOption } from "../paying-page.ts";
import { previewGateways } from "../preview-gateways.ts";
import { payerFieldsOf } from "./form.ts";
import { checkoutBrand, onwardOf } from "./result.ts";

type Designed = { readonly settings: Settings; readonly design: CheckoutDesign };

/**
 * The pages of a design, as HTML, for a sample plan that is paid through the organisation's own gateways: each
 * template, and both results. They load the files of the design's own pages, and their forms have no token, so nothing
 * can be bought on them.
 */
export function previewOf(ctx: Ctx, designed: Designed, accounts: readonly GatewayAccount[]) {
  const gateways = gatewaysOfPlan(ctx, accounts, { currency: CURRENCY }, TOTAL).map(gatewayOption);
  const model = { ...pageModel(ctx, designed), gateways: previewGateways(gateways) };
  const page = (template: CheckoutDesign["template"]) =>
    checkoutPage({ ...model, look: { ...designed.design, template } }).toString();
  const result = (outcome: "complete" | "failed") => checkoutResultPage(resultModel(ctx, designed, outcome)).toString();
  return {
    templates: Object.fromEntries(TEMPLATES.map((template) => [template, page(template)])),
    results: { success: result("complete"), failure: result("failed") },
  };
}

const CURRENCY = "ZAR";
const TITLE = "Your product";
const TOTAL = cents(11_500);

/** A monthly plan of 100.00 and 15% VAT. */
const offerFrom = (ctx: Ctx): OfferModel => ({
  id: "preview",
  name: "Your plan",
  currency: CURRENCY,
  lines: [{ description: "Your plan", details: null, amount: cents(10_000) }],
  discount: cents(0),
  taxRate: "15",
  taxInclusive: false,
  tax: cents(1_500),
  total: TOTAL,
  trialEnd: null,
  later: {
    charges: [{ on: addMonths(calendarDay(ctx.now), 1), total: TOTAL, times: null, frequency: "monthly" }],
  },
});

const pageModel = (ctx: Ctx, designed: Designed): Omit<CheckoutPageModel, "look" | "gateways"> => ({
  brand: checkoutBrand(ctx, designed),
  title: TITLE,
  description: "What you write about it stands here.",
  offers: [offerFrom(ctx)],
  chosenOffer: "preview",
  hasPlans: false,
  elsewhere: [],
  fields: payerFieldsOf(designed.design),
  coupon: { value: "", applied: null, error: null },
  chosenGateway: null,
  terms: designed.design.termsUrl === null ? null : { url: designed.design.termsUrl, ticked: false, error: null },
  savedCards: [],
  chosenCard: null,
  underWay: null,
  portal: { url: `/portal/${ctx.organisation.slug}`, ends: designed.settings.portal.cancel },
  session: "",
  formToken: "",
  problems: [],
});

function resultModel(ctx: Ctx, designed: Designed, outcome: "complete" | "failed"): CheckoutResultModel {
  const words = outcome === "complete" ? designed.design.success : designed.design.failure;
  return {
    brand: checkoutBrand(ctx, designed),
    outcome,
    confirmedBy: "gateway",
    title: TITLE,
    payment: {
      reference: "TEFO-20260101-00000000",
      amount: TOTAL,
      currency: CURRENCY,
      paidAt: outcome === "complete" ? ctx.now : null,
    },
    message: words.message,
    buttonText: words.buttonText,
    retry: outcome === "complete" ? null : { url: "", text: designed.design.failure.retryButtonText },
    onward: onwardOf(words, words.redirectUrl),
    portalUrl: `/portal/${ctx.organisation.slug}`,
  };
}
