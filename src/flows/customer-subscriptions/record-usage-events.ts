import { createHash } from "node:crypto";
import { hasEnded } from "../../domain/customer-subscriptions.ts";
import { assert } from "../../kernel/assert.ts";
import { ApiError } from "../../kernel/errors.ts";
import { type Cents, fromRand, sum } from "../../kernel/money.ts";
import {
  addDays,
  addSeconds,
  calendarDay,
  DAY_SECONDS,
  firstOfMonth,
  type Instant,
  startOfDay,
  toTimestamp,
} from "../../kernel/time.ts";
import { counted, type Place, placeOf, type Use } from "../../modules/customer-subscriptions/rules/count-usage.ts";
import { regularPrice } from "../../modules/customer-subscriptions/rules/planner/prices.ts";
import type { Item, Metered, Subscription } from "../../modules/customer-subscriptions/rules/planner/types.ts";
import { lockUsed, saveUsage, type UsedSubscription } from "../../modules/customer-subscriptions/store/usage.ts";
import {
  AHEAD_SECONDS,
  type AskedUsageEvent,
  FORGET_USAGE,
  REMEMBERED_DAYS,
  type UsageEvent,
} from "../../modules/usage-events/schema.ts";
import {
  type CountedValue,
  idsThatCount,
  insertNewValues,
  insertUsageEvents,
  keyOfValue,
} from "../../modules/usage-events/store.ts";
import type { Tx } from "../../platform/database.ts";
import { enqueue } from "../../platform/due-work.ts";
import { newId } from "../../platform/new-id.ts";
import type { Ctx } from "../context.ts";
import { requireBillable, sizeOf, TOTAL_MAX } from "./asked-terms.ts";
import { billSubscriptions } from "./bill-subscription.ts";

/** What became of a batch of usage events (interface 4.17). */
export interface RecordedUsage {
  readonly accepted: number;
  readonly duplicates: number;
  readonly rejected: readonly { readonly id: string; readonly reason: string }[];
}

/** An event that counts, unless another request counts its id first. */
interface Counting {
  readonly event: UsageEvent;
  readonly subscription: UsedSubscription;
  readonly place: Place;
  /** Of an item with aggregation `unique`. */
  readonly value?: CountedValue;
}

/**
 * Counts a batch of usage events, each id once in 90 days of the organisation's time, in the quantities of their items
 * (interface 16.24). Subscriptions that are due are billed before, so that each event counts in its own period. Events
 * that cannot count are rejected one by one. Locks the subscriptions, then as `billSubscriptions`.
 */
export async function recordUsageEvents(tx: Tx, ctx: Ctx, events: readonly AskedUsageEvent[]): Promise<RecordedUsage> {
  const asked = new Map<string, AskedUsageEvent>();
  for (const event of events) if (!asked.has(event.id)) asked.set(event.id, event);
  const forgotten = addSeconds(ctx.now, -REMEMBERED_DAYS * DAY_SECONDS);
  const [subscriptions, known] = await Promise.all([
    lockUpToDate(tx, ctx, [...asked.values()]),
    idsThatCount(tx, [...asked.keys()], forgotten),
  ]);
  const judge = judging(ctx, subscriptions);
  const judged = [...asked.values()].flatMap((event) => (known.has(event.id) ? [] : judge(event)));
  const { fitting, tooMuch } = withinLimits(judged.flatMap((one) => ("reason" in one ? [] : one)));
  const inserted = await insertUsageEvents(
    tx,
    fitting.map(({ event }) => event),
    forgotten,
  );
  const accepted = fitting.filter(({ event }) => inserted.has(event.eventId));
  await count(tx, ctx, accepted);
  const rejected = [...judged.flatMap((one) => ("reason" in one ? one : [])), ...tooMuch];
  return { accepted: accepted.length, duplicates: events.length - accepted.length - rejected.length, rejected };
}

/** The subscriptions of events, locked, and billed when they are due. */
async function lockUpToDate(tx: Tx, ctx: Ctx, events: readonly AskedUsageEvent[]): Promise<UsedSubscription[]> {
  const ids = [...new Set(events.flatMap(({ subscriptionId }) => subscriptionId ?? []))];
  const references = [...new Set(events.flatMap(({ externalReference }) => externalReference ?? []))];
  const found = await lockUsed(tx, ids, references);
  const today = calendarDay(ctx.now);
  const due = found.filter(
    ({ nextDue, collectionMethod }) => collectionMethod !== "external" && nextDue && nextDue <= today,
  );
  if (due.length === 0) return found;
  await billSubscriptions(
    tx,
    ctx,
    due.map(({ id }) => id),
  );
  return lockUsed(tx, ids, references);
}

type Judged = Counting | { readonly id: string; readonly reason: string };

/** Decides about each event: where it counts, or why it does not. */
function judging(ctx: Ctx, subscriptions: readonly UsedSubscription[]): (event: AskedUsageEvent) => Judged {
  const byId = new Map(subscriptions.map((one) => [one.id as string, one]));
  const byReference = new Map(subscriptions.map((one) => [one.externalReference, one]));
  const rounds = new Map<string, CountedValue["round"]>();
  const latest = addSeconds(ctx.now, AHEAD_SECONDS);
  return (asked) => {
    const { id, subscriptionId, externalReference, quantity, at: given, properties } = asked;
    const rejected = (reason: string) => ({ id, reason });
    const subscription = subscriptionId === null ? byReference.get(externalReference) : byId.get(subscriptionId);
    if (!subscription)
      return rejected(
        `No customer subscription has the ${subscriptionId === null ? `externalReference ${externalReference}` : `id ${subscriptionId}`}.`,
      );
    if (subscription.collectionMethod === "external")
      return rejected("Another platform bills this subscription, so that its usage is not counted here.");
    if (hasEnded(subscription)) return rejected(`The subscription is ${subscription.status}: no bill follows.`);
    const item = itemNamed(subscription.state, asked.item);
    if (!item) return rejected(`The subscription has no item ${asked.item}: send the code or id of one that it has.`);
    if (item.kind !== "metered") return rejected(`The item ${asked.item} is not metered, so that it has no usage.`);
    const at = given ?? ctx.now;
    if (at > latest) return rejected("at is more than 5 minutes ahead: send what was used, once it was.");
    const place = placeOf(subscription.state, subscription.status === "paused", calendarDay(at));
    const event: UsageEvent = {
      id: newId("uev"),
      eventId: id,
      subscriptionId: subscription.id,
      itemId: item.id,
      item: asked.item,
      quantity,
      at,
      properties: properties ?? {},
      late: place === "late",
      receivedAt: ctx.now,
    };
    if (item.aggregation !== "unique" || !item.uniqueBy) return { event, subscription, place };
    const value = event.properties[item.uniqueBy];
    if (value === undefined || value === null)
      return rejected(`properties.${item.uniqueBy} is required: the item counts its different values.`);
    const round = roundOf(rounds, item, place);
    const hash = createHash("sha256").update(JSON.stringify(value)).digest("hex");
    return { event, subscription, place, value: { round, value: hash, subscriptionId: subscription.id } };
  };
}

const itemNamed = ({ terms }: Subscription, name: string): Item | undefined =>
  terms.items.find(({ id, code }) => id === name || code === name);

/** The round of values that an item is in, or a new one for the rest of the batch. */
function roundOf(
  rounds: Map<string, CountedValue["round"]>,
  { id, counting, ahead }: Metered,
  place: Place,
): CountedValue["round"] {
  const isAhead = typeof place === "object";
  const key = `${id} ${isAhead}`;
  const open = (isAhead ? ahead?.round : counting?.round) as CountedValue["round"] | undefined;
  const round = rounds.get(key) ?? open ?? newId("uvr");
  rounds.set(key, round);
  return round;
}

/** The items of a subscription with these events; `isNew` says of a value whether its round has not counted it. */
function withEvents(
  { state }: UsedSubscription,
  events: readonly Counting[],
  isNew: (value: CountedValue) => boolean,
): Subscription {
  const items = new Map<string, Item>(state.terms.items.map((item) => [item.id, item]));
  for (const { event, place, value } of events) {
    const item = items.get(event.itemId);
    assert(item?.kind === "metered", "an event names a metered item");
    const use: Use = {
      quantity: event.quantity,
      at: toTimestamp(event.at),
      place,
      ...(value && { value: { round: value.round, isNew: isNew(value) } }),
    };
    items.set(event.itemId, counted(item, use));
  }
  return { ...state, terms: { ...state.terms, items: [...items.values()] } };
}

const bySubscription = (events: readonly Counting[]): readonly (readonly Counting[])[] => [
  ...Map.groupBy(events, ({ subscription }) => subscription).values(),
];

/** Below this share of the largest invoice what a subscription's items come to is not looked at closer. */
const SMALL = TOTAL_MAX / 10;

/** Divides events into those that leave bills below the largest invoice, and the others. */
function withinLimits(events: readonly Counting[]) {
  const fitting: Counting[] = [];
  const tooMuch: { readonly id: string; readonly reason: string }[] = [];
  for (const own of bySubscription(events)) {
    const [first] = own;
    if (!first) continue;
    const { subscription } = first;
    if (comesTo(withEvents(subscription, own, () => true)) <= SMALL) {
      fitting.push(...own);
      continue;
    }
    const kept: Counting[] = [];
    for (const one of own) {
      const reason = reasonOfSize(withEvents(subscription, [...kept, one], () => true));
      if (reason === null) kept.push(one);
      else tooMuch.push({ id: one.event.eventId, reason });
    }
    fitting.push(...kept);
  }
  return { fitting, tooMuch };
}

/** About what a period comes to, in cents. */
function comesTo({ terms }: Subscription): Cents {
  const items = terms.items.reduce((all, item) => all + sizeOf(item), 0);
  return sum([fromRand(Math.min(items, Number.MAX_SAFE_INTEGER / 1000)), regularPrice(terms).total]);
}

/** Why usage is too much to be billed; null when it is not. */
function reasonOfSize(after: Subscription): string | null {
  try {
    requireBillable({ bills: [], after });
    return null;
  } catch (error) {
    if (error instanceof ApiError) return error.message;
    throw error;
  }
}

/** Adds events that were inserted to the quantities of their items. */
async function count(tx: Tx, ctx: Ctx, accepted: readonly Counting[]): Promise<void> {
  if (accepted.length === 0) return;
  const left = await newValues(tx, accepted);
  // The first event with a new value counts it.
  const isNew = (value: CountedValue) => left.delete(keyOfValue(value));
  const used = bySubscription(accepted).flatMap((own) => {
    const [first] = own;
    return first ? [{ id: first.subscription.id, state: withEvents(first.subscription, own, isNew) }] : [];
  });
  saveUsage(tx, used, ctx.now);
  forgetInTime(tx, ctx.now);
}

/** The values, by `keyOfValue`, that their rounds had not counted. */
async function newValues(tx: Tx, events: readonly Counting[]): Promise<Set<string>> {
  const values = new Map(events.flatMap(({ value }) => (value ? [[keyOfValue(value), value] as const] : [])));
  return values.size === 0 ? new Set() : new Set(await insertNewValues(tx, [...values.values()]));
}

/** Asks for the removal of this month's events on the day on which the last of them is forgotten. */
function forgetInTime(tx: Tx, now: Instant): void {
  const month = firstOfMonth(calendarDay(now));
  enqueue(tx, FORGET_USAGE, month.slice(0, "2026-12".length), startOfDay(addDays(month, 31 + REMEMBERED_DAYS + 1)));
}
