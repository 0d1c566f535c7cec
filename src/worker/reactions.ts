import { EVENTS, type EventType } from "../events/catalogue.ts";
import type { Ctx } from "../flows/context.ts";
import { mailReceipts, mailRefunds } from "../flows/mail/payer-mails.ts";
import { fanOut } from "../flows/webhooks/fan-out.ts";
import { assert } from "../kernel/assert.ts";
import type { StoredEvent } from "../modules/events/types.ts";
import type { Tx } from "../platform/database.ts";

/** What follows from events, in a transaction after theirs. Gets those of one organisation that came together, in order. */
export type Reaction = (tx: Tx, ctx: Ctx, events: readonly StoredEvent[]) => Promise<void>;

const webhooks: Reaction = (tx, ctx, events) => fanOut(tx, ctx, events);
const receipts: Reaction = (tx, ctx, events) => mailReceipts(tx, ctx, subjectsOf(events));
const refundMails: Reaction = (tx, ctx, events) => mailRefunds(tx, ctx, subjectsOf(events));

/** Payments are the subjects of their events, by reference. */
const subjectsOf = (events: readonly StoredEvent[]): string[] => [...new Set(events.map(({ subject }) => subject))];

/** What follows beside its deliveries, which every event has. */
const MORE: Readonly<Partial<Record<EventType, readonly Reaction[]>>> = {
  "payment.complete": [receipts],
  "payment.refunded": [refundMails],
  "payment.partially_refunded": [refundMails],
};

/** All that follows from an event of the type (spec part 6). Throws for one of a newer version, which knows what else follows. */
export function reactionsTo(type: EventType): readonly Reaction[] {
  assert(Object.hasOwn(EVENTS, type), `this version knows the event ${type}`);
  return [webhooks, ...(MORE[type] ?? [])];
}
