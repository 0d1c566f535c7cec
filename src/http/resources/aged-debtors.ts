import { type Ctx, DEFAULT_CURRENCY } from "../../flows/context.ts";
import { agedDebtorsCsv } from "../../flows/exports/aged-debtors-csv.ts";
import { withNamed } from "../../flows/search/named-by.ts";
import { type CalendarDay, calendarDay } from "../../kernel/time.ts";
import {
  AgedDebtorObject,
  AgedFileQuery,
  AgedListQuery,
  AgedQuery,
  AgedTotalsObject,
} from "../../modules/aged-debtors/schema.ts";
import { agedDebtors, agedTotals } from "../../modules/aged-debtors/store.ts";
import type { AgedQuestion } from "../../modules/aged-debtors/types.ts";
import { agedDebtorView, agedTotalsView } from "../../modules/aged-debtors/view.ts";
import { downloadEndpoint, endpoint } from "../endpoint.ts";
import { listBody, listOf, page } from "../lists.ts";

const common = {
  audience: "staff",
  tag: { name: "Accounting", about: "Figures for the books and the revenue service, and accounting partners." },
  permission: "invoices:read",
  also: ["customers:read"],
  scope: "accounting:read",
} as const;

const questionOf = (
  { now }: Ctx,
  { asAt, currency }: { asAt?: CalendarDay | undefined; currency: string | null },
): AgedQuestion => ({ asAt: asAt ?? calendarDay(now), currency: currency ?? DEFAULT_CURRENCY });

/** The endpoints of interface 18.5. */
export const agedDebtorEndpoints = [
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/accounting/aged-debtors",
    summary: "Get what customers owed at the end of a day, by how long it was past due",
    query: AgedQuery,
    replies: { 200: AgedTotalsObject },
    async handle({ ctx, query }, tx) {
      const asked = questionOf(ctx, query);
      return { status: 200, body: agedTotalsView(await agedTotals(tx, asked), asked) };
    },
  }),
  downloadEndpoint({
    ...common,
    audience: "clients",
    path: "/accounting/aged-debtors/csv",
    summary: "Download aged debtors as CSV, by customer",
    permission: "exports:read",
    also: ["invoices:read", "customers:read"],
    query: AgedFileQuery,
    media: "text/csv",
    async download({ ctx, services, query }) {
      const asked = questionOf(ctx, query);
      return {
        content: await agedDebtorsCsv(services, ctx, asked, query.q),
        contentType: "text/csv; charset=utf-8",
        fileName: `aged-debtors-${asked.asAt}.csv`,
      };
    },
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/accounting/aged-debtors/customers",
    summary: "List the customers who owed something or had credit at the end of a day",
    query: AgedListQuery,
    replies: { 200: listOf(AgedDebtorObject) },
    async handle({ ctx, query }, tx) {
      const asked = questionOf(ctx, query);
      const { items, ...paging } = await page(await withNamed(tx, query), async (wanted) =>
        (await agedDebtors(tx, asked, wanted)).map((debtor) => ({ ...debtor, id: debtor.customerId })),
      );
      return {
        status: 200,
        body: listBody(
          items.map((debtor) => agedDebtorView(debtor, asked)),
          paging,
        ),
      };
    },
  }),
];
