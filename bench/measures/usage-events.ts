import { addDays, calendarDay } from "../../src/kernel/time.ts";
import { machineNow } from "../../src/platform/machine-clock.ts";
import type { Bench } from "../bench.ts";
import { addSubscriptions, fillCatalogue } from "../fill-subscriptions.ts";
import { EVENTS_IN_BATCH } from "../load-requests.ts";
import { ORGANISATIONS, SUBSCRIBERS } from "../names.ts";
import { type Line, target } from "../report.ts";
import { median } from "../statistics.ts";
import { measureLoad, underLoad } from "./throughput.ts";

const EVENTS_A_SECOND = 10_000;
const CONNECTIONS = 4;
const ROUNDS = 3;

/** How many usage events one process counts a second, in full batches of an organisation's hundred subscriptions. */
export async function measureUsageEvents(bench: Bench): Promise<Line[]> {
  const url = await bench.server.database("usage_events");
  await fillCatalogue(bench.server, url);
  const nextDue = addDays(calendarDay(machineNow()), 15);
  const count = ORGANISATIONS * SUBSCRIBERS;
  await addSubscriptions(bench.server, url, { tag: "u0", count, organisations: ORGANISATIONS, nextDue, metered: true });
  return underLoad(
    bench,
    url,
    async (service, load) => {
      const rates: number[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const { perSecond } = await measureLoad(load, {
          port: service.port,
          kind: "usage-events",
          connections: CONNECTIONS,
          rate: null,
          warmupSeconds: round === 0 ? 2 : 0,
          seconds: bench.roundSeconds,
        });
        rates.push(perSecond * EVENTS_IN_BATCH);
      }
      const value = median(rates);
      return [
        {
          name: "usage events counted",
          value,
          unit: "events/s",
          target: target("at least", EVENTS_A_SECOND, value, "events/s"),
          note: `${EVENTS_IN_BATCH} a request, of ${SUBSCRIBERS} subscriptions; median of ${ROUNDS} rounds`,
        },
      ];
    },
    { PROCESS: "api" },
  );
}
