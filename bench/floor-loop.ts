import type { Writable } from "node:stream";
import pg from "pg";
import { serveParent } from "./child.ts";
import { FLOORS, type FloorKind } from "./floor-sql.ts";

/* The floor as a loop over `pg`: prepared statements, all of a transaction sent in one packet. */

/** Runs the script of `kind` on `connections` connections. */
export interface FloorJob {
  readonly url: string;
  readonly kind: FloorKind;
  readonly connections: number;
  /** Organisations are numbered from 1 to this. */
  readonly organisations: number;
  readonly seconds: number;
}

interface Prepared {
  readonly name: string;
  readonly text: string;
  /** Its parameters, `n` or `u`, in order. */
  readonly takes: readonly ("n" | "u")[];
}

/** `:n` and `:u` become numbered parameters. */
function prepare(statement: string, index: number): Prepared {
  const takes = (["n", "u"] as const).filter((name) => statement.includes(`:${name}::`));
  const text = takes.reduce((sql, name, place) => sql.replaceAll(`:${name}::`, `$${place + 1}::`), statement);
  return { name: `floor ${index}`, text, takes };
}

async function loop(job: FloorJob, script: readonly Prepared[], until: number): Promise<number> {
  const client = new pg.Client({ connectionString: job.url, pipeline: true });
  await client.connect();
  const { stream } = (client as typeof client & { connection: { stream: Writable } }).connection;
  let done = 0;
  while (performance.now() < until) {
    const values = { n: 1 + Math.floor(Math.random() * job.organisations), u: Math.floor(Math.random() * 2 ** 53) };
    stream.cork();
    const sent = script.map(({ name, text, takes }) =>
      takes.length === 0 ? client.query(text) : client.query({ name, text, values: takes.map((take) => values[take]) }),
    );
    stream.uncork();
    await Promise.all(sent);
    done++;
  }
  await client.end();
  return done;
}

serveParent(async (job: FloorJob): Promise<number> => {
  const script = FLOORS[job.kind]().map(prepare);
  const until = performance.now() + job.seconds * 1000;
  const done = await Promise.all(Array.from({ length: job.connections }, () => loop(job, script, until)));
  return done.reduce((sum, count) => sum + count, 0) / job.seconds;
});
