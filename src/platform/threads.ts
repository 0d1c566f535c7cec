import { fileURLToPath } from "node:url";
import { Piscina } from "piscina";
import { ApiError } from "../kernel/errors.ts";
import { createFairQueue } from "./fair-queue.ts";
import { type Outcome, refusalFrom } from "./thread-jobs.ts";

/** Jobs that would block the event loop too long, done in a thread. */
export interface Threads<Job, Result> {
  /**
   * Performs jobs one after the other; owners take turns. Throws 429 or 503 when too many wait (`createFairQueue`), and
   * 503 when the job exceeds its time or memory: then the thread is ended and the next job gets a new one. When the job
   * throws, throws an ApiError as it is, anything else as an Error with its message. Bytes are copied to the thread.
   */
  run(owner: string, job: Job): Promise<Result>;
  close(): Promise<void>;
}

/** Limits of a thread. */
export interface ThreadOptions {
  /** A module that exports `perform`, made by `jobs`. */
  readonly script: URL;
  /** What its jobs are, in the plural, for messages. */
  readonly what: string;
  /** Longest time of one job, from its start. */
  readonly timeoutMs: number;
  /** What a caller is told whose job took longer. */
  readonly tooLong: string;
  /** Largest heap of the thread. */
  readonly memoryMegabytes: number;
  /** How many jobs may wait while one runs, in all and for one owner. */
  readonly waiting: number;
  readonly waitingOfOne: number;
  /** A thread without jobs ends after this time, which frees its memory. */
  readonly idleMs: number;
}

/** Requests are served before what a thread does. Elsewhere than on Linux the priority is the whole process's, so it is left there. */
const BEHIND_REQUESTS = process.platform === "linux" ? 5 : 0;

const overloaded = (message: string): ApiError =>
  new ApiError("service_unavailable", 503, message, { headers: { "retry-after": "5" } });

/** The thread starts with the first job. It does not keep the process running. */
export function openThread<Job, Result>(options: ThreadOptions): Threads<Job, Result> {
  const queue = createFairQueue({ ...options, together: 1, togetherOfOne: 1, waitMs: null });
  const thread = new Piscina<Job, Outcome<Result>>({
    filename: fileURLToPath(options.script),
    name: "perform",
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: options.idleMs,
    resourceLimits: { maxOldGenerationSizeMb: options.memoryMegabytes },
    niceIncrement: BEHIND_REQUESTS,
    // The thread would sleep between jobs, and with it what it has begun, such as closing a connection.
    atomics: "disabled",
  });

  async function perform(job: Job): Promise<Result> {
    const signal = AbortSignal.timeout(options.timeoutMs);
    const outcome = await thread.run(job, { signal }).catch((error: Error & { code?: string }) => {
      if (signal.aborted) throw overloaded(options.tooLong);
      if (error.code === "ERR_WORKER_OUT_OF_MEMORY") throw overloaded("This needs more memory than is allowed.");
      throw error;
    });
    if ("refusal" in outcome) throw refusalFrom(outcome.refusal);
    return outcome.result;
  }

  return {
    run: (owner, job) => queue.run(owner, () => perform(job)),
    close: () => thread.destroy(),
  };
}
