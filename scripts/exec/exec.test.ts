import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const ROOT = join(import.meta.dirname, "../..");

test("exec runs the program with its words, and ends as it ends", () => {
  const program = "console.log(process.argv.slice(1).join());process.exit(7)";
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(import.meta.dirname, "exec.cjs"), "node", "-e", program.replaceAll(" ", ""), "a b", "c"],
    { encoding: "utf8" },
  );
  assert.deepEqual([status, stdout, stderr], [7, "a b,c\n", ""]);
});

test("npm installs it as exec, which cmd.exe of Windows lacks, and the scripts need no other word of a shell", () => {
  const portable = (script: string) =>
    script.split(" && ").every((command) => /^(exec )?(node|biome) [\w ./=-]+$/.test(command));
  assert.deepEqual(["A=1 node a.ts", "node a.ts; node b.ts", "exec rm -r $HOME"].filter(portable), []);
  const { scripts, dependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  assert.deepEqual(
    Object.values<string>(scripts).filter((script) => !portable(script)),
    [],
  );
  assert.equal(dependencies["exec-on-windows"], "file:scripts/exec");
  assert.equal(
    JSON.parse(readFileSync(join(ROOT, "node_modules/exec-on-windows/package.json"), "utf8")).bin.exec,
    "exec.cjs",
  );
});
