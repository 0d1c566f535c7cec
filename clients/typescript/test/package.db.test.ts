import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { type ApiMerchant, openApi, type TestApi } from "../../../test/support/api.ts";
import { running, temporaryFolder } from "../../../test/support/processes.ts";
import { ROOT } from "../../../test/support/source.ts";
import { Tefo } from "../src/index.ts";

/*
 * The package as it is published, in a project of somebody else: built, imported in both ways, with the samples of its README.
 */

const PACKAGE = join(ROOT, "clients/typescript");
const TSC = join(ROOT, "node_modules/.bin/tsc");
const start = promisify(execFile);

let api: TestApi;
let shop: ApiMerchant;
before(async () => {
  api = await openApi({ PROCESS: "all" });
  shop = await api.addMerchant();
  await shop.addGateway();
});
after(() => api.close());

/** A project with the built package in its node_modules. */
async function makeProject(t: Parameters<typeof temporaryFolder>[0]): Promise<string> {
  const folder = await temporaryFolder(t);
  const installed = join(folder, "node_modules/@tefo/client");
  mkdirSync(installed, { recursive: true });
  for (const [form, config] of [
    ["esm", "tsconfig.json"],
    ["cjs", "tsconfig.cjs.json"],
  ] as const)
    await start(TSC, ["--project", join(PACKAGE, config), "--outDir", join(installed, "dist", form)]);
  writeFileSync(join(installed, "dist/cjs/package.json"), '{"type":"commonjs"}');
  cpSync(join(PACKAGE, "package.json"), join(installed, "package.json"));
  writeFileSync(join(folder, "package.json"), '{"private":true,"type":"module"}');
  symlinkSync(join(ROOT, "node_modules/@types"), join(folder, "node_modules/@types"));
  return folder;
}

/** The samples of the README that name their file in their first line. */
function samples(): Map<string, string> {
  const text = readFileSync(join(PACKAGE, "README.md"), "utf8");
  const blocks = [...text.matchAll(/```(?:js|ts)\n(\/\/ ([\w-]+\.\w+)[\s\S]*?)```/g)];
  return new Map(blocks.map(([, code = "", name = ""]) => [name, code]));
}

test("a project of somebody else compiles and runs the samples of the README", async (t) => {
  const folder = await makeProject(t);
  for (const [name, code] of samples()) writeFileSync(join(folder, name), code);
  assert.deepEqual([...samples().keys()].toSorted(), [
    "endpoint.mjs",
    "errors.ts",
    "quickstart.mjs",
    "receiver.mjs",
    "store.ts",
    "year.mjs",
  ]);
  const strict = ["--strict", "--exactOptionalPropertyTypes", "--module", "nodenext", "--target", "es2023"];
  await start(TSC, ["--noEmit", ...strict, "--types", "node", "store.ts", "errors.ts"], { cwd: folder });
  const env = { BASE_URL: api.baseUrl, TEFO_KEY: shop.key };
  const runs = (name: string) => start(process.execPath, [name], { cwd: folder, env });
  await runs("quickstart.mjs");
  const { stdout } = await runs("quickstart.mjs");
  assert.match(stdout, /^Pay here: http.*\nplink_\w+ 349\.5 0\nplink_\w+ 349\.5 0\n$/);
  assert.match((await start(process.execPath, ["--test", "year.mjs"], { cwd: folder, env })).stdout, /pass 2\n/);

  const secret = (await runs("endpoint.mjs")).stdout.trim();
  const receiver = running(t, { ...env, TEFO_WEBHOOK_SECRET: secret }, join(folder, "receiver.mjs"));
  await receiver.says(/ready/);
  const tefo = new Tefo({ apiKey: shop.key, baseUrl: api.baseUrl });
  const { id } = await tefo.customers.create({ externalReference: "shop-18" });
  await receiver.says(new RegExp(`customer.created ${id} 1`));

  const required = 'const { Tefo, rand } = require("@tefo/client"); console.log(Tefo.version, rand("1.50"));';
  writeFileSync(join(folder, "main.cjs"), required);
  assert.equal((await runs("main.cjs")).stdout, `${Tefo.version} 1.5\n`);
});

test("it has no dependency, and the service's version", () => {
  const manifest = (path: string) => JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>;
  const { version, dependencies, peerDependencies } = manifest(join(PACKAGE, "package.json"));
  assert.deepEqual([dependencies, peerDependencies], [undefined, undefined]);
  assert.equal(version, manifest(join(ROOT, "package.json"))["version"]);
});
