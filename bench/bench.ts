import type { Line } from "./report.ts";
import type { BenchServer } from "./server.ts";

/** What every measurement is given. */
export interface Bench {
  readonly server: BenchServer;
  /** Of the memory measurement. */
  readonly minutes: number;
  /** The loads' rounds are so many seconds; all of them scale with it. */
  readonly roundSeconds: number;
  /** "pgbench 17.2", or null when this machine has none. */
  readonly pgbench: string | null;
  /** For whoever waits; not part of the result. */
  say(text: string): void;
}

/** Measures something and tells it in lines. */
export type Measure = (bench: Bench) => Promise<Line[]>;
