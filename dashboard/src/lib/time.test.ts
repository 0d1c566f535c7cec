import assert from "node:assert/strict";
import { test } from "node:test";
import { dayTyped, formatDay, formatTime, formatUtc, withDays } from "./time.ts";

test("days and times are South African, whatever the machine's zone", () => {
  assert.equal(formatDay("2026-12-07"), "7 Dec 2026");
  assert.equal(formatTime("2026-11-03T22:05:09Z"), "4 Nov 2026, 00:05");
  assert.equal(withDays("It begins on 2026-12-10, not 2026-12-1."), "It begins on 10 Dec 2026, not 2026-12-1.");
  assert.equal(formatUtc("2026-11-03T22:05:09Z"), "2026-11-03 22:05:09 UTC");
});

test("a day is typed day first, in any usual way", () => {
  const NOW = "2026-12-31T23:00:00Z";
  for (const text of [
    "2027-04-09",
    "9 Apr 2027",
    "9 april 2027",
    "09/04/2027",
    "9-4-27",
    "9.4.2027",
    "9 apr",
    "9/4",
    "9Apr27",
    " 9 Apr, 2027 ",
  ])
    assert.equal(dayTyped(text, NOW), "2027-04-09", text);
  for (const text of ["", "April", "31 Feb 2027", "2027-02-31", "4/14/2027", "9 foo 2027", "9", "2027-4-9", "914"])
    assert.equal(dayTyped(text, NOW), null, text);
});
