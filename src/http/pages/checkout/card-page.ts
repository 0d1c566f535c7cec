import type { FastifyRequest } from "fastify";
import { checkOutByCard, type NotCheckedOutByCard, prepareForCard } from "../../../flows/checkout/check-out-by-card.ts";
import { openOf } from "../../../flows/checkout/choose.ts";
import { type CheckoutAsked, type CheckoutFacts, readCheckout } from "../../../flows/checkout/read-checkout.ts";
import { takesSavedCard } from "../../../flows/checkout/saved-cards.ts";
import { assert } from "../../../kernel/assert.ts";
import { type Cents, toDecimalText, ZERO } from "../../../kernel/money.ts";
import { CHARGES_A_DAY } from "../../../modules/card-charges/rules.ts";
import type { Card } from "../../../modules/cards/types.ts";
import { particulars } from "../../../templates/pages/checkout.ts";
import { payCardPage } from "../../../templates/pages/pay-card.ts";
import { cardInWords } from "../../../templates/wording.ts";
import type { Form } from "../form.ts";
import { type FormPage, type Outcome, redisplay, type Sent } from "../form-page.ts";
import { SUBMISSIONS } from "../limits.ts";
import { noSuchPage, type PageAnswer } from "../site.ts";
import type { CardSubmission } from "./form.ts";
import { offerModel, portalOf, refusalOf, soldBy } from "./offer-model.ts";
import { checkoutBrand, resultPath } from "./result.ts";
import { unavailableAnswer } from "./unavailable.ts";
import { type SaleVisit, saleVisitOf } from "./visit.ts";

/** A visit to the page of one saved card, below the page of the product or package. */
interface CardVisit extends SaleVisit {
  readonly cardId: string;
}

interface CardFacts extends CheckoutFacts {
  /** Null when it cannot pay the chosen offer, or no longer can. */
  readonly card: Card | null;
  /** The amount in cents that is charged once the customer confirms it. */
  readonly charged: Cents;
}

/** Stores the payer and their choice, and redirects to the page on which they confirm the amount. */
export async function leadToCard(
  visit: SaleVisit,
  facts: CheckoutFacts,
  { details, offer, cardId }: CardSubmission,
): Promise<Outcome> {
  const { site, ctx, named, path } = visit;
  const session = { id: named.id, ...soldBy(visit, facts, offer) };
  const asked = { ...visit.asked, planId: session.planId ?? "" };
  const couponCode = facts.coupon?.code ?? null;
  try {
    const prepared = await prepareForCard(site.services, ctx, asked, { session, details }, cardId, couponCode);
    if (prepared !== "to_pay") return notPaid(visit, facts, prepared);
    return { goTo: `${path}/card/${cardId}?${new URLSearchParams({ session: named.token })}` };
  } catch (error) {
    const refused = refusalOf(error);
    if (refused) return refused;
    throw error;
  }
}

/** The redirect or the message for a payer whose card was not charged. */
function notPaid(visit: SaleVisit, facts: CheckoutFacts, why: NotCheckedOutByCard): Outcome {
  const { ctx, named } = visit;
  switch (why.kind) {
    case "under_way":
      return { goTo: resultPath(ctx, "success", { ref: why.reference, session: named.token }) };
    case "completed":
      return { goTo: resultPath(ctx, "success", { session: named.token }) };
    case "unavailable":
      return { page: unavailableAnswer(visit, facts, why.why) };
    case "not_offered":
      return { goTo: backTo(visit) };
    case "amount_changed":
      return redisplay(409, "The amount has changed. Look at it again before you pay.");
    case "too_many":
      return redisplay(
        429,
        `Saved cards can pay ${CHARGES_A_DAY} times a day. Pay in another way, or come back tomorrow.`,
      );
  }
}

/** Path of the page on which the payer chooses how to pay, with the session. */
const backTo = ({ path, named }: SaleVisit): string => `${path}?${new URLSearchParams({ session: named.token })}`;

function show(visit: CardVisit, facts: CardFacts, sent: Sent | null): PageAnswer {
  const { site, ctx } = visit;
  const { unavailable, card, charged, chosen, title } = facts;
  if (unavailable) return unavailableAnswer(visit, facts, unavailable);
  if (!chosen) throw noSuchPage();
  const brand = checkoutBrand(ctx, facts);
  return {
    sandbox: ctx.organisation.sandbox,
    capability: true,
    html: payCardPage({
      brand,
      title: visit.asked.kind === "package" ? `${title}, ${chosen.name}` : title,
      amount: charged,
      currency: chosen.currency,
      card: card && cardInWords(card),
      terms: particulars(offerModel(chosen), { brand, portal: portalOf(visit, facts) }),
      back: backTo(visit),
      formToken: site.formToken(formName(visit)),
      problems: sent?.problem ? [sent.problem] : [],
    }),
  };
}

/** The form's token is bound to the customer's session, so that no other page can confirm for them. */
const formName = ({ path, asked }: CardVisit): string => `${path}/card ${asked.portalSession}`;

async function confirm(visit: CardVisit, facts: CardFacts, form: Form): Promise<Outcome> {
  const { site, ctx, asked, named, cardId } = visit;
  const { customer, session, charged, underWay } = facts;
  if (underWay) return notPaid(visit, facts, { kind: "under_way", reference: underWay.reference });
  assert(customer && session, "a saved card is offered");
  if (form.field("amount") !== toDecimalText(charged)) return notPaid(visit, facts, { kind: "amount_changed" });
  const wanted = { asked, sessionId: session.id, customer, couponCode: facts.coupon?.code ?? null };
  try {
    const paid = await checkOutByCard(site.services, ctx, wanted, { cardId, amount: charged });
    if ("kind" in paid) return notPaid(visit, facts, paid);
    return { goTo: resultPath(ctx, "success", { ref: paid.reference, session: named.token }) };
  } catch (error) {
    // When the coupon was just used up, the page of the product or package says so.
    if (refusalOf(error)) return { goTo: backTo(visit) };
    throw error;
  }
}

/**
 * `/c/<slug>/package/<id>/card/<card id>`: the signed-in customer confirms the amount before the saved card is charged
 * (interface 4.11).
 */
export const cardPage = (kind: CheckoutAsked["kind"]): FormPage<CardVisit, CardFacts> => ({
  url: `/:slug/${kind}/:id/card/:cardId`,
  async open(site, request: FastifyRequest) {
    const { cardId = "" } = request.params as { cardId?: string };
    const visit = await saleVisitOf(site, request, kind);
    if (!visit.session) throw noSuchPage();
    return { ...visit, cardId };
  },
  async read({ site, ctx, asked, cardId }) {
    // The session has the choice; the form has the amount only.
    const stored = { ...asked, planId: "", couponCode: undefined };
    return site.services.db.read(ctx.organisation.id, async (tx) => {
      const facts = await readCheckout(tx, ctx, stored);
      if (!facts) throw noSuchPage();
      const { chosen, customer, session, savedCards } = facts;
      const isTheirs = session !== null && customer !== null && session.customerId === customer.id;
      const paying = isTheirs && chosen && takesSavedCard(chosen) ? await openOf(tx, ctx, session, chosen) : null;
      const card = paying && !facts.coupon?.problem ? savedCards.find(({ id }) => id === cardId) : undefined;
      return { ...facts, card: card ?? null, charged: paying?.amount ?? ZERO };
    });
  },
  limits: ({ ctx, network }) => ({ [`page:checkout:card:${ctx.organisation.id}:${network}`]: SUBMISSIONS }),
  // A second submission finds the card's pending charge, and is redirected to it.
  acceptsForm: (_visit, { unavailable, card, underWay }) =>
    unavailable === null && (card !== null || underWay !== null),
  formName,
  actions: { confirm },
  show,
});
