import { addDays, businessDay, machineNow } from "../../src/kernel/time.ts";
import type { Bench } from "../bench.ts";
import { addSubscriptions, fillCatalogue } from "../fill-subscriptions.ts";
import { ORGANISATIONS, SUBSCRIBERS } from "../names.ts";
import { type Line, target } from "../report.ts";
import { measureHalfLoad, measureLoad, measurePeak, underLoad } from "./throughput.ts";

const CONNECTIONS = 16;
const CREATE = {
  kind: "subscription-create",
  name: "customer subscription create, billed at once",
  connections: CONNECTIONS,
  organisations: ORGANISATIONS,
  share: 0.4,
} as const;
const PREVIEW_P99_MS = 10;
const WARMUP_SECONDS = 2;

/** Throughput of creating subscriptions beside its floor. Only requests are served: what follows from the events is left out on both sides. */
export async function measureSubscriptionCreate(bench: Bench): Promise<Line[]> {
  const url = await bench.server.database("subscription_create");
  await fillCatalogue(bench.server, url);
  return underLoad(bench, url, async (service, load) => (await measurePeak(bench, CREATE, url, service, load)).lines, {
    PROCESS: "api",
  });
}

/** Latency of previewing a change of plan and add-ons, at half of the peak. */
export async function measurePreview(bench: Bench): Promise<Line[]> {
  const url = await bench.server.database("subscription_preview");
  await fillCatalogue(bench.server, url);
  const nextDue = addDays(businessDay(machineNow()), 15);
  const added = { tag: "p0", count: ORGANISATIONS * SUBSCRIBERS, organisations: ORGANISATIONS, nextDue };
  await addSubscriptions(bench.server, url, added);
  return underLoad(
    bench,
    url,
    async (service, load) => {
      const kind = "subscription-preview";
      const wanted = {
        kind,
        port: service.port,
        connections: CONNECTIONS,
        rate: null,
        seconds: bench.roundSeconds,
      } as const;
      const { perSecond } = await measureLoad(load, { ...wanted, warmupSeconds: WARMUP_SECONDS });
      const { rate, p99 } = await measureHalfLoad(bench, kind, perSecond, url, service, load);
      return [
        {
          name: "preview of a change of a subscription",
          value: perSecond,
          unit: "requests/s",
          note: `${CONNECTIONS} connections`,
        },
        {
          name: "preview of a change at half of its peak, p99",
          value: p99,
          unit: "ms",
          target: target("under", PREVIEW_P99_MS, p99, "ms"),
          note: `${Math.round(rate)} requests/s at random moments, waits included`,
        },
      ];
    },
    { PROCESS: "api" },
  );
}
