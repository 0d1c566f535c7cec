import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Bench } from "../bench.ts";
import { type Line, target } from "../report.ts";
import { startService } from "../service.ts";
import { median } from "../statistics.ts";

const ROUNDS = 3;
const SECONDS_MAX = 3;

/** From the start of the process to its first ready answer, with an existing database. */
export async function measureStart({ server, say }: Bench): Promise<Line[]> {
  const url = await server.database("tefo");
  const outside = await startSeconds({ DATABASE_URL: url });
  const embedded = await startWithItsOwn();
  const line = (name: string, value: number): Line => ({
    name,
    value,
    unit: "s",
    target: target("under", SECONDS_MAX, value, "s"),
  });
  return [
    line("start to ready, its own PostgreSQL started too", embedded),
    line("start to ready, PostgreSQL running", outside),
  ];

  /** The first start, which makes the database, does not count. */
  async function startWithItsOwn(): Promise<number> {
    const dataDir = await mkdtemp(join(tmpdir(), "tefo-bench-start-"));
    try {
      await (await startService(server, { DATA_DIR: dataDir })).stop();
      return await startSeconds({ DATA_DIR: dataDir });
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  }

  async function startSeconds(environment: Readonly<Record<string, string>>): Promise<number> {
    const times: number[] = [];
    for (let round = 1; round <= ROUNDS; round++) {
      const service = await startService(server, environment);
      times.push(service.startMs / 1000);
      await service.stop();
      say(`start ${round}/${ROUNDS}: ${times.at(-1)} s`);
    }
    return median(times);
  }
}
