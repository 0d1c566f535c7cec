import type { Bench } from "../bench.ts";
import { type Line, target } from "../report.ts";
import { startService } from "../service.ts";
import { median } from "../statistics.ts";

const ROUNDS = 3;
const SECONDS_MAX = 3;

/** From the start of the process to its first ready answer, with an existing database. Stops the PostgreSQL of the bench. */
export async function measureStart({ server, say }: Bench): Promise<Line[]> {
  const url = await server.database("tefo");
  const outside = await startSeconds({ DATABASE_URL: url });
  await server.pause();
  const embedded = await startSeconds({ DATA_DIR: server.dataDir });
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
