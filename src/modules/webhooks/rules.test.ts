import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../../test/support/property.ts";
import { addSeconds, instant } from "../../kernel/time.ts";
import { type AttemptOutcome, endpointAfter, nextAttemptAt, outcomeOf, subscribes } from "./rules.ts";

const AT = instant("2026-11-20T10:00:00Z");
const waitAfter = (attempts: number, retryAfterSeconds: number | null = null, random = 0) => {
  const next = nextAttemptAt({ attempts, lastAttemptAt: AT, retryAfterSeconds, random });
  return next === null ? null : (next.getTime() - AT.getTime()) / 1000;
};

/** Interface 6.6, row for row: seconds after the n-th failure. */
const WAITS = [10, 60, 300, 1800, 3600, 7200, 14_400, 28_800, 43_200, 72_000, null];
for (const [index, wait] of WAITS.entries())
  test(`after failure ${index + 1} the wait is ${wait ?? "none"}`, () => assert.equal(waitAfter(index + 1), wait));

test("all waits together are about two days", () => {
  const total = WAITS.reduce<number>((sum, wait) => sum + (wait ?? 0), 0);
  assert.ok(total > 47 * 3600 && total < 48 * 3600);
});

const RETRY_AFTER: [attempts: number, retryAfter: number, wait: number | null][] = [
  [1, 0, 10],
  [1, 5, 10],
  [1, 45, 45],
  [1, 60, 60],
  [1, 3600, 60],
  [4, 2700, 2700],
  [9, 1e9, 72_000],
  [10, 1e9, 72_000],
  [11, 5, null],
];
for (const [attempts, retryAfter, wait] of RETRY_AFTER)
  test(`Retry-After ${retryAfter} after failure ${attempts}: ${wait}`, () =>
    assert.equal(waitAfter(attempts, retryAfter), wait));

test("jitter lengthens a wait by at most a fifth, never shortens it", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 10 }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (attempts, random) => {
        const wait = waitAfter(attempts, null, random) ?? 0;
        const step = WAITS[attempts - 1] ?? 0;
        assert.ok(wait >= step && wait <= step * 1.2);
      },
    ),
  );
});

const OUTCOMES: [number | null, AttemptOutcome][] = [
  [200, "delivered"],
  [204, "delivered"],
  [299, "delivered"],
  [199, "retry"],
  [300, "retry"],
  [301, "retry"],
  [307, "retry"],
  [400, "retry"],
  [401, "retry"],
  [404, "retry"],
  [410, "disable"],
  [429, "retry"],
  [500, "retry"],
  [503, "retry"],
  [null, "retry"],
];
for (const [status, outcome] of OUTCOMES)
  test(`answer ${status}: ${outcome}`, () => assert.equal(outcomeOf(status), outcome));

const FIVE_DAYS = 5 * 24 * 3600;
const ROWS: [
  name: string,
  since: number | null,
  outcome: AttemptOutcome,
  seconds: number,
  after: [number | null, string | null],
][] = [
  ["a first failure begins the row", null, "retry", 0, [0, null]],
  ["a later one keeps its beginning", 0, "retry", 3600, [0, null]],
  ["five days exactly are borne", 0, "retry", FIVE_DAYS, [0, null]],
  ["a second more is not", 0, "retry", FIVE_DAYS + 1, [0, "failing"]],
  ["a success ends the row", 0, "delivered", FIVE_DAYS + 1, [null, null]],
  ["410 disables at once", null, "disable", 0, [0, "gone"]],
];
for (const [name, since, outcome, seconds, [failing, disabled]] of ROWS)
  test(name, () => {
    const at = (offset: number | null) => (offset === null ? null : addSeconds(AT, offset));
    assert.deepEqual(endpointAfter(at(since), outcome, addSeconds(AT, seconds)), {
      failingSince: at(failing),
      disabled,
    });
  });

const SUBSCRIPTIONS: [string[], string, boolean][] = [
  [["*"], "invoice.paid", true],
  [["invoice.paid"], "invoice.paid", true],
  [["payment.complete", "invoice.paid"], "invoice.paid", true],
  [["invoice.*"], "invoice.paid", false],
  [["invoice"], "invoice.paid", false],
  [[], "invoice.paid", false],
];
for (const [events, type, takes] of SUBSCRIPTIONS)
  test(`${JSON.stringify(events)} ${takes ? "takes" : "leaves"} ${type}`, () =>
    assert.equal(subscribes(events, type), takes));
