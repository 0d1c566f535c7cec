import { z } from "zod";
import { recordApiCharge } from "../../flows/card-charges/charge-by-api.ts";
import { askToCharge, chargeWithCard, settleCharge } from "../../flows/card-charges/charge-stored-card.ts";
import type { TransactionId } from "../../kernel/ids.ts";
import { CardChargeCreate, CardChargeObject } from "../../modules/card-charges/schema.ts";
import { cardChargeView } from "../../modules/card-charges/view.ts";
import type { Tx } from "../../platform/database.ts";
import { gatewayEndpoint } from "../endpoint.ts";
import { SAVED_CARDS } from "./cards.ts";

async function shownCharge(tx: Tx, id: TransactionId) {
  const { charge, transaction, card } = await chargeWithCard(tx, id);
  return cardChargeView(charge, transaction, card);
}

/** Interface 4.11: charges of saved cards. */
export const cardChargeEndpoints = [
  gatewayEndpoint({
    ...SAVED_CARDS,
    method: "POST",
    path: "/customers/{id}/cards/{cardId}/charges",
    summary: "Charge a saved card; cardId may be the word default",
    permission: "card_charges:write",
    keyPermission: "charge_saved_cards",
    params: z.object({ id: z.string(), cardId: z.string() }),
    body: CardChargeCreate,
    replies: { 201: CardChargeObject },
    idempotent: true,
    steps: {
      async record({ ctx, params, body }, tx) {
        const { id } = await recordApiCharge(tx, ctx, params.id, params.cardId, body);
        const after = await shownCharge(tx, id);
        return { intent: id, audit: { subject: after.id, after } };
      },
      ask: ({ ctx, services }, id, again) => askToCharge(services, ctx, id, again),
      async settle({ ctx }, tx, intent, answer) {
        const id = intent as TransactionId;
        const { transaction } = await chargeWithCard(tx, id);
        await settleCharge(tx, ctx, transaction, answer);
        return { status: 201, body: await shownCharge(tx, id) };
      },
    },
  }),
];
