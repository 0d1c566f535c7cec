import { invalid } from "../../src/kernel/errors.ts";
import { jobs } from "../../src/platform/thread-jobs.ts";

/* A thread for tests: jobs that exceed their limits. */

/** Exceeds a limit, fails, or answers the job. */
export const perform = jobs(async (job: string): Promise<string> => {
  if (job === "throw") throw new Error("the job fails");
  if (job === "refuse") throw invalid("file: is empty", [{ code: "custom", path: ["file"], message: "is empty" }]);
  const kept: number[][] = [];
  while (job === "loop");
  while (job === "fill") kept.push(Array.from({ length: 100_000 }, () => Math.random()));
  return job;
});
