import { type Instant, isSameInstant, secondsBetween } from "../../kernel/time.ts";
import { WEBHOOK_DELIVER } from "../../modules/webhooks/declarations.ts";
import { type AttemptOutcome, endpointAfter, nextAttemptAt } from "../../modules/webhooks/rules.ts";
import { type AttemptRow, appendAttempts, lockEndpoints, updateEndpoint } from "../../modules/webhooks/store.ts";
import type { Attempt, WebhookEndpoint } from "../../modules/webhooks/types.ts";
import type { Tx } from "../../platform/database.ts";
import { completeWork, enqueue, lockLeased, type Work } from "../../platform/due-work.ts";
import type { Ctx } from "../context.ts";
import { failPendingDeliveries } from "./change-endpoint.ts";
import { mailEndpointDisabled } from "./endpoint-disabled-mail.ts";
import type { SendableDelivery } from "./load-deliveries.ts";

/** A finished attempt and its outcome. Times are by the organisation's clock. */
export interface FinishedAttempt {
  readonly work: Work;
  readonly delivery: SendableDelivery;
  readonly attempt: Attempt;
  readonly outcome: AttemptOutcome;
  readonly endedAt: Instant;
  readonly retryAfterSeconds: number | null;
}

/**
 * Records attempts of one organisation and what follows from each: delivered, retried, given up, or the endpoint
 * disabled and its owners mailed (interface 6.6). When the lease of the work was lost, only the attempt is recorded:
 * the holder of the new lease decides about the next one. Locks the endpoints and the due work.
 */
export async function recordAttempts(tx: Tx, ctx: Ctx, finished: readonly FinishedAttempt[]): Promise<void> {
  const works = finished.map(({ work }) => work);
  const affectingEndpoint = finished.filter(
    ({ outcome, delivery }) => outcome !== "delivered" || delivery.endpoint.failingSince !== null,
  );
  const [endpoints, leased] = await Promise.all([
    affectingEndpoint.length === 0
      ? []
      : lockEndpoints(tx, [...new Set(affectingEndpoint.map(({ delivery }) => delivery.endpoint.id))].sort()),
    lockLeased(tx, works),
  ]);
  const rows = finished.map((one) => attemptRow(one, leased.has(one.work.subject)));
  appendAttempts(tx, rows);
  completeWork(tx, works);
  for (const [index, { work }] of finished.entries()) {
    const next = rows[index]?.nextAttemptAt ?? null;
    if (next !== null && leased.has(work.subject)) enqueue(tx, WEBHOOK_DELIVER, work.subject, next, work.lane);
  }
  for (const endpoint of endpoints)
    await updateEndpointHealth(
      tx,
      ctx,
      endpoint,
      // A response from a URL that the endpoint had before says nothing about its present URL.
      finished.filter(({ delivery }) => delivery.endpoint.id === endpoint.id && delivery.endpoint.url === endpoint.url),
    );
}

function attemptRow(
  { delivery, attempt, outcome, endedAt, retryAfterSeconds }: FinishedAttempt,
  leased: boolean,
): AttemptRow {
  const row = { id: delivery.id, attempt };
  if (outcome === "delivered") return { ...row, status: "delivered", nextAttemptAt: null };
  if (!leased) return { ...row, status: "pending", nextAttemptAt: endedAt };
  const attempts = delivery.attemptsMade + 1;
  const next = nextAttemptAt({ attempts, lastAttemptAt: endedAt, retryAfterSeconds, random: Math.random() });
  return { ...row, status: next ? "pending" : "parked", nextAttemptAt: next };
}

/**
 * Updates, from these attempts, oldest first, the time since which the endpoint has failed, and disables it when it has
 * failed too long or responded 410.
 */
async function updateEndpointHealth(
  tx: Tx,
  ctx: Ctx,
  endpoint: WebhookEndpoint,
  finished: readonly FinishedAttempt[],
): Promise<void> {
  let failingSince = endpoint.failingSince;
  for (const { outcome, attempt, endedAt } of finished.toSorted((a, b) => secondsBetween(b.endedAt, a.endedAt))) {
    const after = endpointAfter(failingSince, outcome, endedAt);
    failingSince = after.failingSince;
    if (after.disabled && failingSince && endpoint.enabled) {
      updateEndpoint(tx, {
        ...endpoint,
        failingSince,
        enabled: false,
        disabledReason: after.disabled,
        updatedAt: endedAt,
      });
      await failPendingDeliveries(tx, endpoint);
      const lastError = attempt.error ?? `HTTP ${attempt.statusCode}`;
      const facts = { reason: after.disabled, failingSince, lastError };
      await mailEndpointDisabled(tx, { ...ctx, now: endedAt }, endpoint, facts);
      return;
    }
  }
  if (!isSameInstant(failingSince, endpoint.failingSince)) updateEndpoint(tx, { ...endpoint, failingSince });
}
