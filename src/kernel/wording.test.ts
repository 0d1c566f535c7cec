import assert from "node:assert/strict";
import { test } from "node:test";
import { type BusinessDay, instant } from "./time.ts";
import { dayInWords, frequencyInWords, momentInWords } from "./wording.ts";

test("days and times are South African", () => {
  assert.equal(dayInWords("2026-02-01" as BusinessDay), "1 February 2026");
  assert.equal(momentInWords(instant("2026-11-20T12:05:59Z")), "20 November 2026, 14:05");
  assert.equal(momentInWords(instant("2026-12-31T22:30:00Z")), "1 January 2027, 00:30");
});

test("frequencies in words", () => {
  assert.equal(frequencyInWords("biannually"), "every 6 months");
});
