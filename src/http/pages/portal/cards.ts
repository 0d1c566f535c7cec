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
import { type Action, type Outcome, redisplay } from "../form-page.ts";
import type { PageRoute, Site } from "../site.ts";
import { signedInPage } from "./signed-in-page.ts";
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
export const cardRoutes = (site: Site): PageRoute =>
  signedInPage<Visit, PortalCards>(site, {
    name: "portal-cards",
    url: "/:slug/cards",
    pathOf,
    open: visitOf,
    read: ({ ctx, session }) => readPortalCards(site.services, ctx, session),
    actions: { add, make_default: change("make_default"), remove: change("remove") },
    render: ({ ctx, path }, facts, { formToken, sent }) =>
      portalCardsPage({
        brand: brandOf(ctx.organisation, facts.settings),
        cards: facts.cards.flatMap(cardShown),
        canAdd: facts.canAdd,
        canChange: !facts.readOnly,
        homePath: path,
        formToken,
        problems: sent?.problem ? [sent.problem] : [],
      }),
  });

const cardShown = ({ status, ...card }: Card): PortalCard[] => (status === "removed" ? [] : [{ ...card, status }]);
