import type { GatewayFact } from "../../gateways/facts.ts";
import { addSeconds, type Instant, instant } from "../../kernel/time.ts";
import { EARLY_HANDLE_COLUMN, factsNotApplied } from "../../modules/gateway-notifications/store.ts";
import { SUBSCRIPTION_EARLY_REPORTS } from "../../modules/gateway-subscriptions/declarations.ts";
import {
  findGatewaySubscription,
  HANDLE_COLUMN,
  saveGatewaySubscription,
} from "../../modules/gateway-subscriptions/store.ts";
import type { GatewaySubscription } from "../../modules/gateway-subscriptions/types.ts";
import type { Tx } from "../../platform/database.ts";
import { enqueue } from "../../platform/due-work.ts";
import type { Ctx } from "../context.ts";
import { applyFacts } from "../payments/apply-facts.ts";
import type { Services } from "../services.ts";

/** Seconds until reports that could not be applied are retried. */
const AGAIN_SECONDS = 3600;

/**
 * Enqueues `applyEarlyReports` when the gateway reported on a subscription before it began. The handle in such a report
 * is stored at once, so that the subscription can be cancelled from its beginning.
 */
export async function expectEarlyReports(tx: Tx, ctx: Ctx, subscription: GatewaySubscription): Promise<void> {
  const early = await earlyReports(tx, subscription);
  if (early.length > 0) enqueue(tx, SUBSCRIPTION_EARLY_REPORTS, subscription.id, ctx.now);
  const reported = early.findLast(({ handleSealed }) => handleSealed !== null)?.handleSealed;
  if (!reported || subscription.handleSealed !== null) return;
  const handle = openEarly(ctx, reported);
  const context = { organisation: ctx.organisation.id, column: HANDLE_COLUMN };
  saveGatewaySubscription(tx, { ...subscription, handleSealed: ctx.secrets.seal(handle, context) });
}

/**
 * `subscription.early_reports`: applies reports of a gateway about a subscription that arrived before it began here,
 * such as a renewal or a pause (decisions.md#early-reports-are-kept). Returns when to try again, null when everything
 * was applied or refused.
 */
export async function applyEarlyReports(services: Services, ctx: Ctx, id: string): Promise<Instant | null> {
  const { organisation, now } = ctx;
  const { accountId, facts } = await services.db.read(organisation.id, async (tx) => {
    const subscription = await findGatewaySubscription(tx, id);
    const early = subscription ? await earlyReports(tx, subscription) : [];
    return { accountId: subscription?.gatewayAccountId ?? "", facts: early.map((report) => factOf(ctx, report)) };
  });
  const failed = await applyFacts(services, ctx, { accountId, source: "sweep" }, facts);
  return failed > 0 ? addSeconds(now, AGAIN_SECONDS) : null;
}

const earlyReports = async (tx: Tx, { gatewayAccountId, linkKey }: GatewaySubscription) =>
  gatewayAccountId === null || linkKey === null ? [] : factsNotApplied(tx, gatewayAccountId, linkKey);

type StoredFact = Omit<GatewayFact, "occurredAt"> & {
  readonly occurredAt: string | null;
  readonly subscription: object;
};

/** Restores a fact from its stored JSON, with its handle. */
function factOf(
  ctx: Ctx,
  { fact: stored, handleSealed }: Awaited<ReturnType<typeof factsNotApplied>>[number],
): GatewayFact {
  const fact = stored as StoredFact;
  const occurredAt = fact.occurredAt === null ? null : instant(fact.occurredAt);
  if (handleSealed === null) return { ...fact, occurredAt } as GatewayFact;
  const subscription = { ...fact.subscription, handle: openEarly(ctx, handleSealed) };
  return { ...fact, occurredAt, subscription } as GatewayFact;
}

const openEarly = ({ secrets, organisation }: Ctx, sealed: string): string =>
  secrets.open(sealed, { organisation: organisation.id, column: EARLY_HANDLE_COLUMN });
