import assert from "node:assert/strict";
import { test } from "node:test";
import { cents } from "../../kernel/money.ts";
import { afterRefunds, FORWARD, type ForwardStatus, statusesBefore } from "./states.ts";
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

const REFUNDS: [number, number, string][] = [
  [100, 0, "complete"],
  [100, 1, "partially_refunded"],
  [100, 99, "partially_refunded"],
  [100, 100, "refunded"],
];
for (const [amount, refunded, status] of REFUNDS)
  test(`${refunded} of ${amount} refunded: ${status}`, () =>
    assert.equal(afterRefunds(cents(amount), cents(refunded)), status));
