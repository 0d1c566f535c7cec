import { vatWithin } from "../../kernel/lines.ts";
import { ZERO } from "../../kernel/money.ts";
import { debitsOfTransactions, saveUnpaidReasons } from "../../modules/debit-batches/store.ts";
import type { Debit } from "../../modules/debit-batches/types.ts";
import { collected, unpaid } from "../../modules/mandates/rules.ts";
import { lockMandates, saveDebitOutcomes } from "../../modules/mandates/store.ts";
import type { Mandate } from "../../modules/mandates/types.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import { findProducts } from "../../modules/products/store.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { alertPaused } from "../mail/staff-alerts.ts";
import type { LockedPurpose, SetPurpose, UnpaidFact } from "../payments/purpose.ts";
import { NEVER_SENT } from "./close-batch.ts";

/**
 * Debits of mandates (interface 3.5): one that is collected ends the row of unpaid ones; one that is unpaid, or is returned after it was
 * collected, counts, and the third in a row pauses the mandate, of which staff are told. One that is cancelled does not count: no bank was asked.
 * A debit that pays an invoice is divided by the invoice. Locks the mandates.
 */
export const debitPurpose: SetPurpose<Ctx> = {
  locks: "mandate",
  async lockSet(tx, ctx, moving) {
    const payments = moving.flatMap(({ payment, move }) =>
      payment.type === "debit_order" && move !== "refunded" ? payment : [],
    );
    if (payments.length === 0) return new Map();
    const debits = await debitsOfTransactions(
      tx,
      payments.map(({ id }) => id),
    );
    const mandates = await lockMandates(tx, [...new Set([...debits.values()].map(({ mandateId }) => mandateId))]);
    const products = await findProducts(tx, [...new Set([...mandates.values()].flatMap((one) => one.productId ?? []))]);
    const outcomes = outcomesOf(tx, ctx, mandates);
    return new Map(
      payments.flatMap(({ id, amount, invoiceId }) => {
        const debit = debits.get(id);
        const productId = debit && mandates.get(debit.mandateId)?.productId;
        if (!debit) return [];
        const product = productId && products.get(productId);
        const vat = product ? vatWithin(amount, product.taxRate) : ZERO;
        const locked: LockedPurpose = {
          ...(invoiceId === null ? { split: async () => ({ applied: ZERO, overpaid: ZERO, vat }) } : {}),
          complete: () => outcomes.collected(debit),
          fail: (payment, fact) =>
            fact.kind === "declined" ? outcomes.unpaid(debit, payment, fact.reason) : outcomes.cancelled(debit, fact),
          reverse: (payment, { reason }) => outcomes.unpaid(debit, payment, reason),
          finish: outcomes.save,
        };
        return [[id, locked] as const];
      }),
    );
  },
};

/** Collects how debits ended, in their order, and saves the mandates and reasons that changed, each in one statement. */
function outcomesOf(tx: Tx, ctx: Ctx, locked: ReadonlyMap<Mandate["id"], Mandate>) {
  const changed = new Map<Mandate["id"], Mandate>();
  const reasons = new Map<Debit["transactionId"], Pick<Debit, "transactionId" | "unpaidReason">>();
  const paused: (() => Promise<void>)[] = [];
  const end = (debit: Debit, by: (mandate: Mandate) => Mandate, unpaidReason: string | null) => {
    const { mandateId, transactionId, unpaidReason: before } = debit;
    const mandate = changed.get(mandateId) ?? locked.get(mandateId);
    if (mandate) changed.set(mandateId, by(mandate));
    if (unpaidReason !== before) reasons.set(transactionId, { transactionId, unpaidReason });
  };
  return {
    collected: (debit: Debit) => end(debit, (mandate) => collected(mandate, debit.debitDate), null),
    cancelled: (debit: Debit, { gatewayWord }: UnpaidFact) =>
      end(
        debit,
        (mandate) => mandate,
        gatewayWord === NEVER_SENT ? "The debit was not sent." : "The debit was cancelled at the gateway.",
      ),
    unpaid(debit: Debit, payment: Transaction, reason: string) {
      const pausing = (mandate: Mandate): Mandate => {
        const after = unpaid(mandate);
        if (after.status !== mandate.status) paused.push(() => alertPaused(tx, ctx, mandate, payment, reason));
        return after;
      };
      end(debit, pausing, reason);
    },
    async save() {
      saveDebitOutcomes(tx, ctx.now, [...changed.values()]);
      saveUnpaidReasons(tx, [...reasons.values()]);
      for (const alert of paused) await alert();
    },
  };
}
