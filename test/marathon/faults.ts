import { setTimeout as sleep } from "node:timers/promises";
import type { Conduct } from "../support/unreliable-gateway.ts";
import type { Random } from "./random.ts";
import type { Cluster } from "./servers.ts";
import type { Process, Service } from "./service.ts";

/* What goes wrong, by its name, and how often each does. */

/** What faults happen to. */
export interface Place {
  readonly service: Service;
  readonly cluster: Cluster;
}

interface Fault {
  readonly weight: number;
  /** How many processes it kills. */
  readonly kills: number;
  run(place: Place, random: Random): Promise<unknown>;
}

/** Longer than a lease lasts, so that another process takes over what a paused one holds. */
const LONG_PAUSE_MS = 35_000;

const CONDUCTS: Readonly<Record<Conduct, number>> = {
  answers: 6,
  hangs: 1,
  fails: 2,
  "makes it and hangs": 1,
  "makes it and fails": 2,
  "makes it and is unreadable": 1,
  "makes it twice": 3,
};

const oneOf = ({ service }: Place, random: Random): Process => {
  const found = random.of(service.processes);
  if (!found) throw new Error("no process");
  return found;
};

async function pauseProcess(place: Place, random: Random, ms: number): Promise<void> {
  const { kept } = oneOf(place, random);
  kept.signal("SIGSTOP");
  await sleep(ms);
  kept.signal("SIGCONT");
}

const FAULTS = {
  "kill of a process": { weight: 10, kills: 1, run: async (place, random) => oneOf(place, random).kept.kill() },
  "kill of all processes": {
    weight: 1,
    kills: 4,
    run: async ({ service }) => {
      for (const { kept } of service.processes) kept.kill();
    },
  },
  "restart of a process": {
    weight: 2,
    kills: 0,
    run: async (place, random) => oneOf(place, random).kept.signal("SIGTERM"),
  },
  "pause of a process": {
    weight: 3,
    kills: 0,
    run: (place, random) => pauseProcess(place, random, random.below(4_000)),
  },
  "pause of a process beyond its leases": {
    weight: 0.5,
    kills: 0,
    run: (place, random) => pauseProcess(place, random, LONG_PAUSE_MS),
  },
  "kill of the primary": { weight: 4, kills: 1, run: ({ cluster }) => cluster.crashPrimary() },
  "kill of the standby": {
    weight: 2,
    kills: 1,
    run: ({ cluster }, random) => cluster.crashStandby(random.below(4_000)),
  },
  failover: { weight: 2, kills: 1, run: ({ cluster }) => cluster.failOver(false) },
  "planned failover": { weight: 1, kills: 0, run: ({ cluster }) => cluster.failOver(true) },
  "failover from a machine without power": {
    weight: 1,
    kills: 1,
    run: async ({ cluster, service }) => {
      for (const { database } of service.processes) database.silence();
      await cluster.failOver(false);
    },
  },
  "full disk": { weight: 1, kills: 0, run: ({ cluster }, random) => cluster.fillDisk(2_000 + random.below(6_000)) },
  "broken connections to the database": {
    weight: 3,
    kills: 0,
    run: async (place, random) => oneOf(place, random).database.drop(),
  },
  "slow connections to the database": {
    weight: 2,
    kills: 0,
    run: async (place, random) => {
      const { database } = oneOf(place, random);
      database.slow(20 + random.below(200));
      await sleep(4_000);
      database.slow(0);
    },
  },
  "stalled connections to the database": {
    weight: 2,
    kills: 0,
    run: (place, random) => oneOf(place, random).database.pause(1_000 + random.below(8_000)),
  },
  "silent connections to the database": {
    weight: 1,
    kills: 0,
    run: async (place, random) => oneOf(place, random).database.silence(),
  },
  "broken connections of clients": { weight: 2, kills: 0, run: async ({ service }) => service.front.drop() },
  "unreliable gateway": {
    weight: 4,
    kills: 0,
    run: async ({ service }, random) => {
      service.conduct(() => random.weighted(CONDUCTS));
      await sleep(3_000 + random.below(3_000));
      service.conduct(() => "answers");
    },
  },
} satisfies Readonly<Record<string, Fault>>;

/** The name of each fault. */
export type FaultName = keyof typeof FAULTS;

const WEIGHTS = Object.fromEntries(Object.entries(FAULTS).map(([name, { weight }]) => [name, weight])) as Readonly<
  Record<FaultName, number>
>;

/** Chooses a fault. */
export const drawFault = (random: Random): FaultName => random.weighted(WEIGHTS);

/** Lets it happen; answers how many processes it killed, once it is over. */
export async function happen(name: FaultName, place: Place, random: Random): Promise<number> {
  await FAULTS[name].run(place, random);
  return FAULTS[name].kills;
}
