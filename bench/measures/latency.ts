import type { Bench } from "../bench.ts";
import type { Helper } from "../child.ts";
import type { Load, LoadResult } from "../load.ts";
import type { LoadKind } from "../load-requests.ts";
import { type Line, target } from "../report.ts";
import type { Service } from "../service.ts";
import { measureHalfLoad, measureLoad } from "./throughput.ts";

const CONNECTIONS = 16;
const WARMUP_SECONDS = 2;

/** Requests a second at the peak, and latency at half of it, of a kind of request that has no floor. */
export async function latencyLines(
  bench: Bench,
  { kind, name, p99Ms }: { readonly kind: LoadKind; readonly name: string; readonly p99Ms: number },
  url: string,
  service: Service,
  load: Helper<Load, LoadResult>,
): Promise<Line[]> {
  const wanted = { kind, port: service.port, connections: CONNECTIONS, rate: null, seconds: bench.roundSeconds };
  const { perSecond } = await measureLoad(load, { ...wanted, warmupSeconds: WARMUP_SECONDS });
  const { rate, p99 } = await measureHalfLoad(bench, kind, perSecond, url, service, load);
  return [
    { name, value: perSecond, unit: "requests/s", note: `${CONNECTIONS} connections` },
    {
      name: `${name} at half of its peak, p99`,
      value: p99,
      unit: "ms",
      target: target("under", p99Ms, p99, "ms"),
      note: `${Math.round(rate)} requests/s at random moments, waits included`,
    },
  ];
}
