import type { DeclinedFact, ReversalFact } from "../../gateways/facts.ts";
import { idsOfPaidReports } from "../../modules/gateway-notifications/store.ts";
import type { Transaction } from "../../modules/payments/types.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import type { Services } from "../services.ts";
import { applyReversalFact } from "./apply-reversal.ts";
import { findReported } from "./identify-payment.ts";
import type { ReportedBy } from "./record-fact.ts";
import { settlePayment } from "./settle-payment.ts";

/** A declined fact which says that the gateway returns what it collected, or may do so. */
export type ReturnedFact = DeclinedFact & { readonly takesBack: NonNullable<DeclinedFact["takesBack"]> };

/**
 * Applies a fact that gives money back: a payment that was not complete fails, one that was complete is reversed,
 * unless the fact is about another attempt to pay (decisions.md#another-attempt-takes-nothing-back). Two transactions,
 * because a failure and a reversal lock different records of the payment's purposes; applying the fact again changes
 * nothing. Locks as `settlePayment`, then as `applyReversalFact`.
 */
export async function applyReturnedFact(
  services: Services,
  ctx: Ctx,
  reportedBy: ReportedBy,
  fact: ReturnedFact,
): Promise<void> {
  const { id } = ctx.organisation;
  const outcome = await services.db.transaction(id, (tx) => settlePayment(tx, ctx, reportedBy, fact));
  if (outcome !== "repeated") return;
  await services.db.transaction(id, async (tx) => {
    const payment = await findReported(tx, reportedBy.accountId, fact);
    if (payment?.paidAt && (await isAboutPaidAttempt(tx, payment, fact)))
      await applyReversalFact(tx, ctx, reportedBy, reversalOf(payment, fact));
  });
}

/** Whether a fact may be about the attempt that paid: it names that attempt, or none, as on a statement. */
const isAboutPaidAttempt = async (
  tx: Tx,
  { reference }: Transaction,
  { providerRef }: ReturnedFact,
): Promise<boolean> => providerRef === null || (await idsOfPaidReports(tx, reference)).includes(providerRef);

const reversalOf = (payment: Transaction, fact: ReturnedFact): ReversalFact => ({
  about: "reversal",
  occurredAt: fact.occurredAt,
  gatewayWord: fact.gatewayWord,
  reference: fact.reference,
  providerRef: fact.providerRef,
  amount: fact.amount ?? payment.amount,
  reason: fact.reason,
  code: fact.takesBack.code,
  hard: fact.hard,
});
