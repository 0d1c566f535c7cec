import { hostedPath } from "../../../flows/hosted-links.ts";
import {
  addPortalCard,
  changePortalCard,
  type PortalCards,
  readPortalCards,
} from "../../../flows/portal/portal-cards.ts";
import { ApiError } from "../../../kernel/errors.ts";
import { CARD_PAGE } from "../../../modules/card-setups/declarations.ts";
import type { Card } from "../../../modules/cards/types.ts";
import { type PortalCard, portalCardsPage } from "../../../templates/pages/portal-cards.ts";
import { brandOf } from "../brand.ts";
import { type Action, type FormPage, formPage, type Outcome, redisplay } from "../form-page.ts";
import { SUBMISSIONS } from "../limits.ts";
import type { PageAnswer, PageRoute, Site } from "../site.ts";
import { type Visit, visitOf } from "./visit.ts";

const pathOf = ({ path }: Visit): string => `${path}/cards`;

/** Runs a change. The browser goes to the sign-in page when nobody is signed in; a refusal is shown on the page. */
const attempt = async (visit: Visit, change: () => Promise<string | null>): Promise<Outcome> => {
  try {
    return { goTo: (await change()) ?? visit.path };
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return redisplay(error.status, error.message);
    throw error;
  }
};

const add: Action<Visit, PortalCards | null> = (visit) =>
  attempt(visit, async () => {
    const { site, ctx, session } = visit;
    const returnUrl = site.services.baseUrl + pathOf(visit);
    const setup = await addPortalCard(site.services, ctx, session, returnUrl);
    return setup && hostedPath(ctx, CARD_PAGE, setup);
  });

const change =
  (action: "make_default" | "remove"): Action<Visit, PortalCards | null> =>
  (visit, _facts, form) =>
    attempt(visit, async () => {
      const { site, ctx, session } = visit;
      const done = await changePortalCard(site.services, ctx, session, action, form.field("card"));
      return done ? pathOf(visit) : null;
    });

/** `/portal/<slug>/cards`: a signed-in customer's saved cards. */
const CARDS: FormPage<Visit, PortalCards | null> = {
  url: "/:slug/cards",
  open: visitOf,
  read: ({ site, ctx, session }) =>
    session === "" ? Promise.resolve(null) : readPortalCards(site.services, ctx, session),
  limits: ({ ctx, network }) => ({ [`page:portal-cards:${ctx.organisation.id}:${network}`]: SUBMISSIONS }),
  // Without a session the action leads to the sign-in page.
  acceptsForm: (_visit, facts) => !facts?.readOnly,
  // Bound to the session, so that a token of another visitor is refused.
  formName: ({ path, session }) => `${path}/cards ${session}`,
  actions: { add, make_default: change("make_default"), remove: change("remove") },
  show(visit, facts, sent): PageAnswer {
    const { site, ctx } = visit;
    if (!facts) throw new ApiError("permission_required", 403, sent?.problem ?? "Sign in first.");
    return {
      sandbox: ctx.organisation.sandbox,
      capability: false,
      html: portalCardsPage({
        brand: brandOf(ctx.organisation, facts.settings),
        cards: facts.cards.flatMap(cardShown),
        canAdd: facts.canAdd,
        canChange: !facts.readOnly,
        homePath: visit.path,
        formToken: site.formToken(CARDS.formName(visit)),
        problems: sent?.problem ? [sent.problem] : [],
      }),
    };
  },
};

/** The page's routes. A visitor without a session is redirected to the sign-in page. */
export const cardRoutes = (site: Site): PageRoute => {
  const route = formPage(site, CARDS);
  return {
    ...route,
    async get(request, reply) {
      const visit = await visitOf(site, request);
      return (await CARDS.read(visit)) ? route.get(request, reply) : site.goTo(reply, visit.path);
    },
  };
};

const cardShown = ({ status, ...card }: Card): PortalCard[] => (status === "removed" ? [] : [{ ...card, status }]);
