import { setTimeout as sleep } from "node:timers/promises";
import { type Line, target } from "../report.ts";
import type { BenchServer } from "../server.ts";
import type { Service } from "../service.ts";
import { median } from "../statistics.ts";

/* Common parts of measurements of due work in sets: making it due, waiting for its end, and measuring memory during it. */

const POLL_MS = 50;
const SAMPLE_MS = 1000;
const GIVE_UP_SECONDS = 1800;
const MEGABYTES_MAX = 300;
/** Largest growth of memory from the first round to the last. */
const GROWTH_MAX = 1.1;

/**
 * Makes the due work that meets the condition due, and answers the seconds until the query answered that it was done.
 * Throws when it takes half an hour.
 */
export async function measureWork(
  server: BenchServer,
  url: string,
  { which, done }: { readonly which: string; readonly done: string },
): Promise<number> {
  const began = performance.now();
  await server.query(url, `update due_work set due_at = now() where ${which}; notify tefo_due_work`);
  await until(server, url, done);
  return (performance.now() - began) / 1000;
}

/** Polls until the query answers true in its column `done`. Throws when that takes half an hour. */
export async function until(server: BenchServer, url: string, question: string): Promise<void> {
  const giveUpAt = performance.now() + GIVE_UP_SECONDS * 1000;
  for (;;) {
    const [row] = await server.query<{ done: boolean | null }>(url, question);
    if (row?.done) return;
    if (performance.now() > giveUpAt) throw new Error(`not so within ${GIVE_UP_SECONDS} s: ${question}`);
    await sleep(POLL_MS);
  }
}

/** Runs `work`, and answers its result with the service's resident megabytes during it. */
export async function watchingMemory<T>(
  service: Service,
  work: () => Promise<T>,
): Promise<{ result: T; memory: readonly number[] }> {
  const memory: number[] = [];
  let ended = false;
  const watch = async () => {
    while (!ended) {
      memory.push((await service.metric("process_resident_memory_bytes")) / 1e6);
      await sleep(SAMPLE_MS);
    }
  };
  const watching = watch();
  try {
    const result = await work();
    return { result, memory };
  } finally {
    ended = true;
    await watching;
  }
}

/** The most memory of all rounds, and its growth from the first of the `growing` ones to the last; `unit` is the name of a round. */
export function memoryLines(
  unit: string,
  growing: readonly { readonly memory: readonly number[] }[],
  others: readonly { readonly memory: readonly number[] }[],
): Line[] {
  const most = Math.max(...[...growing, ...others].flatMap(({ memory }) => memory));
  const growth = median(growing.at(-1)?.memory ?? []) / median(growing[0]?.memory ?? []);
  return [
    {
      name: `memory of the process that does it, most of all ${unit}`,
      value: most,
      unit: "MB resident",
      target: target("under", MEGABYTES_MAX, most, "MB"),
    },
    {
      name: `memory, the last ${unit} against the first`,
      value: growth,
      unit: "times",
      target: target("under", GROWTH_MAX, growth),
    },
  ];
}
