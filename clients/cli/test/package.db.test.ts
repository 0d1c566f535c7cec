import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { temporaryFolder } from "../../../test/support/processes.ts";
import { ROOT } from "../../../test/support/source.ts";

const PACKAGE = join(ROOT, "clients/cli");
const start = promisify(execFile);

test("the built package runs alone, and completes what bash asks", async (t) => {
  const folder = await temporaryFolder(t);
  const tsc = join(ROOT, "node_modules/.bin/tsc");
  await start(tsc, ["--project", join(PACKAGE, "tsconfig.json"), "--outDir", join(folder, "dist")]);
  cpSync(join(PACKAGE, "package.json"), join(folder, "package.json"));
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Record<string, unknown>;
  assert.deepEqual([manifest["dependencies"], manifest["peerDependencies"]], [undefined, undefined]);
  const service = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as Record<string, unknown>;
  assert.equal(manifest["version"], service["version"]);
  const program = join(folder, (manifest["bin"] as { tefo: string }).tefo);
  const run = (...words: string[]) => start(process.execPath, [program, ...words], { env: { HOME: folder } });
  assert.equal((await run("--version")).stdout, `${manifest["version"]}\n`);
  assert.match((await run("--help")).stdout, /tefo listen --forward-to URL/);
  await assert.rejects(run("nonsense"), { code: 2 });
  for (const shell of ["bash", "zsh", "fish", "powershell"])
    assert.match((await run("completion", shell)).stdout, /trigger/, shell);
  const asks = (words: string, at: number) =>
    `source <(printf '%s' "$COMPLETION"); COMP_WORDS=(${words}); COMP_CWORD=${at}; _tefo; echo "\${COMPREPLY[*]}"`;
  const env = { COMPLETION: (await run("completion", "bash")).stdout, PATH: process.env["PATH"] };
  const completed = async (words: string, at: number) =>
    (await start("bash", ["-c", asks(words, at)], { env })).stdout.trim();
  assert.equal(await completed("tefo cl", 1), "clock");
  assert.equal(await completed("tefo clock fo", 2), "forward");
  assert.equal(
    await completed("tefo trigger invoice.p", 2),
    "invoice.partially_paid invoice.paid invoice.payment_undone",
  );
});
