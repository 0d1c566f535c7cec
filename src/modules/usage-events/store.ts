// Writes: usage_events, usage_values. Reads nothing else.

import { erased, MERCHANTS_REFERENCE } from "../../domain/erasure.ts";
import { createdIn, newestFirst, onPage } from "../../domain/lists.ts";
import { record, subjectsOf } from "../../domain/records.ts";
import type { UsageEventsRow } from "../../domain/rows.ts";
import { decimalOf } from "../../kernel/decimal.ts";
import type { CustomerSubscriptionId, Id } from "../../kernel/ids.ts";
import type { Instant } from "../../kernel/time.ts";
import { part, type Tx, when } from "../../platform/database.ts";
import { type RowColumns, rowsOf } from "../../platform/rows-of.ts";
import type { PropertyValue, UsageEvent, UsageEventQueried } from "./schema.ts";

type Row = Omit<UsageEventsRow, "properties"> & { readonly properties: Record<string, PropertyValue> };

const fromRow = (row: Row): UsageEvent => ({
  id: row.id,
  eventId: row.event_id,
  subscriptionId: row.customer_subscription_id,
  itemId: row.item_id,
  item: row.item,
  quantity: decimalOf(row.quantity),
  at: row.at,
  properties: row.properties,
  late: row.late,
  receivedAt: row.received_at,
});

const COLUMNS: RowColumns<UsageEvent> = {
  id: ["text", ({ id }) => id],
  event_id: ["text", ({ eventId }) => eventId],
  customer_subscription_id: ["text", ({ subscriptionId }) => subscriptionId],
  item_id: ["text", ({ itemId }) => itemId],
  item: ["text", ({ item }) => item],
  quantity: ["numeric", ({ quantity }) => quantity],
  at: ["timestamptz", ({ at }) => at],
  properties: ["jsonb", ({ properties }) => JSON.stringify(properties)],
  late: ["boolean", ({ late }) => late],
  received_at: ["timestamptz", ({ receivedAt }) => receivedAt],
};

/** Which of these ids belong to events that were received after a time, and so count already. */
export async function idsThatCount(tx: Tx, ids: readonly string[], after: Instant): Promise<ReadonlySet<string>> {
  const rows = await tx.sql<Pick<UsageEventsRow, "event_id">>`
    select event_id from usage_events
     where organisation_id = ${tx.organisation} and event_id = any (${ids}) and received_at > ${after}`;
  return new Set(rows.map(({ event_id }) => event_id));
}

/**
 * Inserts events, in the order of their ids, but those whose id counts already; an event that was received by `before`
 * is replaced. Answers the ids of those that were inserted.
 */
export async function insertUsageEvents(
  tx: Tx,
  events: readonly UsageEvent[],
  before: Instant,
): Promise<ReadonlySet<string>> {
  // Transactions that insert the same ids wait for each other in one order.
  const ordered = events.toSorted((a, b) => (a.eventId < b.eventId ? -1 : 1));
  const rows = await tx.sql<Pick<UsageEventsRow, "event_id">>`
    insert into usage_events as u (organisation_id, id, event_id, customer_subscription_id, item_id, item, quantity, at, properties, late,
      received_at)
    select ${tx.organisation}, n.* from ${rowsOf(ordered, COLUMNS)}
    on conflict (organisation_id, event_id) do update set id = excluded.id, customer_subscription_id = excluded.customer_subscription_id,
      item_id = excluded.item_id, item = excluded.item, quantity = excluded.quantity, at = excluded.at, properties = excluded.properties,
      late = excluded.late, received_at = excluded.received_at
     where u.received_at <= ${before}
    returning event_id`;
  return new Set(rows.map(({ event_id }) => event_id));
}

/** A value that an item with aggregation `unique` counts. */
export interface CountedValue {
  readonly round: Id<"uvr">;
  /** Its hash. */
  readonly value: string;
  readonly subscriptionId: CustomerSubscriptionId;
}

const VALUES: RowColumns<CountedValue> = {
  round: ["text", ({ round }) => round],
  value: ["text", ({ value }) => value],
  customer_subscription_id: ["text", ({ subscriptionId }) => subscriptionId],
};

/** The name of a value in its round. */
export const keyOfValue = ({ round, value }: Pick<CountedValue, "round" | "value">): string => `${round} ${value}`;

/** Inserts different values; answers, by `keyOfValue`, those that their rounds had not counted. */
export async function insertNewValues(tx: Tx, values: readonly CountedValue[]): Promise<ReadonlySet<string>> {
  const rows = await tx.sql<Pick<CountedValue, "round" | "value">>`
    insert into usage_values (organisation_id, round, value, customer_subscription_id)
    select ${tx.organisation}, n.* from ${rowsOf(values, VALUES)}
    on conflict do nothing returning round, value`;
  return new Set(rows.map(keyOfValue));
}

/** Newest first. */
export async function listUsageEvents(tx: Tx, query: UsageEventQueried): Promise<UsageEvent[]> {
  const rows = await tx.sql<Row>`
    select * from usage_events where organisation_id = ${tx.organisation}
      ${when(query.subscriptionId, (id) => part`and customer_subscription_id = ${id}`)}
      ${when(query.item, (item) => part`and (item = ${item} or item_id = ${item})`)}
      ${when(query.late, (late) => (late === "true" ? part`and late` : part`and not late`))}
      ${createdIn(query, "uev", { id: part`id`, createdAt: part`received_at` })}
      ${onPage(query, part`id`)} ${newestFirst(query, part`id`)}`;
  return rows.map(fromRow);
}

/** Our id of the event with the merchant's; null when there is none. */
export async function idOfUsageEvent(tx: Tx, eventId: string): Promise<Id<"uev"> | null> {
  const [row] = await tx.sql<Pick<UsageEventsRow, "id">>`
    select id from usage_events where organisation_id = ${tx.organisation} and event_id = ${eventId}`;
  return row?.id ?? null;
}

/** Deletes the oldest events, at most so many, that were received by a time; answers how many. */
export async function deleteUsageEvents(tx: Tx, before: Instant, most: number): Promise<number> {
  const rows = await tx.sql<{ id: string }>`
    delete from usage_events where organisation_id = ${tx.organisation} and id in (
      select id from usage_events where organisation_id = ${tx.organisation} and received_at <= ${before} order by id limit ${most})
    returning id`;
  return rows.length;
}

/** The rounds that have values, with their subscriptions. */
export const roundsWithValues = (tx: Tx): Promise<Omit<CountedValue, "value">[]> =>
  tx.sql<Omit<CountedValue, "value">>`
    select distinct round, customer_subscription_id as "subscriptionId" from usage_values where organisation_id = ${tx.organisation}`;

/** Deletes values of rounds, at most so many; answers how many. */
export async function deleteValues(tx: Tx, rounds: readonly string[], most: number): Promise<number> {
  const rows = await tx.sql<{ round: string }>`
    delete from usage_values where organisation_id = ${tx.organisation} and (round, value) in (
      select v.round, v.value from usage_values v where v.organisation_id = ${tx.organisation} and v.round = any (${rounds}) limit ${most})
    returning round`;
  return rows.length;
}

/** What erasure makes of usage events. */
export const USAGE_RECORD = record({
  held: {
    "usage-events": (tx, customer) =>
      part`from usage_events t where t.organisation_id = ${tx.organisation}
          and t.customer_subscription_id = any (${subjectsOf(tx, customer)})`,
  },
  tables: {
    usage_events: {
      plain: "id customer_subscription_id item_id item",
      columns: {
        event_id: MERCHANTS_REFERENCE,
        properties: erased("'{}'"),
      },
      rows: "customer_subscription_id = any (subjects)",
    },
    usage_values: {
      plain: "round customer_subscription_id value",
    },
  },
});
