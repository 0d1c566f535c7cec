import type { GatewayFact } from "../../gateways/facts.ts";
import { ApiError } from "../../kernel/errors.ts";
import type { Tx } from "../../platform/database.ts";
import type { Ctx } from "../context.ts";
import { applySubscriptionFact } from "../gateway-subscriptions/apply-subscription-fact.ts";
import { applyMandateFact } from "../mandates/apply-mandate-fact.ts";
import type { Services } from "../services.ts";
import { applyRefundFact } from "./apply-refund.ts";
import { applyReversalFact } from "./apply-reversal.ts";
import type { ReportedBy } from "./record-fact.ts";
import { settlePayment } from "./settle-payment.ts";

/** One commit for each fact would be slow; a longer transaction would hold its locks too long. */
const FACTS_TOGETHER = 200;

/**
 * Applies what a gateway account reports, in transactions of at most 200 facts. When one of them fails, its facts are applied one
 * by one, so a fact that cannot be applied does not affect the others. Returns how many could not be applied; these are logged. To
 * apply the same facts again changes nothing. Each fact takes its locks in `LOCK_ORDER`, several facts together do not: a deadlock is tried
 * again. Throws 503 when the database is unavailable.
 */
export async function applyFacts(
  services: Services,
  ctx: Ctx,
  reportedBy: ReportedBy,
  facts: readonly GatewayFact[],
): Promise<number> {
  const { accountId } = reportedBy;
  const apply = (together: readonly GatewayFact[]) =>
    services.db.transaction(ctx.organisation.id, async (tx) => {
      for (const fact of together) await applyFact(tx, ctx, services, reportedBy, fact);
    });
  let failed = 0;
  for (let at = 0; at < facts.length; at += FACTS_TOGETHER) {
    const together = facts.slice(at, at + FACTS_TOGETHER);
    if (together.length > 1 && (await succeeds(apply(together))) === true) continue;
    for (const fact of together) {
      const outcome = await succeeds(apply([fact]));
      if (outcome === true) continue;
      failed++;
      services.log.error({ account: accountId, about: fact.about, why: outcome }, "a fact cannot be applied");
    }
  }
  return failed;
}

/** True, or the error's message. Throws when the database is unavailable. */
async function succeeds(work: Promise<void>): Promise<true | string> {
  try {
    await work;
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 503) throw error;
    return error instanceof Error ? error.message : String(error);
  }
}

/** Applies one verified fact. */
async function applyFact(
  tx: Tx,
  ctx: Ctx,
  services: Services,
  reportedBy: ReportedBy,
  fact: GatewayFact,
): Promise<void> {
  if (fact.about === "payment") await settlePayment(tx, ctx, reportedBy, fact);
  else if (fact.about === "refund") await applyRefundFact(tx, ctx, reportedBy, fact);
  else if (fact.about === "subscription") await applySubscriptionFact(tx, ctx, reportedBy, fact);
  else if (fact.about === "reversal") await applyReversalFact(tx, ctx, reportedBy, fact);
  else await applyMandateFact(tx, ctx, services, reportedBy, fact);
}
