import assert from "node:assert/strict";
import { test } from "node:test";
import {
  addon,
  coupon,
  created,
  day,
  metered,
  priceOf,
  shownBill,
  subscribed,
  termsOf,
} from "../../../../../test/support/customer-subscription.ts";
import { fc } from "../../../../../test/support/property.ts";
import { type Decimal, toDecimal } from "../../../../kernel/decimal.ts";
import { lineAmount } from "../../../../kernel/lines.ts";
import { sum } from "../../../../kernel/money.ts";
import { partsOf, type Tier, type Tiering } from "../../../../kernel/tiers.ts";
import { change } from "./change.ts";
import { billDue, end } from "./due.ts";
import { moveNextBilling, reactivate, resume } from "./move-and-resume.ts";
import { promisedCharges } from "./promise.ts";
import { withTerms } from "./terms.ts";
import type { Bill, Item, Subscription } from "./types.ts";

/* Interface 16.23: the least that a quantity costs in a period, and what of it some days have. */

const least = (rand: number): Tiering => ({ minimumAmount: toDecimal(rand) });
const calls = (usage = "0", rand = 0.5): Item => ({ ...metered("Calls", rand, usage), tiering: least(100) });
const basic = (...items: Item[]) => termsOf(priceOf("Basic", 310, { taxRate: "0" as Decimal }), { items });

/** Created on the first of January 2027, or as given, with calls of which so many are used. */
const using = (usage: string, ...given: [today?: string, how?: Parameters<typeof subscribed>[2]]): Subscription => {
  const [today = "2027-01-01", how] = given;
  return { ...subscribed(basic(calls()), today, how), terms: basic(calls(usage)) };
};

const shown = (bills: readonly Bill[]): readonly string[] =>
  bills.map((bill) => shownBill(bill).replaceAll("\u00a0", " "));
const dueBy = (sub: Subscription, today: string): readonly string[] => shown(billDue(sub, day(today)).bills);

const WHOLE = "Calls: up to the minimum of R 100.00";
const FEBRUARY = "cycle 2027-02-01 to 2027-02-28; Basic 310";

test("usage below the minimum is billed the minimum, by a line that says so", () => {
  const rows: [what: string, bills: readonly string[], expected: string[]][] = [
    ["nothing used", dueBy(using("0"), "2027-02-01"), [`${FEBRUARY}; ${WHOLE} 100; total 410`]],
    ["less", dueBy(using("41"), "2027-02-01"), [`${FEBRUARY}; Calls 20.5; ${WHOLE} 79.5; total 410`]],
    ["as much", dueBy(using("200"), "2027-02-01"), [`${FEBRUARY}; Calls 100; total 410`]],
    ["more", dueBy(using("201"), "2027-02-01"), [`${FEBRUARY}; Calls 100.5; total 410.5`]],
    [
      "each of several periods",
      dueBy(using("41"), "2027-03-01"),
      [
        `${FEBRUARY}; Calls 20.5; ${WHOLE} 79.5; total 410`,
        `cycle 2027-03-01 to 2027-03-31; Basic 310; ${WHOLE} 100; total 410`,
      ],
    ],
    [
      "a trial has none",
      dueBy(using("41", "2027-01-18", { trialDays: 14 }), "2027-03-01"),
      [
        "first 2027-02-01 to 2027-02-28; Basic 310; total 310",
        `cycle 2027-03-01 to 2027-03-31; Basic 310; ${WHOLE} 100; total 410`,
      ],
    ],
    [
      "a shortened period has the share of its days",
      dueBy(using("41", "2027-01-18", { billingAnchorDay: 1 }), "2027-02-01"),
      [`${FEBRUARY}; Calls 20.5; ${WHOLE} (14 of 31 days) 24.66; total 355.16`],
    ],
    [
      "a period that was paid elsewhere has none",
      dueBy(using("41", "2027-01-18", { paidThrough: day("2027-02-01") }), "2027-02-01"),
      [`${FEBRUARY}; Calls 20.5; total 330.5`],
    ],
    [
      "days that a moved date gives are free",
      dueBy(moveNextBilling(using("41"), day("2027-02-11")), "2027-02-11"),
      [`cycle 2027-02-11 to 2027-03-10; Basic 310; Calls 20.5; ${WHOLE} 79.5; total 410`],
    ],
    [
      "days that a moved date takes have none",
      dueBy(moveNextBilling(using("41"), day("2027-01-25")), "2027-01-25"),
      [`cycle 2027-01-25 to 2027-02-24; Basic 310; Calls 20.5; ${WHOLE} (24 of 31 days) 56.92; total 387.42`],
    ],
    [
      "the days of a pause after the period have none",
      shown(resume(using("41"), day("2027-02-15"), "left").bills),
      [`cycle 2027-02-15 to 2027-03-14; Basic 310; Calls 20.5; ${WHOLE} 79.5; total 410`],
    ],
    [
      "the last bill has it in full, as the plan's days are not given back",
      shown(end(using("41"), day("2027-01-20"), "cancelled").bills),
      [`proration 2027-01-01 to 2027-01-31; Calls 20.5; ${WHOLE} 79.5; total 100`],
    ],
    [
      "it is not due again when the subscription goes on in the same period",
      dueBy(
        reactivate(
          end(using("41"), day("2027-01-20"), "cancelled").after,
          { nextBillingAt: null, chargeNow: null, creditId: "left" },
          day("2027-01-22"),
        ).after,
        "2027-03-01",
      ),
      [`${FEBRUARY}; total 310`, `cycle 2027-03-01 to 2027-03-31; Basic 310; ${WHOLE} 100; total 410`],
    ],
    [
      "a period that awaits its payment has it on its own bill",
      dueBy({ ...using("41"), periodMoves: "when_paid" }, "2027-03-01"),
      [`${FEBRUARY}; Calls 20.5; ${WHOLE} 79.5; total 410`],
    ],
  ];
  for (const [what, bills, expected] of rows) assert.deepEqual(bills, expected, what);
});

test("a price that holds for a part of the period has the share of these days", () => {
  const on = (sub: Subscription, ...items: Item[]) =>
    dueBy(withTerms(sub, basic(...items), day("2027-01-11")).sub, "2027-02-01");
  const rows: [what: string, bills: readonly string[], expected: string[]][] = [
    [
      "another price",
      on(using("4"), calls("0", 0.6)),
      [`${FEBRUARY}; Calls 2; ${WHOLE} (10 of 31 days) 30.26; ${WHOLE} (21 of 31 days) 67.74; total 410`],
    ],
    ["removed", on(using("0")), [`${FEBRUARY}; ${WHOLE} (10 of 31 days) 32.26; total 342.26`]],
    [
      "added",
      on(subscribed(basic(), "2027-01-01"), calls()),
      [`${FEBRUARY}; ${WHOLE} (21 of 31 days) 67.74; total 377.74`],
    ],
    ["kept", on(using("4"), calls()), [`${FEBRUARY}; Calls 2; ${WHOLE} 98; total 410`]],
    [
      "what is not added up has the new price's for all days",
      on(
        { ...using("4"), terms: basic({ ...metered("Calls", 0.5, "4"), aggregation: "max" }) },
        { ...metered("Calls", 0.5), aggregation: "max", tiering: least(100) },
      ),
      [`${FEBRUARY}; Calls 2; ${WHOLE} 98; total 410`],
    ],
  ];
  for (const [what, bills, expected] of rows) assert.deepEqual(bills, expected, what);
});

test("a change at the renewal gives each period the minimum of its own price", () => {
  const { after } = change(
    using("4"),
    {
      terms: basic({ ...calls(), tiering: least(60) } as Item),
      proration: "next_renewal",
      invoiceNow: true,
      creditId: "c",
    },
    day("2027-01-11"),
  );
  assert.deepEqual(dueBy(after, "2027-03-01"), [
    `${FEBRUARY}; Calls 2; ${WHOLE} 98; total 410`,
    "cycle 2027-03-01 to 2027-03-31; Basic 310; Calls: up to the minimum of R 60.00 60; total 370",
  ]);
});

test("coupons lower what a minimum adds, as any line", () => {
  const [bill] = billDue({ ...using("41"), coupon: coupon({ percent: 50 }, null) }, day("2027-02-01")).bills;
  assert.deepEqual(
    bill?.lines.map(({ amount }) => amount),
    [155_00, 10_25, 39_75],
  );
});

test("the quantity of a plan or an add-on costs at least its minimum, which is prorated as the price is", () => {
  const seats = (quantity: string): Item => ({ ...addon("Seats", 40, quantity), tiering: least(100) });
  const plan = (quantity: number, ...items: Item[]) =>
    termsOf(priceOf("Team", 50, { taxRate: "0" as Decimal, tiering: least(150) }), { quantity, items });
  assert.deepEqual(shown(created(plan(2, seats("1")), "2027-01-01").bills), [
    "first 2027-01-01 to 2027-01-31; Team 100; Team: up to the minimum of R 150.00 50; Seats 40; " +
      "Seats: up to the minimum of R 100.00 60; total 250",
  ]);
  assert.deepEqual(shown(created(plan(3, seats("3")), "2027-01-01").bills), [
    "first 2027-01-01 to 2027-01-31; Team 150; Seats 120; total 270",
  ]);
  assert.deepEqual(shown(created(plan(2), "2027-01-18", { billingAnchorDay: 1 }).bills), [
    "first 2027-01-18 to 2027-01-31; Team (14 of 31 days) 45.16; " +
      "Team: up to the minimum of R 150.00 (14 of 31 days) 22.58; total 67.74",
  ]);
  const more = change(
    subscribed(plan(2), "2027-01-01"),
    { terms: plan(4), proration: "now", invoiceNow: true, creditId: "left" },
    day("2027-01-17"),
  );
  // 15 of 31 days of 200 instead of the minimum of 150.
  assert.equal(more.preview.prorationInvoice?.dueNow, 24_19);
});

test("beside tiers the minimum is of what they cost, and a plan's amount is due besides", () => {
  const tiers: Tier[] = [{ upTo: null, unitAmount: "5" as Decimal }];
  const price = priceOf("Team", 50, {
    taxRate: "0" as Decimal,
    tiering: { tiers, tierMode: "graduated", ...least(30) },
  });
  assert.deepEqual(shown(created(termsOf(price, { quantity: 2 }), "2027-01-01").bills), [
    "first 2027-01-01 to 2027-01-31; Team 50; Team: tier 1 10; Team: up to the minimum of R 30.00 20; total 80",
  ]);
});

test("what a payer is promised has the minimum, without end", () => {
  assert.deepEqual(
    promisedCharges(subscribed(basic(calls()), "2027-01-01")).map(({ on, total, times }) => [on, total, times]),
    [["2027-02-01", 410_00, null]],
  );
});

test("usage of a period is billed at the minimum of its days or at its tiers, whichever is more", () => {
  const tiers = fc
    .array(fc.tuple(fc.integer({ min: 1, max: 90 }), fc.integer({ min: 0, max: 999_999 })), {
      minLength: 1,
      maxLength: 4,
    })
    .map((steps) => {
      let last = 0;
      return steps.map(([size, price], place): Tier => {
        last += size;
        return { upTo: place === steps.length - 1 ? null : toDecimal(last), unitAmount: toDecimal(price / 10_000) };
      });
    });
  let raised = 0;
  fc.assert(
    fc.property(
      fc.record({
        tiers,
        tierMode: fc.constantFrom("graduated" as const, "volume" as const),
        includedUnits: fc.nat({ max: 20 }),
        minimum: fc.nat({ max: 5_000_00 }),
        usage: fc.nat({ max: 300 }),
        start: fc.integer({ min: 1, max: 28 }),
      }),
      ({ minimum, usage, start, includedUnits, ...of }) => {
        const tiering: Tiering = { ...of, includedUnits: toDecimal(includedUnits), ...least(minimum / 100) };
        const item = (used: number): Item => ({ ...metered("Calls", 0, String(used)), tiering });
        const today = `2027-01-${String(start).padStart(2, "0")}`;
        const sub = subscribed(basic(item(0)), today, { billingAnchorDay: 1 });
        const [bill] = billDue({ ...sub, terms: basic(item(usage)) }, day("2027-02-01")).bills;
        const charged = bill?.lines.filter(({ reason }) => reason.kind === "usage") ?? [];
        const billed = sum(charged.map(({ amount }) => amount));
        const parts = partsOf(toDecimal(usage), "0" as Decimal, tiering);
        const cost = sum(parts.map((one) => lineAmount(one.quantity, one.unitAmount, 1)));
        const share = Math.floor((minimum * (32 - start) * 2 + 31) / 62);
        assert.equal(billed, Math.max(share, cost));
        if (share > cost) raised++;
      },
    ),
  );
  assert.ok(raised > 0, "some are raised to the minimum");
});
