import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../../../../test/support/property.ts";
import { couponWalks, Walker, walks } from "../../../../../test/support/subscription-walks.ts";

/** `PLANNER_WALKS=100000` walks for minutes. */
const WALKS = Number(process.env["PLANNER_WALKS"] ?? 1_000);

for (const [what, walked] of [
  [
    "whatever happens to a subscription, it costs what its days cost, previews hold, credit is used or left, and bills add up",
    walks,
  ],
  [
    "whatever happens to a subscription with a coupon for one plan, the coupon lowers that plan's charges alone, and is counted by its terms",
    couponWalks,
  ],
] as const)
  test(what, { timeout: 3_600_000 }, () => {
    let bills = 0;
    fc.assert(
      fc.property(walked, (walk) => {
        bills += new Walker(walk).go();
      }),
      { numRuns: WALKS },
    );
    assert.ok(bills > WALKS, "the walks make bills");
  });
