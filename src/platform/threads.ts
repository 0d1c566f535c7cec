import { Worker } from "node:worker_threads";
import { ApiError } from "../kernel/errors.ts";

/** Jobs that would block the event loop too long, done in a thread. */
export interface Threads<Job, Result> {
  /**
   * Performs jobs one after the other. Throws 503 when too many wait, or when the job exceeds its time or memory: then the thread is
   * ended and the next job gets a new one. When the job throws, throws an Error with its message.
   */
  run(job: Job): Promise<Result>;
  close(): Promise<void>;
}

/** Limits of a thread. */
export interface ThreadOptions {
  /** A module that calls `serveJobs`. */
  readonly script: URL;
  /** Longest time of one job, from its start. */
  readonly timeoutMs: number;
  /** Largest heap of the thread. */
  readonly memoryMegabytes: number;
  /** Jobs that may wait beside the one that runs. */
  readonly waitingMax: number;
  /** A thread without jobs ends after this time, which frees its memory. */
  readonly idleMs: number;
}

/** A thread's answer to a job. */
type Outcome<Result> = { readonly result: Result } | { readonly error: string };

interface Waiting<Job, Result> {
  readonly job: Job;
  resolve(result: Result): void;
  reject(error: Error): void;
}

const overloaded = (message: string): ApiError =>
  new ApiError("service_unavailable", 503, message, { headers: { "Retry-After": "5" } });

/** The thread starts with the first job. It does not keep the process running. */
export function openThread<Job, Result>(options: ThreadOptions): Threads<Job, Result> {
  const waiting: Waiting<Job, Result>[] = [];
  let current: Waiting<Job, Result> | null = null;
  let worker: Worker | null = null;
  let timer: NodeJS.Timeout | undefined;

  function next(): void {
    clearTimeout(timer);
    current = waiting.shift() ?? null;
    if (!current) {
      timer = setTimeout(() => end(null), options.idleMs).unref();
      worker?.unref();
      return;
    }
    worker ??= start();
    worker.ref();
    worker.postMessage(current.job);
    timer = setTimeout(
      () => end(overloaded("This takes too long at the moment. Try again shortly.")),
      options.timeoutMs,
    );
  }

  function start(): Worker {
    const started = new Worker(options.script, {
      resourceLimits: { maxOldGenerationSizeMb: options.memoryMegabytes },
    });
    started.on("message", (outcome: Outcome<Result>) => {
      if (worker !== started || !current) return;
      if ("result" in outcome) current.resolve(outcome.result);
      else current.reject(new Error(outcome.error));
      next();
    });
    started.on("error", (error: Error & { code?: string }) => {
      if (worker === started)
        end(error.code === "ERR_WORKER_OUT_OF_MEMORY" ? overloaded("This needs more memory than is allowed.") : error);
    });
    return started;
  }

  /** Ends the thread at once; waiting jobs run in a new one. */
  async function end(error: Error | null): Promise<void> {
    clearTimeout(timer);
    const [ended, failed] = [worker, current];
    worker = null;
    current = null;
    if (error) failed?.reject(error);
    if (waiting.length > 0) next();
    await ended?.terminate();
  }

  return {
    run: (job) =>
      new Promise((resolve, reject) => {
        if (waiting.length >= options.waitingMax)
          return reject(overloaded("Too many jobs are waiting at the moment. Try again shortly."));
        waiting.push({ job, resolve, reject });
        if (!current) next();
      }),
    async close() {
      const closed = new Error("closed");
      for (const { reject } of waiting.splice(0)) reject(closed);
      await end(closed);
    },
  };
}
