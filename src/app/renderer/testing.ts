import { serveJobs } from "../../platform/thread-jobs.ts";

/* A thread for tests: jobs that exceed their limits. */

serveJobs(async (job: string): Promise<string> => {
  if (job === "throw") throw new Error("the job fails");
  const kept: number[][] = [];
  while (job === "loop");
  while (job === "fill") kept.push(Array.from({ length: 100_000 }, () => Math.random()));
  return job;
});
