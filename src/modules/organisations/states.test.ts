import assert from "node:assert/strict";
import { test } from "node:test";
import { instant } from "../../kernel/time.ts";
import { isReadOnly, statusOf } from "./states.ts";
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
