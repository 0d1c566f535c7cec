import { toRand } from "../../kernel/money.ts";
import { toTimestamp, toTimestampOrNull } from "../../kernel/time.ts";
import type { ShownAttempt } from "./types.ts";

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
