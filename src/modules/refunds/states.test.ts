import assert from "node:assert/strict";
import { test } from "node:test";
import type { RefundStatus } from "../../domain/refunds.ts";
import { moveRefund } from "./states.ts";

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
