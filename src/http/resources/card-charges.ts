import { z } from "zod";
import { recordApiCharge } from "../../flows/card-charges/charge-by-api.ts";
import {
  type AskedCharge,
  askToCharge,
  type ChargeWithCard,
  chargeWithCard,
  settleCharge,
} from "../../flows/card-charges/charge-stored-card.ts";
import type { TransactionId } from "../../kernel/ids.ts";
import { CardChargeCreate, CardChargeObject } from "../../modules/card-charges/schema.ts";
import { cardChargeView } from "../../modules/card-charges/view.ts";
import { gatewayEndpoint } from "../endpoint.ts";
import { SAVED_CARDS } from "./cards.ts";

const shown = ({ charge, transaction, card }: ChargeWithCard) => cardChargeView(charge, transaction, card);

/** The endpoints of interface 4.11: charges of saved cards. */
export const cardChargeEndpoints = [
  gatewayEndpoint({
    ...SAVED_CARDS,
    method: "POST",
    path: "/customers/{id}/cards/{cardId}/charges",
    operationId: "chargeCustomerCard",
    summary: "Charge a saved card; cardId may be the word default",
    permission: "card_charges:write",
    keyPermission: "charge_saved_cards",
    params: z.object({ id: z.string(), cardId: z.string() }),
    body: CardChargeCreate,
    replies: { 201: CardChargeObject },
    shown: {
      409: z.object({
        charge: CardChargeObject.optional().describe(
          "With `charge_exists`: the customer's charge that has the reference.",
        ),
      }),
    },
    idempotent: true,
    limited: true,
    steps: {
      async record({ ctx, params, body }, tx) {
        const recorded = await recordApiCharge(tx, ctx, params.id, params.cardId, body);
        const after = shown(recorded);
        return { intent: recorded.transaction.id, audit: { subject: after.id, after }, known: recorded as AskedCharge };
      },
      ask: ({ ctx, services }, id, _again, recorded) => askToCharge(services, ctx, id as TransactionId, recorded),
      async settle({ ctx }, tx, intent, answer) {
        await settleCharge(tx, ctx, answer);
        return { status: 201, body: shown(await chargeWithCard(tx, intent as TransactionId)) };
      },
    },
  }),
];
