import assert from "node:assert/strict";
import { test } from "node:test";
import type { RefundStatus } from "../../domain/refund.ts";
import { afterRefunds, FORWARD, type ForwardStatus, moveRefund, statusesBefore } from "./states.ts";
import type { TransactionStatus } from "./types.ts";

/** The status after a report, as the conditional update of the store decides it. */
const afterReport = (from: TransactionStatus, to: ForwardStatus): TransactionStatus =>
  (statusesBefore(to) as readonly string[]).includes(from) ? to : from;

// Interface 3.1, cell for cell: status, then where a report of pending, cancelled, failed, complete leaves it.
const GRID: [TransactionStatus, TransactionStatus, TransactionStatus, TransactionStatus, TransactionStatus][] = [
  ["pending", "pending", "cancelled", "failed", "complete"],
  ["cancelled", "cancelled", "cancelled", "failed", "complete"],
  ["failed", "failed", "failed", "failed", "complete"],
  ["complete", "complete", "complete", "complete", "complete"],
  ["refunded", "refunded", "refunded", "refunded", "refunded"],
  ["partially_refunded", "partially_refunded", "partially_refunded", "partially_refunded", "partially_refunded"],
];
for (const [from, ...results] of GRID)
  FORWARD.forEach((reported, column) => {
    test(`${from}, reported ${reported}: ${results[column]}`, () =>
      assert.equal(afterReport(from, reported), results[column]));
  });

test("every order of every four notifications ends at the furthest of them", () => {
  const four = (length: number): ForwardStatus[][] =>
    length === 0 ? [[]] : four(length - 1).flatMap((rest) => FORWARD.map((reported) => [...rest, reported]));
  for (const reported of four(4)) {
    const furthest = Math.max(...reported.map((status) => FORWARD.indexOf(status)));
    assert.equal(reported.reduce<TransactionStatus>(afterReport, "pending"), FORWARD[furthest], reported.join(", "));
  }
});

test("every order of every four facts about a refund ends at the furthest of them, which is that it failed", () => {
  const SAID = ["pending", "processed", "refused"] as const;
  const ENDS = { pending: "pending", processed: "processed", refused: "failed" } as const;
  const four = (length: number): (typeof SAID)[number][][] =>
    length === 0 ? [[]] : four(length - 1).flatMap((rest) => SAID.map((said) => [...rest, said]));
  for (const facts of four(4)) {
    const furthest = facts.reduce((a, b) => (SAID.indexOf(b) > SAID.indexOf(a) ? b : a));
    const end = facts.reduce<RefundStatus>((from, said) => moveRefund(from, said) ?? from, "requested");
    assert.equal(end, ENDS[furthest], facts.join(", "));
  }
});

const REFUNDS: [number, number, string][] = [
  [100, 0, "complete"],
  [100, 1, "partially_refunded"],
  [100, 99, "partially_refunded"],
  [100, 100, "refunded"],
];
for (const [amount, refunded, status] of REFUNDS)
  test(`${refunded} of ${amount} refunded: ${status}`, () => assert.equal(afterRefunds(amount, refunded), status));
