import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { putGenerated } from "./generated/file.ts";

/*
 * node scripts/openapi.ts [--check]: writes the interface descriptions of both APIs from the code,
 * or compares them and ends with 1 when either differs.
 */

const ROOT = join(import.meta.dirname, "..");
const DOCUMENTS = [
  { path: "openapi.json", options: [] },
  { path: "openapi-dashboard.json", options: ["--dashboard"] },
];

for (const { path, options } of DOCUMENTS) {
  const document = execFileSync(process.execPath, ["src/bin/tefo.ts", "openapi", ...options], {
    cwd: ROOT,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  const text = `${JSON.stringify(JSON.parse(document), null, 2)}\n`;
  if (!putGenerated(path, text, process.argv.includes("--check"), "npm run generate")) process.exitCode = 1;
}
