import type { Bench } from "../bench.ts";
import { fillPayments } from "../fill-payments.ts";
import { ORGANISATIONS } from "../names.ts";
import type { Line } from "../report.ts";
import { measurePeak, underLoad } from "./throughput.ts";

const SUBJECT = {
  kind: "notification",
  name: "notification of a payment, verified and settled",
  connections: 16,
  organisations: ORGANISATIONS,
  share: 0.4,
} as const;

/** Throughput compared with its floor. Only requests are served: the work of the events is left out on both sides. */
export async function measureNotifications(bench: Bench): Promise<Line[]> {
  const url = await bench.server.database("notifications");
  await fillPayments(bench.server, url);
  return underLoad(bench, url, async (service, load) => (await measurePeak(bench, SUBJECT, url, service, load)).lines, {
    PROCESS: "api",
  });
}
