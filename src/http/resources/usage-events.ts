import { recordUsageEvents } from "../../flows/customer-subscriptions/record-usage-events.ts";
import { listExport } from "../../flows/exports/csv-export.ts";
import { invalidField } from "../../kernel/errors.ts";
import { toTimestamp } from "../../kernel/time.ts";
import { idOfReference } from "../../modules/customer-subscriptions/store/usage.ts";
import {
  BODY_MAX,
  type UsageEvent,
  UsageEventObject,
  type UsageEventQueried,
  UsageEventQuery,
  UsageEventsAccepted,
  UsageEventsCreate,
  usageEventView,
} from "../../modules/usage-events/schema.ts";
import { idOfUsageEvent, listUsageEvents } from "../../modules/usage-events/store.ts";
import type { Tx } from "../../platform/database.ts";
import { listEndpoint, PAGING } from "../csv-export.ts";
import { endpoint } from "../endpoint.ts";
import { listed, listOf } from "../lists.ts";

const common = {
  tag: { name: "Usage events", about: "What customers use of metered items, in batches." },
  feature: "invoicing",
} as const;

/** A query by a subscription's reference as one by its id: of no subscription for the reference of none. */
async function ofSubscription(tx: Tx, { externalReference, ...query }: UsageEventQueried): Promise<UsageEventQueried> {
  if (!externalReference) return query;
  const id = (await idOfReference(tx, externalReference)) ?? "none";
  return { ...query, subscriptionId: query.subscriptionId && query.subscriptionId !== id ? "none" : id };
}

/** Usage events. */
const usageEventsCsv = listExport<UsageEvent, typeof UsageEventQuery>({
  long: true,
  columns: {
    id: (row) => row.eventId,
    subscriptionId: (row) => row.subscriptionId,
    item: (row) => row.item,
    itemId: (row) => row.itemId,
    quantity: (row) => row.quantity,
    at: (row) => toTimestamp(row.at),
    properties: (row) => JSON.stringify(row.properties),
    late: (row) => String(row.late),
    receivedAt: (row) => toTimestamp(row.receivedAt),
  },
  list: async (tx, query) => listUsageEvents(tx, await ofSubscription(tx, query)),
});

/** Where a page begins: a cursor, or the merchant's id of an event. Throws 400 for the id of none. */
async function cursorOf(tx: Tx, name: string, cursor: string | undefined): Promise<string | undefined> {
  if (!cursor || /^uev_[0-9a-z]{26}$/.test(cursor)) return cursor || undefined;
  const id = await idOfUsageEvent(tx, cursor);
  if (id === null) throw invalidField([name], `${name} must be the nextCursor of this list, or an id from it.`);
  return id;
}

/** The endpoints of interface 4.17. */
export const usageEventEndpoints = [
  endpoint({
    ...common,
    audience: "clients",
    method: "POST",
    path: "/usage-events",
    operationId: "createUsageEvents",
    summary: "Record usage events, up to 1000 at once",
    permission: "subscriptions:write",
    scope: ["usage:write", "subscriptions:write"],
    idempotent: true,
    bodyMax: BODY_MAX,
    body: UsageEventsCreate,
    replies: { 200: UsageEventsAccepted },
    async handle({ ctx, body }, tx) {
      const recorded = await recordUsageEvents(tx, ctx, body.events);
      const { accepted, duplicates, rejected } = recorded;
      return { status: 200, body: recorded, audit: { after: { accepted, duplicates, rejected: rejected.length } } };
    },
  }),
  endpoint({
    ...common,
    audience: "clients",
    method: "GET",
    path: "/usage-events",
    summary: "List usage events, newest first",
    permission: "subscriptions:read",
    scope: "usage:read",
    query: UsageEventQuery,
    replies: { 200: listOf(UsageEventObject) },
    async handle({ query }, tx) {
      const [startingAfter, endingBefore] = [
        await cursorOf(tx, "startingAfter", query.startingAfter),
        await cursorOf(tx, "endingBefore", query.endingBefore),
      ];
      const page = { query: { ...query, startingAfter, endingBefore } };
      return listed(page, async (wanted) => listUsageEvents(tx, await ofSubscription(tx, wanted)), usageEventView);
    },
  }),
  listEndpoint("usage-events", "Usage events", "subscriptions:read", UsageEventQuery.omit(PAGING), usageEventsCsv),
];
