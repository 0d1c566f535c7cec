import { z } from "zod";
import { createCardSetup } from "../../flows/card-setups/create-card-setup.ts";
import { cardSetupObject, cardSetupOf } from "../../flows/card-setups/read-card-setup.ts";
import { CardSetupCreate, CardSetupObject } from "../../modules/card-setups/schema.ts";
import { endpoint } from "../endpoint.ts";
import { created } from "../replies.ts";
import { SAVED_CARDS } from "./cards.ts";

/** The endpoints of interface 4.11: the hosted page on which a customer adds a card. */
export const cardSetupEndpoints = [
  endpoint({
    ...SAVED_CARDS,
    method: "POST",
    path: "/customers/{id}/cards/setup",
    operationId: "createCardSetup",
    summary: "Create a hosted page on which the customer adds a card",
    permission: "cards:write",
    idempotent: true,
    params: z.object({ id: z.string() }),
    body: CardSetupCreate,
    replies: { 201: CardSetupObject },
    async handle({ ctx, params: { id }, body }, tx) {
      return created(cardSetupObject(ctx, await createCardSetup(tx, ctx, id, body)));
    },
  }),
  endpoint({
    ...SAVED_CARDS,
    method: "GET",
    path: "/customers/{id}/cards/setup/{sessionId}",
    operationId: "getCardSetup",
    summary: "Get the outcome of such a page",
    permission: "cards:read",
    params: z.object({ id: z.string(), sessionId: z.string() }),
    replies: { 200: CardSetupObject },
    async handle({ ctx, params: { id, sessionId } }, tx) {
      return { status: 200, body: cardSetupObject(ctx, await cardSetupOf(tx, ctx, id, sessionId)) };
    },
  }),
];
