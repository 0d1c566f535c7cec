import type { Reversal } from "../../domain/reversal.ts";
import { appendEvent } from "../../events/outbox.ts";
import type { DisputeReport, ReversalFact } from "../../gateways/facts.ts";
import { findAdapter } from "../../gateways/registry.ts";
import { assert } from "../../kernel/assert.ts";
import type { Cents } from "../../kernel/money.ts";
import { DISPUTE_CLOSED, DISPUTE_OPENED } from "../../modules/disputes/declarations.ts";
import { isDisputeCode } from "../../modules/disputes/rules.ts";
import { disputesOf, findDispute, insertDispute, updateDispute } from "../../modules/disputes/store.ts";
import type { Dispute, DisputeRecord, DisputeStatus } from "../../modules/disputes/types.ts";
import { disputeView } from "../../modules/disputes/view.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import type { Tx } from "../../platform/database.ts";
import { newId } from "../../platform/new-id.ts";
import type { Ctx } from "../context.ts";
import { alertDisputeOpened } from "../mail/staff-alerts.ts";

/** A dispute as a gateway reports it. */
export interface ReportedDispute extends DisputeReport {
  readonly amount: Cents;
  readonly reason: string;
}

/** Whether the payment's gateway takes evidence from the service. */
const takesEvidence = ({ gatewayType }: Pick<Transaction, "gatewayType">): boolean =>
  findAdapter(gatewayType)?.disputes !== undefined;

/** A dispute as the API shows it (interface 4.16). */
export const disputeObject = (dispute: DisputeRecord): ReturnType<typeof disputeView> =>
  disputeView(dispute, takesEvidence(dispute));

/** A dispute that exists, as the API shows it, including the changes of this transaction. */
export async function readDispute(tx: Tx, id: string): Promise<ReturnType<typeof disputeView>> {
  const dispute = await findDispute(tx, id);
  assert(dispute, "a dispute stays");
  return disputeObject(dispute);
}

/**
 * The dispute by which a reversal takes money; null when it is none. A collected debit that comes back with a code of a
 * dispute is one that is lost: there is nothing to answer.
 */
export function disputeIn({ type }: Pick<Transaction, "type">, fact: ReversalFact): ReportedDispute | null {
  const { amount, reason, code } = fact;
  if (type === "debit_order" && isDisputeCode(code)) {
    const id = fact.dispute?.id ?? `${code}:${fact.occurredAt ?? ""}`;
    return { id, amount, reason, code, respondBy: null, lost: true };
  }
  return fact.dispute ? { ...fact.dispute, amount, reason } : null;
}

/** The dispute of a payment that a gateway knows by this id; null when none was reported. */
export const disputeOf = async (tx: Tx, { id }: Pick<Transaction, "id">, gatewayId: string): Promise<Dispute | null> =>
  (await disputesOf(tx, id)).find(({ gatewayDisputeId }) => gatewayDisputeId === gatewayId) ?? null;

/**
 * Stores a reported dispute, once, with the reversal that took the money, and announces it; staff are mailed of one
 * that can be answered. One that is decided closes. The caller has locked the payment.
 */
export async function recordDispute(
  tx: Tx,
  ctx: Ctx,
  payment: Transaction,
  reported: ReportedDispute,
  reversal: Pick<Reversal, "id"> | null,
): Promise<Dispute> {
  const known = await disputeOf(tx, payment, reported.id);
  const dispute = known ?? (await openDispute(tx, ctx, payment, reported, reversal));
  const present: Dispute = {
    ...dispute,
    reversalId: dispute.reversalId ?? reversal?.id ?? null,
    respondBy: dispute.respondBy ?? reported.respondBy,
  };
  if (known && (present.reversalId !== known.reversalId || present.respondBy !== known.respondBy))
    updateDispute(tx, present);
  return reported.lost ? closeDispute(tx, ctx, present, "lost") : present;
}

async function openDispute(
  tx: Tx,
  ctx: Ctx,
  payment: Transaction,
  { id, amount, reason, code, respondBy, lost }: ReportedDispute,
  reversal: Pick<Reversal, "id"> | null,
): Promise<Dispute> {
  const dispute: Dispute = {
    id: newId("dsp"),
    transactionId: payment.id,
    customerId: payment.customerId,
    gatewayDisputeId: id,
    reversalId: reversal?.id ?? null,
    amount,
    currency: payment.currency,
    reason,
    code,
    status: "open",
    openedAt: ctx.now,
    respondBy,
    submittedAt: null,
    closedAt: null,
    createdAt: ctx.now,
  };
  insertDispute(tx, dispute);
  appendEvent(tx, ctx.now, DISPUTE_OPENED, dispute.id, await readDispute(tx, dispute.id));
  if (!lost)
    await alertDisputeOpened(tx, ctx, dispute, {
      money: reversal === null ? "not taken" : "taken",
      answer: takesEvidence(payment) ? "here" : "at the gateway",
    });
  return dispute;
}

/** Closes an open dispute and announces its outcome; a closed one stays as it is. The caller has locked the payment. */
export async function closeDispute(
  tx: Tx,
  ctx: Ctx,
  dispute: Dispute,
  status: Exclude<DisputeStatus, "open">,
): Promise<Dispute> {
  if (dispute.status !== "open") return dispute;
  const closed: Dispute = { ...dispute, status, closedAt: ctx.now };
  updateDispute(tx, closed);
  appendEvent(tx, ctx.now, DISPUTE_CLOSED, closed.id, await readDispute(tx, closed.id));
  return closed;
}
