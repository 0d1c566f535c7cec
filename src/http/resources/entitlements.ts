import { z } from "zod";
import { readEntitlements } from "../../flows/customer-subscriptions/entitlements.ts";
import { EntitlementsObject } from "../../modules/customer-subscriptions/schema/entitlements.ts";
import { endpoint } from "../endpoint.ts";
import { pageOfShort, shortQuery } from "../lists.ts";
import { common } from "./customer-subscriptions.ts";

/** The endpoint of interface 4.8, entitlements. */
export const entitlementEndpoints = [
  endpoint({
    ...common,
    method: "GET",
    path: "/customers/{id}/entitlements",
    summary: "What a customer's subscriptions entitle to",
    permission: "subscriptions:read",
    params: z.object({ id: z.string() }),
    query: shortQuery(),
    replies: { 200: EntitlementsObject },
    async handle({ ctx, params: { id }, query }, tx) {
      const { data, ...entitled } = await readEntitlements(tx, ctx, id);
      const { items, ...paging } = pageOfShort(query, data, ({ key }) => key);
      return { status: 200, body: { ...entitled, data: items, ...paging } };
    },
  }),
];
