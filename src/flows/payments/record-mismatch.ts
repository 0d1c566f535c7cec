import { type PaymentFact, type RefundFact, type ReversalFact, withoutSecrets } from "../../gateways/facts.ts";
import { recordNotification } from "../../modules/gateway-notifications/store.ts";
import type { Mismatch } from "../../modules/payments/rules.ts";
import { flagTransaction } from "../../modules/payments/store.ts";
import type { NotificationSource, Transaction } from "../../modules/payments/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { alertMismatch } from "../mail/staff-alerts.ts";

/** The gateway account that reports a fact, and the way in which it came. */
export interface ReportedBy {
  readonly accountId: string;
  readonly source: NotificationSource;
}

/**
 * Records a fact whose amount, currency or gateway account differs from the payment's, flags the payment and alerts staff. The fact is not
 * applied (decision 25).
 */
export async function recordMismatch(
  tx: Tx,
  ctx: Ctx,
  transaction: Transaction,
  { reportedBy, fact, mismatch }: Mismatched,
): Promise<"mismatch"> {
  flagTransaction(tx, transaction.id, "notification_mismatch");
  await alertMismatch(tx, ctx, transaction, mismatch);
  recordNotification(tx, {
    ...reportedBy,
    reference: transaction.reference,
    fact: withoutSecrets(fact),
    outcome: "mismatch",
    problem: `${mismatch.what}: ${mismatch.received} instead of ${mismatch.expected}`,
    receivedAt: ctx.now,
  });
  return "mismatch";
}

interface Mismatched {
  readonly reportedBy: ReportedBy;
  readonly fact: PaymentFact | RefundFact | ReversalFact;
  readonly mismatch: Mismatch;
}

/** The mismatch when another gateway account reports on a payment than the one it was made through; else null. */
export const gatewayAccountMismatch = ({ gatewayAccountId }: Transaction, accountId: string): Mismatch | null =>
  gatewayAccountId === accountId ? null : { what: "account", expected: gatewayAccountId, received: accountId };
