import { internalFact, type PaymentFact } from "../../gateways/facts.ts";
import { calendarDay } from "../../kernel/time.ts";
import { movedActionDate } from "../../modules/debit-batches/rules.ts";
import {
  otherActionDates,
  updateDebitBatch,
  withdrawDebits,
  withdrawnOfBatch,
} from "../../modules/debit-batches/store/debit-batches.ts";
import type { DebitBatch } from "../../modules/debit-batches/types.ts";
import { findGatewayAccount } from "../../modules/gateway-accounts/store.ts";
import { lockMandatesOfBatch, saveActionDate } from "../../modules/mandates/store.ts";
import { isStopped } from "../../modules/organisations/states.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { gatewayOf } from "../gateways/accounts.ts";
import { applyFacts } from "../payments/apply-facts.ts";
import type { Services } from "../services.ts";

/** How many payments are cancelled together. */
const WITHDRAWN_TOGETHER = 200;

/**
 * Ends adding debits to an open batch, which is submitted next. Withdraws the debits of mandates that have been paused
 * or cancelled, and all debits of a stopped organisation; cancels a batch without debits; moves a late one (`inTime`).
 * Returns the present batch. The caller has locked it.
 */
export async function closeBatch(tx: Tx, ctx: Ctx, batch: DebitBatch): Promise<DebitBatch> {
  const left = await withdrawDebits(tx, batch, isStopped(ctx.organisation));
  const closed: DebitBatch =
    left.debits === 0 ? { ...left, status: "cancelled" } : await inTime(tx, ctx, { ...left, status: "submitting" });
  updateDebitBatch(tx, closed);
  return closed;
}

/**
 * The batch with an action date that is still possible when it is sent now: banks refuse a date that has passed, and
 * gateways have a cut-off for a day. The debits keep their own dates and references
 * (decisions.md#late-batches-move-as-a-whole). The caller has locked the batch and saves it. Locks the mandates of a
 * batch that is moved.
 */
export async function inTime(tx: Tx, { now }: Ctx, batch: DebitBatch): Promise<DebitBatch> {
  const account = await findGatewayAccount(tx, batch.gatewayAccountId);
  const earliest = (account && gatewayOf(account).adapter.debitOrders?.earliest?.(now)) ?? calendarDay(now);
  if (batch.actionDate >= earliest) return batch;
  await lockMandatesOfBatch(tx, batch.id);
  const actionDate = movedActionDate(earliest, await otherActionDates(tx, batch.id, earliest));
  saveActionDate(tx, batch.id, actionDate);
  return { ...batch, actionDate, movedFrom: batch.movedFrom ?? batch.actionDate };
}

/** Cancels the payments of debits that were withdrawn from a batch; repeating this changes nothing. */
export async function cancelWithdrawn(
  services: Services,
  ctx: Ctx,
  { id, gatewayAccountId }: DebitBatch,
): Promise<void> {
  const next = (after: string) =>
    services.db.read(ctx.organisation.id, (tx) => withdrawnOfBatch(tx, id, after, WITHDRAWN_TOGETHER));
  for (let rows = await next(""); rows.length > 0; rows = await next(rows.at(-1)?.transaction_id ?? ""))
    await applyFacts(
      services,
      ctx,
      { accountId: gatewayAccountId, source: "sweep" },
      rows.map(({ reference }) => neverSent(reference)),
    );
}

/** The `gatewayWord` of the fact that `neverSent` makes. */
export const NEVER_SENT = "not sent";

/**
 * The fact that a debit was not sent to any bank (decisions.md#withdrawn-debits-are-cancelled): its payment is
 * cancelled, and no unpaid debit is counted.
 */
export const neverSent = (reference: string): PaymentFact => ({
  ...internalFact(reference, NEVER_SENT),
  kind: "abandoned",
  amount: null,
  currency: null,
});
