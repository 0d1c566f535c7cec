import type { PaymentFact } from "../../gateways/facts.ts";
import type { CustomerId } from "../../kernel/ids.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import type { LockedPurpose, PaymentMove } from "./purpose.ts";

/** Locks the records of a payment's purposes, in `LOCK_ORDER`. The payment itself is locked after them. */
export async function lockPurposes(
  tx: Tx,
  ctx: Ctx,
  payment: Transaction,
  move: PaymentMove,
  fact: PaymentFact | null,
): Promise<readonly LockedPurpose[]> {
  const locked: LockedPurpose[] = [];
  for (const purpose of ctx.purposes) {
    const held = await purpose.lock(tx, ctx, payment, move, fact);
    if (held) locked.push(held);
  }
  return locked;
}

/** The customer whose balance a payment belongs to: that of its purpose, else the payment's own. Null when neither is known. */
export const customerOfPayment = (purposes: readonly LockedPurpose[], payment: Transaction): CustomerId | null =>
  purposes.find(({ customerId }) => customerId)?.customerId ?? payment.customerId;
