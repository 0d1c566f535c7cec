import type { CustomerId } from "../../kernel/ids.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import type { Tx } from "../../platform/database.ts";
import { payerPurpose } from "../customers/payment-purpose.ts";
import { eftOrderPurpose } from "../eft-orders/payment-purpose.ts";
import { invoicePurpose } from "../invoices/payment-purpose.ts";
import { linkPurpose } from "../payment-links/payment-purpose.ts";
import type { LockedPurpose, PaymentMove, Purpose } from "./purpose.ts";

/** Everything that payments can be for, in the order in which their records are locked (decision 85). */
const PURPOSES: readonly Purpose[] = [eftOrderPurpose, payerPurpose, linkPurpose, invoicePurpose];

/** What a payment is for, its records locked in the one order; the payment itself comes after. */
export async function lockPurposes(tx: Tx, payment: Transaction, move: PaymentMove): Promise<readonly LockedPurpose[]> {
  const locked: LockedPurpose[] = [];
  for (const purpose of PURPOSES) {
    const held = await purpose.lock(tx, payment, move);
    if (held) locked.push(held);
  }
  return locked;
}

/** On whose balance a payment is: the customer of what it is for, else the payer. Null when neither is known. */
export const customerOfPayment = (purposes: readonly LockedPurpose[], payment: Transaction): CustomerId | null =>
  purposes.find(({ customerId }) => customerId)?.customerId ?? payment.customerId;
