import { spawn } from "node:child_process";
import { globSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { findBrowser } from "./support/browser.ts";
import { SERVER_VARIABLE, startTestServer } from "./support/postgres.ts";

/*
 * npm test [-- part-of-a-path …]: every test, on one PostgreSQL that is started, migrated and stopped here.
 * Ends with node's own closing lines, and with its exit code.
 */

const ROOT = join(import.meta.dirname, "..");
/** A run that hangs ends; one on a busy machine does not. */
const RUN_MINUTES_MAX = 20;
const TEST_TIMEOUT_MS = 120_000;

/** All test files, or those whose path holds one of `wanted`. */
function testFiles(wanted: readonly string[]): string[] {
  const files = globSync(["src/**/*.test.ts", "test/**/*.test.ts", "scripts/**/*.test.ts", "bench/**/*.test.ts"], {
    cwd: ROOT,
  }).sort();
  return wanted.length === 0 ? files : files.filter((file) => wanted.some((part) => file.includes(part)));
}

/** Runs node's test runner to its end. Answers its exit code, or 1 when it was stopped or took too long. */
function runTests(files: readonly string[], env: NodeJS.ProcessEnv, stopped: AbortSignal): Promise<number> {
  const options = [
    "--test",
    "--test-reporter=./test/support/reporter.ts",
    `--test-timeout=${TEST_TIMEOUT_MS}`,
    `--test-concurrency=${availableParallelism()}`,
  ];
  const child = spawn(process.execPath, [...options, ...files], { cwd: ROOT, env, stdio: "inherit" });
  const end = () => child.kill("SIGTERM");
  stopped.addEventListener("abort", end);
  const watchdog = setTimeout(() => {
    console.error(`The tests took more than ${RUN_MINUTES_MAX} minutes and were stopped.`);
    end();
  }, RUN_MINUTES_MAX * 60_000);
  return new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => resolve(code ?? 1));
  }).finally(() => clearTimeout(watchdog));
}

async function main(): Promise<number> {
  const files = testFiles(process.argv.slice(2));
  if (files.length === 0) {
    console.error("No test file has such a path.");
    return 1;
  }
  const stopped = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => stopped.abort());
  await findBrowser(); // unpacked here, once, rather than in the first page test's time
  const server = await startTestServer();
  try {
    return stopped.signal.aborted
      ? 1
      : await runTests(files, { ...process.env, [SERVER_VARIABLE]: server.url }, stopped.signal);
  } finally {
    await server.stop();
  }
}

process.exitCode = await main();
