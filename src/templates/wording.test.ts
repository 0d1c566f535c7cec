import assert from "node:assert/strict";
import { test } from "node:test";
import type { Decimal } from "../kernel/decimal.ts";
import { priceLines } from "../kernel/lines.ts";
import { cents } from "../kernel/money.ts";
import { type CalendarDay, instant } from "../kernel/time.ts";
import { documentOfCreditNote, documentOfInvoice, documentOfQuote } from "./document.ts";
import {
  dayInWords,
  frequencyInWords,
  linesInWords,
  momentInWords,
  ratesDiffer,
  shortDay,
  totalsByRate,
  vatAt,
  vatInWords,
} from "./wording.ts";

test("days and times are South African", () => {
  assert.equal(dayInWords("2026-02-01" as CalendarDay), "1 February 2026");
  assert.equal(shortDay("2026-02-01" as CalendarDay), "1\u00a0Feb\u00a02026");
  assert.equal(momentInWords(instant("2026-11-20T12:05:59Z")), "20 November 2026, 14:05");
  assert.equal(momentInWords(instant("2026-12-31T22:30:00Z")), "1 January 2027, 00:30");
});

test("frequencies in words", () => {
  assert.equal(frequencyInWords("biannually"), "every 6 months");
});

const day = (text: string) => text as CalendarDay;
const line = (quantity: string, unitPrice: string, taxRate: string) => ({
  description: "Coffee",
  details: "Whole beans",
  quantity: quantity as Decimal,
  unitPrice: unitPrice as Decimal,
  taxRate: taxRate as Decimal,
  periodStart: "2026-02-01" as CalendarDay,
  periodEnd: "2026-02-28" as CalendarDay,
});
const priced = {
  number: "X-1",
  currency: "ZAR",
  issueDate: "2026-02-01" as CalendarDay,
  periodStart: null,
  periodEnd: null,
  notes: null,
  taxInclusive: true,
  ...priceLines([line("1", "115", "15"), line("1250.5", "0.0125", "0")], false, "lines"),
};

test("lines in words: quantity and price as people write them, to the last decimal; a rate of nothing is no VAT", () => {
  const words = linesInWords(priced);
  assert.deepEqual(
    words.map(({ times, quantity, unitPrice, rate, vat, amount }) => [times, quantity, unitPrice, rate, vat, amount]),
    [
      [null, "1", "R\u00a0115.00", "15%", "15% VAT", "R\u00a0115.00"],
      ["1\u00a0250.5 ×", "1\u00a0250.5", "R\u00a00.0125", "0%", "no VAT", "R\u00a015.63"],
    ],
  );
  assert.deepEqual(words[0]?.period, { start: "2026-02-01", end: "2026-02-28" });
});

test("a line that is exempt says so where others say their rate, and is summed apart from zero-rated ones", () => {
  const exempt = { ...line("1", "20", "0"), taxExempt: true as const };
  const document = { ...priced, ...priceLines([exempt, line("1", "30", "0"), line("1", "10", "15")], false, "lines") };
  assert.deepEqual(
    linesInWords(document).map(({ rate, vat }) => [rate, vat]),
    [
      ["Exempt", "exempt from VAT"],
      ["0%", "no VAT"],
      ["15%", "15% VAT"],
    ],
  );
  assert.deepEqual(
    totalsByRate({ ...document, taxInclusive: false }).map((of) => [vatAt(of), of.value, of.tax]),
    [
      ["VAT at 15%", 1_000, 150],
      ["VAT at 0%", 3_000, 0],
      ["VAT (exempt)", 2_000, 0],
    ],
  );
  assert.ok(ratesDiffer([exempt, line("1", "30", "0")]));
});

test("VAT names its rate where there is one", () => {
  assert.equal(vatInWords(priced), "VAT");
  assert.equal(vatInWords({ ...priced, lines: priced.lines.slice(0, 1) }), "VAT at 15%");
});

test("an invoice is read without VAT in its lines, and with what is left to pay", () => {
  const invoice = { ...priced, dueDate: day("2026-03-01"), paid: cents(5000), deposit: cents(5500) };
  const { taxInclusive, total, paid, due, lastDay, deposit } = documentOfInvoice(invoice);
  assert.deepEqual([taxInclusive, paid, due, lastDay, deposit], [false, 5000, total - 5000, "2026-03-01", 500]);
});

test("a quote is read as it was priced, and its last day is that of its offer", () => {
  const quote = {
    ...priced,
    expiryDate: day("2026-03-02"),
    depositAmount: cents(30_00),
    periodStart: day("2026-02-01"),
    periodEnd: day("2026-02-28"),
  };
  const { taxInclusive, paid, due, total, lastDay, period, deposit } = documentOfQuote(quote);
  assert.deepEqual([taxInclusive, paid, due, lastDay, deposit], [true, 0, total, "2026-03-02", 30_00]);
  assert.deepEqual(period, { start: "2026-02-01", end: "2026-02-28" });
});

test("a credit note is read as one line, its reason, that adds up to it", () => {
  const note = {
    number: "CN-1",
    currency: "ZAR",
    amount: cents(65_550),
    tax: cents(8_550),
    taxRate: "15" as Decimal,
    lines: [],
    remaining: cents(15_550),
    reason: "Two bags were returned.",
    createdAt: instant("2026-11-20T22:30:00Z"),
  };
  const document = documentOfCreditNote(note);
  assert.deepEqual(
    linesInWords(document).map(({ description, amount }) => [description, amount]),
    [["Two bags were returned.", "R\u00a0570.00"]],
  );
  assert.deepEqual(
    [document.issueDate, document.subtotal, document.tax, document.total],
    ["2026-11-21", 57_000, 8_550, 65_550],
  );
  assert.deepEqual([document.paid, document.due], [50_000, 15_550]);
});
