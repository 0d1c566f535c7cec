import { moveCardSetup } from "../../modules/card-setups/states.ts";
import { updateCardSetup } from "../../modules/card-setups/store.ts";
import type { CardSetup } from "../../modules/card-setups/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";

/** `card_setup.expire`: ends a locked session on which nobody has saved a card (interface 3.7). */
export async function expireCardSetup(tx: Tx, ctx: Ctx, setup: CardSetup): Promise<null> {
  const status = moveCardSetup(setup.status, "expire");
  if (status && setup.expiresAt <= ctx.now) updateCardSetup(tx, { ...setup, status });
  return null;
}
