import type { FastifyRequest } from "fastify";
import { hasEnded } from "../../../domain/customer-subscriptions.ts";
import { hasFeature } from "../../../flows/context.ts";
import {
  type AskedChange,
  changePortalSubscription,
  type Offer,
  previewPortalChange,
} from "../../../flows/portal/portal-changes.ts";
import {
  actOnPortalSubscription,
  cancelPortalSubscription,
  choosePortalCard,
  type PortalSubscription,
  readPortalSubscription,
} from "../../../flows/portal/portal-subscriptions.ts";
import { ApiError } from "../../../kernel/errors.ts";
import { type Cents, roundToCents, ZERO } from "../../../kernel/money.ts";
import { addDays } from "../../../kernel/time.ts";
import type { Bill, Item } from "../../../modules/customer-subscriptions/rules/planner/types.ts";
import type { ShownSubscription } from "../../../modules/customer-subscriptions/types.ts";
import {
  type PortalAddOn,
  type PortalBill,
  type PortalChangeModel,
  portalChangePage,
  portalSubscriptionPage,
  priceInWords,
} from "../../../templates/pages/portal-subscription.ts";
import { cardInSentence, cardInWords, dayInWords } from "../../../templates/wording.ts";
import { brandOf } from "../brand.ts";
import type { Form } from "../form.ts";
import { type Action, invalidFields, type Outcome, redisplay, type Sent } from "../form-page.ts";
import { noSuchPage, type PageAnswer, type PageRoute, type Site } from "../site.ts";
import { signedInFormToken, signedInPage } from "./signed-in-page.ts";
import { chargesShown, standingOf } from "./subscription-words.ts";
import { type Visit, visitOf } from "./visit.ts";

const REASON_MAX = 500;
const CHANGED_MEANWHILE = "What the change costs is not what you saw any more. Look at it again.";

const NOTHING: PortalSubscription["may"] = {
  change: false,
  addOns: false,
  pause: false,
  resume: false,
  cancel: false,
  undo: false,
  card: false,
};

/** A visit to the page of a subscription. */
interface SubscriptionVisit extends Visit {
  readonly id: string;
}

type Facts = PortalSubscription | null;

const pathOf = ({ path, id }: SubscriptionVisit): string => `${path}/subscriptions/${id}`;

/** Runs a change. The browser goes to the sign-in page when nobody is signed in; a refusal is shown on the page. */
async function attempt(visit: SubscriptionVisit, change: () => Promise<boolean | null>): Promise<Outcome> {
  try {
    const done = await change();
    if (done === false) return redisplay(409, CHANGED_MEANWHILE);
    return { goTo: done === null ? visit.path : pathOf(visit) };
  } catch (error) {
    if (error instanceof ApiError && error.status < 500 && error.status !== 404)
      return redisplay(error.status, error.message);
    throw error;
  }
}

const act =
  (action: "pause" | "resume" | "undo"): Action<SubscriptionVisit, Facts> =>
  (visit) =>
    attempt(visit, () => actOnPortalSubscription(visit.site.services, visit.ctx, visit.session, visit.id, action));

const cancel: Action<SubscriptionVisit, Facts> = async (visit, _facts, form) => {
  const reason = form.field("reason").trim();
  if ([...reason].length > REASON_MAX) return invalidFields({ reason: `Write at most ${REASON_MAX} characters.` });
  return attempt(visit, () =>
    cancelPortalSubscription(visit.site.services, visit.ctx, visit.session, visit.id, reason || null),
  );
};

/** The request in a form; null when it has no whole number of add-ons. */
function askedBy(form: Form): AskedChange | null {
  const addOn = form.field("addOn");
  if (addOn === "") return { planId: form.field("plan") };
  const quantity = form.field("quantity").trim();
  return /^\d{1,4}$/.test(quantity) ? { addOn, quantity: Number(quantity) } : null;
}

const HOW_MANY = "Write how many you want, as a whole number such as 2.";

const preview: Action<SubscriptionVisit, Facts> = async (visit, facts, form) => {
  const asked = askedBy(form);
  if (!asked) return redisplay(400, HOW_MANY);
  const shown: { offer?: Offer | null } = {};
  const outcome = await attempt(visit, async () => {
    shown.offer = await previewPortalChange(visit.site.services, visit.ctx, visit.session, visit.id, asked);
    return shown.offer === null ? null : true;
  });
  return shown.offer && facts ? { page: offerPage(visit, facts, asked, shown.offer) } : outcome;
};

const change: Action<SubscriptionVisit, Facts> = async (visit, _facts, form) => {
  const asked = askedBy(form);
  if (!asked) return redisplay(400, HOW_MANY);
  const seal = form.field("seal");
  return attempt(visit, () =>
    changePortalSubscription(visit.site.services, visit.ctx, visit.session, visit.id, { asked, seal }),
  );
};

const chooseCard: Action<SubscriptionVisit, Facts> = (visit, _facts, form) =>
  attempt(visit, () => choosePortalCard(visit.site.services, visit.ctx, visit.session, visit.id, form.field("card")));

/** `/portal/<slug>/subscriptions/<id>`: a subscription of the signed-in customer. */
export const subscriptionRoutes = (site: Site): PageRoute =>
  signedInPage<SubscriptionVisit, PortalSubscription>(site, {
    name: "portal-subscriptions",
    url: "/:slug/subscriptions/:id",
    pathOf,
    async open(_site: Site, request: FastifyRequest) {
      const { id } = request.params as { id: string };
      return { ...(await visitOf(site, request)), id };
    },
    async read({ ctx, session, id }) {
      try {
        return await readPortalSubscription(site.services, ctx, session, id);
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) throw noSuchPage();
        throw error;
      }
    },
    actions: {
      pause: act("pause"),
      resume: act("resume"),
      undo: act("undo"),
      cancel,
      preview,
      preview_add_on: preview,
      change,
      card: chooseCard,
    },
    render: (visit, facts, { sent }) => subscriptionPage(visit, facts, sent),
  });

function subscriptionPage(visit: SubscriptionVisit, facts: PortalSubscription, sent: Sent | null): PageAnswer["html"] {
  const { subscription, next, endOfPeriod } = facts;
  const { terms } = subscription.state;
  return portalSubscriptionPage({
    ...commonOf(visit, facts),
    problems: sent?.problem ? [sent.problem] : [],
    standing: standingOf(subscription),
    charges: chargesShown(subscription),
    quantity: terms.quantity,
    items: terms.items.map(itemInWords),
    paidBy: paidBy(facts),
    pending: pendingInWords(subscription),
    next: next && billShown(next),
    lastPaidDay: endOfPeriod && addDays(endOfPeriod, -1),
    may: facts.readOnly ? NOTHING : facts.may,
    plans: facts.plans,
    addOns: addOnsShown(facts),
    ...paymentOf(visit, facts),
    reason: sent?.form?.field("reason") ?? "",
    reasonError: sent?.errors?.["reason"] ?? null,
  });
}

const commonOf = (visit: SubscriptionVisit, { settings, subscription }: PortalSubscription) => ({
  brand: brandOf(visit.ctx.organisation, settings),
  planName: subscription.plan.name,
  currency: subscription.state.terms.price.currency,
  homePath: visit.path,
  formToken: signedInFormToken(pathOf, visit),
});

function addOnsShown({ addOns: { current, offered }, subscription }: PortalSubscription): PortalAddOn[] {
  const { price } = subscription.state.terms;
  const priceOf = (amount: Cents) => priceInWords({ ...price, amount }, price.currency);
  return [
    ...current.map(({ code, description, unitAmount, quantity }) => ({
      id: code ?? "",
      name: description,
      price: priceOf(roundToCents(unitAmount)),
      quantity,
    })),
    ...offered.map(({ id, name, amount }) => ({ id, name, price: priceOf(amount), quantity: null })),
  ];
}

/** How the customer sees and changes the way of payment, while the subscription continues. */
function paymentOf(visit: SubscriptionVisit, { subscription, cards, card, mandate }: PortalSubscription) {
  const goesOn = !hasEnded(subscription);
  const byCard = goesOn && subscription.collectionMethod === "gateway";
  return {
    cards: cards.map((one) => ({ id: one.id, label: cardInWords(one), isCharged: one.id === card?.id })),
    cardsPath: byCard && hasFeature(visit.ctx.organisation, "rest_api") ? `${visit.path}/cards` : null,
    debitOrdersPath: goesOn && mandate !== null ? `${visit.path}/debit-orders` : null,
  };
}

function offerPage(
  visit: SubscriptionVisit,
  facts: PortalSubscription,
  asked: AskedChange,
  { preview, name, seal }: Offer,
): PageAnswer {
  const { prorationInvoice: costs, nextInvoice, note } = preview;
  return {
    sandbox: visit.ctx.organisation.sandbox,
    capability: false,
    html: portalChangePage({
      ...commonOf(visit, facts),
      problems: [],
      ...wordsOf(facts, asked, preview, name),
      note,
      now: costs && costs.dueNow > 0 ? billShown(costs.bill) : null,
      paidNow: paidNow(facts),
      credit: costs?.creditToNextRenewal ?? ZERO,
      next: nextInvoice && billShown(nextInvoice),
      fields: "planId" in asked ? { plan: asked.planId } : { addOn: asked.addOn, quantity: String(asked.quantity) },
      seal,
      backPath: pathOf(visit),
    }),
  };
}

/** Heading, sentence and button of a change. */
function wordsOf(
  { subscription, addOns }: PortalSubscription,
  asked: AskedChange,
  { effectiveAt }: Offer["preview"],
  name: string,
): Pick<PortalChangeModel, "heading" | "sentence" | "button"> {
  const from = `from ${dayInWords(effectiveAt)}`;
  if ("planId" in asked) {
    const sentence = `From ${subscription.plan.name} to ${name}, ${from}.`;
    return { heading: `Change to ${name}`, sentence, button: "Change the plan" };
  }
  const present = addOns.current.find(({ code }) => code === asked.addOn)?.quantity;
  if (asked.quantity === 0) {
    const sentence = `Your subscription goes on without ${name}, ${from}.`;
    return { heading: `Remove ${name}`, sentence, button: "Remove the add-on" };
  }
  if (present === undefined)
    return { heading: `Add ${name}`, sentence: `${asked.quantity} × ${name}, ${from}.`, button: "Add it" };
  const sentence = `${asked.quantity} × ${name} in place of ${present}, ${from}.`;
  return { heading: `Change ${name}`, sentence, button: "Change the add-on" };
}

const billShown = ({ date, lines, tax, total, taxInclusive }: Bill): PortalBill => ({
  day: date,
  lines,
  tax,
  total,
  taxInclusive,
});

const itemInWords = (item: Item): string => {
  if (item.kind === "metered") return `${item.description}, by use`;
  return item.quantity === "1" ? item.description : `${item.quantity} × ${item.description}`;
};

/** The pending change, in words; null without one. */
function pendingInWords({ state: { pendingChange, period, awaiting } }: ShownSubscription): string | null {
  const from = (awaiting ?? period)?.next;
  if (pendingChange === null || from === undefined) return null;
  return `${pendingChange.price.name} from ${dayInWords(from)}`;
}

/** How a subscription is paid, in words for its customer. */
function paidBy({ subscription: { collectionMethod }, card, mandate }: PortalSubscription): string {
  if (collectionMethod === "gateway") return card ? `By ${cardInSentence(card)}` : "By card";
  if (collectionMethod === "debit_order")
    return mandate ? `By debit order from the account ending in ${mandate.bank.accountNumberLast4}` : "By debit order";
  return collectionMethod === "external" ? "As agreed" : "By invoice";
}

/** How the cost of a change is paid, after its amount. */
function paidNow({ subscription: { collectionMethod }, card }: PortalSubscription): string {
  if (collectionMethod === "gateway" && card) return `is charged to your ${cardInSentence(card)} now`;
  return collectionMethod === "debit_order" ? "is collected by your debit order" : "is to pay now";
}
