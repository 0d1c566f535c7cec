import { z } from "zod";
import type { Ctx } from "../../flows/context.ts";
import { listExport } from "../../flows/exports/csv-export.ts";
import { readFirstSteps } from "../../flows/overview/read-first-steps.ts";
import { readMoneyPlaces } from "../../flows/overview/read-money-places.ts";
import { readOverview } from "../../flows/overview/read-overview.ts";
import { daysAsked, readReceived, readReceivedByMethod } from "../../flows/overview/read-received.ts";
import { withNamed } from "../../flows/search/named-by.ts";
import type { MayRead } from "../../flows/search/search-records.ts";
import { addDays, type CalendarDay, startOfDay, toTimestamp } from "../../kernel/time.ts";
import {
  MovementObject,
  MovementQuery,
  RecurringRevenueObject,
} from "../../modules/customer-subscriptions/schema/subscriptions.ts";
import { listMovements } from "../../modules/customer-subscriptions/store/movements.ts";
import type { Movement } from "../../modules/customer-subscriptions/types.ts";
import { movementView } from "../../modules/customer-subscriptions/view.ts";
import { DebitBatchSummary } from "../../modules/debit-batches/schema.ts";
import { mayDo } from "../../modules/members/rules.ts";
import {
  DaysQuery,
  ExpectedObject,
  FirstStepsObject,
  MoneyObject,
  MoneyPlacesObject,
  NextDebitsObject,
  ReceiptObject,
  ReceiptQuery,
  ReceivedByMethodObject,
  ReceivedObject,
  ReceivedQuery,
  ReceivedRangeObject,
  receiptCursor,
  TaskObject,
  UnpaidDebitsObject,
  WebhookFailuresObject,
} from "../../modules/overview/schema.ts";
import { listReceipts } from "../../modules/overview/store.ts";
import type { ReceiptRow } from "../../modules/overview/types.ts";
import { receiptView } from "../../modules/overview/view.ts";
import { MoneyAtRiskObject } from "../../modules/payments/schema.ts";
import type { Tx } from "../../platform/database.ts";
import { type FiltersOf, timestamp } from "../../platform/schema.ts";
import { listEndpoint, PAGING } from "../csv-export.ts";
import { endpoint } from "../endpoint.ts";
import { mayReadByKey } from "../key-scopes.ts";
import { listed, listOf } from "../lists.ts";

const Overview = z
  .object({
    asOf: timestamp(),
    received: ReceivedObject,
    receivedOther: z
      .array(ReceivedObject)
      .describe("The same for each other currency in which something was received."),
    toDo: z
      .array(TaskObject)
      .describe("What needs a person, the most urgent first; what there is none of is left out."),
    unpaidDebits: UnpaidDebitsObject,
    expected: z.array(ExpectedObject).describe("One for each currency."),
    money: z.array(MoneyObject),
    moneyAtRisk: z.array(MoneyAtRiskObject),
    recurringRevenue: z.array(RecurringRevenueObject),
    nextDebitBatch: DebitBatchSummary.nullable().describe(
      "The batch that goes to the bank next; `GET /debit-batches/{id}` has its forecast.",
    ),
    nextDebits: NextDebitsObject.nullable(),
    webhookFailures: WebhookFailuresObject,
  })
  .meta({ id: "Overview" });

/** Interface 14.4: the figures that a member may read; the others are left out. */
const StaffOverview = Overview.extend({
  money: z.array(
    MoneyObject.partial({ outstanding: true, overdue: true, retrying: true, transfersToReview: true }).meta({
      id: "StaffOverviewMoney",
    }),
  ),
})
  .partial()
  .required({ asOf: true, toDo: true, money: true })
  .meta({ id: "StaffOverview" });
const common = {
  audience: "staff",
  tag: { name: "Overview", about: "Figures of the home page, each with the list of its records." },
  permission: "overview:read",
} as const;

/** The receipts that a query asks for. */
async function receiptsOf(
  tx: Tx,
  ctx: Ctx,
  {
    kind,
    customerId,
    method,
    gateway,
    startingAfter,
    endingBefore,
    limit,
    ...days
  }: FiltersOf<typeof ReceiptQuery> & {
    readonly limit: number;
    readonly startingAfter?: string | undefined;
    readonly endingBefore?: string | undefined;
  },
): Promise<ReceiptRow[]> {
  const after = startingAfter && receiptCursor(startingAfter);
  const before = endingBefore && receiptCursor(endingBefore);
  return listReceipts(tx, {
    ...daysAsked(ctx, days),
    kinds: kind,
    customerId,
    method,
    gateway,
    limit,
    ...(after ? { startingAfter: after } : {}),
    ...(before ? { endingBefore: before } : {}),
  });
}

/** Receipts. */
const receiptsCsv = listExport<ReceiptRow, typeof ReceiptQuery>({
  columns: {
    day: (row) => row.day,
    kind: (row) => row.kind,
    amount: (row) => row.amount,
    currency: (row) => row.currency,
    customerId: (row) => row.customer?.id ?? null,
    customerExternalReference: (row) => row.customer?.externalReference ?? null,
    customerEmail: (row) => row.customer?.email ?? null,
    method: (row) => row.method,
    reference: (row) => row.reference,
    id: (row) => row.id,
    gateway: (row) => row.gateway,
  },
  list: (tx, query, ctx) => receiptsOf(tx, ctx, query),
});

/** The times of South African days, both included. */
const timesOf = ({ from, to }: { readonly from?: CalendarDay | undefined; readonly to?: CalendarDay | undefined }) => ({
  from: from && startOfDay(from),
  until: to && startOfDay(addDays(to, 1)),
});

/** Movements of the monthly recurring revenue. */
const movementsCsv = listExport<Movement, typeof MovementQuery>({
  columns: {
    id: (row) => row.id,
    kind: (row) => row.kind,
    subscriptionId: (row) => row.subscriptionId,
    customerId: (row) => row.customer.id,
    customerExternalReference: (row) => row.customer.externalReference,
    customerEmail: (row) => row.customer.email,
    amount: (row) => row.amount,
    currency: (row) => row.currency,
    happenedAt: (row) => toTimestamp(row.happenedAt),
  },
  list: async (tx, { from, to, ...query }) => listMovements(tx, await withNamed(tx, query), timesOf({ from, to })),
});

/** The endpoints of interface 14.2. */
export const overviewEndpoints = [
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/overview",
    summary:
      "Figures of the home page: what was received and what is owed; " +
      "what debit orders collected, and how much of it can still be disputed; " +
      "what subscriptions are worth a month, and how that moved; what is debited next; which webhooks failed",
    replies: { 200: Overview },
    staffReplies: { 200: StaffOverview },
    async handle({ ctx, member }, tx) {
      const mayRead: MayRead = (permission) => member === null || mayDo(member.role, permission);
      return { status: 200, body: await readOverview(tx, ctx, mayRead) };
    },
  }),
  endpoint({
    ...common,
    method: "GET",
    path: "/first-steps",
    also: ["settings:read"],
    summary: "What is set up before the first payment, and whether mail leaves this installation",
    replies: { 200: FirstStepsObject },
    handle: async ({ ctx }, tx) => ({ status: 200, body: await readFirstSteps(tx, ctx) }),
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/overview/received",
    also: ["transactions:read"],
    summary: "Get what was received in some days, by day, week or month, and in as many days before",
    query: ReceivedQuery,
    replies: { 200: ReceivedRangeObject },
    handle: async ({ ctx, query }, tx) => ({ status: 200, body: await readReceived(tx, ctx, query) }),
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/overview/received-by-method",
    also: ["transactions:read"],
    summary: "Get what was received in some days by each method and gateway, with what gateways kept of it",
    query: DaysQuery,
    replies: { 200: ReceivedByMethodObject },
    handle: async ({ ctx, query }, tx) => ({ status: 200, body: await readReceivedByMethod(tx, ctx, query) }),
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/overview/money-places",
    also: ["transactions:read"],
    summary: "Get where the money is that was ever received: in which bank, at which gateway, in fees and charges",
    replies: { 200: MoneyPlacesObject },
    async handle({ ctx, member }, tx) {
      const scopes = ctx.actor.limits?.scopes ?? null;
      const mayRead: MayRead = (permission) =>
        member ? mayDo(member.role, permission) : mayReadByKey(scopes, permission);
      return { status: 200, body: await readMoneyPlaces(tx, mayRead) };
    },
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/receipts",
    summary: "List the money that came and went, newest first: what the figures about received money add up",
    permission: "transactions:read",
    query: ReceiptQuery,
    replies: { 200: listOf(ReceiptObject) },
    handle: ({ ctx, query }, tx) => listed({ query }, (wanted) => receiptsOf(tx, ctx, wanted), receiptView),
  }),
  listEndpoint("receipts", "The money that came and went", "transactions:read", ReceiptQuery.omit(PAGING), receiptsCsv),
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/subscription-movements",
    also: ["subscriptions:read"],
    summary: "List the movements of the monthly recurring revenue, newest first",
    query: MovementQuery,
    replies: { 200: listOf(MovementObject) },
    async handle({ query: { from, to, ...rest } }, tx) {
      const query = await withNamed(tx, rest);
      return listed({ query }, (wanted) => listMovements(tx, wanted, timesOf({ from, to })), movementView);
    },
  }),
  listEndpoint(
    "subscription-movements",
    "Movements of the monthly recurring revenue",
    "subscriptions:read",
    MovementQuery.omit(PAGING),
    movementsCsv,
  ),
];
