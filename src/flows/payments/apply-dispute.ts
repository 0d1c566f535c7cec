import type { DisputeFact } from "../../gateways/facts.ts";
import { flagTransaction, lockTransaction } from "../../modules/payments/store/payments.ts";
import { reversalsOf } from "../../modules/reversals/store.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { alertDispute } from "../mail/staff-alerts.ts";
import { findReported } from "./identify-payment.ts";
import {
  type FactOutcome,
  gatewayAccountMismatch,
  type ReportedBy,
  recordFact,
  recordMismatch,
} from "./record-fact.ts";

/**
 * Applies the report that a payer disputes a payment. It moves no money: the payment is flagged, and staff are mailed
 * once for each dispute. When the merchant won the dispute, the mail says what became of the money, which is not booked
 * automatically (decisions.md#won-disputes-are-not-booked). Locks the payment.
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
  const payment = (await lockTransaction(tx, found.id)) ?? found;
  const facts = { id: fact.disputeId, amount: fact.amount ?? payment.amount, reason: fact.reason };
  if (fact.kind === "won") {
    const wasTaken = (await reversalsOf(tx, [payment.id])).some(({ code }) => code === fact.disputeId);
    await alertDispute(tx, ctx, payment, wasTaken ? "dispute_repaid" : "dispute_won", facts);
    return recordFact(tx, ctx, payment, reported, "applied");
  }
  await alertDispute(tx, ctx, payment, "disputed", facts);
  const isKnown = payment.flags.includes("disputed");
  if (!isKnown) flagTransaction(tx, payment.id, "disputed");
  return recordFact(tx, ctx, payment, reported, isKnown ? "repeated" : "applied");
}
