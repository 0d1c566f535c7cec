import type { PaidFact } from "../../gateways/facts.ts";
import { ApiError, notFound } from "../../kernel/errors.ts";
import { toRand } from "../../kernel/money.ts";
import { instant } from "../../kernel/time.ts";
import { unfitPaidReport } from "../../modules/gateway-notifications/store.ts";
import { changedElsewhere } from "../../modules/gateway-subscriptions/rules.ts";
import { lockGatewaySubscription, lockSubscriptionKey } from "../../modules/gateway-subscriptions/store.ts";
import { findByReference, findTransaction } from "../../modules/payments/store/payments.ts";
import type { Transaction, TransactionRecord } from "../../modules/payments/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { type RecordedRefund, recordRefund } from "../payments/refund-payment.ts";
import { settlePayment } from "../payments/settle-payment.ts";
import { recordOf } from "../payments/transaction-record.ts";
import { saveSubscription } from "./save-subscription.ts";

/**
 * The report that a renewal was paid at another amount than its subscription's, with the payment that was recorded for
 * it.
 */
interface HeldRenewal {
  readonly payment: Transaction;
  readonly fact: PaidFact;
}

/** Finds the report by the payment's reference. Throws 404; 409 `invalid_state` for any other payment. */
async function findHeld(tx: Tx, reference: string): Promise<HeldRenewal> {
  const payment = await findByReference(tx, reference);
  if (!payment) throw notFound("transaction");
  const stored = payment.renewal && payment.paidAt === null ? await unfitPaidReport(tx, reference) : null;
  const told = stored as (Omit<PaidFact, "occurredAt"> & { readonly occurredAt: string | null }) | null;
  if (!told || told.amount !== payment.amount || told.currency !== payment.currency)
    throw new ApiError("invalid_state", 409, "This payment is no renewal that was collected at another amount.");
  return { payment, fact: { ...told, occurredAt: told.occurredAt === null ? null : instant(told.occurredAt) } };
}

/**
 * Accepts a renewal that a gateway collected at another amount than its subscription's: the payment completes at that
 * amount (decisions.md#renewals-at-another-amount-wait-for-staff). With `asNewAmount` the subscription has that amount
 * from now on. Locks the subscription, then as `settlePayment`. Throws 404; 409 `invalid_state`.
 */
export async function acceptRenewal(
  tx: Tx,
  ctx: Ctx,
  reference: string,
  { asNewAmount }: { readonly asNewAmount: boolean },
): Promise<TransactionRecord> {
  const { payment, fact } = await findHeld(tx, reference);
  const { gatewayAccountId: accountId, subscriptionId } = payment;
  if (fact.subscription) lockSubscriptionKey(tx, accountId, fact.subscription.key, fact.reference);
  const before = asNewAmount && subscriptionId !== null ? await lockGatewaySubscription(tx, subscriptionId) : null;
  if (before?.invoiceId)
    throw new ApiError("invoice_linked", 409, "The subscription collects the total of its invoice, which stays.");
  if (before && before.amount !== payment.amount) {
    const otherAmount = { amount: before.amount, until: fact.occurredAt ?? ctx.now };
    saveSubscription(tx, ctx, before, changedElsewhere({ ...before, amount: payment.amount, otherAmount }));
  }
  const outcome = await settlePayment(tx, ctx, { accountId, source: "staff" }, fact);
  const after = await findTransaction(tx, payment.id);
  if (outcome !== "applied" || !after) throw new ApiError("invalid_state", 409, "This payment was decided before.");
  return recordOf(tx, ctx, after);
}

/** The audit log's entry. */
export const acceptedAudit = (
  { transaction }: TransactionRecord,
  { asNewAmount }: { readonly asNewAmount: boolean },
) => ({
  subject: transaction.reference,
  before: { status: "pending" },
  after: { status: transaction.status, amount: toRand(transaction.amount), asNewAmount },
});

/**
 * Accepts a renewal as `acceptRenewal` does, and records the refund of all of it, which is then requested like any
 * other (`askForRefund`).
 */
export async function giveRenewalBack(
  tx: Tx,
  ctx: Ctx,
  reference: string,
  { reason }: { readonly reason: string | null },
): Promise<RecordedRefund> {
  await acceptRenewal(tx, ctx, reference, { asNewAmount: false });
  return recordRefund(tx, ctx, reference, { amount: null, reason, method: null });
}
