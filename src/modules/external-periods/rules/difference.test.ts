import assert from "node:assert/strict";
import { test } from "node:test";
import type { Decimal } from "../../../kernel/decimal.ts";
import { priceLine, totalsOf } from "../../../kernel/lines.ts";
import { cents } from "../../../kernel/money.ts";
import type { ComparisonBill, ReportedStatus } from "../types.ts";
import { DIFFERENCE_REASONS, type DifferenceReason, differenceOf } from "./difference.ts";

/** A line at a unit amount for some days of a full period, as the planner's bills have it. */
function line(kind: "plan" | "addon", unitAmount: string, billed: number, of: number, taxInclusive: boolean) {
  const amount = cents(Math.round((Number(unitAmount) * 100 * billed) / of));
  const item = {
    description: kind,
    details: null,
    quantity: "1" as Decimal,
    unitPrice: (amount / 100).toFixed(2) as Decimal,
    taxRate: "15" as Decimal,
    periodStart: null,
    periodEnd: null,
  };
  const reason = { kind, quantity: "1", unitAmount, days: { billed, of } };
  return { ...priceLine(item, taxInclusive, 1), reason };
}

function bill(taxInclusive: boolean, days: number, addOn: string | null): ComparisonBill {
  const lines = [
    line("plan", "100", days, 31, taxInclusive),
    ...(addOn === null ? [] : [line("addon", addOn, days, 31, taxInclusive)]),
  ];
  return { ...totalsOf(lines, taxInclusive), taxInclusive, lines };
}

const NET = bill(false, 31, "20");
const GROSS = bill(true, 31, "20");
const SHORT = bill(false, 10, null);
const TRIAL: ComparisonBill = { ...totalsOf([], false), taxInclusive: false, lines: [] };

/* The amount that the service would have billed, the billed amount in cents, and the difference. */
const TABLE: readonly [
  ComparisonBill,
  ReportedStatus,
  billed: number | null,
  amount: number | null,
  DifferenceReason,
][] = [
  [NET, "active", 138_00, 0, "none"],
  [NET, "active", null, null, "not_reported"],
  [NET, "active", 0, 138_00, "nothing_billed"],
  [NET, "past_due", 138_00, 0, "none"],
  [NET, "active", 120_00, 18_00, "vat_left_out"],
  [NET, "active", 115_00, 23_00, "add_ons_left_out"],
  [NET, "active", 137_99, 1, "rounding"],
  [NET, "active", 138_02, -2, "rounding"],
  [NET, "active", 138_03, -3, "price"],
  [NET, "active", 500_00, -362_00, "price"],
  [GROSS, "active", 120_00, 0, "none"],
  [GROSS, "active", 138_00, -18_00, "vat_on_top"],
  [GROSS, "active", 104_35, 15_65, "price"],
  [GROSS, "active", 100_00, 20_00, "add_ons_left_out"],
  [SHORT, "active", 115_00, -77_90, "full_period"],
  [SHORT, "active", 32_26, 4_84, "vat_left_out"],
  [TRIAL, "trialing", 0, 0, "none"],
  [TRIAL, "trialing", 115_00, -115_00, "trial"],
];

test("why the amounts differ", () => {
  for (const [comparison, status, billed, amount, reason] of TABLE)
    assert.deepEqual(
      differenceOf({ comparison, status, billed: billed === null ? null : cents(billed) }, "ZAR"),
      { amount, reason },
      `${comparison.total} ${billed}`,
    );
});

test("in a currency without decimals a unit of each line is one of rounding, and amounts are rounded to it", () => {
  const { lines, ...of } = bill(false, 10, null);
  const comparison = { ...of, lines, subtotal: cents(32_00), tax: cents(5_00), total: cents(37_00) };
  const reasonAt = (billed: number, currency: string) =>
    differenceOf({ comparison, status: "active", billed: cents(billed) }, currency).reason;
  assert.deepEqual(
    [reasonAt(38_00, "JPY"), reasonAt(39_00, "JPY"), reasonAt(38_00, "ZAR")],
    ["rounding", "price", "price"],
  );
});

test("every reason has its row", () => {
  assert.deepEqual(new Set(TABLE.map(([, , , , reason]) => reason)), new Set(Object.keys(DIFFERENCE_REASONS)));
});
