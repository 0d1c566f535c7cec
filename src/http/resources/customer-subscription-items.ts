import { z } from "zod";
import { addItem, changeItem, recordUsage, removeItem } from "../../flows/customer-subscriptions/change-items.ts";
import {
  SubscriptionItemCreate,
  SubscriptionItemPatch,
  SubscriptionUsage,
} from "../../modules/customer-subscriptions/schema/changes.ts";
import { CustomerSubscriptionObject } from "../../modules/customer-subscriptions/schema/subscriptions.ts";
import { endpoint } from "../endpoint.ts";
import { acted, common as ofSubscriptions } from "./customer-subscriptions.ts";

const common = {
  ...ofSubscriptions,
  permission: "subscriptions:write",
  replies: { 200: CustomerSubscriptionObject },
} as const;
/** `item` is an id or a code. */
const params = z.object({ id: z.string(), item: z.string() });

/** The endpoints of interface 4.8, items. */
export const subscriptionItemEndpoints = [
  endpoint({
    ...common,
    method: "POST",
    path: "/customer-subscriptions/{id}/items",
    operationId: "addCustomerSubscriptionItem",
    summary: "Add an item to a customer subscription",
    idempotent: true,
    params: params.omit({ item: true }),
    body: SubscriptionItemCreate,
    handle: async ({ ctx, params: { id }, body }, tx) => acted(ctx, await addItem(tx, ctx, id, body)),
  }),
  endpoint({
    ...common,
    method: "PATCH",
    path: "/customer-subscriptions/{id}/items/{item}",
    edits: true,
    summary: "Change an item of a customer subscription, by its id or code",
    params,
    body: SubscriptionItemPatch,
    async handle({ ctx, params: named, body }, tx) {
      const reply = acted(ctx, await changeItem(tx, ctx, named, body));
      const before = reply.audit.before.items.find(({ id, code }) => id === named.item || code === named.item);
      return { ...reply, part: { before, field: "items" } };
    },
  }),
  endpoint({
    ...common,
    method: "DELETE",
    path: "/customer-subscriptions/{id}/items/{item}",
    summary: "Remove an item from a customer subscription, by its id or code",
    params,
    handle: async ({ ctx, params: named }, tx) => acted(ctx, await removeItem(tx, ctx, named)),
  }),
  endpoint({
    ...common,
    method: "POST",
    path: "/customer-subscriptions/{id}/items/{item}/usage",
    operationId: "reportCustomerSubscriptionUsage",
    summary: "Record the usage of a metered item",
    scope: ["usage:write", "subscriptions:write"],
    idempotent: true,
    params,
    body: SubscriptionUsage,
    handle: async ({ ctx, params: named, body }, tx) => acted(ctx, await recordUsage(tx, ctx, named, body)),
  }),
];
