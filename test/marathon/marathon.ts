import { chmod } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { type Test, temporaryFolder } from "../support/processes.ts";
import { Stopped } from "./client.ts";
import { comeToRest, type Examined, examine } from "./examination.ts";
import { drawFault, type FaultName, happen } from "./faults.ts";
import { type Random, seeded } from "./random.ts";
import { openReceiver } from "./receiver.ts";
import { openCluster } from "./servers.ts";
import { openService } from "./service.ts";
import { openShop, type Shop } from "./shop.ts";
import { doWork, passDays } from "./work.ts";

/** What a marathon is asked for. */
export interface Options {
  readonly seed: number;
  /** It ends at the first pause after so long, or after so many kills. */
  readonly minutes: number;
  readonly kills: number;
  /** The folder of PostgreSQL's programs; null: those of the embedded one. */
  readonly bin: string | null;
  /** The folder of the release that the service runs at first; null: this tree. */
  readonly release: string | null;
  /** How many faults happen between two pauses, or which. */
  readonly faults: number | readonly FaultName[];
  /** Ends it at the next pause, which comes at once. */
  readonly signal: AbortSignal;
  say(line: string): void;
}

/** What came of it. */
export interface Outcome {
  readonly kills: number;
  readonly rounds: number;
  readonly work: number;
  /** By name, how often each fault happened. */
  readonly faults: Readonly<Record<string, number>>;
  /** How often each path of the API was answered how. */
  readonly answers: Readonly<Record<string, number>>;
  /** What did not hold. */
  readonly found: readonly string[];
}

const SHOPS = [
  { slug: "clocked-one", clocked: true },
  { slug: "clocked-two", clocked: true },
  { slug: "real-time", clocked: false },
] as const;
const CLIENTS_OF_A_SHOP = 2;
const BETWEEN_FAULTS_MS = 1_500;
/** Of work, before each third fault. */
const WORK_BETWEEN = 20;
const DAYS_OF_A_PAUSE = 4;

/** Runs until its time or its kills are over, or until something does not hold. */
export async function runMarathon(t: Test, options: Options): Promise<Outcome> {
  const { say, seed, signal } = options;
  const random = seeded(seed);
  const folder = await temporaryFolder(t);
  // PostgreSQL runs as another user, who must be able to enter it.
  await chmod(folder, 0o711);
  await using open = new AsyncDisposableStack();
  const cluster = await openCluster(folder, options.bin);
  open.defer(cluster.stop);
  const receiver = await openReceiver();
  open.defer(async () => receiver.close());
  const service = await openService(t, cluster, options.release);
  open.defer(service.stop);
  let stopped = false;
  open.defer(async () => {
    stopped = true;
  });
  const shops: Shop[] = [];
  for (const facts of SHOPS)
    shops.push(await openShop(service, receiver, { ...facts, random: random.branch(), stopped: () => stopped }));
  const examined: Examined = { service, cluster, receiver, shops };
  const clients = shops.flatMap((shop) =>
    Array.from({ length: CLIENTS_OF_A_SHOP }, () => ({ shop, random: random.branch() })),
  );
  const faultsRandom = random.branch();
  const counts = new Map<string, number>();
  const total = { kills: 0, rounds: 0, work: 0 };
  const until = performance.now() + options.minutes * 60_000;
  const found: string[] = [];
  while (found.length === 0 && performance.now() < until && total.kills < options.kills && !signal.aborted) {
    total.rounds++;
    const before = total.work;
    const first = options.release !== null && total.rounds === 1;
    const names = await round(examined, clients, faultsRandom, { ...options, upgrade: first }, total);
    for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
    const began = performance.now();
    await service.allReady();
    for (const shop of shops) if (shop.clocked) await passDays(shop, DAYS_OF_A_PAUSE);
    const left = await comeToRest(examined);
    const rested = performance.now() - began;
    found.push(...left, ...(await examine(examined, faultsRandom)));
    say(
      `pause ${total.rounds}: ${total.work - before} pieces of work, ${total.kills} kills so far, ` +
        `at rest after ${(rested / 1000).toFixed(1)} s, ${found.length} found; ${names.join(", ")}`,
    );
  }
  return { ...total, faults: Object.fromEntries(counts), answers: answersOf(shops), found };
}

function answersOf(shops: readonly Shop[]): Outcome["answers"] {
  const answers: Record<string, number> = {};
  for (const shop of shops) for (const [kind, count] of shop.answers) answers[kind] = (answers[kind] ?? 0) + count;
  return answers;
}

interface Client {
  readonly shop: Shop;
  readonly random: Random;
}

/** Clients work while faults happen, one after the other; answers their names. */
async function round(
  examined: Examined,
  clients: readonly Client[],
  random: Random,
  { faults, upgrade, signal }: Options & { readonly upgrade: boolean },
  total: { kills: number; work: number },
): Promise<string[]> {
  let over = false;
  examined.receiver.reliable(false);
  const working = clients.map(async ({ shop, random: own }) => {
    while (!over) {
      await doWork(shop, own).catch((error: unknown) => {
        if (!(error instanceof Stopped)) throw error;
      });
      total.work++;
    }
  });
  const names: string[] = [];
  const failing = async () => {
    const drawn = typeof faults === "number" ? Array.from({ length: faults }, () => drawFault(random)) : faults;
    for (const [n, name] of (upgrade ? (["upgrade", ...drawn] as const) : drawn).entries()) {
      if (signal.aborted) break;
      names.push(name);
      await sleep(random.below(BETWEEN_FAULTS_MS));
      const before = total.work;
      total.kills += await happen(name, examined, random.branch());
      // A slow machine would otherwise see nothing but faults.
      if (n % 3 === 2) while (total.work < before + WORK_BETWEEN) await sleep(100);
    }
    over = true;
  };
  await Promise.all([failing(), ...working]);
  examined.receiver.reliable(true);
  return names;
}
