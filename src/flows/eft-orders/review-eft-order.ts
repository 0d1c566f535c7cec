import { appendEvent } from "../../events/outbox.ts";
import { internalFact, type PaidFact } from "../../gateways/facts.ts";
import { assert } from "../../kernel/assert.ts";
import { invalid } from "../../kernel/errors.ts";
import { EFT_EXPIRE, EFT_REJECTED } from "../../modules/eft-orders/declarations.ts";
import { refusalMessage } from "../../modules/eft-orders/rules.ts";
import { moveEftOrder, statusAt } from "../../modules/eft-orders/states.ts";
import { updateEftOrder } from "../../modules/eft-orders/store.ts";
import type { EftOrder, EftOrderRecord } from "../../modules/eft-orders/types.ts";
import type { Tx } from "../../platform/database.ts";
import { enqueue } from "../../platform/due-work.ts";
import type { Ctx } from "../context.ts";
import { settlePayment } from "../payments/settle-payment.ts";
import { mailEftRejected } from "./eft-mails.ts";
import { eftOrderObject } from "./eft-order-object.ts";
import { lockOrderForChange, readLockedOrder } from "./lock-eft-order.ts";

/** The order before and after a change, for the audit log and the response. */
export interface EftOrderChange {
  readonly before: EftOrder;
  readonly after: EftOrderRecord;
}

/**
 * Approves the order: staff have seen the money (interface 3.10). Works without a proof and after expiry too. Settles
 * the order's transaction, which updates link, invoice, books and receipt. Locks the order. Throws 404; 400 when the
 * order is paid or cancelled.
 */
export async function approveEftOrder(tx: Tx, ctx: Ctx, id: string): Promise<EftOrderChange> {
  const before = await lockOrderForChange(tx, id);
  if (!moveEftOrder(before.status, "approve")) throw invalid(refusalMessage(before.status, "approve"));
  const reportedBy = { accountId: before.gatewayAccountId, source: "staff" } as const;
  const outcome = await settlePayment(tx, ctx, reportedBy, paidFactOf(before));
  assert(outcome === "applied", `the payment of an EFT order that can be approved is open: ${outcome}`);
  return { before, after: await readLockedOrder(tx, before) };
}

/** The payment fact that an approval represents. */
const paidFactOf = (order: EftOrder): PaidFact => ({
  ...internalFact(order.reference, "approved by staff"),
  kind: "paid",
  amount: order.amount,
  currency: order.currency,
  fee: null,
});

/**
 * Rejects the proof (interface 3.10); the payer may send another one until the order expires. Locks the order. Throws
 * 404; 400 when the order is not in review.
 */
export async function rejectEftOrder(tx: Tx, ctx: Ctx, id: string, reason: string): Promise<EftOrderChange> {
  const before = await lockOrderForChange(tx, id);
  const status = moveEftOrder(before.status, "reject");
  if (!status) throw invalid(refusalMessage(statusAt(before, ctx.now), "reject"));
  updateEftOrder(tx, { ...before, status, rejectionReason: reason, reviewedAt: ctx.now });
  // An order in review does not expire, so its expiry is enqueued again.
  enqueue(tx, EFT_EXPIRE, before.id, before.expiresAt);
  const after = await readLockedOrder(tx, before);
  appendEvent(tx, ctx.now, EFT_REJECTED, after.id, await eftOrderObject(tx, ctx, after));
  await mailEftRejected(tx, ctx, after);
  return { before, after };
}
