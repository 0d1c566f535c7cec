import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { delimiter, join } from "node:path";

/*
 * npm run check: all checks of the code except the product's tests. One line per check, then the output of those that
 * failed; ends with 1 when any did. With `--map`: how tangled the house is (scripts/map.ts).
 */

const ROOT = join(import.meta.dirname, "..");
const BIN = join(ROOT, "node_modules", ".bin");

interface Check {
  readonly name: string;
  /** Run one after the other until one fails. */
  readonly commands: readonly (readonly string[])[];
}

const CHECKS: readonly Check[] = [
  {
    name: "types",
    commands: [
      ["tsc", "--noEmit", "--project", "."],
      ["tsc", "--noEmit", "--project", "dashboard"],
      ["tsc", "--noEmit", "--project", "clients/typescript"],
      ["tsc", "--noEmit", "--project", "clients/cli"],
    ],
  },
  {
    name: "lint and format",
    commands: [["biome", "ci", "--colors=off", "--error-on-warnings", "--max-diagnostics=50", "."]],
  },
  {
    name: "our own rules",
    commands: [
      [
        "node",
        "--test",
        "test/tidy.test.ts",
        "test/tidy-dashboard.test.ts",
        "test/tidy-distributed.test.ts",
        "test/interface-docs.test.ts",
        "test/house-map.test.ts",
      ],
    ],
  },
  { name: "dead code", commands: [["knip", "--no-progress"]] },
  { name: "generated files", commands: [["node", "scripts/rows.ts", "--check"]] },
  {
    name: "interface",
    commands: [
      ["node", "scripts/openapi.ts", "--check"],
      ["node", "scripts/dashboard-types.ts", "--check"],
      ["node", "scripts/interface.ts", "--check"],
      ["node", "clients/generator/main.ts", "--check"],
      ["node", "scripts/released.ts", "--check"],
      ["redocly", "lint", "--config", "redocly.yaml", "client", "dashboard"],
    ],
  },
];

interface Outcome {
  readonly name: string;
  readonly ok: boolean;
  readonly output: string;
}

/** Starts a program of node_modules/.bin; `node` is the one that runs this. Answers its exit code and all it wrote. */
function run([program = "", ...args]: readonly string[]): Promise<{ code: number; output: string }> {
  const env = {
    ...process.env,
    PATH: `${BIN}${delimiter}${process.env["PATH"] ?? ""}`,
    NO_COLOR: "1",
    REDOCLY_TELEMETRY: "off",
    REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
  };
  const child = spawn(program === "node" ? process.execPath : join(BIN, program), args, {
    cwd: ROOT,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  return new Promise((resolve) => {
    child.once("error", (error) => resolve({ code: 1, output: error.message }));
    child.once("close", (code) => resolve({ code: code ?? 1, output }));
  });
}

async function perform({ name, commands }: Check): Promise<Outcome> {
  const started = performance.now();
  let outcome: Outcome = { name, ok: true, output: "" };
  for (const command of commands) {
    const { code, output } = await run(command);
    if (code === 0) continue;
    outcome = { name, ok: false, output: `$ ${command.join(" ")}\n${output.trim()}` };
    break;
  }
  const seconds = Math.round((performance.now() - started) / 100) / 10;
  console.log(`${outcome.ok ? "✔" : "✖"} ${name} (${seconds} s)`);
  return outcome;
}

/** Packages that are not installed in the version in package.json, as after a change of it by others. */
function missingPackages(): string[] {
  const json = (path: string) => JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>;
  const wanted = json(join(ROOT, "package.json"));
  const versions: Record<string, string> = {
    ...(wanted["dependencies"] as object),
    ...(wanted["devDependencies"] as object),
  };
  return Object.entries(versions).flatMap(([name, version]) => {
    const path = join(ROOT, "node_modules", name, "package.json");
    // One that is part of this repository is there or not; its version is its folder.
    const isThere = existsSync(path) && (version.startsWith("file:") || json(path)["version"] === version);
    return isThere ? [] : [`${name} ${version}`];
  });
}

/** Runs all checks, as many at once as there are cores, two at most: some start a database or a compiler. */
async function performAll(): Promise<Outcome[]> {
  const waiting = [...CHECKS];
  const outcomes: Outcome[] = [];
  const work = async () => {
    for (let check = waiting.shift(); check; check = waiting.shift()) outcomes.push(await perform(check));
  };
  await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, work));
  return outcomes;
}

const missing = missingPackages();
if (missing.length > 0) {
  console.log(`Not installed as package.json says: ${missing.join(", ")}. Run: npm ci`);
  process.exit(1);
}
if (process.argv.includes("--map")) {
  const { output, code } = await run(["node", "scripts/map.ts", ...process.argv.slice(2)]);
  process.stdout.write(output);
  process.exit(code);
}
const failed = (await performAll()).filter(({ ok }) => !ok);
for (const { name, output } of failed) console.log(`\n── ${name}\n${output}`);
console.log(failed.length === 0 ? "\nAll checks passed." : `\nFailed: ${failed.map(({ name }) => name).join(", ")}.`);
process.exitCode = failed.length === 0 ? 0 : 1;
