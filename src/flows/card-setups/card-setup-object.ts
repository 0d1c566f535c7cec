import { CARD_PAGE } from "../../modules/card-setups/declarations.ts";
import type { CardSetup } from "../../modules/card-setups/types.ts";
import { cardSetupView } from "../../modules/card-setups/view.ts";
import type { Ctx } from "../context.ts";
import { hostedUrl } from "../hosted-links.ts";

/** The session as the API shows it (interface 2.9). */
export const cardSetupObject = (ctx: Ctx, setup: CardSetup) =>
  cardSetupView(setup, hostedUrl(ctx, CARD_PAGE, setup.id));
