import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { putGenerated } from "./generated/file.ts";
import { type Description, withTables } from "./generated/interface.ts";

/*
 * node scripts/interface.ts [--check]: writes the tables of docs/interface that follow from the code (run after
 * openapi.ts), or compares them and ends with 1 when one differs.
 */

const ROOT = join(import.meta.dirname, "..");
const FOLDER = "docs/interface";

const description = (path: string): Description => JSON.parse(readFileSync(join(ROOT, path), "utf8")) as Description;
const client = description("openapi.json");
const dashboard = description("openapi-dashboard.json");

for (const name of readdirSync(join(ROOT, FOLDER))) {
  const path = `${FOLDER}/${name}`;
  const page = readFileSync(join(ROOT, path), "utf8");
  const same = putGenerated(
    path,
    withTables(page, client, dashboard),
    process.argv.includes("--check"),
    "npm run generate",
  );
  if (!same) process.exitCode = 1;
}
