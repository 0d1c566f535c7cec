import { setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { ApiError, type ErrorCode, type Issue } from "../kernel/errors.ts";

/** A thread's answer to a job. */
export type Outcome<Result> = { readonly result: Result } | { readonly refusal: Refusal } | { readonly error: string };

/** An ApiError on its way between threads. */
interface Refusal {
  readonly code: string;
  readonly status: number;
  readonly message: string;
  readonly issues: readonly Issue[] | undefined;
  readonly headers: Record<string, string>;
}

const refusalOf = ({ code, status, message, issues, headers }: ApiError): Refusal => ({
  code,
  status,
  message,
  issues,
  headers: { ...headers },
});

/** The ApiError that was thrown in a thread. */
export const refusalFrom = ({ code, status, message, issues, headers }: Refusal): ApiError =>
  new ApiError(code as ErrorCode, status as ApiError["status"], message, { ...(issues ? { issues } : {}), headers });

/** Of the thread, on Linux; elsewhere of the process, so it is left there. Requests are served before what a thread does. */
const BEHIND_REQUESTS = 5;

/**
 * Runs in a thread of `openThread`: performs each job and answers its result, or the error that it threw. `given` are buffers of a result that the
 * thread gives away, so that they are not copied.
 */
export function serveJobs<Job, Result>(
  work: (job: Job) => Promise<Result>,
  given: (result: Result) => readonly ArrayBuffer[] = () => [],
): void {
  if (process.platform === "linux") setPriority(0, BEHIND_REQUESTS);
  parentPort?.on("message", async (job: Job) => {
    try {
      const result = await work(job);
      parentPort?.postMessage({ result }, [...given(result)]);
    } catch (error) {
      parentPort?.postMessage(outcomeOf(error));
    }
  });
}

const outcomeOf = (error: unknown): Outcome<never> => {
  if (error instanceof ApiError) return { refusal: refusalOf(error) };
  return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
};
