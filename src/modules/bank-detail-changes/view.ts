import { toTimestamp, toTimestampOrNull } from "../../kernel/time.ts";
import type { BankDetailChange } from "./types.ts";

/** Interface 18.1: the changes of bank details because of which payouts are on hold, newest first. */
export const payoutHoldView = (changes: readonly BankDetailChange[]) => ({
  object: "payout_hold" as const,
  heldUntil: toTimestampOrNull(changes[0]?.heldUntil ?? null),
  changes: changes.map(({ id, kind, gatewayAccountId, gatewayName, fields, before, after, changedAt, by }) => ({
    ...{ id, kind, gatewayId: gatewayAccountId, gatewayName, fields, before, after },
    changedAt: toTimestamp(changedAt),
    changedBy: by,
  })),
});
