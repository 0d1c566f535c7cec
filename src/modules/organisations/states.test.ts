import assert from "node:assert/strict";
import { test } from "node:test";
import { instant } from "../../kernel/time.ts";
import { isReadOnly, nextTrialNotice, statusOf, trialNoticeAt } from "./states.ts";
import type { OrganisationState, OrganisationStatus } from "./types.ts";

const END = "2026-02-01T00:00:00Z";
const ROWS: [OrganisationState, string | null, string, OrganisationStatus, boolean][] = [
  ["trial", END, "2026-01-31T23:59:59.999Z", "trial", false],
  ["trial", END, END, "expired", true],
  ["trial", null, END, "trial", false],
  ["active", END, "2027-01-01T00:00:00Z", "active", false],
  ["suspended", END, "2026-01-01T00:00:00Z", "suspended", true],
  ["cancelled", null, END, "cancelled", true],
];
for (const [state, trialEndsAt, now, status, readOnly] of ROWS)
  test(`${state} with trial end ${trialEndsAt} at ${now} is ${status}`, () => {
    assert.equal(statusOf({ state, trialEndsAt: trialEndsAt ? instant(trialEndsAt) : null }, instant(now)), status);
    assert.equal(isReadOnly(status), readOnly);
  });

// A trial that ends on 20 March at 10:00: the time, the notice that is due, and when the next one is.
const ENDS = instant("2027-03-20T10:00:00Z");
const NOTICES: [string, number | null, string | null][] = [
  ["2027-03-01T00:00:00Z", null, "2027-03-13T10:00:00.000Z"],
  ["2027-03-13T10:00:00Z", 7, "2027-03-19T10:00:00.000Z"],
  ["2027-03-17T00:00:00Z", 7, "2027-03-19T10:00:00.000Z"],
  ["2027-03-19T10:00:00Z", 1, null],
  ["2027-03-20T09:59:59Z", 1, null],
  ["2027-03-20T10:00:00Z", null, null],
  ["2027-04-01T00:00:00Z", null, null],
];
for (const [now, due, next] of NOTICES)
  test(`at ${now} the notice of ${due ?? "no"} days is due`, () => {
    assert.equal(trialNoticeAt(ENDS, instant(now)), due);
    assert.equal(nextTrialNotice(ENDS, instant(now))?.toISOString() ?? null, next);
  });
