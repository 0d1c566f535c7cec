import { z } from "zod";
import { toTimestamp, toTimestampOrNull } from "../../kernel/time.ts";
import { timestamp } from "../../platform/schema.ts";
import type { BankDetailChange } from "./types.ts";

const Details = z
  .object({ bankName: z.string(), accountName: z.string(), accountNumber: z.string().describe("Only its end.") })
  .nullable();

/** Interface 18.1, the hold of payouts after a change of bank details. */
export const PayoutHoldObject = z
  .object({
    object: z.literal("payout_hold"),
    heldUntil: timestamp().nullable().describe("Null: nothing is held."),
    changes: z.array(
      z.object({
        id: z.string(),
        kind: z.enum(["added", "changed", "removed"]),
        gatewayId: z.string(),
        gatewayName: z.string(),
        fields: z.array(z.string()).describe("Which of the bank details differ."),
        before: Details,
        after: Details,
        changedAt: timestamp(),
        changedBy: z.object({ kind: z.string(), id: z.string().nullable(), name: z.string().nullable() }),
      }),
    ),
  })
  .meta({ id: "PayoutHold" });

/** Interface 18.1: the changes of bank details that put payouts on hold, newest first. */
export const payoutHoldView = (changes: readonly BankDetailChange[]) => ({
  object: "payout_hold" as const,
  heldUntil: toTimestampOrNull(changes[0]?.heldUntil ?? null),
  changes: changes.map(({ id, kind, gatewayAccountId, gatewayName, fields, before, after, changedAt, by }) => ({
    ...{ id, kind, gatewayId: gatewayAccountId, gatewayName, fields, before, after },
    changedAt: toTimestamp(changedAt),
    changedBy: by,
  })),
});
