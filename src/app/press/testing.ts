import { serveJobs } from "../../platform/thread-jobs.ts";

/* A thread for tests: jobs that take what they may not. */

serveJobs(async (job: string): Promise<string> => {
  if (job === "throw") throw new Error("out of ink");
  const kept: number[][] = [];
  while (job === "loop");
  while (job === "fill") kept.push(Array.from({ length: 100_000 }, () => Math.random()));
  return job;
});
