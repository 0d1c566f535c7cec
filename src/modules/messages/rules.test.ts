import assert from "node:assert/strict";
import { test } from "node:test";
import { instant, toTimestamp } from "../../kernel/time.ts";
import { asksForDebt, leavesAt, phoneOf, plainText, segmentsOf, wishOf } from "./rules.ts";
import { MESSAGE_KINDS } from "./types.ts";

const SEGMENTS: readonly (readonly [string, string, number])[] = [
  ["nothing", "", 1],
  ["160 of the SMS alphabet", "a".repeat(160), 1],
  ["161 of them", "a".repeat(161), 2],
  ["306", "a".repeat(306), 2],
  ["307", "a".repeat(307), 3],
  ["80 that count twice", "€".repeat(80), 1],
  ["81 that count twice", "€".repeat(81), 2],
  ["é, which is of the alphabet", "é".repeat(160), 1],
  ["70 with one that is not", `${"a".repeat(69)}’`, 1],
  ["71 with one that is not", `${"a".repeat(70)}’`, 2],
  ["134", `${"a".repeat(133)}ê`, 2],
  ["135", `${"a".repeat(134)}ê`, 3],
  ["35 emoji, which take two units", "😀".repeat(35), 1],
  ["36 emoji", "😀".repeat(36), 2],
];
for (const [name, text, segments] of SEGMENTS)
  test(`an SMS of ${name} goes in ${segments}`, () => assert.equal(segmentsOf(text), segments));

test("quotes, dashes and spaces become plain, so that the SMS alphabet has them", () => {
  const text = plainText("Thandi’s “Shop” – R\u00a0450.00…");
  assert.equal(text, 'Thandi\'s "Shop" - R 450.00...');
});

const PHONES: readonly (readonly [string | null, string | null])[] = [
  [null, null],
  ["", null],
  ["082 123 4567", "+27821234567"],
  ["(082) 123-4567", "+27821234567"],
  ["27821234567", "+27821234567"],
  ["+27 82 123 4567", "+27821234567"],
  ["0027821234567", "+27821234567"],
  ["011 123 4567", null],
  ["+27111234567", null],
  ["082 123 456", null],
  ["+264 81 123 4567", "+264811234567"],
  ["+44 7911 123456", "+447911123456"],
  ["082 123 4567 or 083", null],
  ["thandi@example.co.za", null],
];
for (const [written, number] of PHONES)
  test(`the number ${written} is ${number}`, () => assert.equal(phoneOf(written), number));

/** South African times in, and out. */
const HOURS: readonly (readonly [string, string, string])[] = [
  ["a Wednesday at noon", "2026-11-25T12:00:00+02:00", "2026-11-25T12:00:00+02:00"],
  ["before eight", "2026-11-25T07:59:59+02:00", "2026-11-25T08:00:00+02:00"],
  ["at eight", "2026-11-25T08:00:00+02:00", "2026-11-25T08:00:00+02:00"],
  ["a second before twenty", "2026-11-25T19:59:59+02:00", "2026-11-25T19:59:59+02:00"],
  ["at twenty", "2026-11-25T20:00:00+02:00", "2026-11-26T08:00:00+02:00"],
  ["Friday night: on Saturday at nine", "2026-11-27T21:00:00+02:00", "2026-11-28T09:00:00+02:00"],
  ["Saturday at one: on Monday", "2026-11-28T13:00:00+02:00", "2026-11-30T08:00:00+02:00"],
  ["Sunday: on Monday", "2026-11-29T12:00:00+02:00", "2026-11-30T08:00:00+02:00"],
  ["the Day of Reconciliation: the day after", "2026-12-16T12:00:00+02:00", "2026-12-17T08:00:00+02:00"],
  ["Christmas on a Friday, then a holiday and a Sunday", "2026-12-25T12:00:00+02:00", "2026-12-28T08:00:00+02:00"],
];
for (const [name, now, leaves] of HOURS)
  test(`sending hours: ${name}`, () =>
    assert.equal(toTimestamp(leavesAt("invoice", instant(now))), toTimestamp(instant(leaves))));

const WISHES: readonly (readonly [string, "stop" | "start" | null])[] = [
  ["STOP", "stop"],
  [" stop. ", "stop"],
  ["End", "stop"],
  ["cancel", "stop"],
  ["Unsubscribe", "stop"],
  ["quit!", "stop"],
  ["opt out", "stop"],
  ["opt-out", "stop"],
  ["start", "start"],
  ["Please stop by on Monday", null],
  ["I have paid", null],
  ["", null],
];
for (const [text, wish] of WISHES) test(`the reply "${text}" wishes ${wish}`, () => assert.equal(wishOf(text), wish));

test("reminders and messages about failed payments ask for a debt, others do not", () =>
  assert.deepEqual(MESSAGE_KINDS.filter(asksForDebt), ["reminder", "payment_failed"]));
