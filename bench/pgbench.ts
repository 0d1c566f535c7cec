import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { FloorJob } from "./floor-loop.ts";
import { FLOORS } from "./floor-sql.ts";

/**
 * The version of PostgreSQL's own load generator, the floor's other form: null when this machine has none that can
 * pipeline (version 14).
 */
export async function pgbenchVersion(): Promise<string | null> {
  const said = await runPgbench(["--version"]).catch(() => "");
  const version = /\(PostgreSQL\) (\d+)(\.\d+)?/.exec(said);
  return version && Number(version[1]) >= 14 ? `pgbench ${version[1]}${version[2] ?? ""}` : null;
}

/** Transactions a second, sent in the same way as by the loop over `pg`. */
export async function pgbenchFloor({ url, kind, connections, organisations, seconds }: FloorJob): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "tefo-pgbench-"));
  try {
    const file = join(folder, `${kind}.sql`);
    const lines = [`\\set n random(1, ${organisations})`, "\\set u random(1, 9007199254740991)", "\\startpipeline"];
    // One line each: pgbench ends a statement at its semicolon.
    const statements = FLOORS[kind]().map((statement) => `${statement.replaceAll(/\s+/g, " ").trim()};`);
    await writeFile(file, `${[...lines, ...statements, "\\endpipeline"].join("\n")}\n`);
    const size = ["--client", String(connections), "--jobs", "2", "--time", String(seconds)];
    const said = await runPgbench(["--no-vacuum", "--protocol", "prepared", ...size, "--file", file, url]);
    const tps = /tps = ([\d.]+)/.exec(said)?.[1];
    if (tps === undefined || /aborted/.test(said)) throw new Error(`pgbench says:\n${said.slice(0, 2000)}`);
    return Number(tps);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function runPgbench(args: readonly string[]): Promise<string> {
  const child = spawn("pgbench", args, { stdio: ["ignore", "pipe", "pipe"] });
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return out + err;
}
