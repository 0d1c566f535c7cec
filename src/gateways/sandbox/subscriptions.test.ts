import assert from "node:assert/strict";
import { test } from "node:test";
import { cents } from "../../kernel/money.ts";
import { type CalendarDay, instant, startOfDay } from "../../kernel/time.ts";
import { newSandboxId, type SandboxPayment, WITHOUT_PAGE } from "./server.ts";
import {
  acted,
  changed,
  nextChargeOf,
  renewalOf,
  renewedBy,
  type SandboxSubscription,
  type SubscriptionAction,
  startedBy,
  subscriptionToStart,
  subscriptionView,
} from "./subscriptions.ts";
import { Subscription } from "./wire.ts";

const NOW = instant("2026-01-31T10:00:00Z");
const day = (text: string) => text as CalendarDay;

const paid = (recurring: SandboxPayment["recurring"], token = "4242", now = NOW): SandboxPayment => ({
  ...WITHOUT_PAGE,
  id: newSandboxId("sbp"),
  kind: "checkout",
  reference: "TEFO-1",
  amount: cents(5_000),
  currency: "ZAR",
  description: "Gym",
  payer: { email: "p@example.com", firstName: null, lastName: null, phone: null },
  notifyUrl: "https://tefo.example/api/webhooks/sandbox?account=gw_1",
  recurring,
  status: "complete",
  card: {
    token: `sst_${"0".repeat(24)}_${token}`,
    brand: "visa",
    last4: token,
    expiryMonth: 8,
    expiryYear: 2029,
    holderName: null,
    fingerprint: `sbf_${token}`,
  },
  subscription: subscriptionToStart({ recurring }, now),
  ending: null,
  settlesAt: null,
  createdAt: now,
  decidedAt: now,
});
const start = (
  recurring: NonNullable<SandboxPayment["recurring"]> = { frequency: "monthly", amount: 9_900, nextChargeOn: null },
  token?: string,
  now = NOW,
): SandboxSubscription => startedBy(paid(recurring, token, now), now) ?? assert.fail();

// Begun on 31 January 2026.
const DATES: [NonNullable<SandboxPayment["recurring"]>["frequency"], string | null, string][] = [
  ["monthly", null, "2026-02-28 2026-03-31 2026-04-30"],
  ["quarterly", null, "2026-04-30 2026-07-31 2026-10-31"],
  ["biannually", null, "2026-07-31 2027-01-31 2027-07-31"],
  ["annually", null, "2027-01-31 2028-01-31 2029-01-31"],
  ["monthly", "2026-02-15", "2026-02-15 2026-03-15 2026-04-15"],
  ["monthly", "2026-03-31", "2026-03-31 2026-04-30 2026-05-31"],
  // It was paid later than it was to be collected again: what lies behind is not collected at once.
  ["monthly", "2026-01-31", "2026-02-28 2026-03-31 2026-04-30"],
  ["monthly", "2025-11-30", "2026-02-28 2026-03-30 2026-04-30"],
];
for (const [frequency, nextChargeOn, expected] of DATES)
  test(`${frequency}${nextChargeOn ? ` from ${nextChargeOn}` : ""} is collected on ${expected}`, () => {
    let subscription = start({ frequency, amount: 9_900, nextChargeOn });
    assert.equal(
      subscriptionToStart({ recurring: { frequency, amount: 1, nextChargeOn } }, NOW)?.nextChargeOn,
      expected.slice(0, 10),
    );
    for (const date of expected.split(" ")) {
      assert.equal(nextChargeOf(subscription), date);
      subscription = renewedBy(subscription, { status: "complete" }, startOfDay(day(date)));
    }
  });

test("a payment that is not recurring, or did not complete, starts none", () => {
  assert.equal(subscriptionToStart({ recurring: null }, NOW), null);
  assert.equal(startedBy(paid(null), NOW), null);
  const recurring = { frequency: "monthly", amount: 1, nextChargeOn: null } as const;
  assert.equal(startedBy({ ...paid(recurring), subscription: null }, NOW), null);
});

const RENEWALS: [string, SandboxPayment["status"], SandboxSubscription["status"]][] = [
  ["4242", "complete", "active"],
  ["9979", "complete", "active"],
  ["0341", "failed", "past_due"],
];
for (const [token, status, then] of RENEWALS)
  test(`a renewal with card ${token} is ${status} at once, with an id of its own and the first payment's reference`, () => {
    const subscription = start(undefined, token);
    const at = startOfDay(day("2026-02-28"));
    const renewal = renewalOf(subscription, at);
    assert.partialDeepStrictEqual(renewal, {
      kind: "renewal",
      status,
      reference: "TEFO-1",
      amount: 9_900,
      subscription: { id: subscription.id, nextChargeOn: "2026-03-31" },
      decidedAt: at,
      settlesAt: null,
    });
    assert.match(renewal.id, /^sbp_[0-9a-f]{24}$/);
    assert.equal(renewedBy(subscription, renewal, at).status, then);
  });

// Rows: what it is; columns: the action. Null: refused.
const MOVES: [SandboxSubscription["status"], Record<SubscriptionAction, SandboxSubscription["status"] | null>][] = [
  ["active", { pause: "paused", resume: "active", cancel: "cancelled" }],
  ["past_due", { pause: "paused", resume: "past_due", cancel: "cancelled" }],
  ["paused", { pause: "paused", resume: "active", cancel: "cancelled" }],
  ["cancelled", { pause: null, resume: null, cancel: "cancelled" }],
];
for (const [status, row] of MOVES)
  for (const [action, to] of Object.entries(row) as [SubscriptionAction, SandboxSubscription["status"] | null][])
    test(`${action} of one that is ${status}: ${to ?? "refused"}`, () => {
      const subscription = { ...start(), status };
      const moved = acted(subscription, action, NOW);
      assert.equal(moved?.status ?? null, to);
      if (to === status) assert.equal(moved, subscription, "what took effect before changes nothing");
    });

const RESUMED: [string, string][] = [
  ["2026-02-10", "2026-02-28"],
  ["2026-02-28", "2026-02-28"],
  ["2026-03-01", "2026-03-31"],
  ["2027-06-15", "2027-06-30"],
];
for (const [on, next] of RESUMED)
  test(`paused at once and resumed on ${on}, it is collected on ${next}: dates in between are not made up for`, () => {
    const paused = acted(start(), "pause", NOW) ?? assert.fail();
    assert.equal(subscriptionView(paused).nextChargeOn, null);
    const resumed = acted(paused, "resume", startOfDay(day(on))) ?? assert.fail();
    assert.equal(subscriptionView(resumed).nextChargeOn, next);
  });

test("amount and next date change, and dates are then counted from that date", () => {
  const subscription = changed(start(), { amount: 1_234, nextDate: "2026-03-30" }, NOW) ?? assert.fail();
  assert.equal(renewalOf(subscription, NOW).amount, 1_234);
  assert.equal(nextChargeOf(subscription), "2026-03-30");
  assert.equal(nextChargeOf(renewedBy(subscription, { status: "complete" }, NOW)), "2026-04-30");
  assert.equal(changed({ ...start(), status: "cancelled" }, { amount: 1 }, NOW), null);
});

test("what is shown matches the protocol", () => {
  for (const status of ["active", "past_due", "paused", "cancelled"] as const) {
    const shown = subscriptionView({ ...start(), status });
    assert.deepEqual(Subscription.parse(shown), shown);
  }
});
