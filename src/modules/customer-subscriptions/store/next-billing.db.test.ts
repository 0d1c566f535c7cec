import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { day, priceOf, subscribed, termsOf } from "../../../../test/support/customer-subscription.ts";
import { cloneDatabase } from "../../../../test/support/database.ts";
import { fc } from "../../../../test/support/property.ts";
import { addDays, type CalendarDay } from "../../../kernel/time.ts";
import { type Database, openDatabase } from "../../../platform/database.ts";
import { newId } from "../../../platform/new-id.ts";
import { nextBillingOn } from "../states.ts";
import { COLLECTION_METHODS, CUSTOMER_SUBSCRIPTION_STATUSES } from "../types.ts";
import { NEXT_BILLING } from "./next-billing.ts";

let db: Database;
before(async () => {
  const { url } = await cloneDatabase();
  db = openDatabase(url, { connections: 1 });
});
after(() => db.close());

const aDay = fc.integer({ min: 0, max: 800 }).map((days) => addDays(day("2027-01-01"), days));
const cycles = fc.option(fc.integer({ min: 1, max: 4 }));

/** Subscriptions with everything that decides their next bill, and more of it than the flows let happen. */
const facts = fc
  .record({
    collectionMethod: fc.constantFrom(...COLLECTION_METHODS),
    status: fc.constantFrom(...CUSTOMER_SUBSCRIPTION_STATUSES),
    nextDue: fc.option(aDay),
    startsOn: aDay,
    trialDays: fc.integer({ min: 0, max: 40 }),
    cyclesBilled: fc.integer({ min: 0, max: 5 }),
    cyclesBefore: fc.integer({ min: 0, max: 2 }),
    cycles,
    pending: fc.option(cycles.map((value) => ({ cycles: value }))),
    cancelAtPeriodEnd: fc.boolean(),
  })
  .map(({ collectionMethod, status, nextDue, cycles: billed, pending, ...given }) => {
    const price = priceOf("Basic", 100, { cycles: billed });
    const pendingChange = pending && termsOf({ ...price, cycles: pending.cycles });
    const state = { ...subscribed(termsOf(price), "2027-01-01"), ...given, pendingChange };
    return { collectionMethod, status, nextDue, state };
  });

test("the day of the next bill is the same in SQL, whatever the state", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(facts, { minLength: 50, maxLength: 50 }), async (all) => {
      const stored = all.map(({ collectionMethod, status, nextDue, state }, index) => ({
        index,
        collection_method: collectionMethod,
        status,
        next_due: nextDue,
        state,
      }));
      const rows = await db.read(
        newId("org"),
        (tx) =>
          tx.sql<{ next: CalendarDay | null }>`
          select ${NEXT_BILLING} as next from jsonb_to_recordset(${JSON.stringify(stored)})
            as s(index integer, collection_method text, status text, next_due date, state jsonb) order by s.index`,
      );
      assert.deepEqual(
        rows.map(({ next }) => next),
        all.map((one) => nextBillingOn(one)),
      );
    }),
    { numRuns: 20 },
  );
});
