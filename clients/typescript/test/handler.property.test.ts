import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../../test/support/property.ts";
import { createHandler } from "../src/webhooks/handler.ts";
import type { WebhookEvent } from "../src/webhooks/verify.ts";
import { delivered, eventOf, readerOf, SECRET } from "./deliveries.ts";

const RUNS = 10_000;

/** Signed once: signing and verifying are tested beside this. */
const deliveries = new Map<string, ReturnType<typeof delivered>>();
function deliveryOf(event: WebhookEvent) {
  const known = deliveries.get(event.id) ?? delivered(event);
  deliveries.set(event.id, known);
  return known;
}

/**
 * What happens to the events of up to three subjects, in the order in which they are made: each is delivered so often (0:
 * it is dropped), at these places of a shuffle; some deliveries come at the same time, and some fail in the shop. After
 * some deliveries the sandbox is rewound: all but the first events are gone, and others are made, whose numbers go on.
 */
const days = fc.record({
  subjects: fc.array(fc.constantFrom("inv_1", "inv_2", "cus_1"), { minLength: 1, maxLength: 8 }),
  kept: fc.integer({ min: 0, max: 8 }),
  later: fc.array(fc.constantFrom("inv_1", "inv_2", "cus_1"), { maxLength: 4 }),
  rewoundAfter: fc.integer({ min: 0, max: 24 }),
  copies: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 12, maxLength: 12 }),
  order: fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 36, maxLength: 36 }),
  together: fc.integer({ min: 1, max: 4 }),
  failing: fc.array(fc.boolean(), { minLength: 24, maxLength: 24 }),
  replayed: fc.boolean(),
});

/** Events of these subjects, numbered as the service does: above all that were given. */
function made(subjects: readonly string[], given: readonly WebhookEvent[]): WebhookEvent[] {
  const all = [...given];
  for (const subject of subjects)
    all.push(eventOf(subject, all.filter((event) => event.subject === subject).length + 1));
  return all.slice(given.length);
}

test("the handler sees each event once and in order, whatever becomes of deliveries", {
  timeout: 240_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      days,
      async ({ subjects, kept, later, rewoundAfter, copies, order, together, failing, replayed }) => {
        const first = made(subjects, []);
        const isRewound = later.length > 0;
        const second = made(later, first);
        const after = isRewound ? [...first.slice(0, kept), ...second] : first;
        let events: readonly WebhookEvent[] = first;
        const seen: string[] = [];
        let calls = 0;
        let isOver = false;
        const act = async (event: WebhookEvent) => {
          calls += 1;
          await null;
          if (!isOver && failing[calls % failing.length]) throw new Error("the shop is closed");
          seen.push(event.id);
        };
        const handler = createHandler(
          readerOf(() => events),
          { secret: SECRET, on: { "*": act } },
        );
        const receive = async (event: WebhookEvent) => {
          const { body, headers } = deliveryOf(event);
          return handler.receive(body, headers);
        };
        // What is made after the rewind is delivered after it; deliveries of what is gone may still come then.
        const sent = [...first, ...second]
          .flatMap((event, at) => Array.from({ length: copies[at] ?? 0 }, () => event))
          .map((event, at) => ({ event, place: (order[at % order.length] ?? 0) + (second.includes(event) ? 2000 : 0) }))
          .toSorted((a, b) => a.place - b.place)
          .map(({ event }) => event);
        const early = sent.slice(0, Math.min(rewoundAfter, sent.filter((event) => first.includes(event)).length));
        for (let at = 0; at < early.length; at += together)
          await Promise.all(early.slice(at, at + together).map(receive));
        events = after;
        const late = shuffled(sent.slice(early.length), order);
        for (let at = 0; at < late.length; at += together)
          await Promise.all(late.slice(at, at + together).map(receive));
        isOver = true;
        if (replayed) for (const event of events.toReversed()) assert.equal((await receive(event)).status, 204);
        await handler.catchUp("2026-11-20T00:00:00Z");
        assert.equal(new Set(seen).size, seen.length, "each once");
        assert.deepEqual(
          after.map(({ id }) => id).filter((id) => !seen.includes(id)),
          [],
          "all that there are",
        );
        for (const subject of new Set([...subjects, ...later])) {
          const numbers = seen
            .filter((id) => id.startsWith(`evt_${subject}_`))
            .map((id) => Number(id.split("_").at(-1)));
          assert.deepEqual(
            numbers,
            numbers.toSorted((a, b) => a - b),
            "in order",
          );
        }
      },
    ),
    { numRuns: RUNS },
  );
});

const shuffled = (events: readonly WebhookEvent[], order: readonly number[]): WebhookEvent[] =>
  events
    .map((event, at) => ({ event, place: order[(at + 7) % order.length] ?? 0 }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ event }) => event);
