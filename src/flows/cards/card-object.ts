import { inListOrder } from "../../modules/cards/rules.ts";
import type { Card } from "../../modules/cards/types.ts";
import { cardView } from "../../modules/cards/view.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { chargeableNow } from "../gateways/card-gateways.ts";

/** The card as the API shows it (interface 2.9). */
type CardObject = ReturnType<typeof cardView> & { readonly chargeable: boolean };

/** The cards as the API shows them, in the order of lists, each with whether it can be charged now. */
export async function cardObjects(tx: Tx, ctx: Ctx, cards: readonly Card[]): Promise<CardObject[]> {
  const chargeable = await chargeableNow(tx, ctx);
  return inListOrder(cards).map((card) => ({ ...cardView(card, ctx.now), chargeable: chargeable(card) }));
}

/** Like `cardObjects`, for one card. */
export async function cardObject(tx: Tx, ctx: Ctx, card: Card): Promise<CardObject> {
  const chargeable = await chargeableNow(tx, ctx);
  return { ...cardView(card, ctx.now), chargeable: chargeable(card) };
}
