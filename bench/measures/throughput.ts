import type { Bench } from "../bench.ts";
import { type Helper, startHelper } from "../child.ts";
import type { FloorJob } from "../floor-loop.ts";
import { FLOOR_TEXT, type FloorKind } from "../floor-sql.ts";
import type { Load, LoadResult } from "../load.ts";
import type { LoadKind } from "../load-requests.ts";
import { LINKS_WHEN_EMPTY, ORGANISATIONS } from "../names.ts";
import { pgbenchFloor } from "../pgbench.ts";
import { type Line, target } from "../report.ts";
import { type Service, startService } from "../service.ts";
import { median } from "../statistics.ts";

const ROUNDS = 5;
const WARMUP_SECONDS = 1;
const HALF_LOAD_ROUNDS = 3;
/** Enough connections that requests at random times do not wait for each other. */
const OPEN_CONNECTIONS = 64;

/** Throws when any request failed: a refused request is cheap, so the figure would be worthless. */
export async function measureLoad(
  load: Helper<Load, LoadResult>,
  wanted: Omit<Load, "organisations" | "links"> & Partial<Load>,
): Promise<LoadResult> {
  const result = await load.ask({ organisations: ORGANISATIONS, links: LINKS_WHEN_EMPTY, ...wanted });
  if (result.failures > 0) throw new Error(`${result.failures} requests failed, the first with:\n${result.failure}`);
  return result;
}

/** Runs `work` with a service on a database, with this additional environment, and a load generator. */
export async function underLoad<T>(
  { server }: Bench,
  url: string,
  work: (service: Service, load: Helper<Load, LoadResult>) => Promise<T>,
  environment: Readonly<Record<string, string>> = {},
): Promise<T> {
  const load = startHelper<Load, LoadResult>("load.ts");
  const service = await startService(server, { DATABASE_URL: url, ...environment });
  try {
    return await work(service, load);
  } finally {
    await Promise.all([service.stop(), load.stop()]);
  }
}

/** A measurement and its floor. */
export interface Subject {
  /** Of the floor and of the requests. */
  readonly kind: FloorKind;
  readonly name: string;
  readonly connections: number;
  /** Organisations are numbered from 1 to this. */
  readonly organisations: number;
  /** Least share of the floor's rate. */
  readonly share: number;
}

interface Parts {
  readonly url: string;
  readonly service: Service;
  readonly load: Helper<Load, LoadResult>;
  readonly floor: Helper<FloorJob, number>;
}

/** One round: pgbench, service, floor; directly one after the other, because the machine's speed changes over time. */
async function measureRound(bench: Bench, subject: Subject, { url, service, load, floor }: Parts, seconds: number) {
  const { kind, connections, organisations } = subject;
  const settings = new URL(url);
  // The same plan setting as the service, in a form that libpq reads too.
  settings.search = `?options=${encodeURIComponent("-c plan_cache_mode=force_generic_plan")}`;
  const job: FloorJob = { url: settings.href, kind, connections, organisations, seconds };
  const pgbench = bench.pgbench ? await pgbenchFloor(job) : 0;
  const wanted = { kind, connections, organisations, seconds };
  const { perSecond: served } = await measureLoad(load, {
    ...wanted,
    port: service.port,
    rate: null,
    warmupSeconds: WARMUP_SECONDS,
  });
  return { pgbench, served, loop: await floor.ask(job) };
}

/**
 * Requests a second compared with the floor's transactions a second; the target is judged by the loop over the
 * service's own client library.
 */
export async function measurePeak(
  bench: Bench,
  subject: Subject,
  url: string,
  service: Service,
  load: Helper<Load, LoadResult>,
): Promise<{ lines: Line[]; perSecond: number }> {
  const { kind, name, share } = subject;
  const floor = startHelper<FloorJob, number>("floor-loop.ts");
  const rounds: Awaited<ReturnType<typeof measureRound>>[] = [];
  try {
    for (let round = 0; round <= ROUNDS; round++) {
      const seconds = round === 0 ? WARMUP_SECONDS : bench.roundSeconds;
      const result = await measureRound(bench, subject, { url, service, load, floor }, seconds);
      const { served, loop, pgbench } = result;
      bench.say(
        `${name} ${round}/${ROUNDS}: service ${Math.round(served)}/s, pg loop ${Math.round(loop)}/s, pgbench ${Math.round(pgbench)}/s`,
      );
      // The first round is the warm-up of all of them.
      if (round > 0) rounds.push(result);
    }
  } finally {
    await floor.stop();
  }
  const of = (value: (round: (typeof rounds)[number]) => number) => median(rounds.map(value));
  const perSecond = of(({ served }) => served);
  const ratio = of(({ served, loop }) => served / loop);
  const lines: Line[] = [
    { name: `${name}, floor`, value: of(({ loop }) => loop), unit: "transactions/s", note: FLOOR_TEXT[kind] },
    {
      name,
      value: perSecond,
      unit: "requests/s",
      ratio,
      floor: "its floor",
      target: target("at least", share, ratio),
      note: `${subject.connections} connections, ${subject.organisations === 1 ? "one organisation" : `${subject.organisations} organisations`}`,
    },
  ];
  if (bench.pgbench)
    lines.push({
      name: `${name}, its floor's script by ${bench.pgbench}`,
      value: of(({ pgbench }) => pgbench),
      unit: "transactions/s",
      note: `for information: the service does ${of(({ served, pgbench }) => served / pgbench).toFixed(2)} of it`,
    });
  return { perSecond, lines };
}

/** Latency and event-loop delay at half of `peak` requests a second. */
export async function measureHalfLoad(
  bench: Bench,
  kind: LoadKind,
  peak: number,
  url: string,
  service: Service,
  load: Helper<Load, LoadResult>,
  organisations = ORGANISATIONS,
): Promise<{ readonly rate: number; readonly p99: number; readonly delay: number }> {
  const rate = peak / 2;
  // Writes the floors' changes to disk now, so that it does not happen during the measurement.
  await bench.server.query(url, "checkpoint");
  const latencies: number[] = [];
  const delays: number[] = [];
  for (let round = 1; round <= HALF_LOAD_ROUNDS; round++) {
    // Reading the metric resets it.
    await service.metric("nodejs_eventloop_lag_p99_seconds");
    const { p99 } = await measureLoad(load, {
      port: service.port,
      kind,
      connections: OPEN_CONNECTIONS,
      organisations,
      rate,
      warmupSeconds: WARMUP_SECONDS,
      seconds: 2 * bench.roundSeconds,
    });
    latencies.push(p99);
    delays.push((await service.metric("nodejs_eventloop_lag_p99_seconds")) * 1000);
    bench.say(
      `${kind} at half load ${round}/${HALF_LOAD_ROUNDS}: p99 ${p99.toFixed(1)} ms, event loop ${delays.at(-1)?.toFixed(1)} ms`,
    );
  }
  return { rate, p99: median(latencies), delay: median(delays) };
}
