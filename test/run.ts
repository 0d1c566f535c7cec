import { mkdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, relative } from "node:path";
import { run } from "node:test";
import { ensureDashboard } from "../src/app/dashboard-build.ts";
import { BROWSER_VARIABLE, startBrowserServer, usesBrowser } from "./support/browser.ts";
import { CACHE } from "./support/cache.ts";
import { SERVER_VARIABLE, startTestServer } from "./support/postgres.ts";
import report from "./support/reporter.ts";
import { ROOT } from "./support/source.ts";
import { allTestFiles, changedTestFiles, keepDurations, needWebApp, slowestFirst } from "./support/test-files.ts";

/*
 * npm test [-- part-of-a-path …]: every test, on one PostgreSQL and in one browser that are started and stopped here.
 * npm test -- --changed: those that the working tree's changes touch. Ends with node's own closing lines.
 */

/** Stops a run that hangs; long enough for a busy machine, where all of them take three times as long as on a quiet one. */
const RUN_MINUTES_MAX = 82;
/** Stops a test that hangs; a busy machine may take minutes for the longest. */
const TEST_TIMEOUT_MS = 600_000;
/** One more file than there are cores, since some wait for time to pass. */
const AT_ONCE = availableParallelism() + 1;

/**
 * Megabytes of new objects between two collections. A file of tests runs for seconds, in which Node would begin with 1
 * MB and collect often: an eighth of the processor's time.
 */
const NEW_OBJECTS_MB = 32;

/** The test files that the command line asks for. */
function chosenFiles(words: readonly string[]): string[] {
  const parts = words.filter((word) => word !== "--changed");
  const files = words.includes("--changed") ? changedTestFiles() : allTestFiles();
  return parts.length === 0 ? files : files.filter((file) => parts.some((part) => file.includes(part)));
}

/** Runs the files. Answers whether all tests passed. */
async function runTests(files: readonly string[], env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<boolean> {
  const took: Record<string, number> = {};
  let success = false;
  const events = run({
    files: slowestFirst(files).map((file) => join(ROOT, file)),
    cwd: ROOT,
    env,
    concurrency: AT_ONCE,
    execArgv: [
      `--test-timeout=${TEST_TIMEOUT_MS}`,
      `--min-semi-space-size=${NEW_OBJECTS_MB}`,
      `--max-semi-space-size=${NEW_OBJECTS_MB}`,
    ],
    signal,
  });
  events.on("test:summary", ({ file, duration_ms, success: ok }) => {
    if (file === undefined) success = ok;
    else if (ok) took[relative(ROOT, file)] = Math.round(duration_ms);
  });
  const text = events.compose(report) as AsyncIterable<string>;
  for await (const chunk of text) process.stdout.write(chunk);
  keepDurations(took);
  return success;
}

async function main(): Promise<boolean> {
  const words = process.argv.slice(2);
  const files = chosenFiles(words);
  if (files.length === 0) {
    console.error(
      words.includes("--changed") ? "No test is touched by what has changed." : "No test file has such a path.",
    );
    return words.includes("--changed");
  }
  const stopped = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => stopped.abort());
  const watchdog = setTimeout(() => {
    console.error(`The tests took more than ${RUN_MINUTES_MAX} minutes and were stopped.`);
    stopped.abort();
  }, RUN_MINUTES_MAX * 60_000);
  mkdirSync(CACHE, { recursive: true });
  await using open = new AsyncDisposableStack();
  open.defer(async () => clearTimeout(watchdog));
  if (needWebApp(files)) await ensureDashboard({ error: (facts) => console.error(facts) });
  const server = await startTestServer();
  open.defer(server.stop);
  const browser = files.some(usesBrowser) ? await startBrowserServer() : null;
  if (browser) open.defer(browser.stop);
  const env = {
    ...process.env,
    NODE_COMPILE_CACHE: join(CACHE, "node"),
    [SERVER_VARIABLE]: server.url,
    ...(browser ? { [BROWSER_VARIABLE]: browser.url } : {}),
  };
  return !stopped.signal.aborted && (await runTests(files, env, stopped.signal));
}

try {
  process.exitCode = (await main()) ? 0 : 1;
} catch (error) {
  console.error(`The tests cannot run: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
