import { parentPort } from "node:worker_threads";

/** Runs in a thread of `openThread`: performs each job and answers its result, or the message of the error that it threw. */
export function serveJobs<Job, Result>(work: (job: Job) => Promise<Result>): void {
  parentPort?.on("message", async (job: Job) => {
    try {
      parentPort?.postMessage({ result: await work(job) });
    } catch (error) {
      parentPort?.postMessage({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  });
}
