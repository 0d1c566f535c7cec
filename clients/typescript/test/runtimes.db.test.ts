import assert from "node:assert/strict";
import { execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { freePort } from "../../../src/app/listen.ts";
import { type ApiMerchant, openApi, type TestApi } from "../../../test/support/api.ts";
import { eventually, type Test, temporaryFolder } from "../../../test/support/processes.ts";
import { ROOT } from "../../../test/support/source.ts";

/*
 * The built package in other runtimes than Node: those that this machine has on its PATH.
 */

const start = promisify(execFile);
const has = (program: string): boolean => spawnSync(program, ["--version"]).status === 0;

let api: TestApi;
let shop: ApiMerchant;
before(async () => {
  api = await openApi({ PROCESS: "all" });
  shop = await api.addMerchant();
  await shop.addGateway();
});
after(() => api.close());

/** A folder with the package as an ES module, the check, and `main.mjs`, which runs it. */
async function folderOf(t: Test, name: string): Promise<string> {
  const folder = await temporaryFolder(t);
  const tsc = join(ROOT, "node_modules/.bin/tsc");
  const config = join(ROOT, "clients/typescript/tsconfig.json");
  await start(tsc, ["--project", config, "--outDir", join(folder, "esm"), "--declaration", "false"]);
  cpSync(join(import.meta.dirname, "runtime-check.mjs"), join(folder, "check.mjs"));
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  const given = JSON.stringify({ apiKey: shop.key, baseUrl: api.baseUrl, name });
  writeFileSync(join(folder, "shop.mjs"), `export const shop = ${given};\n`);
  writeFileSync(
    join(folder, "main.mjs"),
    'import { check } from "./check.mjs";\nimport { shop } from "./shop.mjs";\nconsole.log(await check(shop));\n',
  );
  return folder;
}

const EXPECTED = "everything works\n";

describe("the client", () => {
  for (const [name, program, args] of [
    ["Node", process.execPath, []],
    ["Deno", "deno", ["run", "--quiet", "--no-lock", "--allow-net"]],
    ["Bun", "bun", ["run"]],
  ] as const)
    test(`runs in ${name}`, async (t) => {
      if (!has(program)) return t.diagnostic(`left out: this machine has no ${program}`);
      const folder = await folderOf(t, `runtime-${name.toLowerCase()}`);
      const env = { PATH: process.env["PATH"], HOME: folder, NO_COLOR: "1" };
      const { stdout } = await start(program, [...args, "main.mjs"], { cwd: folder, env });
      assert.equal(stdout, EXPECTED);
    });

  test("runs in a worker", async (t) => {
    if (!has("workerd")) return t.diagnostic("left out: this machine has no workerd");
    const folder = await folderOf(t, "runtime-worker");
    const port = await freePort("127.0.0.1");
    writeFileSync(join(folder, "worker.mjs"), WORKER);
    writeFileSync(join(folder, "config.capnp"), configOf(folder, port));
    const child = spawn("workerd", ["serve", "config.capnp"], { cwd: folder, stdio: ["ignore", "inherit", "inherit"] });
    t.after(async () => {
      child.kill();
      await once(child, "close");
    });
    let said = "";
    await eventually("the worker answers", async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/`).catch(() => null);
      said = (await answer?.text()) ?? "";
      return answer !== null;
    });
    assert.equal(said, EXPECTED);
  });
});

const WORKER = `import { check } from "./check.mjs";
import { shop } from "./shop.mjs";
export default {
  fetch: () => check(shop).then((said) => new Response(said + "\\n"), (error) => new Response(error.stack, { status: 500 })),
};
`;

/** A worker of these modules, which may call this machine. */
function configOf(folder: string, port: number): string {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => /\.m?js$/.test(name));
  const modules = ["worker.mjs", ...names.filter((name) => name !== "worker.mjs" && name !== "main.mjs")];
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .worker), (name = "internet", network = (allow = ["public", "private"]))],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [${modules.map((name) => `(name = "${name}", esModule = embed "${name}")`).join(", ")}],
  compatibilityDate = "2025-09-01",
);
`;
}
