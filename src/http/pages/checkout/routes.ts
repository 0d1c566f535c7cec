import type { FastifyInstance } from "fastify";
import { type CheckedOut, checkOut } from "../../../flows/checkout/check-out.ts";
import { isPaidNow, type Offer } from "../../../flows/checkout/offers.ts";
import { type CheckoutAsked, type CheckoutFacts, readCheckout } from "../../../flows/checkout/read-checkout.ts";
import { recordView } from "../../../flows/documents/record-view.ts";
import type { Services } from "../../../flows/services.ts";
import { CHECKOUT_PAGE } from "../../../modules/checkout-sessions/declarations.ts";
import { isPaymentOfCheckout } from "../../../modules/checkout-sessions/store.ts";
import type { Plan } from "../../../modules/packages/types.ts";
import { checkoutPage } from "../../../templates/pages/checkout.ts";
import { cardInWords } from "../../../templates/wording.ts";
import { type FormPage, formPage, invalidFields, type Outcome, type Sent, validated } from "../form-page.ts";
import type { Limit } from "../limits.ts";
import { SUBMISSIONS } from "../limits.ts";
import { gatewayOption, gatewayRoutes, outcomeOfStart, type PayingPage, pagesOfPayment } from "../paying-page.ts";
import { createSite, mountPages, noSuchPage, type PageAnswer, type PageOptions } from "../site.ts";
import { cardPage, leadToCard } from "./card-page.ts";
import { fieldsOf, readCardSubmission, readSubmission, type Submission } from "./form.ts";
import { offerModel, portalOf, refusalOf, soldBy } from "./offer-model.ts";
import { checkoutBrand, resultAnswer, resultPath } from "./result.ts";
import { unavailableAnswer } from "./unavailable.ts";
import { type SaleVisit, saleVisitOf } from "./visit.ts";

/** Submissions with one email address, and checks of coupons from one network (interface 4.12). */
const PER_ADDRESS: Limit = { uses: 10, seconds: 3600 };
const COUPON_CHECKS: Limit = { uses: 20, seconds: 600 };

/**
 * Registers `/c/<organisation slug>/…` (interface 4.12, 15.1): the pages of packages and products, and those with the
 * results.
 */
export function registerCheckoutPages(app: FastifyInstance, services: Services, options: PageOptions): void {
  const site = createSite(services, options);
  mountPages(app, site, "/c", [
    formPage(site, salePage("package")),
    formPage(site, salePage("product")),
    formPage(site, cardPage("package")),
    formPage(site, cardPage("product")),
    { url: "/:slug/success", safe: true, get: (request, reply) => resultAnswer(site, request, reply) },
    { url: "/:slug/failure", safe: true, get: (request, reply) => resultAnswer(site, request, reply) },
    ...gatewayRoutes(site, CHECKOUT_PAYMENTS),
  ]);
}

const salePage = (kind: CheckoutAsked["kind"]): FormPage<SaleVisit, CheckoutFacts> => ({
  url: `/:slug/${kind}/:id`,
  open: (site, request) => saleVisitOf(site, request, kind),
  async read({ site, ctx, asked, session, byPayer }) {
    const facts = await site.services.db.read(ctx.organisation.id, (tx) => readCheckout(tx, ctx, asked));
    if (!facts) throw noSuchPage();
    if (byPayer && session) await recordView(site.services, ctx, session.id);
    return facts;
  },
  limits: limitsOf,
  acceptsForm: (_visit, { unavailable }) => unavailable === null,
  formName: ({ path }) => path,
  actions: {
    "": validated(readSubmission, submit),
    apply_coupon: applyCoupon,
    pay_card: validated(readCardSubmission, leadToCard),
  },
  show,
});

function limitsOf({ ctx, network, email, checksCoupon }: SaleVisit): Record<string, Limit> {
  const scope = (name: string, of: string) => `page:checkout:${name}:${ctx.organisation.id}:${of}`;
  if (checksCoupon) return { [scope("coupon", network)]: COUPON_CHECKS };
  return {
    [scope("network", network)]: SUBMISSIONS,
    ...(email === "" ? {} : { [scope("email", email)]: PER_ADDRESS }),
  };
}

function show(visit: SaleVisit, facts: CheckoutFacts, sent: Sent | null): PageAnswer {
  const { site, ctx, path } = visit;
  const { design, offers, chosen, coupon } = facts;
  if (facts.unavailable) return unavailableAnswer(visit, facts, facts.unavailable);
  const typed = (field: string) => sent?.form?.field(field) ?? "";
  return {
    sandbox: ctx.organisation.sandbox,
    capability: true,
    html: checkoutPage({
      brand: checkoutBrand(ctx, facts),
      look: design,
      title: facts.title,
      description: facts.description,
      offers: offers.map(offerModel),
      chosenOffer: chosen?.id ?? null,
      hasPlans: visit.asked.kind === "package",
      elsewhere: facts.elsewhere.map((plan) => elsewhereModel(plan, facts)),
      fields: fieldsOf(facts, sent),
      coupon: facts.takesCoupons
        ? {
            value: coupon?.code ?? "",
            applied: coupon && !coupon.problem ? coupon.code : null,
            error: sent?.errors?.["couponCode"] ?? coupon?.problem ?? null,
          }
        : null,
      gateways: gatewaysOf(offers),
      chosenGateway: typed("gateway") || null,
      terms:
        design.termsUrl === null
          ? null
          : { url: design.termsUrl, ticked: typed("terms") !== "", error: sent?.errors?.["terms"] ?? null },
      savedCards: facts.savedCards.map((card) => ({ id: card.id, text: cardInWords(card) })),
      chosenCard: typed("card") || null,
      underWay: facts.underWay && {
        amount: facts.underWay.amount,
        currency: facts.underWay.currency,
        url: resultPath(ctx, "success", { ref: facts.underWay.reference, session: visit.named.token }),
      },
      portal: portalOf(visit, facts),
      session: visit.named.token,
      formToken: site.formToken(path),
      problems: sent?.problem ? [sent.problem] : [],
    }),
  };
}

const elsewhereModel = ({ name, callToAction, callToActionUrl }: Plan, { settings: { branding } }: CheckoutFacts) => ({
  name,
  url: callToAction === "link" ? callToActionUrl : branding.supportEmail && `mailto:${branding.supportEmail}`,
});

/** The gateways of all offers with a payment now, each once. */
const gatewaysOf = (offers: readonly Offer[]) => [
  ...new Map(
    offers
      .filter(isPaidNow)
      .flatMap(({ gateways }) => gateways)
      .map((gateway) => [gateway.account.id, gatewayOption(gateway)] as const),
  ).values(),
];

/** Shows the page again, with the coupon's reduction or the reason why it cannot be used. */
async function applyCoupon(_visit: SaleVisit, { coupon }: CheckoutFacts): Promise<Outcome> {
  return coupon?.problem ? invalidFields({ couponCode: coupon.problem }) : { redisplay: { status: 200 } };
}

async function submit(visit: SaleVisit, facts: CheckoutFacts, submission: Submission): Promise<Outcome> {
  const { site, ctx, named } = visit;
  const sold = soldBy(visit, facts, facts.chosen);
  const path = `/c/${named.token}`;
  try {
    const asked = { ...visit.asked, planId: sold.planId ?? "", session: { id: named.id, ...sold }, ...submission };
    const done = await checkOut(site.services, ctx, asked, (reference) => pagesOfPayment({ site, path }, reference));
    return outcomeOf(visit, facts, done);
  } catch (error) {
    const refused = refusalOf(error);
    if (refused) return refused;
    throw error;
  }
}

function outcomeOf(visit: SaleVisit, facts: CheckoutFacts, done: CheckedOut): Outcome {
  const { token } = visit.named;
  switch (done.kind) {
    case "completed":
      return { goTo: resultPath(visit.ctx, "success", { session: token }) };
    case "unavailable":
      return { page: unavailableAnswer(visit, facts, done.why) };
    default:
      return outcomeOfStart({ path: `/c/${token}` }, "The payment provider", done);
  }
}

/** The page to which payers return from a gateway: the result page, by the payment's verified status. */
const CHECKOUT_PAYMENTS: PayingPage<"chk"> = {
  page: CHECKOUT_PAGE,
  startedOn: (tx, id, { id: payment }) => isPaymentOfCheckout(tx, id, payment),
  async answer({ ctx, path }, { transaction: { status, reference } }) {
    const page = status === "failed" || status === "cancelled" ? "failure" : "success";
    return { goTo: resultPath(ctx, page, { ref: reference, session: path.split("/").at(-1) ?? "" }) };
  },
};
