import assert from "node:assert/strict";
import { test } from "node:test";
import { instant } from "../../kernel/time.ts";
import { type MandateAction, moveMandate, stageOf } from "./states.ts";
import { MANDATE_STAGES, MANDATE_STATUSES, type MandateStage, type MandateStatus } from "./types.ts";

// Interface 3.5, cell for cell: status, then where activate, pause, resume, cancel, reject lead; null is refused.
const ACTIONS: MandateAction[] = ["activate", "pause", "resume", "cancel", "reject"];
const GRID: [MandateStatus, ...(MandateStatus | null)[]][] = [
  ["pending", "active", null, null, "cancelled", "cancelled"],
  ["active", null, "paused", null, "cancelled", null],
  ["paused", null, null, "active", "cancelled", null],
  ["cancelled", null, null, null, null, null],
];
for (const [from, ...results] of GRID)
  ACTIONS.forEach((action, column) => {
    test(`${from}, ${action}: ${results[column] ?? "refused"}`, () =>
      assert.equal(moveMandate(from, action), results[column]));
  });

test("the grid has a row for every status", () =>
  assert.deepEqual(GRID.map(([from]) => from).sort(), [...MANDATE_STATUSES].sort()));

// Status, whether it is authorised, approved and rejected, then the stage.
const STAGES: [MandateStatus, boolean, boolean, boolean, MandateStage][] = [
  ["pending", false, false, false, "awaiting_signature"],
  ["pending", true, false, false, "awaiting_approval"],
  ["pending", true, true, false, "pending"],
  ["active", true, false, false, "active"],
  ["active", true, true, false, "active"],
  ["paused", true, true, false, "paused"],
  ["cancelled", false, false, false, "cancelled"],
  ["cancelled", true, true, false, "cancelled"],
  ["cancelled", false, false, true, "rejected"],
  ["cancelled", true, false, true, "rejected"],
];
const at = (given: boolean) => (given ? instant("2027-01-01T00:00:00Z") : null);
for (const [status, authorised, approved, rejected, stage] of STAGES)
  test(`${status}, authorised ${authorised}, approved ${approved}, rejected ${rejected}: ${stage}`, () =>
    assert.equal(
      stageOf({ status, authorisedAt: at(authorised), approvedAt: at(approved), rejectedAt: at(rejected) }),
      stage,
    ));

test("every stage is reached", () =>
  assert.deepEqual([...new Set(STAGES.map((row) => row[4]))].sort(), [...MANDATE_STAGES].sort()));
