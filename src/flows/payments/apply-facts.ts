import type { GatewayFact, PaymentFact } from "../../gateways/facts.ts";
import { ApiError } from "../../kernel/errors.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { applySubscriptionFact } from "../gateway-subscriptions/apply-subscription-fact.ts";
import { applyMandateFact } from "../mandates/apply-mandate-fact.ts";
import type { Services } from "../services.ts";
import { applyRefundFact } from "./apply-refund.ts";
import { applyReversalFact } from "./apply-reversal.ts";
import type { ReportedBy } from "./record-fact.ts";
import { settlePayments } from "./settle-payment.ts";

/** One commit for each fact would be slow; a longer transaction would hold its locks too long. */
const FACTS_TOGETHER = 200;

/**
 * Applies what a gateway account reports, in transactions of at most 200 facts. When one of them fails, each half of its facts is applied
 * alone, down to single facts, so a fact that cannot be applied does not affect the others. Returns how many could not be applied; these are
 * logged. To apply the same facts again changes nothing. Payments that come in crowds are settled together; other facts take their locks in
 * `LOCK_ORDER`, several of them together do not: a deadlock is tried again. Throws 503 when the database is unavailable.
 */
export async function applyFacts(
  services: Services,
  ctx: Ctx,
  reportedBy: ReportedBy,
  facts: readonly GatewayFact[],
): Promise<number> {
  let failed = 0;
  for (let at = 0; at < facts.length; at += FACTS_TOGETHER)
    failed += await applySet(services, ctx, reportedBy, facts.slice(at, at + FACTS_TOGETHER));
  return failed;
}

/** Answers how many could not be applied. */
async function applySet(
  services: Services,
  ctx: Ctx,
  reportedBy: ReportedBy,
  facts: readonly GatewayFact[],
): Promise<number> {
  try {
    await services.db.transaction(ctx.organisation.id, (tx) => applyInOrder(tx, ctx, services, reportedBy, facts));
    return 0;
  } catch (error) {
    if (error instanceof ApiError && error.status === 503) throw error;
    if (facts.length > 1) {
      const middle = facts.length >> 1;
      const first = await applySet(services, ctx, reportedBy, facts.slice(0, middle));
      return first + (await applySet(services, ctx, reportedBy, facts.slice(middle)));
    }
    const why = error instanceof Error ? error.message : String(error);
    services.log.error({ account: reportedBy.accountId, about: facts[0]?.about, why }, "a fact cannot be applied");
    return 1;
  }
}

/** Applies verified facts in their order, except that payments that follow each other may be settled together. */
async function applyInOrder(
  tx: Tx,
  ctx: Ctx,
  services: Services,
  reportedBy: ReportedBy,
  facts: readonly GatewayFact[],
): Promise<void> {
  const payments: PaymentFact[] = [];
  const settle = () => settlePayments(tx, ctx, reportedBy, payments.splice(0));
  for (const fact of facts) {
    if (fact.about === "payment") {
      payments.push(fact);
      continue;
    }
    await settle();
    if (fact.about === "refund") await applyRefundFact(tx, ctx, reportedBy, fact);
    else if (fact.about === "subscription") await applySubscriptionFact(tx, ctx, reportedBy, fact);
    else if (fact.about === "reversal") await applyReversalFact(tx, ctx, reportedBy, fact);
    else await applyMandateFact(tx, ctx, services, reportedBy, fact);
  }
  await settle();
}
