import assert from "node:assert/strict";
import { test } from "node:test";
import { type CardChargeAction, moveCardCharge } from "./rules.ts";
import { CARD_CHARGE_STATUSES, type CardChargeStatus } from "./types.ts";

// Interface 3.8, cell for cell: status, then where success and failure lead; null is refused.
const ACTIONS: CardChargeAction[] = ["complete", "fail"];
const GRID: [CardChargeStatus, ...(CardChargeStatus | null)[]][] = [
  ["pending", "complete", "failed"],
  ["failed", "complete", "failed"],
  ["complete", null, null],
];
for (const [from, ...results] of GRID)
  ACTIONS.forEach((action, column) => {
    test(`${from}, ${action}: ${results[column] ?? "refused"}`, () =>
      assert.equal(moveCardCharge(from, action), results[column]));
  });

test("the grid has a row for every status", () =>
  assert.deepEqual(GRID.map(([from]) => from).sort(), [...CARD_CHARGE_STATUSES].sort()));
