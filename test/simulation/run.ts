import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { SERVER_VARIABLE, startTestServer } from "../support/postgres.ts";
import { runHistory } from "./history.ts";
import { openWorld } from "./world.ts";

/*
 * npm run simulate: histories of a merchant's work in one process, one after the other, with the faults that each seed draws. What is found
 * is printed with its seed, which repeats it.
 */

const USAGE = `npm run simulate -- [options]
  --histories N  how many (default 200)
  --seed N       of the first; each later one has the next number (default: drawn)`;

const { values } = parseArgs({
  options: { histories: { type: "string", default: "200" }, seed: { type: "string" }, help: { type: "boolean" } },
});
const say = (line: string) => void process.stdout.write(`${line}\n`);

async function main(): Promise<number> {
  if (values.help) {
    say(USAGE);
    return 0;
  }
  const first = Number(values.seed ?? randomInt(2 ** 31));
  const histories = Number(values.histories);
  await using open = new AsyncDisposableStack();
  const server = await startTestServer();
  open.defer(server.stop);
  process.env[SERVER_VARIABLE] = server.url;
  const world = await openWorld();
  open.defer(world.close);
  const began = performance.now();
  let failed = 0;
  for (let seed = first; seed < first + histories; seed++) {
    const { found, steps } = await runHistory(world, seed);
    if (found.length === 0) continue;
    failed++;
    say(`seed ${seed}: ${steps.join(", ")}`);
    for (const fault of found) say(`  FOUND ${fault}`);
  }
  const minutes = (performance.now() - began) / 60_000;
  say(
    `${histories} histories from seed ${first}, ${Math.round(histories / minutes)} a minute, ${failed} with something found`,
  );
  for (const [name, count] of world.trouble.counts) say(`  ${count} × ${name}`);
  return failed === 0 ? 0 : 1;
}

process.exit(await main());
