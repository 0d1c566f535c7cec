import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import product from "../package.json" with { type: "json" };
import { breaksOf, type Description, surfaceFrom, surfaceOf, surfaceText } from "./surface.ts";

/*
 * node scripts/released.ts: keeps what the client API of this version lets its callers rely on, as part of a release. With `--check`: fails
 * when openapi.json breaks what was released last.
 */

const ROOT = join(import.meta.dirname, "..");
const FILE = join(ROOT, "docs/interface/released.txt");

const current = surfaceOf(JSON.parse(readFileSync(join(ROOT, "openapi.json"), "utf8")) as Description);
if (process.argv.includes("--check")) {
  const breaks = breaksOf(surfaceFrom(readFileSync(FILE, "utf8")), current);
  if (breaks.length > 0) {
    console.error(`openapi.json breaks what was released (docs/interface/released.txt):\n${breaks.join("\n")}`);
    console.error("Keep it, or make it another version of the API (interface 9).");
    process.exit(1);
  }
} else {
  writeFileSync(
    FILE,
    `What callers of the client API of ${product.version} may rely on, and what they must send.\n\n${surfaceText(current)}`,
  );
}
