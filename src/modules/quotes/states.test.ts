import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { isDeletable, isEditable, moveQuote, type QuoteAction } from "./states.ts";
import type { QuoteStatus } from "./types.ts";

const ACTIONS: readonly QuoteAction[] = ["send", "accept", "decline", "convert", "expire", "draft"];
// Interface 3.4, cell for cell, in the order of ACTIONS; then whether it can be edited, and deleted.
const GRID: [QuoteStatus, ...(QuoteStatus | null)[]][] = [
  ["draft", "sent", "accepted", "declined", "invoiced", null, "draft"],
  ["sent", "sent", "accepted", "declined", "invoiced", "expired", "draft"],
  ["expired", "sent", "accepted", "declined", "invoiced", null, "draft"],
  ["accepted", null, null, "declined", "invoiced", null, null],
  ["declined", null, null, null, null, null, null],
  ["invoiced", null, null, null, null, null, null],
];
for (const [from, ...cells] of GRID)
  ACTIONS.forEach((action, column) => {
    test(`${from}, ${action}: ${cells[column] ?? "refused"}`, () =>
      assert.equal(moveQuote(from, action), cells[column]));
  });

describe("interface 3.4, below the table", () => {
  for (const [status] of GRID)
    test(status, () => {
      assert.equal(isEditable(status), status === "draft" || status === "sent");
      assert.equal(isDeletable(status), status === "draft");
    });
});
