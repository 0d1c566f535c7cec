import { type SubscriptionFact, withoutSecrets } from "../../gateways/facts.ts";
import {
  EARLY_HANDLE_COLUMN,
  type ReceivedNotification,
  recordNotification,
} from "../../modules/gateway-notifications/store.ts";
import { afterReport, isRunning } from "../../modules/gateway-subscriptions/rules.ts";
import {
  findGatewaySubscriptionByKey,
  HANDLE_COLUMN,
  lockGatewaySubscription,
  lockSubscriptionKey,
} from "../../modules/gateway-subscriptions/store.ts";
import type { GatewaySubscription } from "../../modules/gateway-subscriptions/types.ts";
import type { Tx } from "../../platform/database.ts";
import { failCancelledCard } from "../cards/fail-cancelled-card.ts";
import type { Ctx } from "../context.ts";
import type { ReportedBy } from "../payments/record-fact.ts";
import { saveSubscription } from "./save-subscription.ts";

/**
 * Applies a gateway's report of a subscription's status: active, missed, paused, cancelled. In any order and repeated, the newest report counts,
 * and a cancellation is final; the cancellation of a card's token fails the card. Locks the subscription, else the customer's cards.
 */
export async function applySubscriptionFact(
  tx: Tx,
  ctx: Ctx,
  reportedBy: ReportedBy,
  fact: SubscriptionFact,
): Promise<void> {
  lockSubscriptionKey(tx, reportedBy.accountId, fact.subscription.key);
  const found = await findGatewaySubscriptionByKey(tx, reportedBy.accountId, fact.subscription.key);
  const before = found && (await lockGatewaySubscription(tx, found.id));
  const after = before && reported(ctx, before, fact);
  // Where subscriptions and cards have tokens of one kind, only the service knows which of them was cancelled.
  const lost =
    !found && fact.kind === "cancelled"
      ? await failCancelledCard(tx, ctx, reportedBy.accountId, fact.subscription.key)
      : "unknown";
  const known = after ? (after === before ? "repeated" : "applied") : lost;
  const outcome = known === "unknown" ? "unknown_reference" : known;
  recordNotification(tx, {
    ...reportedBy,
    reference: before?.firstReference ?? null,
    fact: withoutSecrets(fact),
    outcome: outcome satisfies ReceivedNotification["outcome"],
    problem: outcome === "unknown_reference" ? "no subscription has this key" : null,
    receivedAt: ctx.now,
    handleSealed: outcome === "unknown_reference" ? earlyHandle(ctx, fact) : null,
  });
  if (before && after && after !== before) saveSubscription(tx, ctx, before, after);
}

/** The handle in a report that came before its subscription began, encrypted: later reports may not have it. */
function earlyHandle({ secrets, organisation }: Ctx, { subscription: { handle } }: SubscriptionFact): string | null {
  const context = { organisation: organisation.id, column: EARLY_HANDLE_COLUMN };
  return handle === null ? null : secrets.seal(handle, context);
}

/** The subscription after the report; the same one when the report changes nothing. */
function reported(ctx: Ctx, before: GatewaySubscription, fact: SubscriptionFact): GatewaySubscription {
  const { kind, subscription: link } = fact;
  const after = afterReport(before, kind, fact.occurredAt ?? ctx.now);
  const nextChargeOn = isRunning(after) ? (link.nextChargeOn ?? after.nextChargeOn) : after.nextChargeOn;
  const context = { organisation: ctx.organisation.id, column: HANDLE_COLUMN };
  const handleSealed =
    before.handleSealed === null && link.handle !== null ? ctx.secrets.seal(link.handle, context) : before.handleSealed;
  const isNew =
    after.status !== before.status ||
    after.paused !== before.paused ||
    after.pastDue !== before.pastDue ||
    nextChargeOn !== before.nextChargeOn ||
    handleSealed !== before.handleSealed;
  return isNew ? { ...after, nextChargeOn, handleSealed } : before;
}
