import assert from "node:assert/strict";
import { test } from "node:test";
import type { CalendarDay } from "../../kernel/time.ts";
import { collected, unpaid } from "./rules.ts";
import type { Mandate } from "./types.ts";

type Counted = Pick<Mandate, "status" | "failureCount" | "lastUnpaidDate" | "lastCollectedAt" | "nextDebitDate">;

const ACTIVE: Counted = {
  status: "active",
  failureCount: 0,
  lastUnpaidDate: null,
  lastCollectedAt: null,
  nextDebitDate: null,
};

/** The outcome of the debits of a date: collected, unpaid, or reversed after it was collected. */
type Report = readonly [what: "c" | "u" | "r", day: string];
const after = (reports: readonly Report[]): Counted =>
  reports.reduce<Counted>((mandate, [what, day]) => {
    const on = `2027-${day}` as CalendarDay;
    return what === "c" ? collected(mandate, on) : unpaid(mandate, on, what === "r");
  }, ACTIVE);

// Reports in their order, then the count of unpaid dates in a row and the status.
const TABLE: [string, Report[], number, string][] = [
  [
    "two debits of one date count once",
    [
      ["u", "03-05"],
      ["u", "03-05"],
    ],
    1,
    "active",
  ],
  [
    "a date with one that was collected does not count",
    [
      ["u", "03-05"],
      ["c", "03-05"],
    ],
    0,
    "active",
  ],
  [
    "nor in the other order",
    [
      ["c", "03-05"],
      ["u", "03-05"],
    ],
    0,
    "active",
  ],
  [
    "one that is taken back counts",
    [
      ["c", "03-05"],
      ["r", "03-05"],
    ],
    1,
    "active",
  ],
  [
    "two of a date that are taken back count once",
    [
      ["c", "03-05"],
      ["c", "03-05"],
      ["r", "03-05"],
      ["r", "03-05"],
    ],
    1,
    "active",
  ],
  [
    "three dates in a row pause",
    [
      ["u", "03-05"],
      ["u", "04-05"],
      ["u", "04-05"],
      ["u", "05-05"],
    ],
    3,
    "paused",
  ],
  [
    "one in between begins the row anew",
    [
      ["u", "03-05"],
      ["u", "04-05"],
      ["c", "05-05"],
      ["u", "06-05"],
    ],
    1,
    "active",
  ],
];
for (const [rule, reports, failureCount, status] of TABLE)
  test(rule, () => assert.partialDeepStrictEqual(after(reports), { failureCount, status }));
