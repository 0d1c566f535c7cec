import { z } from "zod";
import { externalSubscription, shadowPeriod } from "../../flows/customer-subscriptions/read-shadow.ts";
import { subscriptionObject } from "../../flows/customer-subscriptions/subscription-object.ts";
import { syncPeriodOnce } from "../../flows/customer-subscriptions/sync-period.ts";
import { notFound } from "../../kernel/errors.ts";
import { CustomerSubscriptionObject, PlannedLine } from "../../modules/customer-subscriptions/schema.ts";
import { findPackage } from "../../modules/packages/store.ts";
import {
  PackageShadowQuery,
  RecordedPeriodQuery,
  ShadowedSubscriptionObject,
  ShadowTotalsObject,
  SyncPeriod,
  shadowPeriodObject,
} from "../../modules/recorded-periods/schema.ts";
import { listPeriods, listShadowed, sumShadowed } from "../../modules/recorded-periods/store.ts";
import { shadowedView, shadowTotalsView } from "../../modules/recorded-periods/view.ts";
import { endpoint, ownTransactionsEndpoint } from "../endpoint.ts";
import { page, pagedListOf } from "../lists.ts";

const common = {
  tag: {
    name: "External subscriptions",
    about: "Subscriptions that another platform bills: their periods, and what the service would have billed.",
  },
  audience: "clients",
  feature: "invoicing",
} as const;
const params = z.object({ id: z.string() });

/** Interface 4.8, mirror mode. */
export const mirrorSubscriptionEndpoints = [
  ownTransactionsEndpoint({
    ...common,
    method: "POST",
    path: "/customer-subscriptions/{id}/sync-period",
    summary: "Record the period that another platform bills",
    permission: "subscriptions:write",
    params,
    body: SyncPeriod,
    replies: { 200: CustomerSubscriptionObject },
    async run({ ctx, services, params: { id }, body }) {
      const { after } = await syncPeriodOnce(services, ctx, id, body);
      return { status: 200, body: subscriptionObject(ctx, after) };
    },
  }),
  endpoint({
    ...common,
    method: "GET",
    path: "/customer-subscriptions/{id}/shadow",
    summary: "Compare what another platform has billed with what the service would have billed, newest period first",
    permission: "subscriptions:read",
    params,
    query: RecordedPeriodQuery,
    replies: { 200: pagedListOf(shadowPeriodObject(PlannedLine)) },
    async handle({ ctx, params: { id }, query }, tx) {
      const found = await externalSubscription(tx, ctx, id);
      const { items, ...paging } = await page(query, (wanted) => listPeriods(tx, found.id, wanted));
      return { status: 200, body: { data: items.map((period) => shadowPeriod(period, found)), ...paging } };
    },
  }),
  endpoint({
    ...common,
    method: "GET",
    path: "/packages/{id}/shadow",
    summary: "Compare the sums of a package's external subscriptions, newest first",
    permission: "subscriptions:read",
    params,
    query: PackageShadowQuery,
    replies: { 200: pagedListOf(ShadowedSubscriptionObject).extend({ totals: z.array(ShadowTotalsObject) }) },
    async handle({ params: { id }, query }, tx) {
      const parent = await findPackage(tx, id);
      if (!parent) throw notFound("package");
      const { items, ...paging } = await page(query, (wanted) => listShadowed(tx, parent.id, wanted));
      const totals = await sumShadowed(tx, parent.id);
      return {
        status: 200,
        body: { data: items.map(shadowedView), ...paging, totals: totals.map(shadowTotalsView) },
      };
    },
  }),
];
