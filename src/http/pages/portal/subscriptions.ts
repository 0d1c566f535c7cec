import type { FastifyRequest } from "fastify";
import {
  actOnPortalSubscription,
  cancelPortalSubscription,
  changePortalPlan,
  type Offer,
  type PortalSubscription,
  previewPortalChange,
  readPortalSubscription,
} from "../../../flows/portal/portal-subscriptions.ts";
import { ApiError } from "../../../kernel/errors.ts";
import { isStorable } from "../../../kernel/text.ts";
import { addDays } from "../../../kernel/time.ts";
import { regularPrice } from "../../../modules/customer-subscriptions/rules/planner/prices.ts";
import type { Bill } from "../../../modules/customer-subscriptions/rules/planner/types.ts";
import type { ShownSubscription } from "../../../modules/customer-subscriptions/types.ts";
import {
  type PortalBill,
  portalChangePage,
  portalSubscriptionPage,
} from "../../../templates/pages/portal-subscription.ts";
import { cardInWords } from "../../../templates/wording.ts";
import { brandOf } from "../brand.ts";
import {
  type Action,
  type FormPage,
  formPage,
  invalidFields,
  type Outcome,
  redisplay,
  type Sent,
} from "../form-page.ts";
import { SUBMISSIONS } from "../limits.ts";
import { noSuchPage, type PageAnswer, type PageRoute, type Site } from "../site.ts";
import { standingOf } from "./subscription-words.ts";
import { type Visit, visitOf } from "./visit.ts";

const REASON_MAX = 500;
const CHANGED_MEANWHILE = "What the change costs is not what you saw any more. Look at it again.";

const NOTHING: PortalSubscription["may"] = { change: false, pause: false, resume: false, cancel: false, undo: false };

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

const preview: Action<SubscriptionVisit, Facts> = async (visit, facts, form) => {
  const planId = form.field("plan");
  const shown: { offer?: Offer | null } = {};
  const outcome = await attempt(visit, async () => {
    shown.offer = await previewPortalChange(visit.site.services, visit.ctx, visit.session, visit.id, planId);
    return shown.offer === null ? null : true;
  });
  return shown.offer && facts ? { page: offerPage(visit, facts, planId, shown.offer) } : outcome;
};

const change: Action<SubscriptionVisit, Facts> = (visit, _facts, form) =>
  attempt(visit, () =>
    changePortalPlan(visit.site.services, visit.ctx, visit.session, visit.id, {
      planId: form.field("plan"),
      seal: form.field("seal"),
    }),
  );

/** `/portal/<slug>/subscriptions/<id>`: a subscription of the signed-in customer. */
const SUBSCRIPTION: FormPage<SubscriptionVisit, Facts> = {
  url: "/:slug/subscriptions/:id",
  async open(site: Site, request: FastifyRequest) {
    const { id } = request.params as { id: string };
    if (!isStorable(id)) throw noSuchPage();
    return { ...(await visitOf(site, request)), id };
  },
  async read({ site, ctx, session, id }) {
    try {
      return session === "" ? null : await readPortalSubscription(site.services, ctx, session, id);
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) throw noSuchPage();
      throw error;
    }
  },
  limits: ({ ctx, network }) => ({ [`page:portal-subscriptions:${ctx.organisation.id}:${network}`]: SUBMISSIONS }),
  // Without a session the action leads to the sign-in page.
  acceptsForm: (_visit, facts) => !facts?.readOnly,
  // Bound to the session, so that a token of another visitor is refused.
  formName: (visit) => `${pathOf(visit)} ${visit.session}`,
  actions: { pause: act("pause"), resume: act("resume"), undo: act("undo"), cancel, preview, change },
  show(visit, facts, sent) {
    if (!facts) throw new ApiError("permission_required", 403, sent?.problem ?? "Sign in first.");
    return subscriptionPage(visit, facts, sent);
  },
};

function subscriptionPage(visit: SubscriptionVisit, facts: PortalSubscription, sent: Sent | null): PageAnswer {
  const { subscription, next, endOfPeriod } = facts;
  const { terms } = subscription.state;
  return {
    sandbox: visit.ctx.organisation.sandbox,
    capability: false,
    html: portalSubscriptionPage({
      ...commonOf(visit, facts),
      problems: sent?.problem ? [sent.problem] : [],
      standing: standingOf(subscription),
      price: regularPrice(terms).total,
      frequency: terms.price.frequency,
      quantity: terms.quantity,
      items: terms.items.map(({ description }) => description),
      paidBy: paidBy(subscription),
      next: next && billShown(next),
      lastPaidDay: endOfPeriod && addDays(endOfPeriod, -1),
      may: facts.readOnly ? NOTHING : facts.may,
      plans: facts.plans,
      reason: sent?.form?.field("reason") ?? "",
      reasonError: sent?.errors?.["reason"] ?? null,
    }),
  };
}

const commonOf = (visit: SubscriptionVisit, { settings, subscription }: PortalSubscription) => ({
  brand: brandOf(visit.ctx.organisation, settings),
  planName: subscription.plan.name,
  currency: subscription.state.terms.price.currency,
  homePath: visit.path,
  formToken: visit.site.formToken(SUBSCRIPTION.formName(visit)),
});

function offerPage(
  visit: SubscriptionVisit,
  facts: PortalSubscription,
  plan: string,
  { preview, seal }: Offer,
): PageAnswer {
  const { prorationInvoice: costs, nextInvoice, next, note } = preview;
  return {
    sandbox: visit.ctx.organisation.sandbox,
    capability: false,
    html: portalChangePage({
      ...commonOf(visit, facts),
      problems: [],
      newPlanName: next.price.name,
      note,
      now: costs && costs.dueNow > 0 ? billShown(costs.bill) : null,
      credit: costs?.creditToNextRenewal ?? (0 as typeof next.price.amount),
      next: nextInvoice && billShown(nextInvoice),
      plan,
      seal,
      backPath: pathOf(visit),
    }),
  };
}

const billShown = ({ date, lines, tax, total, taxInclusive }: Bill): PortalBill => ({
  day: date,
  lines,
  tax,
  total,
  taxInclusive,
});

/** How a subscription is paid, in words for its customer. */
function paidBy({ collectionMethod, card }: ShownSubscription): string {
  if (collectionMethod === "gateway") return card ? `By ${cardInWords(card)}` : "By card";
  if (collectionMethod === "debit_order") return "By debit order";
  return collectionMethod === "external" ? "As agreed" : "By invoice";
}

/** The page's routes. A visitor without a session is redirected to the sign-in page. */
export const subscriptionRoutes = (site: Site): PageRoute => {
  const route = formPage(site, SUBSCRIPTION);
  return {
    ...route,
    async get(request, reply) {
      const visit = await SUBSCRIPTION.open(site, request);
      return (await SUBSCRIPTION.read(visit)) ? route.get(request, reply) : site.goTo(reply, visit.path);
    },
  };
};
