import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { BenchServer } from "./server.ts";

/** One process of the service, as `npm start` runs it. */
export interface Service {
  readonly port: number;
  readonly baseUrl: string;
  /** From the start of the process to the first 200 of /health/ready. */
  readonly startMs: number;
  /** A value of GET /metrics. */
  metric(name: string): Promise<number>;
  /** Sends SIGTERM; throws when the exit code is not 0. */
  stop(): Promise<void>;
}

/** The repository's root, where this version of the service is. */
export const ROOT = join(import.meta.dirname, "..");
const READY_SECONDS = 60;
const POLL_MS = 10;
/** Processes that are killed when this process ends. */
const running = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/**
 * Starts it with this environment over the bench's own; its log, at level info, is discarded. `root` is the version's folder.
 * Throws with its stderr output.
 */
export async function startService(
  server: BenchServer,
  environment: Readonly<Record<string, string>>,
  root = ROOT,
): Promise<Service> {
  const port = await freePort();
  const began = performance.now();
  const child = spawn(process.execPath, startArguments(root), {
    cwd: root,
    env: {
      PATH: process.env["PATH"],
      HOME: process.env["HOME"],
      PORT: String(port),
      SECRET_KEY: server.secretKey,
      LOOPBACK_WEBHOOKS: "1",
      IP_RATE_LIMIT: "100000000",
      DEMO: "0",
      LOG_LEVEL: "info",
      ...environment,
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  running.add(child);
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(-4000);
  });
  const fail = (what: string) => new Error(`The service ${what}. It said:\n${said}`);
  const ended = once(child, "exit").finally(() => running.delete(child));
  await untilReady(port, () => child.exitCode !== null || child.signalCode !== null, fail);
  return {
    port,
    baseUrl: `http://localhost:${port}`,
    startMs: performance.now() - began,
    metric: (name) => readMetric(port, name),
    async stop() {
      child.kill("SIGTERM");
      await ended;
      if (child.exitCode !== 0) throw fail(`ended with ${child.exitCode ?? child.signalCode}`);
    },
  };
}

/** Node's arguments of `npm start`, so that the bench measures the same program. */
function startArguments(root: string): string[] {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: { start: string } };
  const [exec, node, ...rest] = scripts.start.split(" ");
  if (exec !== "exec" || node !== "node") throw new Error(`npm start is ${scripts.start}, which the bench cannot read`);
  return rest;
}

async function untilReady(port: number, hasEnded: () => boolean, fail: (what: string) => Error): Promise<void> {
  const giveUpAt = performance.now() + READY_SECONDS * 1000;
  for (;;) {
    const response = await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => null);
    await response?.body?.cancel();
    if (response?.ok) return;
    if (hasEnded()) throw fail("ended before it was ready");
    if (performance.now() > giveUpAt) throw fail(`was not ready within ${READY_SECONDS} s`);
    await sleep(POLL_MS);
  }
}

async function readMetric(port: number, name: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const value = new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, "m").exec(text)?.[1];
  if (value === undefined) throw new Error(`GET /metrics has no ${name}`);
  return Number(value);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no free port");
  return address.port;
}
