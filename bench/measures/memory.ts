import { setTimeout as sleep } from "node:timers/promises";
import type { Bench } from "../bench.ts";
import { startHelper } from "../child.ts";
import type { Load, LoadResult } from "../load.ts";
import { type Line, target } from "../report.ts";
import { startService } from "../service.ts";
import { median } from "../statistics.ts";
import { measureLoad } from "./throughput.ts";

const MEGABYTES_MAX = 300;
/** Largest growth from the second quarter of the run to the last; the first quarter is left out. */
const GROWTH_MAX = 1.1;
const TARGET_MINUTES = 10;

/** Resident memory of one process that does everything, under full load. */
export async function measureMemory(bench: Bench): Promise<Line[]> {
  const url = await bench.server.database("tefo");
  const load = startHelper<Load, LoadResult>("load.ts");
  const service = await startService(bench.server, { DATABASE_URL: url });
  try {
    const seconds = bench.minutes * 60;
    const loaded = measureLoad(load, {
      port: service.port,
      kind: "mixed",
      connections: 16,
      rate: null,
      warmupSeconds: 0,
      seconds,
    });
    const samples: number[] = [];
    const until = performance.now() + seconds * 1000;
    const sampling = async () => {
      while (performance.now() < until) {
        await sleep(Math.min(1000, seconds * 10));
        samples.push((await service.metric("process_resident_memory_bytes")) / 1e6);
        if (samples.length % 30 === 0) bench.say(`memory: ${Math.round(samples.at(-1) ?? 0)} MB`);
      }
    };
    const [{ perSecond }] = await Promise.all([loaded, sampling()]);
    return linesOf(bench, samples, perSecond);
  } finally {
    await Promise.all([service.stop(), load.stop()]);
  }
}

function linesOf({ minutes }: Bench, samples: readonly number[], perSecond: number): Line[] {
  const quarter = (number: number) => samples.slice(((number - 1) * samples.length) / 4, (number * samples.length) / 4);
  // In the first minutes the heap grows to its working size.
  const most = Math.max(...quarter(4));
  const growth = median(quarter(4)) / median(quarter(2));
  const short = minutes < TARGET_MINUTES ? `; the target speaks of ${TARGET_MINUTES}: --minutes ${TARGET_MINUTES}` : "";
  return [
    {
      name: `memory of the one process after ${minutes} minutes of load, most in the last quarter`,
      value: most,
      unit: "MB resident",
      target: target("under", MEGABYTES_MAX, most, "MB"),
      note: `${Math.round(perSecond)} creates and gets a second; ${Math.round(Math.max(...samples))} MB at most in all${short}`,
    },
    {
      name: "memory, last quarter of the time against the second",
      value: growth,
      unit: "times",
      target: target("under", GROWTH_MAX, growth),
    },
  ];
}
