import { Worker } from "node:worker_threads";
import { ApiError } from "../kernel/errors.ts";

/** Work that takes too long for the loop that serves everybody, done in a thread of its own. */
export interface Threads<Job, Result> {
  /**
   * One after the other. Throws 503 when too many wait, or when the job takes longer or more memory than it may: the thread is ended
   * then, and the next job gets a fresh one. Throws an Error with the message of what the job threw.
   */
  run(job: Job): Promise<Result>;
  close(): Promise<void>;
}

/** How a thread is bounded. */
export interface ThreadOptions {
  /** A module that calls `serveJobs`. */
  readonly script: URL;
  /** Of one job, from when it begins. */
  readonly timeoutMs: number;
  /** Of the heap. */
  readonly memoryMegabytes: number;
  /** Jobs that may wait beside the one that runs. */
  readonly waitingMax: number;
  /** A thread without work ends after this time, and gives its memory back. */
  readonly idleMs: number;
}

/** What a thread answers. */
type Outcome<Result> = { readonly result: Result } | { readonly error: string };

interface Waiting<Job, Result> {
  readonly job: Job;
  resolve(result: Result): void;
  reject(error: Error): void;
}

const overloaded = (message: string): ApiError =>
  new ApiError("service_unavailable", 503, message, { headers: { "Retry-After": "5" } });

/** Started with the first job. It keeps no process alive by itself. */
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
        end(error.code === "ERR_WORKER_OUT_OF_MEMORY" ? overloaded("This takes more memory than it may.") : error);
    });
    return started;
  }

  /** Ends the thread whatever it does; what waits goes on in a fresh one. */
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
          return reject(overloaded("Too much waits to be done at the moment. Try again shortly."));
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
