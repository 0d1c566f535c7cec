import { z } from "zod";
import { readOverview } from "../../flows/overview/read-overview.ts";
import { startOfDay } from "../../kernel/time.ts";
import {
  MovementObject,
  MovementQuery,
  RecurringRevenueObject,
} from "../../modules/customer-subscriptions/schema/figures.ts";
import { listMovements } from "../../modules/customer-subscriptions/store/movements.ts";
import { movementView } from "../../modules/customer-subscriptions/view.ts";
import { MoneyAtRiskObject } from "../../modules/payments/schema.ts";
import { timestamp } from "../../platform/schema.ts";
import { endpoint } from "../endpoint.ts";
import { listed, listOf } from "../lists.ts";

const Overview = z
  .object({
    asOf: timestamp(),
    moneyAtRisk: z.array(MoneyAtRiskObject),
    recurringRevenue: z.array(RecurringRevenueObject),
  })
  .meta({ id: "Overview" });
const common = {
  audience: "staff",
  tag: { name: "Overview", about: "Figures of the home page, each with the list that it adds up." },
  permission: "overview:read",
} as const;

/** Interface 14.2. */
export const overviewEndpoints = [
  endpoint({
    ...common,
    method: "GET",
    path: "/overview",
    summary:
      "Figures of the home page: what debit orders collected, and how much of it can still be disputed; what subscriptions are worth a month, and how that moved",
    replies: { 200: Overview },
    handle: async ({ ctx }, tx) => ({ status: 200, body: await readOverview(tx, ctx) }),
  }),
  endpoint({
    ...common,
    method: "GET",
    path: "/subscription-movements",
    summary: "List the changes of what subscriptions are worth a month, newest first",
    query: MovementQuery,
    replies: { 200: listOf(MovementObject) },
    async handle({ ctx, query: { from, ...query } }, tx) {
      const since = from && startOfDay(from);
      return listed({ ctx, query }, (wanted) => listMovements(tx, wanted, since), movementView);
    },
  }),
];
