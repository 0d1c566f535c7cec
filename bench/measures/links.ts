import type { Bench, Measure } from "../bench.ts";
import { ORGANISATIONS } from "../names.ts";
import { type Line, target } from "../report.ts";
import { measureHalfLoad, measurePeak, underLoad } from "./throughput.ts";

const P99_MS = 25;
const EVENT_LOOP_P99_MS = 20;
const COMMON = { connections: 16, organisations: ORGANISATIONS } as const;

const SUBJECTS = {
  create: { ...COMMON, kind: "create", name: "payment link create", share: 0.5 },
  get: { ...COMMON, kind: "get", name: "payment link get", share: 0.35 },
} as const;

/** Throughput beside its floor, and latency at half of it. */
export const measureLinks =
  (kind: keyof typeof SUBJECTS): Measure =>
  async (bench: Bench): Promise<Line[]> => {
    const url = await bench.server.database("tefo");
    return underLoad(bench, url, async (service, load) => {
      const subject = SUBJECTS[kind];
      const { lines, perSecond } = await measurePeak(bench, subject, url, service, load);
      const { rate, p99, delay } = await measureHalfLoad(bench, kind, perSecond, url, service, load);
      return [
        ...lines,
        {
          name: `${subject.name} at half of its peak, p99`,
          value: p99,
          unit: "ms",
          target: target("under", P99_MS, p99, "ms"),
          note: `${Math.round(rate)} requests/s at random moments, waits included`,
        },
        {
          name: `${subject.name} at half of its peak, event-loop delay p99`,
          value: delay,
          unit: "ms",
          target: target("under", EVENT_LOOP_P99_MS, delay, "ms"),
          note: "as /metrics tells it: 10 ms of it are the interval of the probe",
        },
      ];
    });
  };
