import { z } from "zod";
import { cardObject, cardObjects } from "../../flows/cards/card-object.ts";
import { cardOf, cardsOf, removeCard, setDefaultCard } from "../../flows/cards/change-cards.ts";
import { pageOfCards } from "../../modules/cards/rules.ts";
import { CardObject, CardQuery } from "../../modules/cards/schema.ts";
import { endpoint } from "../endpoint.ts";
import { listBody, listOf, page } from "../lists.ts";
import { changed } from "../replies.ts";

/** What the endpoints of saved cards have in common (interface 4.11). */
export const SAVED_CARDS = {
  tag: {
    name: "Saved cards",
    about: "Cards that customers saved: which one is the default, adding and removing them.",
  },
  feature: "rest_api",
  audience: "clients",
} as const;
/** Unknown fields are refused (interface 4.1). */
const NO_FIELDS = z.strictObject({}).prefault({});
/** The list says what it is, unlike others (interface 4.11). */
const CardList = listOf(CardObject).extend({ object: z.literal("list") });
const ofCustomer = z.object({ id: z.string() });
const params = z.object({ id: z.string(), cardId: z.string() });

/** The endpoints of interface 4.11: a customer's saved cards. */
export const cardEndpoints = [
  endpoint({
    ...SAVED_CARDS,
    method: "GET",
    path: "/customers/{id}/cards",
    summary: "List a customer's saved cards, the default card first",
    permission: "cards:read",
    params: ofCustomer,
    query: CardQuery,
    replies: { 200: CardList },
    async handle({ ctx, params: { id }, query }, tx) {
      const cards = await cardsOf(tx, id, query.includeRemoved === "true");
      const { items, ...paging } = await page(query, async (wanted) => pageOfCards(cards, wanted));
      return { status: 200, body: { object: "list", ...listBody(await cardObjects(tx, ctx, items), paging) } };
    },
  }),
  endpoint({
    ...SAVED_CARDS,
    method: "GET",
    path: "/customers/{id}/cards/{cardId}",
    summary: "Get a saved card",
    permission: "cards:read",
    params,
    replies: { 200: CardObject },
    async handle({ ctx, params: { id, cardId } }, tx) {
      return { status: 200, body: await cardObject(tx, ctx, await cardOf(tx, id, cardId)) };
    },
  }),
  endpoint({
    ...SAVED_CARDS,
    method: "POST",
    path: "/customers/{id}/cards/{cardId}/default",
    operationId: "setDefaultCustomerCard",
    summary: "Make a saved card the default card",
    permission: "cards:write",
    params,
    body: NO_FIELDS,
    replies: { 200: CardObject },
    async handle({ ctx, params: { id, cardId } }, tx) {
      const { before, after } = await setDefaultCard(tx, ctx, id, cardId);
      return changed(await cardObject(tx, ctx, before), await cardObject(tx, ctx, after));
    },
  }),
  endpoint({
    ...SAVED_CARDS,
    method: "DELETE",
    path: "/customers/{id}/cards/{cardId}",
    summary: "Remove a saved card",
    permission: "cards:write",
    params,
    replies: { 200: CardObject },
    async handle({ ctx, params: { id, cardId } }, tx) {
      const { before, after } = await removeCard(tx, ctx, id, cardId);
      return changed(await cardObject(tx, ctx, before), await cardObject(tx, ctx, after));
    },
  }),
];
