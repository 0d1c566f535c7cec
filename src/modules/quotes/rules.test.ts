import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../../test/support/property.ts";
import type { Decimal } from "../../kernel/decimal.ts";
import { ApiError } from "../../kernel/errors.ts";
import { priceLines, totalsOf } from "../../kernel/lines.ts";
import { type CalendarDay, instant, toTimestamp } from "../../kernel/time.ts";
import { expiresAt, expiryWhenSent, invoiceLines, requireValidDates, statusAt } from "./rules.ts";
import type { QuoteStatus } from "./types.ts";

const day = (text: string) => text as CalendarDay;
const dayOrNull = (text: string | null) => text as CalendarDay | null;
const LAST = day("2027-03-31");

// Stored status, last valid day, moment, and the status at that moment.
const STATUSES: [QuoteStatus, CalendarDay | null, string, QuoteStatus][] = [
  ["sent", LAST, "2027-03-31T21:59:59.999Z", "sent"],
  ["sent", LAST, "2027-03-31T22:00:00.000Z", "expired"],
  ["sent", null, "2099-01-01T00:00:00Z", "sent"],
  ["draft", LAST, "2027-04-01T10:00:00Z", "draft"],
  ["accepted", LAST, "2027-04-01T10:00:00Z", "accepted"],
  ["expired", null, "2027-01-01T00:00:00Z", "expired"],
];
for (const [status, expiryDate, now, expected] of STATUSES)
  test(`${status}, valid until ${expiryDate}, at ${now}: ${expected}`, () => {
    assert.equal(statusAt({ status, expiryDate }, instant(now)), expected);
  });

test("the expiry work is due at the first moment at which the quote reads as expired", () => {
  const at = expiresAt({ expiryDate: LAST });
  assert.equal(at && toTimestamp(at), "2027-03-31T22:00:00.000Z");
  assert.equal(expiresAt({ expiryDate: null }), null);
});

for (const [expiryDate, kept] of [
  ["2027-03-30", null],
  ["2027-03-31", "2027-03-31"],
  ["2027-04-01", "2027-04-01"],
] as const)
  test(`sent on 31 March, valid until ${expiryDate}: ${kept}`, () => {
    assert.equal(expiryWhenSent({ expiryDate: day(expiryDate) }, instant("2027-03-31T21:59:59Z")), kept);
  });

// Issue, expiry, start, end, and the field that is wrong.
const DATES: [string, string | null, string | null, string | null, string | null][] = [
  ["2027-03-01", null, null, null, null],
  ["2027-03-01", "2027-03-01", "2027-03-01", "2027-03-01", null],
  ["2027-03-01", "2027-02-28", null, null, "expiryDate"],
  ["2027-03-01", null, "2027-03-01", null, "periodEnd"],
  ["2027-03-01", null, null, "2027-03-01", "periodStart"],
  ["2027-03-01", null, "2027-03-02", "2027-03-01", "periodEnd"],
];
for (const [issue, expiry, start, end, wrong] of DATES)
  test(`issued ${issue}, valid until ${expiry}, for ${start} to ${end}: ${wrong ?? "possible"}`, () => {
    const period = { periodStart: dayOrNull(start), periodEnd: dayOrNull(end) };
    const dates = { issueDate: day(issue), expiryDate: dayOrNull(expiry), ...period };
    const check = () => requireValidDates(dates, []);
    if (wrong === null) check();
    else assert.throws(check, (error) => error instanceof ApiError && error.issues?.[0]?.path[0] === wrong);
  });

test("the invoice's lines add up to the quote's total to the cent, with and without tax-inclusive prices", () => {
  const line = fc.record({
    quantity: fc.integer({ min: 1, max: 9_999_999 }).map((n) => String(n / 1000) as Decimal),
    unitPrice: fc.integer({ min: 1, max: 99_999_999 }).map((n) => String(n / 10_000) as Decimal),
    taxRate: fc.constantFrom("0", "15", "14.5", "100").map((text) => text as Decimal),
  });
  const rest = { description: "x", details: null, periodStart: null, periodEnd: null };
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 5 }), fc.boolean(), (items, taxInclusive) => {
      fc.pre(items.some(({ quantity, unitPrice }) => Number(quantity) * Number(unitPrice) >= 1));
      const priced = priceLines(
        items.map((item) => ({ ...item, ...rest })),
        taxInclusive,
        "lineItems",
      );
      const { subtotal, tax, total } = priced;
      const { lines } = invoiceLines({ taxInclusive, lines: priced.lines, currency: "ZAR", discount: null });
      assert.deepEqual(totalsOf(lines, false), { subtotal, tax, total });
    }),
  );
});
