import { clockOf } from "../flows/context.ts";
import { loadDeliveries, type SendableDelivery } from "../flows/webhooks/load-deliveries.ts";
import { type FinishedAttempt, recordAttempts } from "../flows/webhooks/record-attempts.ts";
import { assert } from "../kernel/assert.ts";
import { toTimestamp, unixSeconds } from "../kernel/time.ts";
import { outcomeOf } from "../modules/webhooks/rules.ts";
import { SECRET_COLUMN } from "../modules/webhooks/store.ts";
import { releaseWork, type Work } from "../platform/due-work.ts";
import { gathered } from "../platform/gather.ts";
import { machineNow } from "../platform/machine-clock.ts";
import type { PostResult } from "../platform/outbound.ts";
import { deliveryHeaders, signingSecrets } from "../platform/webhook-signing.ts";
import type { Handler, Job, Outcome, WorkerParts } from "./job.ts";

const TOGETHER = 100;
/** The outcome of an attempt in the words of `/metrics`. */
const OBSERVED = { delivered: "delivered", retry: "retried", disable: "failed" } as const;
/** A failed post that took this long counts as silent; a refused connection fails at once and delays nothing. */
const SILENT_MS = 2_000;

/**
 * `webhook.deliver`: signs a delivery, sends it and records the attempt (interface 6.6). First attempts about one
 * subject go to an endpoint in the order of its events, each after the previous one was answered. A delivery that has
 * failed once is retried on its own and delays no later one.
 */
export function createDeliverWebhook(parts: WorkerParts): Handler {
  const { services } = parts;
  const { db } = services;
  const take = gathered<Work, SendableDelivery | null>(
    (organisation, works) => db.transaction(organisation, (tx) => loadDeliveries(tx, works)),
    TOGETHER,
  );
  const record = gathered<{ job: Job; made: FinishedAttempt }, null>(
    (organisation, items) =>
      db.transaction(organisation, async (tx) => {
        const newest = items.at(-1)?.job;
        assert(newest, "a gathering has a job");
        await recordAttempts(
          tx,
          newest.ctx,
          items.map(({ made }) => made),
        );
        return items.map(() => null);
      }),
    TOGETHER,
  );
  const inTurn = createTurns<{ made: FinishedAttempt | null; outcome: Outcome }>();

  async function attempt(job: Job, delivery: SendableDelivery, before: Outcome) {
    // A silent endpoint would take the full timeout again.
    if (before === "silent" || job.stopping.aborted) return { made: null, outcome: before };
    const made = await send(parts, job, delivery);
    const silent = made.attempt.statusCode === null && made.attempt.durationMs >= SILENT_MS;
    return { made, outcome: silent ? ("silent" as const) : ("done" as const) };
  }

  return async (job) => {
    const { organisation } = job.work;
    const delivery = await take(organisation, job.work);
    if (!delivery) return "done";
    const { made, outcome } =
      delivery.attemptsMade > 0
        ? await attempt(job, delivery, "done")
        : await inTurn(`${delivery.endpoint.id} ${delivery.subject}`, (before) =>
            attempt(job, delivery, before?.outcome ?? "done"),
          );
    if (made) await record(organisation, { job, made });
    else await db.transaction(organisation, async (tx) => releaseWork(tx, job.work));
    return outcome;
  };
}

/** Makes one attempt, signed with the secrets that are valid now. */
async function send(
  { services, outbound, metrics, version }: WorkerParts,
  { work, ctx }: Job,
  delivery: SendableDelivery,
): Promise<FinishedAttempt> {
  const { endpoint } = delivery;
  const open = (sealed: string) =>
    services.secrets.open(sealed, { organisation: ctx.organisation.id, column: SECRET_COLUMN });
  const at = clockOf(ctx.organisation);
  const secrets = signingSecrets(
    {
      secret: open(endpoint.secretSealed),
      previousSecret: endpoint.previousSecretSealed && open(endpoint.previousSecretSealed),
      rotatedAt: endpoint.rotatedAt,
    },
    at,
  );
  const { eventId, eventType, body } = delivery;
  const timestamp = unixSeconds(machineNow());
  const result: PostResult = await outbound.post({
    url: endpoint.url,
    headers: deliveryHeaders({ eventId, eventType, timestamp, body, secrets, version }),
    body,
    allowLoopback: ctx.organisation.sandbox && ctx.loopbackWebhooks,
  });
  const { statusCode, durationMs, error, excerpt, retryAfterSeconds } = result;
  const outcome = outcomeOf(statusCode);
  metrics.observeDelivery({ outcome: OBSERVED[outcome], seconds: durationMs / 1000 });
  services.log.info(
    { organisation: ctx.organisation.id, delivery: work.subject, event: eventType, status: statusCode, ms: durationMs },
    "webhook",
  );
  return {
    work,
    delivery,
    attempt: { at: toTimestamp(at), statusCode, durationMs, error, responseExcerpt: excerpt },
    outcome,
    endedAt: clockOf(ctx.organisation),
    retryAfterSeconds,
  };
}

/**
 * Runs functions with the same key one after the other, in the order of the calls; each gets the result of the previous
 * one (null for the first, or after an error).
 */
export function createTurns<Answer>(): (
  key: string,
  go: (before: Answer | null) => Promise<Answer>,
) => Promise<Answer> {
  const last = new Map<string, Promise<Answer | null>>();
  return (key, go) => {
    const before = last.get(key) ?? Promise.resolve(null);
    const turn = before.then(go);
    const settled = turn.catch(() => null);
    last.set(key, settled);
    void settled.then(() => {
      if (last.get(key) === settled) last.delete(key);
    });
    return turn;
  };
}
