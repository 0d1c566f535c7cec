import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type InvoiceTrigger, isPayable, MOVES, OPEN_STATUSES } from "./states.ts";
import type { InvoiceStatus } from "./types.ts";

const TRIGGERS: readonly InvoiceTrigger[] = ["send", "past_due", "part_payment", "full_payment", "cancel"];

/** Spec 3.3 with contract 9 (sending an overdue invoice); null: refused. */
const TABLE: Readonly<Record<InvoiceStatus, readonly (InvoiceStatus | null)[]>> = {
  draft: ["sent", "draft", "partially_paid", "paid", "cancelled"],
  sent: ["sent", "overdue", "partially_paid", "paid", "cancelled"],
  overdue: ["overdue", "overdue", "partially_paid", "paid", "cancelled"],
  partially_paid: ["partially_paid", "partially_paid", "partially_paid", "paid", "cancelled"],
  paid: [null, "paid", null, null, null],
  cancelled: [null, "cancelled", null, null, "cancelled"],
};

describe("spec 3.3", () => {
  for (const [from, cells] of Object.entries(TABLE) as [InvoiceStatus, (InvoiceStatus | null)[]][])
    for (const [index, trigger] of TRIGGERS.entries())
      test(`${from}, ${trigger}: ${cells[index] ?? "refused"}`, () => {
        assert.equal(MOVES[from][trigger], cells[index]);
      });

  test("has no other status or trigger", () => {
    assert.deepEqual(Object.keys(MOVES), Object.keys(TABLE));
    for (const row of Object.values(MOVES)) assert.deepEqual(Object.keys(row), TRIGGERS);
  });

  test("whatever can be paid is not paid or cancelled; whatever is open can be paid", () => {
    assert.deepEqual(
      Object.keys(TABLE).filter((status) => isPayable(status as InvoiceStatus)),
      ["draft", ...OPEN_STATUSES],
    );
  });
});
