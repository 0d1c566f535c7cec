import type { DisputeFact } from "../../gateways/facts.ts";
import { flagTransaction, lockTransaction } from "../../modules/payments/store/payments.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import { reversalsOf } from "../../modules/reversals/store.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { alertDispute } from "../mail/staff-alerts.ts";
import { findReported } from "./identify-payment.ts";
import { lockPurposesOf } from "./lock-purposes.ts";
import type { LockedPurpose } from "./purpose.ts";
import { closeDispute, disputeOf, type ReportedDispute, recordDispute } from "./record-dispute.ts";
import {
  type FactOutcome,
  gatewayAccountMismatch,
  type ReportedBy,
  recordFact,
  recordMismatch,
} from "./record-fact.ts";
import { reinstateReversal } from "./reinstate-reversal.ts";

/**
 * Applies the report that a payer disputes a payment, or how the dispute ended: the dispute is stored and announced
 * once. When the merchant won, what a reversal took is booked as paid again, unless its invoice was paid in another way
 * meanwhile (decisions.md#won-disputes-are-booked-unless-paid); staff are mailed the outcome. Locks the records of the
 * payment's purposes and the payment.
 */
export async function applyDisputeFact(
  tx: Tx,
  ctx: Ctx,
  reportedBy: ReportedBy,
  fact: DisputeFact,
): Promise<FactOutcome> {
  const found = await findReported(tx, reportedBy.accountId, fact);
  const reported = { reportedBy, fact };
  if (!found) return recordFact(tx, ctx, null, reported, "unknown_reference", "no payment has this reference");
  const mismatch = gatewayAccountMismatch(found, reportedBy.accountId);
  if (mismatch) return recordMismatch(tx, ctx, found, reported, mismatch);
  const purposes =
    fact.kind === "won" ? await lockPurposesOf(tx, ctx, { payment: found, move: "given_back", fact: null }) : [];
  const payment = (await lockTransaction(tx, found.id)) ?? found;
  const applied = await apply(tx, ctx, { payment, purposes }, fact);
  return recordFact(tx, ctx, payment, reported, applied ? "applied" : "repeated");
}

interface Disputed {
  readonly payment: Transaction;
  /** Locked when the money may come back. */
  readonly purposes: readonly LockedPurpose[];
}

/** False when the report says nothing new. */
async function apply(tx: Tx, ctx: Ctx, { payment, purposes }: Disputed, fact: DisputeFact): Promise<boolean> {
  const known = await disputeOf(tx, payment, fact.disputeId);
  const { code = null, respondBy = null, reason } = fact;
  const told: ReportedDispute = {
    id: fact.disputeId,
    amount: fact.amount ?? payment.amount,
    reason,
    code,
    respondBy,
    lost: fact.kind === "lost",
  };
  if (fact.kind !== "won") {
    if (!payment.flags.includes("disputed")) flagTransaction(tx, payment.id, "disputed");
    const after = await recordDispute(tx, ctx, payment, told, null);
    if (fact.kind === "lost" && known?.status === "open")
      await alertDispute(tx, ctx, payment, "dispute_lost", { ...told, id: told.id });
    return known?.status !== after.status;
  }
  if (known && known.status !== "open") return false;
  // A dispute whose reversal an earlier version has stored is known by that reversal alone.
  const taken = (await reversalsOf(tx, [payment.id])).find(
    ({ id, code: by }) => id === known?.reversalId || (!known && by === fact.disputeId),
  );
  const dispute = known ?? (await recordDispute(tx, ctx, payment, { ...told, lost: false }, taken ?? null));
  const isBooked = taken?.reversedAt ? await reinstateReversal(tx, ctx, payment, purposes, taken) : null;
  await closeDispute(tx, ctx, dispute, "won");
  const outcome = isBooked === null ? "dispute_won" : isBooked ? "dispute_given_back" : "dispute_repaid";
  await alertDispute(tx, ctx, payment, outcome, told);
  return true;
}
