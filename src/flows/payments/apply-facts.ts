import type { CardFact, GatewayFact, MandateFact, SubscriptionFact } from "../../gateways/facts.ts";
import { ApiError } from "../../kernel/errors.ts";
import { isSettledInSets } from "../../modules/payments/rules.ts";
import { findByReferences } from "../../modules/payments/store/payments.ts";
import type { Tx } from "../../platform/database.ts";
import { ExtensionPoint } from "../../platform/extension-point.ts";
import type { Ctx } from "../context.ts";
import type { Services } from "../services.ts";
import { applyDisputeFact } from "./apply-dispute.ts";
import { applyRefundFact } from "./apply-refund.ts";
import { applyReturnedFact, type ReturnedFact } from "./apply-returned.ts";
import { applyReversalFact } from "./apply-reversal.ts";
import type { ReportedBy } from "./record-fact.ts";
import { settlePayment, settlePayments } from "./settle-payment.ts";

/** Applies a fact that concerns no payment. */
type ApplyFact<Of extends GatewayFact> = (
  tx: Tx,
  ctx: Ctx,
  reportedBy: ReportedBy,
  fact: Of,
  services: Pick<Services, "log">,
) => Promise<void>;

/** The owner of the record that a fact concerns applies it. */
export const SUBSCRIPTION_FACTS = new ExtensionPoint<ApplyFact<SubscriptionFact>>();
export const CARD_FACTS = new ExtensionPoint<ApplyFact<CardFact>>();
export const MANDATE_FACTS = new ExtensionPoint<ApplyFact<MandateFact>>();

/** One commit for each fact would be slow; a longer transaction would hold its locks too long. */
const FACTS_TOGETHER = 500;

/**
 * Applies what a gateway account reports, in the order given. Payments that are settled in sets are applied together,
 * at most 500 in a transaction; each other fact has a transaction of its own, since several would take their locks
 * against `LOCK_ORDER` (decisions.md#one-fact-one-transaction). When a transaction of several facts fails, each half is
 * applied alone, down to single facts, so a fact that cannot be applied does not affect the others. Returns how many
 * could not be applied; their errors are logged. Applying the same facts again changes nothing. Throws 503 when the
 * database is unavailable.
 */
export async function applyFacts(
  services: Services,
  ctx: Ctx,
  reportedBy: ReportedBy,
  facts: readonly GatewayFact[],
): Promise<number> {
  let failed = 0;
  for (let at = 0; at < facts.length; at += FACTS_TOGETHER)
    for (const set of await setsOf(services, ctx, facts.slice(at, at + FACTS_TOGETHER)))
      failed += await applySet(services, ctx, reportedBy, set);
  return failed;
}

/**
 * Divides the facts by transaction, in order: facts about different payments that are settled in sets go together, each
 * other fact alone.
 */
async function setsOf(services: Services, ctx: Ctx, facts: readonly GatewayFact[]): Promise<readonly GatewayFact[][]> {
  if (facts.length === 1) return [[...facts]];
  const found = await services.db.read(ctx.organisation.id, (tx) => findByReferences(tx, facts.flatMap(nameOf)));
  const sets: GatewayFact[][] = [];
  let names = new Set<string>();
  for (const fact of facts) {
    const [name] = nameOf(fact);
    const payment = name === undefined ? undefined : found.get(name);
    const inSet = name !== undefined && payment && isSettledInSets(payment) && !isReturned(fact);
    if (!inSet || names.size === 0 || names.has(name)) {
      sets.push([]);
      names = new Set();
    }
    sets.at(-1)?.push(fact);
    if (inSet) names.add(name);
  }
  return sets;
}

/**
 * The reference under which a fact names its payment, as far as it is the payment's name whatever the payment has
 * become.
 */
const nameOf = (fact: GatewayFact): string[] =>
  fact.about === "payment" && !fact.subscription && fact.reference !== null ? [fact.reference] : [];

const isReturned = (fact: GatewayFact): fact is ReturnedFact =>
  fact.about === "payment" && fact.kind === "declined" && fact.takesBack !== undefined;

/**
 * Applies a set in one transaction, or each half of it when that fails. Returns how many facts could not be applied.
 */
async function applySet(
  services: Services,
  ctx: Ctx,
  reportedBy: ReportedBy,
  facts: readonly GatewayFact[],
): Promise<number> {
  try {
    const [only] = facts;
    if (only && isReturned(only)) await applyReturnedFact(services, ctx, reportedBy, only);
    else
      await services.db.transaction(ctx.organisation.id, (tx) => applyTogether(tx, ctx, services, reportedBy, facts));
    return 0;
  } catch (error) {
    if (error instanceof ApiError && error.status === 503) throw error;
    if (facts.length > 1) {
      const middle = facts.length >> 1;
      const first = await applySet(services, ctx, reportedBy, facts.slice(0, middle));
      return first + (await applySet(services, ctx, reportedBy, facts.slice(middle)));
    }
    const [fact] = facts;
    services.log.error({ account: reportedBy.accountId, about: fact?.about, err: error }, "a fact cannot be applied");
    return 1;
  }
}

/** Applies one verified fact, or several about different payments that are settled in sets. */
async function applyTogether(
  tx: Tx,
  ctx: Ctx,
  services: Services,
  reportedBy: ReportedBy,
  facts: readonly GatewayFact[],
): Promise<void> {
  const [fact, ...others] = facts;
  if (!fact) return;
  if (others.length > 0)
    await settlePayments(
      tx,
      ctx,
      reportedBy,
      facts.filter((one) => one.about === "payment"),
    );
  else if (fact.about === "payment") await settlePayment(tx, ctx, reportedBy, fact);
  else if (fact.about === "refund") await applyRefundFact(tx, ctx, reportedBy, fact);
  else if (fact.about === "reversal") await applyReversalFact(tx, ctx, reportedBy, fact);
  else if (fact.about === "dispute") await applyDisputeFact(tx, ctx, reportedBy, fact);
  else if (fact.about === "subscription") await SUBSCRIPTION_FACTS.only(ctx)(tx, ctx, reportedBy, fact, services);
  else if (fact.about === "card") await CARD_FACTS.only(ctx)(tx, ctx, reportedBy, fact, services);
  else await MANDATE_FACTS.only(ctx)(tx, ctx, reportedBy, fact, services);
}
