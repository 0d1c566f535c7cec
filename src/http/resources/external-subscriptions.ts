import { z } from "zod";
import { importSubscriptions } from "../../flows/customer-subscriptions/import-subscriptions.ts";
import { comparedPeriod, externalSubscription } from "../../flows/customer-subscriptions/read-external.ts";
import { subscriptionObject } from "../../flows/customer-subscriptions/subscription-object.ts";
import { syncPeriodOnce } from "../../flows/customer-subscriptions/sync-period.ts";
import { notFound } from "../../kernel/errors.ts";
import { CustomerSubscriptionObject, PlannedLine } from "../../modules/customer-subscriptions/schema/subscriptions.ts";
import {
  ComparedSubscriptionObject,
  ComparisonTotalsObject,
  comparedPeriodObject,
  ExternalPeriodQuery,
  ImportForm,
  PackageComparisonQuery,
  SubscriptionImport,
  SyncPeriod,
} from "../../modules/external-periods/schema.ts";
import { listCompared, listExternalPeriods, sumCompared } from "../../modules/external-periods/store.ts";
import { comparedView, comparisonTotalsView } from "../../modules/external-periods/view.ts";
import { findPackage } from "../../modules/packages/store.ts";
import { endpoint, importEndpoint, ownTransactionsEndpoint } from "../endpoint.ts";
import { listOf, page } from "../lists.ts";

const common = {
  tag: {
    name: "External subscriptions",
    about: "Subscriptions that another platform bills: their periods, and what the service would have billed.",
  },
  audience: "clients",
  feature: "invoicing",
} as const;
const params = z.object({ id: z.string() });

const IMPORT_BYTES_MAX = 10 * 1024 * 1024;

/** The endpoints of interface 4.8, mirror mode. */
export const externalSubscriptionEndpoints = [
  importEndpoint({
    ...common,
    audience: "clients",
    path: "/customer-subscriptions/imports",
    operationId: "importCustomerSubscriptions",
    summary: "Record the external subscriptions that a CSV file lists, with a report for each row",
    permission: "subscriptions:write",
    upload: { field: "file", maxBytes: IMPORT_BYTES_MAX, form: ImportForm },
    replies: { 200: SubscriptionImport, 201: SubscriptionImport },
    async run({ ctx, services, body: { bytes, form } }) {
      const rows = await importSubscriptions(services, ctx, bytes, form.dryRun);
      const count = (action: string) => rows.filter((row) => row.action === action).length;
      const totals = { rows: rows.length, create: count("create"), exists: count("exists"), error: count("error") };
      const status = totals.create > 0 && !form.dryRun ? 201 : 200;
      return { status, body: { object: "subscription_import", dryRun: form.dryRun, totals, rows } };
    },
  }),
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
    query: ExternalPeriodQuery,
    replies: { 200: listOf(comparedPeriodObject(PlannedLine)) },
    async handle({ ctx, params: { id }, query }, tx) {
      const found = await externalSubscription(tx, ctx, id);
      const { items, ...paging } = await page(query, (wanted) => listExternalPeriods(tx, found.id, wanted));
      return { status: 200, body: { data: items.map((period) => comparedPeriod(period, found)), ...paging } };
    },
  }),
  endpoint({
    ...common,
    method: "GET",
    path: "/packages/{id}/shadow",
    summary: "Compare the sums of a package's external subscriptions, newest first",
    permission: "subscriptions:read",
    params,
    query: PackageComparisonQuery,
    replies: { 200: listOf(ComparedSubscriptionObject).extend({ totals: z.array(ComparisonTotalsObject) }) },
    async handle({ params: { id }, query }, tx) {
      const parent = await findPackage(tx, id);
      if (!parent) throw notFound("package");
      const { items, ...paging } = await page(query, (wanted) => listCompared(tx, parent.id, wanted));
      const totals = await sumCompared(tx, parent.id);
      return {
        status: 200,
        body: { data: items.map(comparedView), ...paging, totals: totals.map(comparisonTotalsView) },
      };
    },
  }),
];
