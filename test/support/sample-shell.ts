import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { eventually, type Test, temporaryFolder } from "./processes.ts";
import { ROOT } from "./source.ts";

/** What a command printed, and its exit code. */
export interface Ran {
  readonly code: number;
  readonly printed: string;
}

/** The terminals of a reader in a folder of their own: variables go on from one command to the next. */
export interface Shell {
  readonly folder: string;
  /** Runs commands until one fails. `typed` is what stdin holds. */
  run(commands: string, typed?: string): Promise<Ran>;
  /** Starts commands in another terminal; they run when they print something, or serve the port. */
  start(commands: string, port: number): Promise<void>;
  isRunning(): boolean;
  /** Ends what was started. */
  stop(): Promise<void>;
  /** The bodies of answers to curl since the last call. */
  answers(): string[];
  /** All that was printed so far. */
  printed(): string;
  /** Adds what a reader saw elsewhere. */
  note(text: string): void;
}

/** curl as the reader's, which also keeps the answer's body and fails when it is a refusal. */
const CURL = `#!/bin/bash
PATH=\${PATH#*:}
body=$(mktemp "$SAMPLE_STATE/body.XXXXXX")
curl --fail-with-body -w '%{stderr}HTTP %{http_code}\\n' "$@" > "$body"
code=$?
{ cat "$body"; printf '\\036'; } >> "$SAMPLE_STATE/answers"
cat "$body"
exit $code
`;

/** npm of a checkout of the service, which is installed and runs already. */
const NPM = `#!/bin/bash
case "$1 $2" in
  "ci "|"install "*) ;;
  "start ") printf '%s' "$SAMPLE_WELCOME"; exec sleep infinity ;;
  "run tefo") shift 3; cd "$SAMPLE_ROOT" && exec node src/bin/tefo.ts "$@" ;;
  *) echo "npm $* is none of the samples' commands" >&2; exit 1 ;;
esac
`;
const CLI = `#!/bin/bash
exec node "$SAMPLE_ROOT/clients/cli/src/main.ts" "$@"
`;
const NPX = `#!/bin/bash
[ "$1" = @tefo/cli ] || exit 1
shift
exec tefo "$@"
`;

async function isServed(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  const [isOpen] = await Promise.race([
    once(socket, "connect").then(() => [true]),
    once(socket, "close").then(() => [false]),
  ]).catch(() => [false]);
  socket.destroy();
  return isOpen === true;
}

interface Place {
  /** Holds variables and answers. */
  readonly state: string;
  /** Where commands run. */
  readonly folder: string;
  /** Programs that stand for the reader's. */
  readonly bin: string;
}

const spawnBash = ({ state, folder, bin }: Place, env: Readonly<Record<string, string>>, script: string) =>
  spawn("bash", ["-c", `set -aeo pipefail; . "$SAMPLE_STATE/variables"; cd "$SAMPLE_FOLDER"\n${script}`], {
    env: {
      PATH: `${bin}:${process.env["PATH"]}`,
      HOME: state,
      SAMPLE_STATE: state,
      SAMPLE_FOLDER: folder,
      SAMPLE_ROOT: ROOT,
      ...env,
    },
    stdio: ["pipe", "pipe", "pipe"],
    detached: true,
  });

/** The clients for TypeScript and PHP, as a project has them that has installed them. */
function installClients(folder: string): void {
  const client = join(folder, "node_modules/@tefo/client");
  mkdirSync(client, { recursive: true });
  writeFileSync(join(client, "package.json"), JSON.stringify({ type: "module", exports: "./index.js" }));
  writeFileSync(
    join(client, "index.js"),
    `export * from ${JSON.stringify(join(ROOT, "clients/typescript/src/index.ts"))};\n`,
  );
  mkdirSync(join(folder, "vendor"));
  writeFileSync(
    join(folder, "vendor/autoload.php"),
    `<?php require ${JSON.stringify(join(ROOT, "clients/php/autoload.php"))};\n`,
  );
}

/** A reader's folder, with the programs that stand for theirs. */
async function prepare(t: Test): Promise<Place> {
  const state = await temporaryFolder(t);
  const [folder, bin] = [join(state, "folder"), join(state, "bin")];
  for (const path of [bin, join(folder, "node_modules/.bin")]) mkdirSync(path, { recursive: true });
  for (const [name, text] of Object.entries({ curl: CURL, npm: NPM, npx: NPX, tefo: CLI })) {
    writeFileSync(join(bin, name), text);
    chmodSync(join(bin, name), 0o755);
  }
  for (const path of [join(bin, "node"), join(folder, "node_modules/.bin/node")]) symlinkSync(process.execPath, path);
  for (const name of ["variables", "answers"]) writeFileSync(join(state, name), "");
  installClients(folder);
  return { state, folder, bin };
}

/** Opens a shell whose variables are `env`; what it started is ended with the test. */
export async function openShell(t: Test, env: Readonly<Record<string, string>>): Promise<Shell> {
  const place = await prepare(t);
  const { state, folder } = place;
  let all = "";
  let writer: unknown = null;
  /** What several programs print at once stands on lines of their own. */
  const add = (text: string, by: unknown) => {
    all += by === writer || all.endsWith("\n") ? text : `\n${text}`;
    writer = by;
  };
  let answered = 0;
  const running: { child: ChildProcess; ended: Promise<unknown> }[] = [];
  const begin = (script: string) => {
    const child = spawnBash(place, env, script);
    // A command need not read what is typed.
    child.stdin.on("error", () => {});
    const own = { printed: "" };
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (chunk: string) => {
        own.printed += chunk;
        add(chunk, child);
      });
    return { child, own, ended: once(child, "close") };
  };
  const stop = async () => {
    for (const { child, ended } of running.splice(0)) {
      if (child.exitCode === null && child.pid) process.kill(-child.pid, "SIGTERM");
      await ended;
    }
  };
  t.after(stop);
  return {
    folder,
    stop,
    isRunning: () => running.length > 0,
    printed: () => all,
    note: (text) => add(text, null),
    answers() {
      const bodies = readFileSync(join(state, "answers"), "utf8").split("\u001e").slice(answered, -1);
      answered += bodies.length;
      return bodies;
    },
    async run(commands, typed = "") {
      const { child, own, ended } = begin(`${commands}\nexport -p > "$SAMPLE_STATE/variables"`);
      child.stdin.end(typed);
      const [code] = (await ended) as [number | null];
      return { code: code ?? -1, printed: own.printed };
    },
    async start(commands, port) {
      const { child, own, ended } = begin(commands);
      child.stdin.end();
      running.push({ child, ended });
      await eventually(`it runs: ${commands}`, async () => {
        assert.equal(child.exitCode, null, own.printed);
        return own.printed !== "" || (await isServed(port));
      });
    },
  };
}
