import { hasEnded } from "../../domain/customer-subscriptions.ts";
import type { Reversal } from "../../domain/reversal.ts";
import type { DeclinedFact } from "../../gateways/facts.ts";
import { assert } from "../../kernel/assert.ts";
import type { MandateId } from "../../kernel/ids.ts";
import type { ShownSubscription } from "../../modules/customer-subscriptions/types.ts";
import { attemptOfTransaction, findCollection, saveAttempt, saveCollection } from "../../modules/dunning/store.ts";
import { findInvoice } from "../../modules/invoices/store/invoices.ts";
import { findMandate } from "../../modules/mandates/store.ts";
import type { Mandate } from "../../modules/mandates/types.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { missedCollection } from "../dunning/missed-collection.ts";
import { takeBackCollection } from "../dunning/taken-back.ts";

/** The subscriptions whose invoices are debited, in their state before, locked. */
export type CollectedSubscriptions = ReadonlyMap<string, ShownSubscription>;

/**
 * Stores the outcomes of debits for the invoices of subscriptions (interface 16.16): an attempt ends; a debit that was
 * missed, or was returned after it was collected, makes the subscription past due, and its payer is mailed the
 * mandate's next date. Debits that pay no invoice of a subscription are left out. `mandateNow` returns a mandate after
 * these debits.
 */
export function endAttempts(
  tx: Tx,
  ctx: Ctx,
  subscriptions: CollectedSubscriptions,
  mandateNow: (id: MandateId) => Mandate | null,
) {
  const ended: (() => Promise<void>)[] = [];
  const collects = (payment: Transaction) => subscriptions.get(payment.subscriptionId ?? "");
  return {
    collected(payment: Transaction) {
      if (collects(payment)) ended.push(() => collected(tx, payment));
    },
    cancelled(payment: Transaction, reason: string) {
      if (collects(payment)) ended.push(() => cancelled(tx, payment, reason));
    },
    missed(payment: Transaction, mandateId: MandateId, fact: Pick<DeclinedFact, "reason" | "hard">) {
      const sub = collects(payment);
      if (sub) ended.push(() => missed(tx, ctx, { sub, payment, mandate: mandateNow(mandateId) }, fact));
    },
    /** Handles the reversal of the invoice's payment: the invoice is open again. */
    reversed(payment: Transaction, mandateId: MandateId, reversal: Reversal) {
      const sub = collects(payment);
      if (sub) ended.push(() => reversed(tx, ctx, { sub, payment, mandate: mandateNow(mandateId) }, reversal));
    },
    /** Saves the outcomes, after the payments have changed their invoices. */
    async save() {
      for (const end of ended) await end();
    },
  };
}

async function collected(tx: Tx, { id, invoiceId }: Transaction): Promise<void> {
  const [attempt, collection, invoice] = await Promise.all([
    attemptOfTransaction(tx, id),
    findCollection(tx, invoiceId ?? ""),
    findInvoice(tx, invoiceId ?? ""),
  ]);
  if (attempt) saveAttempt(tx, { ...attempt, status: "complete", reason: null, isHard: false });
  if (collection && invoice?.status === "paid") saveCollection(tx, { ...collection, ended: "paid" });
}

/** No bank was asked, so the collection was not missed: the invoice is collected on the next date. */
async function cancelled(tx: Tx, { id }: Transaction, reason: string): Promise<void> {
  const attempt = await attemptOfTransaction(tx, id);
  if (attempt) saveAttempt(tx, { ...attempt, status: "cancelled", reason });
}

/** A debit that was returned unpaid, and its mandate after all these debits. */
interface Returned {
  readonly sub: ShownSubscription;
  readonly payment: Transaction;
  readonly mandate: Mandate | null;
}

async function missed(
  tx: Tx,
  ctx: Ctx,
  { sub, payment, mandate }: Returned,
  { reason, hard: isHard }: Pick<DeclinedFact, "reason" | "hard">,
): Promise<void> {
  const [collection, attempt] = await Promise.all([
    findCollection(tx, payment.invoiceId ?? ""),
    attemptOfTransaction(tx, payment.id),
  ]);
  assert(collection && attempt, "what is debited is collected");
  const collecting = await collectingMandate(tx, sub, mandate);
  const isHandedOver = sub.collectionMethod !== "debit_order" || collecting?.id !== mandate?.id;
  const nextDebit = nextDebitOf(sub, collecting, isHard && !isHandedOver);
  await missedCollection(tx, ctx, { sub, collection, attempt, reason, isHard, isHandedOver, payment, nextDebit });
}

/** The mandate that collects the subscription now: that of the debit, unless it was given another one meanwhile. */
const collectingMandate = async (tx: Tx, { mandateId }: ShownSubscription, debited: Mandate | null) =>
  mandateId === null || mandateId === debited?.id ? debited : findMandate(tx, mandateId);

async function reversed(
  tx: Tx,
  ctx: Ctx,
  { sub, payment: { invoiceId }, mandate }: Returned,
  reversal: Reversal,
): Promise<void> {
  assert(invoiceId, "a debit pays an invoice of its subscription");
  const byDebit = sub.collectionMethod === "debit_order";
  const nextDebit = byDebit ? nextDebitOf(sub, await collectingMandate(tx, sub, mandate), reversal.isHard) : null;
  await takeBackCollection(tx, ctx, { sub, invoiceId, reversal, nextDebit });
}

/** The date on which a missed invoice is debited again; null when there is none. */
const nextDebitOf = (sub: ShownSubscription, mandate: Mandate | null, isHard: boolean) =>
  isHard || hasEnded(sub) ? null : (mandate?.nextDebitDate ?? null);
