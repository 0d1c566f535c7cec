import { addDays, calendarDay } from "../../src/kernel/time.ts";
import { machineNow } from "../../src/platform/machine-clock.ts";
import type { Bench } from "../bench.ts";
import { addSubscriptions, fillCatalogue } from "../fill-subscriptions.ts";
import { ORGANISATIONS, SUBSCRIBERS } from "../names.ts";
import type { Line } from "../report.ts";
import { latencyLines } from "./latency.ts";
import { measurePeak, underLoad } from "./throughput.ts";

const CONNECTIONS = 16;
const CREATE = {
  kind: "subscription-create",
  name: "customer subscription create, billed at once",
  connections: CONNECTIONS,
  organisations: ORGANISATIONS,
  share: 0.4,
} as const;
const PREVIEW_P99_MS = 10;

/**
 * Throughput of creating subscriptions compared with its floor. Only requests are served: the work of the events is
 * left out on both sides.
 */
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
  const nextDue = addDays(calendarDay(machineNow()), 15);
  const added = { tag: "p0", count: ORGANISATIONS * SUBSCRIBERS, organisations: ORGANISATIONS, nextDue };
  await addSubscriptions(bench.server, url, added);
  const preview = { kind: "subscription-preview", name: "preview of a change", p99Ms: PREVIEW_P99_MS } as const;
  return underLoad(bench, url, (service, load) => latencyLines(bench, preview, url, service, load), { PROCESS: "api" });
}
