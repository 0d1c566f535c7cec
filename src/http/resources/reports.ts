import { readAttempts } from "../../flows/overview/read-attempts.ts";
import { readCurrencies, readFunnel } from "../../flows/overview/read-funnel.ts";
import { readCohorts, readRecovery, readRevenueReport } from "../../flows/overview/read-subscription-reports.ts";
import { readUnpaidDebits } from "../../flows/overview/read-unpaid-debits.ts";
import { CohortReportObject, RevenueReportObject } from "../../modules/customer-subscriptions/schema/subscriptions.ts";
import { UnpaidDebitsReportObject } from "../../modules/debit-batches/schema.ts";
import { RecoveryReportObject } from "../../modules/dunning/schema.ts";
import { CurrenciesObject, DaysQuery, FunnelReportObject, ReceivedQuery } from "../../modules/overview/schema.ts";
import { ATTEMPTS_QUERY, AttemptsReportObject } from "../../modules/payments/schema.ts";
import { endpoint } from "../endpoint.ts";

const common = {
  tag: { name: "Overview", about: "Figures of the home page, each with the list of its records." },
  permission: "overview:read",
} as const;

/** Reports about any days, of interface 14.4. */
export const reportEndpoints = [
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/overview/attempts-report",
    also: ["transactions:read"],
    summary: "Get how attempts to pay ended in some days, by method and gateway, and why they were declined",
    query: ReceivedQuery.extend(ATTEMPTS_QUERY),
    replies: { 200: AttemptsReportObject },
    handle: async ({ ctx, query }, tx) => ({ status: 200, body: await readAttempts(tx, ctx, query) }),
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/overview/unpaid-debits-report",
    also: ["mandates:read"],
    summary: "Get how many debits banks returned unpaid in some days, by week and reason, beside the scheme's limits",
    query: DaysQuery.omit({ currency: true }),
    replies: { 200: UnpaidDebitsReportObject },
    handle: async ({ ctx, query }, tx) => ({ status: 200, body: await readUnpaidDebits(tx, ctx, query) }),
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/overview/revenue-report",
    also: ["subscriptions:read"],
    summary: "Get how monthly recurring revenue moved in some days, whole and by month",
    query: DaysQuery,
    replies: { 200: RevenueReportObject },
    handle: async ({ ctx, query }, tx) => ({ status: 200, body: await readRevenueReport(tx, ctx, query) }),
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/overview/recovery-report",
    also: ["subscriptions:read"],
    summary: "Get what became of the collections of subscriptions that failed in some days",
    query: DaysQuery,
    replies: { 200: RecoveryReportObject },
    handle: async ({ ctx, query }, tx) => ({ status: 200, body: await readRecovery(tx, ctx, query) }),
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/overview/cohort-report",
    also: ["subscriptions:read"],
    summary:
      "Get how many of the subscriptions that started in each month are active since, and their recurring revenue",
    query: DaysQuery,
    replies: { 200: CohortReportObject },
    handle: async ({ ctx, query }, tx) => ({ status: 200, body: await readCohorts(tx, ctx, query) }),
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/overview/funnel-report",
    also: ["payment_links:read", "checkout_sessions:read"],
    summary: "Get how many payment links and checkouts of some days were opened, started and paid since",
    query: ReceivedQuery.omit({ currency: true }),
    replies: { 200: FunnelReportObject },
    handle: async ({ ctx, query }, tx) => ({ status: 200, body: await readFunnel(tx, ctx, query) }),
  }),
  endpoint({
    ...common,
    audience: "staff",
    method: "GET",
    path: "/overview/currencies",
    summary: "Get the currencies in which there are figures, for the choice of a report's",
    replies: { 200: CurrenciesObject },
    handle: async (_call, tx) => ({ status: 200, body: await readCurrencies(tx) }),
  }),
];
