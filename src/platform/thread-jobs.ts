import { move, transferableSymbol, valueSymbol } from "piscina";
import { ApiError, type ErrorCode, type Issue } from "../kernel/errors.ts";

/** A thread's answer to a job. */
export type Outcome<Result> = { readonly result: Result } | { readonly refusal: Refusal };

/** An ApiError on its way between threads: only the message of an Error arrives there. */
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

/**
 * `perform` of a script for `openThread`: performs a job and answers its result, or the error that it threw. `given` are buffers of a
 * result that the thread gives away, so that they are not copied.
 */
export const jobs =
  <Job, Result>(
    work: (job: Job) => Promise<Result>,
    given: (result: Result) => readonly ArrayBuffer[] = () => [],
  ): ((job: Job) => Promise<unknown>) =>
  async (job) => {
    try {
      const result = await work(job);
      const outcome: Outcome<Result> = { result };
      return move({ [transferableSymbol]: [...given(result)], [valueSymbol]: outcome });
    } catch (error) {
      if (error instanceof ApiError) return { refusal: refusalOf(error) };
      throw error;
    }
  };
