import type { Line } from "./report.ts";
import type { BenchServer } from "./server.ts";

/** The arguments of every measurement. */
export interface Bench {
  readonly server: BenchServer;
  /** Of the memory measurement. */
  readonly minutes: number;
  /** Seconds of a round of load; the other times are proportional to it. */
  readonly roundSeconds: number;
  /** How often work in sets is measured; the median counts. */
  readonly rounds: number;
  /** Subscriptions that fall due at one moment. */
  readonly renewals: number;
  /** Of the bank statement that is imported. */
  readonly lines: number;
  /** "pgbench 17.2", or null when this machine has none. */
  readonly pgbench: string | null;
  /** The git revision that this version is compared with. */
  readonly against: string;
  /** Prints progress, which is not part of the result. */
  say(text: string): void;
}

/** Runs one measurement; answers its lines of output. */
export type Measure = (bench: Bench) => Promise<Line[]>;
