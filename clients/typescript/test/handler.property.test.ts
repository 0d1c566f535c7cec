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
 * it is dropped), at these places of a shuffle; some deliveries come at the same time, and some fail in the shop.
 */
const days = fc.record({
  subjects: fc.array(fc.constantFrom("inv_1", "inv_2", "cus_1"), { minLength: 1, maxLength: 8 }),
  copies: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 8, maxLength: 8 }),
  order: fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 24, maxLength: 24 }),
  together: fc.integer({ min: 1, max: 4 }),
  failing: fc.array(fc.boolean(), { minLength: 24, maxLength: 24 }),
  replayed: fc.boolean(),
});

test("the handler sees each event once and in order, whatever becomes of deliveries", {
  timeout: 240_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(days, async ({ subjects, copies, order, together, failing, replayed }) => {
      const events: WebhookEvent[] = [];
      for (const subject of subjects) {
        const sequence = events.filter((event) => event.subject === subject).length + 1;
        events.push(eventOf(subject, sequence));
      }
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
      const sent = events
        .flatMap((event, at) => Array.from({ length: copies[at] ?? 0 }, () => event))
        .map((event, at) => ({ event, place: order[at % order.length] ?? 0 }))
        .toSorted((a, b) => a.place - b.place)
        .map(({ event }) => event);
      for (let at = 0; at < sent.length; at += together) await Promise.all(sent.slice(at, at + together).map(receive));
      isOver = true;
      if (replayed) for (const event of events.toReversed()) assert.equal((await receive(event)).status, 204);
      await handler.catchUp("2026-11-20T00:00:00Z");
      assert.deepEqual(seen.toSorted(), events.map(({ id }) => id).toSorted(), "each once");
      for (const subject of new Set(subjects))
        assert.deepEqual(
          seen.filter((id) => id.startsWith(`evt_${subject}_`)),
          events.filter((event) => event.subject === subject).map(({ id }) => id),
          "in order",
        );
    }),
    { numRuns: RUNS },
  );
});
