import { payLinkByCard } from "../../../flows/card-charges/pay-link-by-card.ts";
import type { PayPageFacts } from "../../../flows/payment-links/read-pay-page.ts";
import { type Cents, toDecimalText } from "../../../kernel/money.ts";
import { CHARGES_A_DAY } from "../../../modules/card-charges/rules.ts";
import type { Card } from "../../../modules/cards/types.ts";
import { payCardPage } from "../../../templates/pages/pay-card.ts";
import { cardInWords } from "../../../templates/wording.ts";
import { brandOf } from "../brand.ts";
import type { Form } from "../form.ts";
import { type FormPage, type Outcome, redisplay, type Sent } from "../form-page.ts";
import { PAYMENTS } from "../limits.ts";
import type { PageAnswer } from "../site.ts";
import { factsOf, type PayVisit, payVisitOf } from "./facts.ts";
import { partOf } from "./part.ts";
import { unavailableAnswer } from "./unavailable.ts";

/** A visit to the page of one saved card. */
interface CardVisit extends PayVisit {
  readonly cardId: string;
  /** Text of the part that the payer chose on the pay page; empty for the whole amount. */
  readonly part: string;
}

interface CardFacts extends PayPageFacts {
  /** Null when the page of the link does not offer it, or no longer does. */
  readonly card: Card | null;
  /** The amount in cents that is charged once the payer confirms it. */
  readonly charged: Cents;
}

function show(visit: CardVisit, facts: CardFacts, sent: Sent | null): PageAnswer {
  const { site, ctx, path } = visit;
  const { link, settings, unavailable, card, charged } = facts;
  if (unavailable) return unavailableAnswer(visit, facts, unavailable);
  return {
    sandbox: ctx.organisation.sandbox,
    capability: true,
    html: payCardPage({
      brand: brandOf(ctx.organisation, settings),
      title: link.title,
      amount: charged,
      currency: link.currency,
      card: card && cardInWords(card),
      terms: null,
      back: path,
      formToken: site.formToken(path),
      problems: sent?.problem ? [sent.problem] : [],
    }),
  };
}

async function confirm(visit: CardVisit, facts: CardFacts, form: Form): Promise<Outcome> {
  const { site, ctx, path, id, cardId, session } = visit;
  const given = form.field("amount");
  const part = partOf(facts, given);
  const changed = redisplay(409, "The amount has changed. Look at it again before you pay.");
  if (part === "wrong") return changed;
  if (!facts.link.collectsBalance && given !== "" && given !== toDecimalText(facts.amount)) return changed;
  const paid = await payLinkByCard(site.services, ctx, id, { cardId, amount: part ?? facts.amount, session });
  if (!("kind" in paid)) return { goTo: `${path}/result/${paid.reference}` };
  switch (paid.kind) {
    case "under_way":
      return { goTo: `${path}/result/${paid.reference}` };
    case "unavailable":
      return { page: unavailableAnswer(visit, facts, paid.why) };
    case "not_offered":
      return { goTo: path };
    case "amount_changed":
      return changed;
    case "too_many":
      return redisplay(
        429,
        `Saved cards can pay ${CHARGES_A_DAY} times a day. Pay in another way, or come back tomorrow.`,
      );
  }
}

/** `/pay/<token>/card/<card id>`: the payer confirms the amount before the saved card is charged (interface 4.11). */
export const CARD_PAGE: FormPage<CardVisit, CardFacts> = {
  url: "/:token/card/:cardId",
  async open(site, request) {
    const { cardId = "" } = request.params as { cardId?: string };
    const { amount } = request.query as { amount?: unknown };
    const visit = await payVisitOf(site, request);
    return { ...visit, cardId, part: typeof amount === "string" ? amount : "" };
  },
  async read(visit) {
    const facts = await factsOf(visit);
    const part = partOf(facts, visit.part);
    const card = facts.savedCards.cards.find(({ id }) => id === visit.cardId) ?? null;
    return { ...facts, card, charged: part === null || part === "wrong" ? facts.amount : part };
  },
  limits: ({ id, network }) => ({ [`page:pay:${id}:${network}`]: PAYMENTS }),
  // A second submission finds the card's pending charge, and is redirected to it.
  acceptsForm: (_visit, { unavailable, card, underWay }) =>
    unavailable === null && (card !== null || underWay !== null),
  formName: ({ path }) => path,
  actions: { confirm },
  show,
};
