import { contextFor, SYSTEM } from "../flows/context.ts";
import type { Services } from "../flows/services.ts";
import { truncate } from "../kernel/text.ts";
import type { Organisation } from "../modules/organisations/types.ts";
import { LeaseLost, parkWork, retryLater, type Work } from "../platform/due-work.ts";
import { traced } from "../platform/tracing.ts";
import type { Handlers, Outcome } from "./job.ts";

/** Twelve attempts with eleven waits, doubling from two seconds: more than an hour in all. */
export const ATTEMPTS_MAX = 12;
const ERROR_MAX = 500;

/** Everything that `perform` needs. */
export interface JobParts {
  readonly services: Omit<Services, "gatewayHttp" | "gatewayUrl" | "gatewaySources" | "runDue">;
  readonly handlers: Handlers;
  readonly stopping: AbortSignal;
  /** Seconds of machine time after the n-th failed attempt. */
  backOff(attempt: number): number;
  /** Whether failed work stays leased while it waits, because a move of the clock waits for it. */
  readonly keepsFailed: boolean;
}

/** Two seconds after the first failure, then twice as long each time, up to an hour. */
export const exponentialBackOff = (attempt: number): number => Math.min(3600, 2 ** attempt) * (1 + Math.random() / 5);

/**
 * Runs a leased piece of work through its handler. Never throws: a failed job is retried later, and parked after
 * `ATTEMPTS_MAX` with its error (docs/architecture.md, Due work).
 */
export async function perform(by: JobParts, work: Work, organisation: Organisation): Promise<Outcome> {
  try {
    // It was started `ATTEMPTS_MAX` times without an end: each process that started it has died.
    if (work.attempt > ATTEMPTS_MAX) throw new Error("Every process that began this work ended before it was done.");
    const handler = by.handlers.get(work.kind)?.handle;
    if (!handler) throw new Error(`This version has no handler for ${work.kind}.`);
    const about = {
      "tefo.organisation": work.organisation,
      "tefo.subject": work.subject,
      "tefo.attempt": work.attempt,
    };
    return await traced(work.kind, about, () =>
      handler({ work, ctx: contextFor(by.services, organisation, SYSTEM), stopping: by.stopping }),
    );
  } catch (error) {
    const about = { organisation: work.organisation, kind: work.kind, subject: work.subject, attempt: work.attempt };
    if (error instanceof LeaseLost) {
      by.services.log.warn(about, "the lease of this work was lost");
      return "done";
    }
    by.services.log.error({ ...about, err: error }, "work failed");
    await recordFailure(by, work, error).catch((cause: unknown) =>
      by.services.log.error({ ...about, err: cause }, "the failure was not recorded; the lease will run out"),
    );
    return "done";
  }
}

async function recordFailure(by: JobParts, work: Work, error: unknown): Promise<void> {
  const text = truncate(error instanceof Error ? error.message : String(error), ERROR_MAX)
    .replaceAll("\0", "")
    .toWellFormed();
  await by.services.db.transaction(work.organisation, async (tx) => {
    if (work.attempt >= ATTEMPTS_MAX) parkWork(tx, work, text);
    else retryLater(tx, work, by.backOff(work.attempt), text, by.keepsFailed);
  });
}
