import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import type { Test } from "../support/processes.ts";
import { runMarathon } from "./marathon.ts";
import { openRelease } from "./release.ts";

/*
 * npm run marathon: random work of merchants on two processes that serve HTTP and two workers, over PostgreSQL with a standby, while
 * processes, connections, databases and the gateway fail. At every pause it is examined whether anything was lost or done twice.
 */

const USAGE = `npm run marathon -- [options]
  --hours N      how long (default 1)
  --minutes N    in place of hours
  --kills N      ends after so many kills, if that is sooner
  --seed N       repeats the work and the faults of another run; their moments are those of the machine
  --faults N     between two pauses (default 12)
  --from REV     begins with this git revision and upgrades once, before the other faults
  --bin FOLDER   PostgreSQL's programs (default: those of the embedded PostgreSQL)
Ctrl-C ends it at the next pause; once more, at once.`;

const { values } = parseArgs({
  options: {
    hours: { type: "string" },
    minutes: { type: "string" },
    kills: { type: "string" },
    seed: { type: "string" },
    faults: { type: "string" },
    bin: { type: "string" },
    from: { type: "string" },
    help: { type: "boolean" },
  },
});

async function released(t: Test, revision: string): Promise<string> {
  const release = await openRelease(t, revision);
  if (release === null) throw new Error(`The git history has no revision ${revision}.`);
  return release;
}

const say = (line: string) => void process.stdout.write(`${line}\n`);

async function main(): Promise<number> {
  if (values.help) {
    say(USAGE);
    return 0;
  }
  const seed = Number(values.seed ?? randomInt(2 ** 31));
  const minutes = values.minutes === undefined ? 60 * Number(values.hours ?? 1) : Number(values.minutes);
  const undo: (() => unknown)[] = [];
  const ending = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => ending.abort());
  try {
    say(`seed ${seed}`);
    const outcome = await runMarathon(
      { after: (run) => void undo.push(run) },
      {
        seed,
        minutes,
        kills: Number(values.kills ?? Number.POSITIVE_INFINITY),
        bin: values.bin ?? null,
        release:
          values.from === undefined ? null : await released({ after: (run) => void undo.push(run) }, values.from),
        faults: Number(values.faults ?? 12),
        signal: ending.signal,
        say,
      },
    );
    for (const fault of outcome.found) say(`FOUND ${fault}`);
    say(
      `${outcome.kills} kills in ${outcome.rounds} rounds, ${outcome.work} pieces of work, ${outcome.found.length} found; seed ${seed}`,
    );
    for (const [name, count] of Object.entries({ ...outcome.faults, ...outcome.answers }).toSorted())
      say(`  ${count} × ${name}`);
    return outcome.found.length === 0 ? 0 : 1;
  } finally {
    for (const one of undo.toReversed()) await one();
  }
}

process.exit(await main());
