import type { CustomerId } from "../../kernel/ids.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import type { LockedPurpose, PaymentMove } from "./purpose.ts";

/** What a payment is for, its records locked in the one order; the payment itself comes after. */
export async function lockPurposes(
  tx: Tx,
  ctx: Ctx,
  payment: Transaction,
  move: PaymentMove,
): Promise<readonly LockedPurpose[]> {
  const locked: LockedPurpose[] = [];
  for (const purpose of ctx.purposes) {
    const held = await purpose.lock(tx, ctx, payment, move);
    if (held) locked.push(held);
  }
  return locked;
}

/** On whose balance a payment is: the customer of what it is for, else the payer. Null when neither is known. */
export const customerOfPayment = (purposes: readonly LockedPurpose[], payment: Transaction): CustomerId | null =>
  purposes.find(({ customerId }) => customerId)?.customerId ?? payment.customerId;
