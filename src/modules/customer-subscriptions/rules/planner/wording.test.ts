import assert from "node:assert/strict";
import { test } from "node:test";
import {
  addon,
  coupon,
  created,
  credit,
  day,
  metered,
  priceOf,
  subscribed,
  termsOf,
} from "../../../../../test/support/customer-subscription.ts";
import type { Decimal } from "../../../../kernel/decimal.ts";
import { cents } from "../../../../kernel/money.ts";
import { invoiceLines } from "./bills.ts";
import { change } from "./change.ts";
import { nextBill } from "./due.ts";
import type { Bill, Subscription } from "./types.ts";

const basic = termsOf(priceOf("Basic", 310, { setupFee: cents(100_00) }));
const january = subscribed(basic, "2027-01-01");
const next = (sub: Partial<Subscription>): Bill | null => nextBill({ ...january, ...sub });
const changed = (
  sub: Partial<Subscription>,
  terms = termsOf(priceOf("Pro", 620), { quantity: 2, items: [addon("Seats", 31, "3")] }),
) =>
  change({ ...january, ...sub }, { terms, proration: "now", invoiceNow: true, creditId: "c" }, day("2027-01-16"))
    .preview;

/** What a bill's lines say; amounts of money have no-break spaces. */
const said = (bill: Bill | null | undefined): string[] =>
  (bill?.lines ?? []).map(({ description, details }) =>
    (details === null ? description : `${description} | ${details}`).replaceAll("\u00a0", " "),
  );

const ROWS: [what: string, Bill | null | undefined, says: string[]][] = [
  ["a full period needs no words", created(basic, "2027-01-01").bills[0], ["Basic", "Basic: set-up fee"]],
  [
    "a shortened one says its days",
    created({ ...basic, quantity: 2 }, "2027-01-16", { billingAnchorDay: 1 }).bills[0],
    ["Basic (16 of 31 days) | 2 × R 310.00 for 16 of 31 days: R 320.00.", "Basic: set-up fee"],
  ],
  [
    "coupon, discount and credit",
    next({
      coupon: coupon({ percent: 20 }, 3),
      discounts: [{ id: "d", description: "Loyal customer", percent: "12.5" as Decimal }],
      credits: [credit("Outage of 3 May", 17)],
    }),
    [
      "Basic | R 310.00; less coupon SPRING, 20 %: R 62.00; less Loyal customer, 12.5 %: R 31.00; less credit, Outage of 3 May: R 17.00.",
    ],
  ],
  [
    "prices with more decimals than money, as they were given",
    next({
      terms: { ...basic, items: [metered("Calls", 1.999, "2"), metered("Texts", 0.995, "2")] },
      discounts: [{ id: "d", description: "Loyal", percent: "50" as Decimal }],
    }),
    [
      "Basic | R 310.00; less Loyal, 50 %: R 155.00.",
      "Calls | 2 × R 1.999: R 4.00; less Loyal, 50 %: R 2.00.",
      "Texts | 2 × R 0.995: R 1.99; less Loyal, 50 %: R 1.00.",
    ],
  ],
  [
    "usage at a price below a cent",
    next({ terms: { ...basic, items: [metered("Calls", 0.005, "4100")] }, coupon: coupon({ rand: 320 }, 3) }),
    [
      "Basic | R 310.00; less coupon SPRING: R 310.00.",
      "Calls | 4100 × R 0.005: R 20.50; less coupon SPRING: R 10.00.",
    ],
  ],
  [
    "a change says what was charged before",
    changed({}).prorationInvoice?.bill,
    [
      "Pro in place of Basic (16 of 31 days) | Pro 2 × R 620.00 + Seats 3 × R 31.00 for 16 of 31 days: R 688.00; less unused days of Basic, 16 of 31 days: R 160.00.",
    ],
  ],
  [
    "a change of frequency",
    changed({}, termsOf(priceOf("Yearly", 3650, { frequency: "annually" }))).prorationInvoice?.bill,
    [
      "Yearly, less unused days of Basic (16 of 31 days) | R 3 650.00; less unused days of Basic, 16 of 31 days: R 160.00.",
    ],
  ],
  [
    "what is left of a price is a credit with a name",
    changed({}, termsOf(priceOf("Small", 31))).nextInvoice,
    ["Small | R 31.00; less credit, unused days of Basic: R 31.00."],
  ],
  [
    "a charge that was rewritten with VAT",
    next({
      carried: [
        {
          start: day("2027-01-16"),
          next: day("2027-02-01"),
          amount: cents(115_00),
          reason: {
            kind: "one_time",
            id: "i",
            name: "Visit",
            quantity: "1" as Decimal,
            unitAmount: "100" as Decimal,
            days: null,
            full: cents(100_00),
            less: [{ by: "tax_terms", amount: cents(-15_00) }],
          },
        },
      ],
    }),
    ["Basic", "Visit | R 100.00; plus VAT, which prices now include: R 15.00."],
  ],
];
for (const [what, bill, says] of ROWS) test(what, () => assert.deepEqual(said(bill), says));

const withVat = termsOf(priceOf("Basic", 345, { setupFee: cents(115_00), taxInclusive: true }));
const januaryWithVat = subscribed(withVat, "2027-01-01");
const INCLUSIVE: [what: string, bill: Bill | null | undefined, says: string[]][] = [
  [
    "a full period",
    created({ ...withVat, quantity: 2 }, "2027-01-01").bills[0],
    [
      "Basic | 2 × R 345.00: R 690.00 with VAT is R 600.00 without it.",
      "Basic: set-up fee | R 115.00 with VAT is R 100.00 without it.",
    ],
  ],
  [
    "a first period",
    created(withVat, "2027-01-16", { billingAnchorDay: 1 }).bills[0],
    [
      "Basic (16 of 31 days) | R 345.00 for 16 of 31 days: R 178.06 with VAT is R 154.83 without it.",
      "Basic: set-up fee | R 115.00 with VAT is R 100.00 without it.",
    ],
  ],
  [
    "usage, a coupon and a credit",
    nextBill({
      ...januaryWithVat,
      terms: { ...withVat, items: [metered("Calls", 1.15, "10")] },
      coupon: coupon({ percent: 20 }, 3),
      credits: [credit("Outage of 3 May", 46)],
    }),
    [
      "Basic | R 345.00; less coupon SPRING, 20 %: R 69.00; less credit, Outage of 3 May: R 46.00; R 230.00 with VAT is R 200.00 without it.",
      "Calls | 10 × R 1.15: R 11.50; less coupon SPRING, 20 %: R 2.30; R 9.20 with VAT is R 8.00 without it.",
    ],
  ],
  [
    "a change",
    change(
      januaryWithVat,
      {
        terms: termsOf(priceOf("Pro", 690, { taxInclusive: true }), { items: [addon("Seats", 34.5, "2")] }),
        proration: "now",
        invoiceNow: true,
        creditId: "c",
      },
      day("2027-01-16"),
    ).preview.prorationInvoice?.bill,
    [
      "Pro in place of Basic (16 of 31 days) | Pro R 690.00 + Seats 2 × R 34.50 for 16 of 31 days: R 391.74; less unused days of Basic, 16 of 31 days: R 178.06; R 213.68 with VAT is R 185.81 without it.",
    ],
  ],
  [
    "a price without VAT",
    created(termsOf(priceOf("Basic", 345, { taxInclusive: true, taxRate: "0" as Decimal })), "2027-01-01").bills[0],
    ["Basic"],
  ],
];
for (const [what, bill, says] of INCLUSIVE)
  test(`with VAT in the price, an invoice leads to what it shows: ${what}`, () => {
    assert(bill);
    assert.deepEqual(said({ ...bill, lines: invoiceLines(bill) }), says);
  });

test("a preview says what was asked for, what applies and why", () => {
  const wanted = { terms: { ...basic, quantity: 2 }, proration: "now", invoiceNow: true, creditId: "c" } as const;
  const shown = ({ requestedProration, proration, note, effectiveAt }: ReturnType<typeof changed>) =>
    [requestedProration, proration, effectiveAt, note].join("; ");
  const at = (sub: Subscription, today: string, given: object = {}) =>
    shown(change(sub, { ...wanted, ...given }, day(today)).preview);
  assert.equal(at(january, "2027-01-16"), "now; now; 2027-01-16; ");
  assert.equal(at(january, "2027-01-16", { proration: "none" }), "none; none; 2027-01-16; ");
  assert.equal(at(january, "2027-01-16", { proration: "next_renewal" }), "next_renewal; next_renewal; 2027-02-01; ");
  assert.equal(
    at(subscribed(basic, "2027-01-18", { trialDays: 14 }), "2027-01-20"),
    "now; none; 2027-01-20; Nothing was charged yet, so there is nothing to prorate. The new price applies from 2027-02-01.",
  );
  assert.equal(
    at(subscribed(basic, "2027-01-01", { startsOn: day("2027-02-01") }), "2027-01-20"),
    "now; none; 2027-02-01; The subscription has not started. It starts with the new price on 2027-02-01.",
  );
  assert.equal(
    at(january, "2027-02-10"),
    "now; none; 2027-02-10; No paid period runs. The new price applies from the next one.",
  );
});

test("a preview says what is due now, what goes to the next renewal, and whether a new period begins", () => {
  const yearly = termsOf(priceOf("Yearly", 3650, { frequency: "annually" }));
  const dearer = termsOf(priceOf("Dearer", 620));
  const cheaper = termsOf(priceOf("Small", 31));
  const shown = (terms: typeof dearer, invoiceNow = true, sub = january) => {
    const wanted = { terms, proration: "now", invoiceNow, creditId: "c" } as const;
    const invoice = change(sub, wanted, day("2027-01-16")).preview.prorationInvoice;
    return [invoice?.dueNow, invoice?.creditToNextRenewal, invoice?.resetsPeriod, invoice?.bill.total];
  };
  assert.deepEqual(shown(dearer), [184_00, 0, false, 184_00]);
  assert.deepEqual(shown(dearer, false), [0, 0, false, 184_00]);
  const older = { ...january, credits: [credit("a", 100)] };
  assert.deepEqual(shown(dearer, true, older), [69_00, 0, false, 69_00]);
  assert.deepEqual(shown(dearer, false, older), [0, 0, false, 184_00]);
  assert.deepEqual(shown(cheaper), [0, 144_00, false, 0]);
  assert.deepEqual(shown(yearly), [4013_50, 0, true, 4013_50]);
});
