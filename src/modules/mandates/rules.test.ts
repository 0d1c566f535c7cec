import assert from "node:assert/strict";
import { test } from "node:test";
import type { CalendarDay } from "../../kernel/time.ts";
import { collected, unpaid, whyNotCollecting } from "./rules.ts";
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

// What differs from an active mandate of the customer that collects nothing else, and the beginning of the refusal.
type Offered = Parameters<typeof whyNotCollecting>[0];
const OFFERED: Offered = {
  customerId: "cus_1" as never,
  subscriptionId: null,
  authority: "agreement",
  status: "active",
  authorityLostAt: null,
  agreementSignedAt: null,
  nextDebitDate: "2027-04-05" as CalendarDay,
  endDate: null,
};
const OWN = { subscriptionId: "csub_1" as never };
const COLLECTS: [string, Partial<Offered>, { currency?: string; signed?: boolean; owes?: boolean }, RegExp | null][] = [
  ["an active mandate collects", {}, {}, null],
  ["so does the subscription's own", OWN, {}, null],
  ["and its own when it is paused", { ...OWN, status: "paused", nextDebitDate: null }, {}, null],
  ["another customer's does not", { customerId: "cus_2" as never }, {}, /one of the customer's/],
  ["nor one that collects another subscription", { subscriptionId: "csub_2" as never }, {}, /another subscription/],
  ["nor an electronic one of its own amount", { authority: "emandate" }, {}, /own amount only/],
  ["but an electronic one of the subscription", { ...OWN, authority: "emandate" }, {}, null],
  ["nor a paused one of its own amount", { status: "paused" }, {}, /is paused/],
  ["nor a pending one", { status: "pending" }, {}, /is pending/],
  ["nor a cancelled one", { ...OWN, status: "cancelled" }, {}, /is cancelled/],
  ["nor one without authority", { ...OWN, status: "paused", authorityLostAt: 1 as never }, {}, /no authority/],
  ["nor one that has ended", { endDate: "2027-03-01" as CalendarDay, nextDebitDate: null }, {}, /has ended/],
  ["nor in another currency", {}, { currency: "USD" }, /collected in ZAR/],
  ["nor without the signature that the settings require", {}, { signed: true }, /not signed/],
  ["nor while debits of its own are held back", {}, { owes: true }, /held back/],
];
for (const [what, fields, { currency = "ZAR", signed = false, owes = false }, refusal] of COLLECTS)
  test(`to collect a subscription: ${what}`, () => {
    const of = { id: "csub_1", customerId: "cus_1", currency };
    const why = whyNotCollecting({ ...OFFERED, ...fields }, of, { signed, owes, today: "2027-04-01" as CalendarDay });
    if (refusal === null) assert.equal(why, null);
    else assert.match(why ?? "none", refusal);
  });
