import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";

/** Runs a file behind the guard, in a copy of the tree that holds no more than these. Answers the exit code and what was written. */
function runGuarded(t: TestContext, { installed, preload = "" }: { installed: boolean; preload?: string }) {
  const root = mkdtempSync(join(tmpdir(), "tefo-test-guard-"));
  t.after(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, "scripts"));
  for (const name of ["guard.cjs", "types.cjs"]) cpSync(join(import.meta.dirname, name), join(root, "scripts", name));
  if (installed) {
    mkdirSync(join(root, "node_modules"));
    writeFileSync(join(root, "node_modules/.package-lock.json"), "{}");
  }
  writeFileSync(join(root, "preload.cjs"), preload);
  writeFileSync(join(root, "main.cjs"), 'console.log("ran");');
  const args = ["--require", "./preload.cjs", "--require", "./scripts/guard.cjs", "main.cjs"];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" });
  return { status, stdout, stderr };
}

test("with all in place the program runs", (t) => {
  assert.deepEqual(runGuarded(t, { installed: true }), { status: 0, stdout: "ran\n", stderr: "" });
});

test("without packages one line says what to run", (t) => {
  const { status, stdout, stderr } = runGuarded(t, { installed: false });
  assert.deepEqual([status, stdout, stderr], [1, "", "Nothing is installed yet. Run: npm ci\n"]);
});

test("in an older Node one line says which is needed", (t) => {
  const preload = 'Object.defineProperty(process, "versions", { value: { node: "20.20.2" } });';
  const { status, stdout, stderr } = runGuarded(t, { installed: true, preload });
  assert.deepEqual([status, stdout, stderr.trimEnd().split("\n").length], [1, "", 1]);
  assert.match(
    stderr,
    /^This needs Node 26; it runs in \S+\. Run npm ci, .*after npm ci --omit=dev, install Node 26 on this machine\.\n$/,
  );
});
