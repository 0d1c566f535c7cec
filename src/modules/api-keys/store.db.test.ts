import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, test } from "node:test";
import { type ApiMerchant, openApi, type TestApi } from "../../../test/support/api.ts";
import { fc } from "../../../test/support/property.ts";
import { admitCallers, type Caller } from "./store.ts";

let api: TestApi;
let shops: readonly ApiMerchant[];
before(async () => {
  api = await openApi();
  shops = [await api.addMerchant({ name: "Karoo Books" }), await api.addMerchant({ name: "Cape Tea" })];
});
after(() => api.close());

const LIMIT = 7;
let windows = 0;

const credentialsOf = (key: string, secret = key): Caller["credentials"] => ({
  prefix: key.slice(5, 13),
  hash: createHash("sha256").update(secret).digest(),
});

/** Networks that are new to this run: their counters begin at 0. */
const callersOf = (run: number, keys: readonly (Caller["credentials"] | null)[]) =>
  fc.array(
    fc.record({
      network: fc.constantFrom(`${run}.one`, `${run}.two`),
      credentials: fc.constantFrom(...keys),
    }),
    { minLength: 1, maxLength: 24 },
  );

test("requests that arrive together are counted as the same requests one by one, those of one caller in a row", async () => {
  const [first, second] = shops.map(({ key }) => key);
  assert.ok(first && second);
  const keys = [credentialsOf(first), credentialsOf(second), credentialsOf(first, "another secret"), null];
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 2 ** 40 }).chain((run) => callersOf(run, keys)),
      async (callers) => {
        const [one, other] = [++windows, ++windows];
        const together = await admitCallers(api.services.db, callers, { addressLimit: LIMIT, window: one });
        const order = [...callers.keys()].sort((a, b) => firstLike(callers, a) - firstLike(callers, b) || a - b);
        for (const index of order) {
          const caller = callers[index];
          assert.ok(caller);
          const [alone] = await admitCallers(api.services.db, [caller], { addressLimit: LIMIT, window: other });
          assert.deepEqual(together[index], alone, `request ${index}`);
        }
      },
    ),
    { numRuns: 60 },
  );
});

/** The position of the first request of the same caller. */
function firstLike(callers: readonly Caller[], index: number): number {
  const text = (caller: Caller | undefined) => JSON.stringify(caller);
  return callers.findIndex((caller) => text(caller) === text(callers[index]));
}
