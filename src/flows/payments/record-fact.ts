import {
  type DisputeFact,
  type PaymentFact,
  type RefundFact,
  type ReversalFact,
  withoutSecrets,
} from "../../gateways/facts.ts";
import { type ReceivedNotification, recordNotification } from "../../modules/gateway-notifications/store.ts";
import type { Mismatch } from "../../modules/payments/rules.ts";
import { flagTransaction } from "../../modules/payments/store/payments.ts";
import type { NotificationSource, Transaction } from "../../modules/payments/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { alertMismatch } from "../mail/staff-alerts.ts";

/** The gateway account that reports a fact, and how the fact arrived. */
export interface ReportedBy {
  readonly accountId: string;
  readonly source: NotificationSource;
}

/** A fact about the money of a payment, as it was reported. */
export interface ReportedFact {
  readonly reportedBy: ReportedBy;
  readonly fact: PaymentFact | RefundFact | ReversalFact | DisputeFact;
}

/** What became of a reported fact. */
export type FactOutcome = ReceivedNotification["outcome"];

/**
 * A reported fact with its outcome, for the list of facts; without secrets. `payment` is the payment that it was found
 * to be about.
 */
export function recordedFact(
  { now }: Ctx,
  payment: Pick<Transaction, "reference"> | null,
  { reportedBy, fact }: ReportedFact,
  outcome: FactOutcome,
  problem: string | null = null,
): ReceivedNotification {
  const reference = payment?.reference ?? fact.reference;
  return { ...reportedBy, reference, fact: withoutSecrets(fact), outcome, problem, receivedAt: now };
}

/** Records a fact as `recordedFact` describes it, and returns the outcome. */
export function recordFact(tx: Tx, ...recorded: Parameters<typeof recordedFact>): FactOutcome {
  const notification = recordedFact(...recorded);
  recordNotification(tx, notification);
  return notification.outcome;
}

/**
 * Records a fact that does not fit its payment, flags the payment and alerts staff. The fact is not applied
 * (decisions.md#mismatch-is-not-applied, decisions.md#second-payment-under-one-reference).
 */
export async function recordMismatch(
  tx: Tx,
  ctx: Ctx,
  transaction: Transaction,
  reported: ReportedFact,
  mismatch: Mismatch,
): Promise<FactOutcome> {
  flagTransaction(tx, transaction.id, "notification_mismatch");
  await alertMismatch(tx, ctx, transaction, mismatch);
  const problem = `${mismatch.what}: ${mismatch.received} instead of ${mismatch.expected}`;
  return recordFact(tx, ctx, transaction, reported, "mismatch", problem);
}

/** The mismatch when a gateway account other than the payment's own reports on it; else null. */
export const gatewayAccountMismatch = ({ gatewayAccountId }: Transaction, accountId: string): Mismatch | null =>
  gatewayAccountId === accountId ? null : { what: "account", expected: gatewayAccountId, received: accountId };
