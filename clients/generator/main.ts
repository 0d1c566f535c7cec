import { readFileSync } from "node:fs";
import { join } from "node:path";
import { putGenerated } from "../../scripts/generated/file.ts";
import type { Json } from "./description.ts";
import { modelOf } from "./model.ts";
import { phpFiles } from "./php.ts";
import { pythonFiles } from "./python.ts";
import { typescriptFiles } from "./typescript.ts";

/*
 * node clients/generator/main.ts [--check]: writes the types and methods of the clients from openapi.json
 * (decisions.md#clients-by-our-own-generator), or compares them and ends with 1 when any differs.
 */

const ROOT = join(import.meta.dirname, "../..");
const read = (path: string) => JSON.parse(readFileSync(join(ROOT, path), "utf8")) as Json;

try {
  const model = modelOf(read("openapi.json"));
  const version = String(read("package.json")["version"]);
  const files = { ...typescriptFiles(model, version), ...pythonFiles(model, version), ...phpFiles(model, version) };
  for (const [path, text] of Object.entries(files))
    if (!putGenerated(path, text, process.argv.includes("--check"), "npm run generate")) process.exitCode = 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
