import assert from "node:assert/strict";
import { test } from "node:test";
import { instant } from "../../kernel/time.ts";
import { newId } from "../../platform/new-id.ts";
import { asOf, type CardSetupAction, moveCardSetup } from "./states.ts";
import { CARD_SETUP_STATUSES, type CardSetup, type CardSetupStatus } from "./types.ts";

// Interface 3.7, cell for cell: status, then where a saved card, an attempt without one and the end lead; null is refused.
const ACTIONS: CardSetupAction[] = ["card_saved", "attempt_without_card", "expire"];
const GRID: [CardSetupStatus, ...(CardSetupStatus | null)[]][] = [
  ["pending", "completed", "pending", "expired"],
  ["completed", null, null, null],
  ["expired", null, null, null],
];
for (const [from, ...results] of GRID)
  ACTIONS.forEach((action, column) => {
    test(`${from}, ${action}: ${results[column] ?? "refused"}`, () =>
      assert.equal(moveCardSetup(from, action), results[column]));
  });

test("the grid has a row for every status", () =>
  assert.deepEqual(GRID.map(([from]) => from).sort(), [...CARD_SETUP_STATUSES].sort()));

const END = instant("2027-03-02T10:00:00Z");
const BEFORE = instant("2027-03-02T09:59:59.999Z");
// Status as stored, then as it stands just before the session's end and at its end.
for (const [status, before, at] of [
  ["pending", "pending", "expired"],
  ["completed", "completed", "completed"],
  ["expired", "expired", "expired"],
] as const)
  test(`${status}, at its end: ${at}`, () => {
    const setup: CardSetup = {
      id: newId("cset"),
      customerId: newId("cus"),
      status,
      returnUrl: null,
      makeDefault: true,
      cardId: null,
      failureReason: null,
      metadata: {},
      expiresAt: END,
      completedAt: null,
      createdAt: BEFORE,
    };
    assert.deepEqual([asOf(setup, BEFORE).status, asOf(setup, END).status], [before, at]);
  });
