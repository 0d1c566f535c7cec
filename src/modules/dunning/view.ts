import { sum, toRand } from "../../kernel/money.ts";
import { toTimestamp, toTimestampOrNull } from "../../kernel/time.ts";
import type { RecoveryTotal, ShownAttempt } from "./types.ts";

/** Interface 16.16. */
export const attemptView = (attempt: ShownAttempt) => ({
  object: "collection_attempt" as const,
  id: attempt.id,
  invoice: { id: attempt.invoiceId, number: attempt.invoiceNumber },
  cause: attempt.cause,
  status: attempt.status,
  reference: attempt.reference,
  reason: attempt.reason,
  hard: attempt.isHard,
  nextAttemptAt: toTimestampOrNull(attempt.nextAt),
  reversal: attempt.reversal && {
    ...attempt.reversal,
    amount: toRand(attempt.reversal.amount),
    reversedAt: toTimestamp(attempt.reversal.reversedAt),
  },
  createdAt: toTimestamp(attempt.createdAt),
});

/** Interface 14.4: what became of collections that failed. */
export function recoveryView(totals: readonly RecoveryTotal[]) {
  const figure = (own: readonly RecoveryTotal[]) => ({
    amount: toRand(sum(own.map(({ amount }) => amount))),
    count: own.reduce((all, { count }) => all + count, 0),
  });
  const of = (outcome: RecoveryTotal["outcome"]) => figure(totals.filter((one) => one.outcome === outcome));
  return {
    failed: figure(totals),
    retried: figure(totals.filter(({ retried }) => retried)),
    recovered: of("recovered"),
    retrying: of("retrying"),
    lost: of("lost"),
  };
}
