import { EVENT_REACT } from "../events/outbox.ts";
import type { Ctx } from "../flows/context.ts";
import { fanOut } from "../flows/webhooks/fan-out.ts";
import { assert } from "../kernel/assert.ts";
import { readEvents } from "../modules/events/store.ts";
import type { StoredEvent } from "../modules/events/types.ts";
import { PAYMENT_CANCELLED, PAYMENT_COMPLETE, PAYMENT_FAILED } from "../modules/payments/declarations.ts";
import type { PaymentEvent } from "../modules/payments/schema.ts";
import type { Tx } from "../platform/database.ts";
import { actingInSets } from "./handlers.ts";
import type { HandledWork, Reaction, WorkerParts } from "./job.ts";

/**
 * `event.react`: runs each reaction exactly once, with all events of the set that concern it, then sends every event to the
 * endpoints that subscribe to it.
 */
export const createReact: HandledWork["handler"] = (parts) =>
  actingInSets(
    EVENT_REACT,
    async (tx, ids) => new Map((await readEvents(tx, ids)).map((event) => [event.id as string, event])),
    async (tx, ctx, events) => {
      for (const [reaction, wanted] of byReaction(events, parts.reactions)) await reaction(tx, ctx, wanted);
      // The endpoints come last in the order of locks.
      await fanOut(tx, ctx, events);
      for (const event of events) tellPayment(parts, ctx, event);
    },
  ).handler(parts);

/** Counts and logs a payment whose outcome is known. A set that is done again after a fault tells its payments twice. */
function tellPayment(
  { metrics, services: { log } }: Pick<WorkerParts, "metrics" | "services">,
  { organisation }: Ctx,
  { type, data }: StoredEvent,
): void {
  const outcome = PAYMENT_OUTCOMES.get(type);
  if (outcome === undefined) return;
  const { reference, gateway, type: kind, currency, amount, sandbox = false } = data as PaymentEvent;
  metrics.observePayment({ gateway, type: kind, outcome, currency, sandbox, amount });
  log.info({ organisation: organisation.id, reference, gateway, type: kind, outcome }, "payment");
}

const PAYMENT_OUTCOMES: ReadonlyMap<string, string> = new Map(
  [
    { event: PAYMENT_COMPLETE, outcome: "complete" },
    { event: PAYMENT_FAILED, outcome: "failed" },
    { event: PAYMENT_CANCELLED, outcome: "cancelled" },
  ].map(({ event, outcome }) => {
    assert(event.reacts, `the event ${event.name} says that it reacts`);
    return [event.name, outcome];
  }),
);

/** A reaction that needs only the subjects of the events, each once. */
export const onSubjects =
  (run: (tx: Tx, ctx: Ctx, subjects: readonly string[]) => Promise<void>): Reaction =>
  (tx, ctx, events) =>
    run(tx, ctx, [...new Set(events.map(({ subject }) => subject))]);

/**
 * Each reaction with its events, both in order. Throws for an event of a newer version, whose reactions this version
 * does not know.
 */
function byReaction(events: readonly StoredEvent[], reactions: WorkerParts["reactions"]): Map<Reaction, StoredEvent[]> {
  const wanted = new Map<Reaction, StoredEvent[]>();
  for (const event of events) {
    const own = reactions.get(event.type);
    assert(own, `this version knows the event ${event.type}`);
    for (const reaction of own) {
      const known = wanted.get(reaction);
      if (known) known.push(event);
      else wanted.set(reaction, [event]);
    }
  }
  return wanted;
}
