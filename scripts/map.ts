import { houseMap } from "../test/support/house-map.ts";
import { readSources } from "../test/support/source.ts";

/* npm run check -- --map: how tangled the house is; with --all, what is counted too. */

for (const { what, found, most } of houseMap(readSources("src"))) {
  console.log(`${String(found.length).padStart(5)} of at most ${String(most).padEnd(5)} ${what}`);
  if (process.argv.includes("--all")) for (const one of found) console.log(`        ${one}`);
}
