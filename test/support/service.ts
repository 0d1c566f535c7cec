import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";

const ROOT = join(import.meta.dirname, "../..");

/** The environment of a service under test: no demo, high rate limits, no log. */
export type Environment = Readonly<Record<string, string>>;

/** A TCP port that nothing listens on just now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

const environmentOf = (given: Environment): NodeJS.ProcessEnv => ({
  PATH: process.env["PATH"],
  HOME: process.env["HOME"],
  NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
  CHECK_LOCKS: "fail",
  DEMO: "0",
  IP_RATE_LIMIT: "100000000",
  LOG_LEVEL: "warn",
  ...given,
});

/** Starts `npm start`'s process; the caller waits for `ready`. Its output is kept for the message of a failing test. */
export function startService(environment: Environment): { process: ChildProcess; output(): string } {
  const child = spawn(process.execPath, ["src/bin/serve.ts"], {
    cwd: ROOT,
    env: environmentOf(environment),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      output = (output + chunk).slice(-20_000);
    });
  return { process: child, output: () => output };
}

/** Resolves when `/health/ready` answers 200; false when it does not within `seconds`. */
export async function ready(port: number, seconds: number): Promise<boolean> {
  const until = performance.now() + seconds * 1000;
  while (performance.now() < until) {
    const response = await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => null);
    if (response?.status === 200) return true;
    await sleep(50);
  }
  return false;
}

/** Runs the operator's command line with `--json`; answers its document and exit code. */
export async function tefo(environment: Environment, ...args: string[]): Promise<{ code: number; json: unknown }> {
  const child = spawn(process.execPath, ["src/bin/tefo.ts", ...args, "--json"], {
    cwd: ROOT,
    env: environmentOf(environment),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  try {
    return { code: Number(code), json: JSON.parse(out) };
  } catch {
    throw new Error(`tefo ${args.join(" ")} printed no JSON document:\n${out}\n${err}`);
  }
}
