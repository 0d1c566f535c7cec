import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { TEMPORARY } from "./temporary.ts";

const ROOT = join(import.meta.dirname, "../..");
/** A busy machine may stand still for a minute. */
const PATIENCE_MS = 180_000;
/** Variables that a process gets in addition to the test's. NODE_COMPILE_CACHE shares compiled code. */
const INHERITED = {
  PATH: process.env["PATH"],
  NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
  CHECK_LOCKS: "fail",
};

/** The part of a test context that clean-up needs. */
export interface Test {
  after(run: () => unknown): void;
}

const undone = new WeakMap<Test, (() => Promise<unknown>)[]>();

/** Runs `undo` at the end of the test, the last one first, so that a process ends before its folder is removed. */
function atEnd(t: Test, undo: () => Promise<unknown>): void {
  const known = undone.get(t);
  if (known) known.push(undo);
  else {
    const undos = [undo];
    undone.set(t, undos);
    t.after(async () => {
      for (const one of undos.toReversed()) await one();
    });
  }
}

/** Creates a temporary folder that is removed at the end of the test. */
export async function temporaryFolder(t: Test): Promise<string> {
  const path = await mkdtemp(join(TEMPORARY, "tefo-test-data-"));
  atEnd(t, () => rm(path, { recursive: true, force: true, maxRetries: 20 }));
  return path;
}

/** Polls until `holds` answers true; fails after three minutes. */
export async function eventually(what: string, holds: () => Promise<boolean>): Promise<void> {
  const until = performance.now() + PATIENCE_MS;
  while (!(await holds())) {
    assert.ok(performance.now() < until, `never: ${what}`);
    await sleep(50);
  }
}

/** A running process. */
export interface Running {
  readonly child: ChildProcess;
  /** What it has written to stdout and stderr. */
  output(): string;
  /** Resolves once the output matches; fails when the process ends first. */
  says(pattern: RegExp): Promise<RegExpExecArray>;
  /** The exit code, or the signal that ended it. */
  ended(): Promise<number | NodeJS.Signals>;
}

/** Starts the service with this environment only; it is stopped at the end of the test. */
export const serve = (t: Test, environment: Readonly<Record<string, string>>): Running =>
  running(t, environment, "src/bin/serve.ts");

/** A variable of the tests: the folder whose code runs, in place of this tree, such as a release's. */
export const CODE_FOLDER = "TEST_CODE_FOLDER";
const codeFolder = (environment: Readonly<Record<string, string>>): string => environment[CODE_FOLDER] ?? ROOT;

/** Starts a program of `src/bin` with this environment only; it is stopped at the end of the test. */
export function running(t: Test, environment: Readonly<Record<string, string>>, ...args: string[]): Running {
  const child = spawn(process.execPath, args, {
    cwd: codeFolder(environment),
    env: { ...INHERITED, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
    });
  const exit = once(child, "close").then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals);
  atEnd(t, async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
    const timer = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
    await exit.finally(() => clearTimeout(timer));
  });
  return {
    child,
    output: () => output,
    ended: () => exit,
    async says(pattern) {
      const until = performance.now() + PATIENCE_MS;
      for (;;) {
        const match = pattern.exec(output);
        if (match) return match;
        assert.equal(child.exitCode, null, `ended before it said ${pattern}:\n${output}`);
        assert.ok(performance.now() < until, `never said ${pattern}:\n${output}`);
        await sleep(20);
      }
    },
  };
}

/** The result of a command line. */
export interface Result {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** Stdout parsed as JSON. */
  json<T>(): T;
}

/** Runs the operator's command line in a process with this environment only. */
export async function tefo(environment: Readonly<Record<string, string>>, ...args: string[]): Promise<Result> {
  const child = spawn(process.execPath, ["src/bin/tefo.ts", ...args], {
    cwd: codeFolder(environment),
    env: { ...INHERITED, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  return { code: Number(code), out, err, json: <T>() => JSON.parse(out) as T };
}

/** Sends POST requests to the dashboard's API and keeps its cookies. Fails when a request is refused. */
export function dashboardCaller(baseUrl: string): (path: string, body: unknown) => Promise<unknown> {
  let cookie = "";
  return async (path, body) => {
    const response = await fetch(`${baseUrl}/dashboard/api${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", cookie },
      body: JSON.stringify(body),
    });
    const answer = await response.text();
    assert.ok(response.ok, `${path}: ${response.status} ${answer}`);
    const given = response.headers.getSetCookie().map((one) => one.split(";")[0]);
    if (given.length > 0) cookie = given.join("; ");
    return JSON.parse(answer);
  };
}

/** A TCP connection that a test writes to and reads from directly. */
export interface HandConnection {
  readonly socket: Socket;
  reads(pattern: RegExp): Promise<string>;
  /** Whether the server has closed it. */
  ended(): boolean;
}

/** Connects to a port of this machine. */
export async function connectByHand(port: number): Promise<HandConnection> {
  const socket = connect(port, "127.0.0.1");
  let received = "";
  let ended = false;
  socket.setEncoding("utf8").on("data", (chunk: string) => {
    received += chunk;
  });
  socket.on("error", () => {});
  socket.on("end", () => {
    ended = true;
  });
  await once(socket, "connect");
  return {
    socket,
    ended: () => ended,
    async reads(pattern) {
      await eventually(`an answer like ${pattern}`, async () => pattern.test(received));
      return received;
    },
  };
}
