import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { OPEN_STATUSES } from "../../domain/invoices.ts";
import { type InvoiceAction, isPayable, moveInvoice } from "./states.ts";
import type { InvoiceStatus } from "./types.ts";

const ACTIONS: readonly InvoiceAction[] = [
  "send",
  "past_due",
  "part_payment",
  "full_payment",
  "part_reversal",
  "full_reversal",
  "cancel",
];

/** Interface 3.3 (sending an overdue invoice); null: refused. */
const TABLE: Readonly<Record<InvoiceStatus, readonly (InvoiceStatus | null)[]>> = {
  draft: ["sent", "draft", "partially_paid", "paid", null, null, "cancelled"],
  sent: ["sent", "overdue", "partially_paid", "paid", null, null, "cancelled"],
  overdue: ["overdue", "overdue", "partially_paid", "paid", null, null, "cancelled"],
  partially_paid: ["partially_paid", "partially_paid", "partially_paid", "paid", "partially_paid", "sent", "cancelled"],
  paid: [null, "paid", null, null, "partially_paid", "sent", null],
  cancelled: [null, "cancelled", null, null, null, null, "cancelled"],
};

describe("interface 3.3", () => {
  for (const [from, cells] of Object.entries(TABLE) as [InvoiceStatus, (InvoiceStatus | null)[]][])
    for (const [index, action] of ACTIONS.entries())
      test(`${from}, ${action}: ${cells[index] ?? "refused"}`, () => {
        assert.equal(moveInvoice(from, action), cells[index]);
      });

  test("whatever can be paid is not paid or cancelled; whatever is open can be paid", () => {
    assert.deepEqual(
      Object.keys(TABLE).filter((status) => isPayable(status as InvoiceStatus)),
      ["draft", ...OPEN_STATUSES],
    );
  });
});
