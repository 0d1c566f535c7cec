import type { Reversal } from "../../domain/reversal.ts";
import type { DeclinedFact } from "../../gateways/facts.ts";
import { deniesAuthority } from "../../kernel/debit-returns.ts";
import { UNSTATED } from "../../kernel/exemption.ts";
import type { Cents } from "../../kernel/money.ts";
import { calendarDay } from "../../kernel/time.ts";
import {
  findCustomerSubscriptions,
  lockCustomerSubscriptions,
} from "../../modules/customer-subscriptions/store/subscriptions.ts";
import { bankCodeOf } from "../../modules/debit-batches/rules.ts";
import { debitsOfTransactions } from "../../modules/debit-batches/store/debit-batches.ts";
import type { DatedDebit } from "../../modules/debit-batches/types.ts";
import { collected, unpaid, withoutAuthority } from "../../modules/mandates/rules.ts";
import { lockMandates, saveDebitOutcomes } from "../../modules/mandates/store.ts";
import type { Mandate } from "../../modules/mandates/types.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import { findProducts } from "../../modules/products/store.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { alertPaused } from "../mail/staff-alerts.ts";
import { expectMissed } from "../mandates/expect-missed.ts";
import { asRevenue } from "../payments/as-revenue.ts";
import type { LockedPurpose, Moving, SetPurpose, UnpaidFact } from "../payments/purpose.ts";
import { announceOutcomes, type EndedDebit } from "./announce-outcomes.ts";
import { NEVER_SENT } from "./close-batch.ts";
import { type CollectedSubscriptions, endAttempts } from "./end-attempts.ts";

/**
 * The purpose of a mandate's debits (interface 3.5). A collected debit resets the count of unpaid debits in a row; a
 * debit that is unpaid, or is returned after it was collected, is counted, and the third in a row pauses the mandate
 * and alerts staff. A cancelled debit does not count: no bank was asked. The invoice's purpose divides a debit that
 * pays an invoice, and the debit ends an attempt to collect it. Locks the customer subscriptions and the mandates.
 */
export const debitPurpose: SetPurpose = {
  locks: "customer subscription",
  async lockSet(tx, ctx, moving) {
    const payments = moving.flatMap(({ payment, move }) =>
      payment.type === "debit_order" && move !== "refunded" && move !== "given_back" ? payment : [],
    );
    if (payments.length === 0) return new Map();
    const subscriptions = await lockSubscriptions(tx, ctx, payments);
    const debits = await debitsOfTransactions(
      tx,
      payments.map(({ id }) => id),
    );
    const mandates = await lockMandates(tx, [...new Set([...debits.values()].map(({ mandateId }) => mandateId))]);
    const products = await findProducts(tx, [...new Set([...mandates.values()].flatMap((one) => one.productId ?? []))]);
    const outcomes = outcomesOf(tx, ctx, mandates, subscriptions);
    return new Map(
      payments.flatMap((moving) => {
        const debit = debits.get(moving.id);
        if (!debit) return [];
        const { vat: stated = UNSTATED, productId = null } = mandates.get(debit.mandateId) ?? {};
        const product = productId === null ? null : products.get(productId);
        const locked: LockedPurpose = {
          ...(moving.invoiceId === null ? { split: () => asRevenue(tx, ctx, moving, { stated, product }) } : {}),
          complete: (payment) => outcomes.collected(debit, payment),
          fail: (payment, fact) =>
            fact.kind === "declined" ? outcomes.unpaid(debit, payment, fact) : outcomes.cancelled(debit, payment, fact),
          reverse: (payment, reversal, undone) => outcomes.reversed(debit, payment, reversal, undone),
          finish: outcomes.save,
        };
        return [[moving.id, locked] as const];
      }),
    );
  },
};

/** Locks the subscriptions whose invoices these payments pay, and returns them as they are before the change. */
async function lockSubscriptions(
  tx: Tx,
  ctx: Ctx,
  payments: readonly Moving["payment"][],
): Promise<CollectedSubscriptions> {
  const named = payments.flatMap(({ invoiceId, subscriptionId }) => (invoiceId && subscriptionId) || []);
  if (named.length === 0) return new Map();
  const ids = [...(await lockCustomerSubscriptions(tx, [...new Set(named)])).values()];
  const found = await findCustomerSubscriptions(tx, ids, calendarDay(ctx.now));
  return new Map(found.map((subscription) => [subscription.id, subscription]));
}

/**
 * Alerts staff that a mandate was paused; a subscription's late invoices that it would have collected count as missed.
 */
async function tellPaused(
  tx: Tx,
  ctx: Ctx,
  mandate: Mandate,
  { payment, reason }: { readonly payment: Transaction; readonly reason: string },
): Promise<void> {
  await alertPaused(tx, ctx, mandate, payment, reason);
  if (mandate.subscriptionId) await expectMissed(tx, ctx, mandate.subscriptionId);
}

/**
 * Collects the outcomes of debits, in order, and saves the mandates and reasons that changed, each in one statement;
 * then announces them.
 */
function outcomesOf(
  tx: Tx,
  ctx: Ctx,
  locked: ReadonlyMap<Mandate["id"], Mandate>,
  subscriptions: CollectedSubscriptions,
) {
  const changed = new Map<Mandate["id"], Mandate>();
  const ended: EndedDebit[] = [];
  const paused: (() => Promise<void>)[] = [];
  const attempts = endAttempts(tx, ctx, subscriptions, (id) => changed.get(id) ?? locked.get(id) ?? null);
  const end = (one: EndedDebit, by: (mandate: Mandate) => Mandate) => {
    const { mandateId } = one.debit;
    const mandate = changed.get(mandateId) ?? locked.get(mandateId);
    if (mandate) changed.set(mandateId, by(mandate));
    ended.push(one);
  };
  const returned = (
    debit: DatedDebit,
    payment: Transaction,
    why: Pick<Reversal, "reason" | "code" | "amount">,
    wasCollected = false,
  ) => {
    const { reason, code, amount } = why;
    const pausing = (mandate: Mandate): Mandate => {
      const counted = unpaid(mandate, debit.debitDate, wasCollected);
      const after = deniesAuthority(code) ? withoutAuthority(counted, ctx.now) : counted;
      if (after.status !== mandate.status) paused.push(() => tellPaused(tx, ctx, mandate, { payment, reason }));
      return after;
    };
    end({ debit, payment, outcome: { code, reason, amount, wasCollected } }, pausing);
  };
  return {
    collected(debit: DatedDebit, payment: Transaction) {
      end({ debit, payment, outcome: "collected" }, (mandate) => collected(mandate, debit.debitDate));
      attempts.collected(payment);
    },
    cancelled(debit: DatedDebit, payment: Transaction, { gatewayWord }: UnpaidFact) {
      const reason = gatewayWord === NEVER_SENT ? "The debit was not sent." : "The debit was cancelled at the gateway.";
      end({ debit, payment, outcome: { cancelled: reason } }, (mandate) => mandate);
      attempts.cancelled(payment, reason);
    },
    unpaid(debit: DatedDebit, payment: Transaction, fact: DeclinedFact) {
      const code = fact.takesBack?.code ?? bankCodeOf(fact.gatewayWord);
      returned(debit, payment, { reason: fact.reason, code, amount: payment.amount });
      attempts.missed(payment, debit.mandateId, fact);
    },
    reversed(debit: DatedDebit, payment: Transaction, reversal: Reversal, undone: Cents) {
      returned(debit, payment, reversal, true);
      if (undone > 0) attempts.reversed(payment, debit.mandateId, reversal);
    },
    async save() {
      saveDebitOutcomes(tx, ctx.now, [...changed.values()]);
      await announceOutcomes(tx, ctx, locked, ended);
      for (const alert of paused) await alert();
      await attempts.save();
    },
  };
}
