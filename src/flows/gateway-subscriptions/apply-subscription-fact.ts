import { type SubscriptionFact, withoutSecrets } from "../../gateways/facts.ts";
import {
  EARLY_HANDLE_COLUMN,
  type ReceivedNotification,
  recordNotification,
} from "../../modules/gateway-notifications/store.ts";
import { SUBSCRIPTION_CHECK, SUBSCRIPTION_EARLY_REPORTS } from "../../modules/gateway-subscriptions/declarations.ts";
import { afterPrice, afterReport, changedElsewhere, isRunning } from "../../modules/gateway-subscriptions/rules.ts";
import {
  findGatewaySubscriptionByKey,
  HANDLE_COLUMN,
  lockGatewaySubscription,
  lockSubscriptionKey,
} from "../../modules/gateway-subscriptions/store.ts";
import type { GatewaySubscription } from "../../modules/gateway-subscriptions/types.ts";
import type { Tx } from "../../platform/database.ts";
import { dueTimeOf, enqueue } from "../../platform/due-work.ts";
import { failCancelledCard } from "../cards/fail-cancelled-card.ts";
import type { Ctx } from "../context.ts";
import type { ReportedBy } from "../payments/record-fact.ts";
import { saveSubscription } from "./save-subscription.ts";

/**
 * Applies a gateway's report of a subscription's status: active, missed, paused, cancelled. Whatever the order and
 * repetition of reports, the newest one counts, and a cancellation is final. The cancellation of a card's token fails
 * the card. Locks the subscription, else the customer's cards.
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
  const isAskedHere = before && (await dueTimeOf(tx, SUBSCRIPTION_CHECK, before.id)) !== null;
  const after = before && reported(ctx, before, fact, isAskedHere === true);
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
  if (!before || !after || after === before) return;
  saveSubscription(tx, ctx, before, after);
  // The gateway may have reported renewals at the new amount before it reported the change.
  if (after.amount !== before.amount) enqueue(tx, SUBSCRIPTION_EARLY_REPORTS, after.id, ctx.now);
}

/** The statuses that a gateway does not give a subscription by itself. */
const isSetByHand = (status: GatewaySubscription["status"]): boolean => status === "paused" || status === "cancelled";

/** The handle in a report that came before its subscription began, encrypted, because later reports may not have it. */
function earlyHandle({ secrets, organisation }: Ctx, { subscription: { handle } }: SubscriptionFact): string | null {
  const context = { organisation: organisation.id, column: EARLY_HANDLE_COLUMN };
  return handle === null ? null : secrets.seal(handle, context);
}

/**
 * The subscription after the report; the same one when the report changes nothing. A change that was not requested here
 * was made in the gateway's own dashboard, or by the payer there, and is flagged
 * (decisions.md#changes-made-elsewhere-are-flagged).
 */
function reported(
  ctx: Ctx,
  before: GatewaySubscription,
  fact: SubscriptionFact,
  isAskedHere: boolean,
): GatewaySubscription {
  const { kind, subscription: link } = fact;
  const at = fact.occurredAt ?? ctx.now;
  const moved = afterReport(before, kind, at);
  const isMoved = moved.status !== before.status && [moved.status, before.status].some(isSetByHand);
  const flagged = isMoved && !isAskedHere ? changedElsewhere(moved) : moved;
  const after = kind === "cancelled" ? flagged : afterPrice(flagged, fact.amount ?? null, at);
  const nextChargeOn = isRunning(after) ? (link.nextChargeOn ?? after.nextChargeOn) : after.nextChargeOn;
  const context = { organisation: ctx.organisation.id, column: HANDLE_COLUMN };
  const handleSealed =
    before.handleSealed === null && link.handle !== null ? ctx.secrets.seal(link.handle, context) : before.handleSealed;
  const isNew =
    after.status !== before.status ||
    after.paused !== before.paused ||
    after.pastDue !== before.pastDue ||
    after.amount !== before.amount ||
    nextChargeOn !== before.nextChargeOn ||
    handleSealed !== before.handleSealed;
  return isNew ? { ...after, nextChargeOn, handleSealed } : before;
}
