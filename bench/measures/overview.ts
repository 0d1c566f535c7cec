import type { Bench } from "../bench.ts";
import { openBusiness } from "../fill-business.ts";
import { type Line, target } from "../report.ts";
import { startService } from "../service.ts";
import { percentile } from "../statistics.ts";

const P99_MS = 50;
const REQUESTS = 500;
const WARMUP = 50;

/** The time of the figures of the home page for an organisation with millions of records, one request after the other. */
export async function measureOverview(bench: Bench): Promise<Line[]> {
  const { url, merchant } = await openBusiness(bench);
  const service = await startService(bench.server, { DATABASE_URL: url, PROCESS: "api" });
  try {
    const took: number[] = [];
    for (let sent = -WARMUP; sent < REQUESTS; sent++) {
      const began = performance.now();
      await merchant.dashboard(service.baseUrl, "GET", "/overview");
      if (sent >= 0) took.push(performance.now() - began);
    }
    took.sort((a, b) => a - b);
    const p99 = percentile(took, 0.99);
    return [
      {
        name: "overview of an organisation with three million records, p99",
        value: p99,
        unit: "ms",
        target: target("under", P99_MS, p99, "ms"),
        note: `half take at most ${percentile(took, 0.5).toFixed(0)} ms; ${REQUESTS} requests, one after the other`,
      },
    ];
  } finally {
    await service.stop();
  }
}
