import assert from "node:assert/strict";
import { test } from "node:test";
import { disputeStatus, paymentStatus } from "./disputes.ts";

const PAID = { status: "complete", amount: 100, flags: [] as string[] };
const TAKEN = { ...PAID, reversals: [{ amount: 60 }, { amount: 40 }] };
const DISPUTED = { ...TAKEN, flags: ["disputed"] };

const PAYMENTS: readonly [
  what: string,
  payment: Parameters<typeof paymentStatus>[0],
  dispute: string | undefined,
  shown: string,
][] = [
  ["paid", PAID, undefined, "complete"],
  ["taken back", TAKEN, undefined, "reversed"],
  ["taken back in part", { ...PAID, reversals: [{ amount: 60 }] }, undefined, "complete"],
  ["disputed, in a list", DISPUTED, undefined, "disputed"],
  ["disputed", DISPUTED, "open", "disputed"],
  ["disputed, nothing taken yet", PAID, "open", "disputed"],
  ["lost", DISPUTED, "lost", "dispute_lost"],
  ["accepted", DISPUTED, "accepted", "dispute_lost"],
  ["won, and given back", PAID, "won", "complete"],
  ["lost, in part", { ...PAID, reversals: [{ amount: 60 }] }, "lost", "complete"],
];
for (const [what, payment, dispute, shown] of PAYMENTS)
  test(`a payment that is ${what} is ${shown}`, () => {
    assert.equal(paymentStatus(payment, dispute), shown);
  });

test("a dispute needs a response until evidence is sent", () => {
  assert.equal(disputeStatus({ status: "open", submittedAt: null }), "needs_response");
  assert.equal(disputeStatus({ status: "open", submittedAt: "2027-03-01T10:00:00.000Z" }), "under_review");
  assert.equal(disputeStatus({ status: "accepted", submittedAt: null }), "conceded");
  assert.equal(disputeStatus({ status: "won", submittedAt: null }), "won");
});
