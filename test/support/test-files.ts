import { execFileSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { dirname as folderOf, join as pathOf } from "node:path/posix";
import { CACHE } from "./cache.ts";
import { ROOT, readSources, type Source } from "./source.ts";
import { importsOf } from "./tidy-imports.ts";

const DURATIONS = join(CACHE, "durations.json");
/** Tests that open the web app, which is built from all of `dashboard`. */
const OF_THE_DASHBOARD = /^test\/browser\/dashboard.*\.test\.ts$/;
/** Tests that read every file of the repository; they take seconds. */
const OF_THE_WHOLE = ["test/interface-docs.test.ts", "test/tidy.test.ts", "test/tidy-distributed.test.ts"];
/** Files that affect every test. */
const OF_EVERYTHING = /^(package(-lock)?\.json|tsconfig\.json|test\/run\.ts)$/;

/** The folders that hold code. */
const FOLDERS = ["src", "test", "scripts", "bench", "dashboard", "clients", "integrations"];

/** Every test file, sorted. Paths are relative to the root. */
export const allTestFiles = (): string[] =>
  globSync(
    FOLDERS.map((folder) => `${folder}/**/*.test.ts`),
    { cwd: ROOT },
  ).sort();

const git = (...args: string[]): string => execFileSync("git", args, { cwd: ROOT, encoding: "utf8", stdio: "pipe" });

/** Files that differ from where this branch left `main`, committed or not; on `main` itself those that are not committed. */
function changedFiles(): string[] {
  const base = (() => {
    try {
      return git("merge-base", "main", "HEAD").trim();
    } catch {
      return "HEAD"; // There is no branch main, as in a shallow clone.
    }
  })();
  const names = [
    git("diff", "--name-only", "--no-renames", base),
    git("ls-files", "--others", "--exclude-standard"),
  ].join("\n");
  return [...new Set(names.split("\n").filter(Boolean))].sort();
}

/**
 * The code files that a changed file affects directly: a code file affects itself, one of the web app what opens that
 * in a browser, a migration the code that applies migrations, and another file the code that names it, else the code of
 * the nearest folder above it. Null: all.
 */
function seedsOf(path: string, code: readonly Source[]): string[] | null {
  if (OF_EVERYTHING.test(path)) return null;
  if (path.startsWith("dashboard/"))
    return [path, ...code.map((source) => source.path).filter((one) => OF_THE_DASHBOARD.test(one))];
  if (path.endsWith(".ts")) return [path];
  if (path.startsWith("migrations/")) return ["src/platform/migrations.ts"];
  const name = path.split("/").at(-1) ?? path;
  const naming = code.filter(({ text }) => text.includes(name)).map((source) => source.path);
  if (!/^(src|test|scripts|bench)\//.test(path)) return naming;
  for (let folder = folderOf(path); folder !== "."; folder = folderOf(folder)) {
    const beside = code.filter((source) => folderOf(source.path) === folder).map((source) => source.path);
    if (beside.length > 0) return [...naming, ...beside];
  }
  return naming;
}

const PROGRAM = /"((?:src|scripts|bench)\/[\w./-]+\.ts)"/g;

/** Files of the repository that a file imports, or names as a program to start, such as "src/bin/serve.ts". */
const reachedBy = (source: Source): string[] => [
  ...importsOf(source).flatMap(({ target }) => target ?? []),
  ...[...source.text.matchAll(PROGRAM)].map(([, path = ""]) => path),
];

/** What opens pages, and the program that serves the web app; other tests run without the built one. */
const WITH_WEB_APP = new Set(["test/support/browser.ts", "src/app/serve.ts"]);

/** Samples in tests of rules name files that do not exist. */
const storedText = (path: string): string =>
  existsSync(join(ROOT, path)) ? readFileSync(join(ROOT, path), "utf8") : "";

/**
 * Whether one of these test files needs the built web app, by what it imports or starts, direct or indirect. It looks
 * for paths in the text: to parse a thousand files would take longer than the tests of one.
 */
export function needWebApp(tests: readonly string[], textOf = storedText): boolean {
  const reached = new Set(tests);
  for (const path of reached) {
    if (WITH_WEB_APP.has(path)) return true;
    const text = textOf(path);
    for (const [, to = ""] of text.matchAll(/"(\.{1,2}\/[\w./-]+\.ts)"/g)) reached.add(pathOf(folderOf(path), to));
    for (const [, to = ""] of text.matchAll(PROGRAM)) reached.add(to);
  }
  return false;
}

/** The test files that a change of `changed` affects by imports, direct or indirect. */
export function touchedTestFiles(
  changed: readonly string[],
  code: readonly Source[],
  tests: readonly string[],
): string[] {
  const importers = new Map<string, string[]>();
  for (const source of code)
    for (const path of reachedBy(source)) importers.set(path, [...(importers.get(path) ?? []), source.path]);
  const touched = new Set<string>();
  for (const path of changed) {
    const seeds = seedsOf(path, code);
    if (seeds === null) return [...tests];
    for (const seed of seeds) touched.add(seed);
  }
  for (const path of touched) for (const importer of importers.get(path) ?? []) touched.add(importer);
  return tests.filter((test) => touched.has(test) || (changed.length > 0 && OF_THE_WHOLE.includes(test)));
}

/** The test files that the changes of the working tree affect. */
export const changedTestFiles = (): string[] =>
  touchedTestFiles(changedFiles(), readSources(...FOLDERS), allTestFiles());

function durations(): Record<string, number> {
  try {
    return JSON.parse(readFileSync(DURATIONS, "utf8")) as Record<string, number>;
  } catch {
    return {};
  }
}

/**
 * Tests of the whole service, in a browser, over all gateways, with processes that are killed: the slowest, as long as
 * nothing is known.
 */
const OF_THE_SERVICE = /^test\/(gateways\/journeys|faults\/|browser\/|api\/)/;

/** Sorted by their last duration, the slowest first, so that no slow file runs alone at the end. Files without a duration come first. */
export function slowestFirst(files: readonly string[]): string[] {
  const known = durations();
  const took = (file: string) =>
    known[file] ?? (OF_THE_SERVICE.test(file) ? Number.POSITIVE_INFINITY : Number.MAX_VALUE);
  return files.toSorted((a, b) => (took(a) === took(b) ? 0 : took(b) - took(a)));
}

/** Keeps how long files took, in milliseconds, for `slowestFirst`. */
export function keepDurations(took: Readonly<Record<string, number>>): void {
  mkdirSync(dirname(DURATIONS), { recursive: true });
  writeFileSync(DURATIONS, `${JSON.stringify({ ...durations(), ...took }, null, 1)}\n`);
}
