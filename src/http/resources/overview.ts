import { z } from "zod";
import { readOverview } from "../../flows/overview/read-overview.ts";
import { MoneyAtRiskObject } from "../../modules/payments/schema.ts";
import { timestamp } from "../../platform/schema.ts";
import { endpoint } from "../endpoint.ts";

const Overview = z.object({ asOf: timestamp(), moneyAtRisk: z.array(MoneyAtRiskObject) }).meta({ id: "Overview" });

/** Interface 14.2. */
export const overviewEndpoints = [
  endpoint({
    audience: "staff",
    tag: { name: "Overview", about: "Figures of the home page, each with the list that it adds up." },
    method: "GET",
    path: "/overview",
    summary: "Figures of the home page: what debit orders collected, and how much of it can still be disputed",
    permission: "overview:read",
    replies: { 200: Overview },
    handle: async ({ ctx }, tx) => ({ status: 200, body: await readOverview(tx, ctx) }),
  }),
];
