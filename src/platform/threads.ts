import { Worker } from "node:worker_threads";
import { ApiError } from "../kernel/errors.ts";
import { createFairQueue } from "./fair-queue.ts";
import { type Outcome, refusalFrom } from "./thread-jobs.ts";

/** Jobs that would block the event loop too long, done in a thread. */
export interface Threads<Job, Result> {
  /**
   * Performs jobs one after the other; owners take turns. Throws 429 or 503 when too many wait (`createFairQueue`), and 503 when the job exceeds
   * its time or memory: then the thread is ended and the next job gets a new one. When the job throws, throws an ApiError as it is, anything
   * else as an Error with its message. Bytes are copied to the thread.
   */
  run(owner: string, job: Job): Promise<Result>;
  close(): Promise<void>;
}

/** Limits of a thread. */
export interface ThreadOptions {
  /** A module that calls `serveJobs`. */
  readonly script: URL;
  /** What its jobs are, in the plural, for messages. */
  readonly what: string;
  /** Longest time of one job, from its start. */
  readonly timeoutMs: number;
  /** What a caller is told whose job took longer. */
  readonly tooLong: string;
  /** Largest heap of the thread. */
  readonly memoryMegabytes: number;
  /** Jobs that may wait beside the one that runs, and of these of one owner. */
  readonly waiting: number;
  readonly waitingOfOne: number;
  /** A thread without jobs ends after this time, which frees its memory. */
  readonly idleMs: number;
}

interface Running<Result> {
  resolve(result: Result): void;
  reject(error: Error): void;
}

const overloaded = (message: string): ApiError =>
  new ApiError("service_unavailable", 503, message, { headers: { "retry-after": "5" } });

/** The thread starts with the first job. It does not keep the process running. */
export function openThread<Job, Result>(options: ThreadOptions): Threads<Job, Result> {
  const queue = createFairQueue({ ...options, together: 1, togetherOfOne: 1, waitMs: null });
  let current: Running<Result> | null = null;
  let worker: Worker | null = null;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  const perform = (job: Job): Promise<Result> =>
    new Promise((resolve, reject) => {
      if (closed) return reject(new Error("closed"));
      clearTimeout(timer);
      current = { resolve, reject };
      worker ??= start();
      worker.ref();
      worker.postMessage(job);
      timer = setTimeout(() => end(overloaded(options.tooLong)), options.timeoutMs);
    });

  /** The job has ended. A job that waits begins before the thread ends for want of one. */
  function rest(): void {
    clearTimeout(timer);
    current = null;
    worker?.unref();
    timer = setTimeout(() => end(null), options.idleMs).unref();
  }

  function start(): Worker {
    const started = new Worker(options.script, {
      resourceLimits: { maxOldGenerationSizeMb: options.memoryMegabytes },
    });
    started.on("message", (outcome: Outcome<Result>) => {
      if (worker !== started || !current) return;
      const { resolve, reject } = current;
      rest();
      if ("result" in outcome) resolve(outcome.result);
      else reject("refusal" in outcome ? refusalFrom(outcome.refusal) : new Error(outcome.error));
    });
    started.on("error", (error: Error & { code?: string }) => {
      if (worker === started)
        end(error.code === "ERR_WORKER_OUT_OF_MEMORY" ? overloaded("This needs more memory than is allowed.") : error);
    });
    return started;
  }

  /** Ends the thread at once; the next job runs in a new one. */
  async function end(error: Error | null): Promise<void> {
    clearTimeout(timer);
    const [ended, failed] = [worker, current];
    worker = null;
    current = null;
    if (error) failed?.reject(error);
    await ended?.terminate();
  }

  return {
    run: (owner, job) => queue.run(owner, () => perform(job)),
    async close() {
      closed = true;
      await end(new Error("closed"));
    },
  };
}
