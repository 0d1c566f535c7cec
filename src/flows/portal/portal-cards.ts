import type { CardSetupId } from "../../kernel/ids.ts";
import { DEFAULT_MINUTES } from "../../modules/card-setups/schema.ts";
import { asOf, inListOrder } from "../../modules/cards/rules.ts";
import { cardsOfCustomer } from "../../modules/cards/store.ts";
import type { Card } from "../../modules/cards/types.ts";
import type { Settings } from "../../modules/organisations/schema.ts";
import { openCardSetup } from "../card-setups/create-card-setup.ts";
import { removeCard, setDefaultCard } from "../cards/change-cards.ts";
import { type Ctx, hasFeature, isReadOnlyNow } from "../context.ts";
import { setupGateways } from "../gateways/card-gateways.ts";
import { currentSettings } from "../organisations/settings.ts";
import { actAsCustomer, readAsCustomer } from "../portal-access/portal-session.ts";
import type { Services } from "../services.ts";

/** The customer's saved cards in the portal. */
export interface PortalCards {
  readonly settings: Settings;
  /** The default first, then the newest, with their present status; removed cards are left out. */
  readonly cards: readonly Card[];
  readonly canAdd: boolean;
  readonly readOnly: boolean;
}

/** Reads the customer's saved cards. Null when nobody is signed in. */
export const readPortalCards = (services: Services, ctx: Ctx, session: string): Promise<PortalCards | null> =>
  readAsCustomer(services, ctx, session, async (tx, { id }) => {
    const [settings, cards, gateways] = await Promise.all([
      currentSettings(tx),
      cardsOfCustomer(tx, id),
      setupGateways(tx, ctx, "card"),
    ]);
    const readOnly = isReadOnlyNow(ctx);
    const canAdd = gateways.length > 0 && !readOnly && hasFeature(ctx.organisation, "rest_api");
    const shown = inListOrder(cards.filter(({ status }) => status !== "removed"));
    return { settings, cards: shown.map((card) => asOf(card, ctx.now)), canAdd, readOnly };
  });

/**
 * Creates a set-up session of the customer, which returns to `returnUrl`. Null when nobody is signed in. Throws 409
 * `card_setup_unavailable`.
 */
export const addPortalCard = (
  services: Services,
  ctx: Ctx,
  session: string,
  returnUrl: string,
): Promise<CardSetupId | null> =>
  actAsCustomer(services, ctx, session, async (tx, { id }) => {
    const terms = { returnUrl, makeDefault: true, metadata: {}, minutes: DEFAULT_MINUTES, use: "card" as const };
    return (await openCardSetup(tx, ctx, id, terms)).id;
  });

/** Makes one of the customer's cards the default, or removes it. Null when nobody is signed in. Throws 400, 404. */
export const changePortalCard = (
  services: Services,
  ctx: Ctx,
  session: string,
  action: "make_default" | "remove",
  cardId: string,
): Promise<boolean | null> =>
  actAsCustomer(services, ctx, session, async (tx, { id }) => {
    await (action === "remove" ? removeCard : setDefaultCard)(tx, ctx, id, cardId);
    return true;
  });
