import type { CustomerId, TransactionId } from "../../kernel/ids.ts";
import { lockCustomerBalance } from "../../modules/books/store.ts";
import { isSettledInSets } from "../../modules/payments/rules.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { type LockedPurpose, type Moving, PURPOSES, type Purpose } from "./purpose.ts";

/** The locked purposes of payments, in `LOCK_ORDER`. */
export type LockedPurposes = ReadonlyMap<TransactionId, readonly LockedPurpose[]>;

/**
 * Locks the records of the purposes of different payments, in `LOCK_ORDER`. The payments themselves are locked after
 * them.
 */
export async function lockPurposes(tx: Tx, ctx: Ctx, moving: readonly Moving[]): Promise<LockedPurposes> {
  const locked = new Map<TransactionId, LockedPurpose[]>(moving.map(({ payment }) => [payment.id, []]));
  for (const purpose of PURPOSES.of(ctx))
    for (const [payment, lockedPurpose] of await lockSet(tx, ctx, purpose, moving))
      locked.get(payment)?.push(lockedPurpose);
  return locked;
}

/** Like `lockPurposes`, for one payment. */
export async function lockPurposesOf(tx: Tx, ctx: Ctx, moving: Moving): Promise<readonly LockedPurpose[]> {
  return (await lockPurposes(tx, ctx, [moving])).get(moving.payment.id) ?? [];
}

async function lockSet(tx: Tx, ctx: Ctx, purpose: Purpose, moving: readonly Moving[]) {
  if ("lockSet" in purpose) return purpose.lockSet(tx, ctx, moving);
  const locked = new Map<TransactionId, LockedPurpose>();
  for (const { payment, move, fact } of moving) {
    const lockedPurpose = await purpose.lock(tx, ctx, payment, move, fact);
    if (lockedPurpose) locked.set(payment.id, lockedPurpose);
  }
  return locked;
}

/** Runs each purpose's `finish` once. */
export async function finishPurposes(purposes: Iterable<LockedPurpose>): Promise<void> {
  const finishing = new Set([...purposes].flatMap(({ finish }) => finish ?? []));
  for (const finish of finishing) await finish();
}

/**
 * The customer whose balance a payment belongs to: the one that its purpose names, else the payment's own. Null when
 * neither is known.
 */
export const customerOfPayment = (purposes: readonly LockedPurpose[], payment: Transaction): CustomerId | null =>
  purposes.find(({ customerId }) => customerId)?.customerId ?? payment.customerId;

/**
 * The purpose of a payment without an invoice whose customer is known: the payment is posted to that customer. Where
 * the payment may change the customer's balance, locks that balance before the link and the payment.
 */
export const payerPurpose: Purpose = {
  locks: "customer balance",
  async lock(tx, _ctx, payment, move) {
    const { customerId, invoiceId, currency } = payment;
    const owesAsBefore = move === "failed" || move === "cancelled" || (move !== "refunded" && isSettledInSets(payment));
    if (customerId && !invoiceId && !owesAsBefore) lockCustomerBalance(tx, customerId, currency);
    return null;
  },
};
