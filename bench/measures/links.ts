import type { Bench } from "../bench.ts";
import { type Helper, startHelper } from "../child.ts";
import type { FloorJob } from "../floor-loop.ts";
import { FLOOR_TEXT, type FloorKind } from "../floor-sql.ts";
import type { Load, LoadResult } from "../load.ts";
import { LINKS_WHEN_EMPTY } from "../names.ts";
import { pgbenchFloor } from "../pgbench.ts";
import { type Line, target } from "../report.ts";
import { type Service, startService } from "../service.ts";
import { median } from "../statistics.ts";

const CONNECTIONS = 16;
/** Enough that callers who come by chance do not wait for one another. */
const OPEN_CONNECTIONS = 64;
const ROUNDS = 5;
const HALF_LOAD_ROUNDS = 3;
const WARMUP_SECONDS = 1;

const TARGETS: Readonly<Record<FloorKind, number>> = { create: 0.5, get: 0.35 };
const NAMES: Readonly<Record<FloorKind, string>> = { create: "payment link create", get: "payment link get" };
const P99_MS = 25;
const EVENT_LOOP_P99_MS = 20;

/** Throws when any request failed: a refused request is cheap, so the figure would be worthless. */
export async function measureLoad(load: Helper<Load, LoadResult>, wanted: Load): Promise<LoadResult> {
  const result = await load.ask(wanted);
  if (result.failures > 0) throw new Error(`${result.failures} requests failed, the first with:\n${result.failure}`);
  return result;
}

/** Throughput beside its floor, and latency at half of it, of each kind. */
export async function measureLinks(bench: Bench, kinds: readonly FloorKind[]): Promise<Line[]> {
  const url = await bench.ground.database("tefo");
  const load = startHelper<Load, LoadResult>("load.ts");
  const floor = startHelper<FloorJob, number>("floor-loop.ts");
  const service = await startService(bench.ground, { DATABASE_URL: url });
  try {
    const lines: Line[] = [];
    for (const kind of kinds) {
      const peak = await measurePeak(bench, kind, { url, service, load, floor });
      lines.push(...peak.lines, ...(await measureHalfLoad(bench, kind, peak.perSecond, service, load)));
    }
    return lines;
  } finally {
    await Promise.all([service.stop(), load.stop(), floor.stop()]);
  }
}

interface Parts {
  readonly url: string;
  readonly service: Service;
  readonly load: Helper<Load, LoadResult>;
  readonly floor: Helper<FloorJob, number>;
}

/** One round: floor, service, floor's other form; next to each other in time, because the machine's speed drifts. */
async function measureRound(bench: Bench, kind: FloorKind, { url, service, load, floor }: Parts) {
  const seconds = bench.roundSeconds;
  const settings = new URL(url);
  // As the service has it: plans are kept. In a form that libpq reads too.
  settings.search = `?options=${encodeURIComponent("-c plan_cache_mode=force_generic_plan")}`;
  const pgbench = bench.pgbench ? await pgbenchFloor(settings.href, kind, CONNECTIONS, seconds) : 0;
  const served = await measureLoad(load, {
    port: service.port,
    kind,
    connections: CONNECTIONS,
    rate: null,
    warmupSeconds: WARMUP_SECONDS,
    seconds,
    links: LINKS_WHEN_EMPTY,
  });
  const loop = await floor.ask({ url: settings.href, kind, connections: CONNECTIONS, seconds });
  return { pgbench, loop, served: served.perSecond };
}

async function measurePeak(bench: Bench, kind: FloorKind, parts: Parts): Promise<{ lines: Line[]; perSecond: number }> {
  const rounds: Awaited<ReturnType<typeof measureRound>>[] = [];
  await measureRound({ ...bench, roundSeconds: WARMUP_SECONDS }, kind, parts);
  for (let round = 1; round <= ROUNDS; round++) {
    const result = await measureRound(bench, kind, parts);
    rounds.push(result);
    const { pgbench, loop, served } = result;
    bench.say(
      `${kind} ${round}/${ROUNDS}: service ${Math.round(served)}/s, pg loop ${Math.round(loop)}/s, pgbench ${Math.round(pgbench)}/s`,
    );
  }
  const of = (value: (round: (typeof rounds)[number]) => number) => median(rounds.map(value));
  const perSecond = of(({ served }) => served);
  const ratio = of(({ served, pgbench, loop }) => served / Math.max(pgbench, loop));
  const name = NAMES[kind];
  const note = FLOOR_TEXT[kind];
  const floors: Line[] = [
    { name: `${name}, floor by a loop over pg`, value: of(({ loop }) => loop), unit: "transactions/s", note },
  ];
  if (bench.pgbench)
    floors.push({
      name: `${name}, floor by ${bench.pgbench}`,
      value: of(({ pgbench }) => pgbench),
      unit: "transactions/s",
      note: "the same script",
    });
  const limit = target("at least", TARGETS[kind], ratio);
  const unit = "requests/s";
  return {
    perSecond,
    lines: [...floors, { name, value: perSecond, unit, ratio, floor: "the faster floor", target: limit }],
  };
}

async function measureHalfLoad(
  bench: Bench,
  kind: FloorKind,
  peak: number,
  service: Service,
  load: Helper<Load, LoadResult>,
): Promise<Line[]> {
  const rate = peak / 2;
  const latencies: number[] = [];
  const delays: number[] = [];
  for (let round = 1; round <= HALF_LOAD_ROUNDS; round++) {
    // Reading it begins it anew.
    await service.metric("nodejs_eventloop_lag_p99_seconds");
    const { p99 } = await measureLoad(load, {
      port: service.port,
      kind,
      connections: OPEN_CONNECTIONS,
      rate,
      warmupSeconds: WARMUP_SECONDS,
      seconds: 2 * bench.roundSeconds,
      links: LINKS_WHEN_EMPTY,
    });
    latencies.push(p99);
    delays.push((await service.metric("nodejs_eventloop_lag_p99_seconds")) * 1000);
    bench.say(`${kind} at half load ${round}/${HALF_LOAD_ROUNDS}: p99 ${p99} ms, event loop ${delays.at(-1)} ms`);
  }
  const name = `${NAMES[kind]} at half of its peak`;
  const [p99, delay] = [median(latencies), median(delays)];
  return [
    {
      name: `${name}, p99`,
      value: p99,
      unit: "ms",
      target: target("under", P99_MS, p99, "ms"),
      note: `${Math.round(rate)} requests/s at random moments, waits included`,
    },
    {
      name: `${name}, event-loop delay p99`,
      value: delay,
      unit: "ms",
      target: target("under", EVENT_LOOP_P99_MS, delay, "ms"),
      note: "as /metrics tells it: 10 ms of it are the interval of the probe",
    },
  ];
}
