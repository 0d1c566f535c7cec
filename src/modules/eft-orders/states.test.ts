import assert from "node:assert/strict";
import { test } from "node:test";
import { instant } from "../../kernel/time.ts";
import { type EftAction, moveEftOrder, statusAt } from "./states.ts";
import { EFT_STATUSES, type EftStatus } from "./types.ts";

// Interface 3.10, cell for cell: status, then where upload, approve, reject, expire, cancel lead; null is refused.
const ACTIONS: EftAction[] = ["upload", "approve", "reject", "expire", "cancel"];
const GRID: [EftStatus, ...(EftStatus | null)[]][] = [
  ["awaiting_payment", "awaiting_review", "paid", null, "expired", "cancelled"],
  ["awaiting_review", "awaiting_review", "paid", "rejected", null, "cancelled"],
  ["rejected", "awaiting_review", "paid", null, "expired", "cancelled"],
  ["paid", null, null, null, null, null],
  ["expired", null, "paid", null, null, null],
  ["cancelled", null, null, null, null, "cancelled"],
];
for (const [from, ...results] of GRID)
  ACTIONS.forEach((action, column) => {
    test(`${from}, ${action}: ${results[column] ?? "refused"}`, () =>
      assert.equal(moveEftOrder(from, action), results[column]));
  });

test("the grid has a row for every status", () =>
  assert.deepEqual(GRID.map(([from]) => from).sort(), [...EFT_STATUSES].sort()));

const AT = instant("2027-01-08T10:00:00Z");
const BEFORE = instant("2027-01-08T09:59:59.999Z");
// Status as stored, then as it stands just before expiry and at expiry.
const STANDING: [EftStatus, EftStatus, EftStatus][] = [
  ["awaiting_payment", "awaiting_payment", "expired"],
  ["awaiting_review", "awaiting_review", "awaiting_review"],
  ["rejected", "rejected", "expired"],
  ["paid", "paid", "paid"],
  ["expired", "expired", "expired"],
  ["cancelled", "cancelled", "cancelled"],
];
for (const [status, before, at] of STANDING)
  test(`${status}, at its expiry: ${at}`, () => {
    assert.equal(statusAt({ status, expiresAt: AT }, BEFORE), before);
    assert.equal(statusAt({ status, expiresAt: AT }, AT), at);
  });
