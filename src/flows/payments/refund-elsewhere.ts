import type { Refund } from "../../domain/refunds.ts";
import type { RefundFact } from "../../gateways/facts.ts";
import { type Cents, formatMoney } from "../../kernel/money.ts";
import type { Mismatch } from "../../modules/payments/rules.ts";
import { findByProviderRef, findByReference, flagTransaction } from "../../modules/payments/store/payments.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import { REFUND_CHECK } from "../../modules/refunds/declarations.ts";
import { nextCheck } from "../../modules/refunds/rules.ts";
import { moveRefund } from "../../modules/refunds/states.ts";
import { insertRefund } from "../../modules/refunds/store.ts";
import type { Tx } from "../../platform/database.ts";
import { enqueue } from "../../platform/due-work.ts";
import { newId } from "../../platform/new-id.ts";
import type { Ctx } from "../context.ts";
import { alertRefundUntold } from "../mail/staff-alerts.ts";
import { leftToRefund } from "./left-to-refund.ts";
import { appendRefundEvent, postRefund, type RefundedPayment } from "./post-refund.ts";
import { type FactOutcome, type ReportedFact, recordFact, recordMismatch } from "./record-fact.ts";

/**
 * The payment that a report of a refund names, by the gateway's id or our reference; null when the account has none.
 */
export async function paymentOfRefund(
  tx: Tx,
  accountId: string,
  { reference, paymentRef = null }: Pick<RefundFact, "reference" | "paymentRef">,
): Promise<Transaction | null> {
  const byId = paymentRef === null ? null : await findByProviderRef(tx, accountId, paymentRef);
  const found = byId ?? (reference === null ? null : await findByReference(tx, reference));
  return found?.gatewayAccountId === accountId ? found : null;
}

/** A report of a refund, with the payment that it is about. */
interface ReportedRefund {
  readonly reportedBy: ReportedFact["reportedBy"];
  readonly fact: RefundFact;
}

/**
 * Books a refund that was made in the gateway's own dashboard like one that was requested here: in the payment's
 * status, the books and the events, and flags the payment (decisions.md#refunds-made-elsewhere). A failed refund is
 * kept too, so that an older report of it is not booked later. A report of more than is left, or without an amount, is
 * not booked: staff are mailed, and record it. The caller has locked the payment, which has no such refund.
 */
export async function bookElsewhere(
  tx: Tx,
  ctx: Ctx,
  payment: RefundedPayment,
  reported: ReportedRefund,
): Promise<FactOutcome> {
  const { transaction } = payment;
  const { fact } = reported;
  const unbooked = (why: string) => recordFact(tx, ctx, transaction, reported, "unknown_reference", why);
  if (transaction.paidAt === null) return unbooked("its payment has not completed");
  const status = moveRefund("requested", fact.kind);
  if (status === null || (status === "failed" && fact.providerRefundRef === null)) return unbooked("no such refund");
  const { left, credited, refunds } = await leftToRefund(tx, transaction);
  if (fact.whole && left === 0 && credited === null) return recordFact(tx, ctx, transaction, reported, "repeated");
  const amount = fact.whole ? left : fact.amount;
  if (status === "failed" && amount === null) return unbooked("no such refund");
  if (amount === null || amount === 0) {
    flagTransaction(tx, transaction.id, "made_elsewhere");
    await alertRefundUntold(tx, ctx, transaction, fact);
    return recordFact(tx, ctx, transaction, reported, "mismatch", "the gateway does not tell the amount");
  }
  const mismatch = mismatchOf(transaction, { amount, currency: fact.currency }, { left, credited });
  if (status !== "failed" && mismatch) return recordMismatch(tx, ctx, transaction, reported, mismatch);
  const refund: Refund = {
    id: newId("ref"),
    transactionId: transaction.id,
    refundNumber: refundNumber(transaction, refunds),
    amount,
    currency: transaction.currency,
    method: "gateway",
    madeElsewhere: true,
    withCreditNote: false,
    status,
    reason: null,
    providerRef: fact.providerRefundRef,
    failure: status === "failed" ? fact.reason : null,
    processedAt: status === "processed" ? ctx.now : null,
    createdAt: ctx.now,
  };
  insertRefund(tx, refund);
  if (status === "failed") return recordFact(tx, ctx, transaction, reported, "applied");
  if (status === "pending") enqueue(tx, REFUND_CHECK, refund.id, nextCheck(ctx.now, ctx.now));
  await postElsewhere(tx, ctx, payment, refund);
  await appendRefundEvent(tx, ctx, "created", transaction, refund);
  if (status === "processed") await appendRefundEvent(tx, ctx, "processed", transaction, refund);
  return recordFact(tx, ctx, transaction, reported, "applied");
}

/** Posts a refund that was made elsewhere, and flags its payment. The caller has locked the payment. */
export function postElsewhere(tx: Tx, ctx: Ctx, { transaction, ...locked }: RefundedPayment, refund: Refund) {
  const { flags } = transaction;
  flagTransaction(tx, transaction.id, "made_elsewhere");
  const flagged = flags.includes("made_elsewhere") ? flags : [...flags, "made_elsewhere" as const];
  return postRefund(tx, ctx, { ...locked, transaction: { ...transaction, flags: flagged } }, refund);
}

/** The number of a payment's next refund. */
export const refundNumber = ({ reference }: Pick<Transaction, "reference">, refunds: readonly Refund[]): string =>
  `${reference}-R${refunds.length + 1}`;

function mismatchOf(
  { currency }: Transaction,
  told: { readonly amount: Cents; readonly currency: string | undefined },
  { left, credited }: { readonly left: Cents; readonly credited: string | null },
): Mismatch | null {
  if (told.currency !== undefined && told.currency !== currency)
    return { what: "currency", expected: currency, received: told.currency };
  if (told.amount <= left) return null;
  const expected =
    credited === null ? `at most ${formatMoney(left, currency)}` : `none, since ${credited} gave it back`;
  return { what: "refund", expected, received: formatMoney(told.amount, currency) };
}
