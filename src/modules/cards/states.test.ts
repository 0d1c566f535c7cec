import assert from "node:assert/strict";
import { test } from "node:test";
import { type CardAction, moveCard } from "./states.ts";
import { CARD_STATUSES, type CardStatus } from "./types.ts";

// Interface 3.6, cell for cell: status, then where save, renew, expire, fail, remove lead; null is refused.
const ACTIONS: CardAction[] = ["save", "renew", "expire", "fail", "remove"];
const GRID: [CardStatus, ...(CardStatus | null)[]][] = [
  ["active", "active", "active", "expired", "failed", "removed"],
  ["expired", "active", "active", null, "failed", "removed"],
  ["failed", "active", "failed", null, "failed", "removed"],
  ["removed", "active", null, null, null, null],
];
for (const [from, ...results] of GRID)
  ACTIONS.forEach((action, column) => {
    test(`${from}, ${action}: ${results[column] ?? "refused"}`, () =>
      assert.equal(moveCard(from, action), results[column]));
  });

test("the grid has a row for every status", () =>
  assert.deepEqual(GRID.map(([from]) => from).sort(), [...CARD_STATUSES].sort()));
