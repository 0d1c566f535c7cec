import { z } from "zod";
import { monthFrom, readDeferredInvoices, readDeferredTotals } from "../../flows/accounting/deferred-revenue.ts";
import { deferredRevenueCsv } from "../../flows/accounting/deferred-revenue-csv.ts";
import { monthOf } from "../../flows/accounting/months.ts";
import { DEFAULT_CURRENCY } from "../../flows/context.ts";
import {
  DeferredInvoiceObject,
  DeferredListQuery,
  DeferredQuery,
  DeferredTotalsObject,
} from "../../modules/deferred-revenue/schema.ts";
import { deferredInvoiceView, deferredTotalsView } from "../../modules/deferred-revenue/view.ts";
import { downloadEndpoint, endpoint } from "../endpoint.ts";
import { listed, listOf } from "../lists.ts";

const common = {
  audience: "staff",
  tag: { name: "Accounting", about: "Figures for the books and the revenue service, and accounting partners." },
  permission: "accounting:read",
} as const;
const params = z.object({ month: z.string() });

const askedOf = (call: {
  readonly params: { readonly month: string };
  readonly query: { readonly currency: string | null };
}) => [monthFrom(monthOf(call.params.month)), call.query.currency ?? DEFAULT_CURRENCY] as const;

/** The endpoints of interface 18.9. */
export const deferredRevenueEndpoints = [
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/accounting/deferred-revenue/{month}",
    summary: "Get what was invoiced and not earned at the end of a month, and how it moved in it",
    params,
    query: DeferredQuery,
    replies: { 200: DeferredTotalsObject },
    async handle(call, tx) {
      const [month, currency] = askedOf(call);
      return {
        status: 200,
        body: deferredTotalsView(await readDeferredTotals(tx, month, currency), month, currency),
      };
    },
  }),
  downloadEndpoint({
    ...common,
    audience: "clients",
    path: "/accounting/deferred-revenue/{month}/csv",
    summary: "Download deferred revenue of a month as CSV, by invoice line",
    params,
    query: DeferredQuery,
    media: "text/csv",
    async download(call) {
      const [month, currency] = askedOf(call);
      return {
        content: await deferredRevenueCsv(call.services, call.ctx, month, currency),
        contentType: "text/csv; charset=utf-8",
        fileName: `deferred-revenue-${call.params.month}.csv`,
      };
    },
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/accounting/deferred-revenue/{month}/invoices",
    summary: "List the invoices with revenue that was deferred before or in a month, with their lines",
    params,
    query: DeferredListQuery,
    replies: { 200: listOf(DeferredInvoiceObject) },
    handle(call, tx) {
      const [month, currency] = askedOf(call);
      return listed(
        call,
        (wanted) => readDeferredInvoices(tx, month, currency, wanted),
        (invoice) => deferredInvoiceView(invoice, currency),
      );
    },
  }),
];
