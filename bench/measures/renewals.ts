import { addDays, calendarDay } from "../../src/kernel/time.ts";
import { machineNow } from "../../src/platform/machine-clock.ts";
import type { Bench } from "../bench.ts";
import { startHelper } from "../child.ts";
import { addSubscriptions, fillCatalogue } from "../fill-subscriptions.ts";
import { renewalFloor } from "../floor-renewals.ts";
import { ORGANISATIONS, SUBSCRIBERS } from "../names.ts";
import type { Received, ReceiverRequest } from "../receiver.ts";
import { type Line, target } from "../report.ts";
import { type Service, startService } from "../service.ts";
import { median } from "../statistics.ts";
import { measureWork, memoryLines, until, watchingMemory } from "./work.ts";

/** Renewals before the first round, so that no plan is made for empty tables. */
const WARM_UP = 1000;
/** Subscriptions that are not due, for each that is. */
const IDLE = 10;
/** The share of the renewals that belong to one organisation. */
const PART_OF_ONE = 1 / 5;
const LEAST_SHARE = 0.25;
const LEAST_SHARE_OF_ONE = 0.2;
/** Largest part that subscriptions which are not due may add. */
const AMONG_MAX = 1.3;
const BILL = "customer_subscription.bill";

/** Renewals by the service, with their floor. */
interface Round {
  readonly renewals: number;
  readonly seconds: number;
  readonly floor: number;
  /** Resident megabytes meanwhile. */
  readonly memory: readonly number[];
}

interface Setup {
  readonly bench: Bench;
  readonly url: string;
  readonly service: Service;
  /** Rounds so far. */
  made: number;
}

/**
 * Renewals that fall due at one moment, in all organisations and in one alone, each an invoice of two lines with its
 * number, pay link, postings and due work, its bill and its event with the deliveries of those organisations that have
 * an endpoint, by one process that does everything, compared with bare SQL that writes the same rows; then the same
 * among ten times as many subscriptions that are not due.
 */
export async function measureRenewals(bench: Bench): Promise<Line[]> {
  const url = await bench.server.database("renewals");
  const receiver = startHelper<ReceiverRequest, Received>("receiver.ts");
  try {
    await fillCatalogue(bench.server, url, (await receiver.ask({ kind: "open" })).live);
    const service = await startService(bench.server, { DATABASE_URL: url });
    try {
      return await measureRounds({ bench, url, service, made: 0 });
    } finally {
      await service.stop();
    }
  } finally {
    await receiver.stop();
  }
}

/** As many organisations as have a renewal for each of their customers. */
const organisationsOf = (renewals: number) => Math.min(ORGANISATIONS, Math.ceil(renewals / SUBSCRIBERS));

async function measureRounds(setup: Setup): Promise<Line[]> {
  const { bench, url } = setup;
  const organisations = organisationsOf(bench.renewals);
  const rounds: Round[] = [];
  const ofOne: Round[] = [];
  const among: Round[] = [];
  await measureRound(setup, WARM_UP, organisationsOf(WARM_UP));
  await bench.server.query(url, "vacuum analyze");
  for (let round = 0; round < bench.rounds; round++) {
    rounds.push(await measureRound(setup, bench.renewals, organisations));
    ofOne.push(await measureRound(setup, bench.renewals * PART_OF_ONE, 1));
  }
  const nextDue = addDays(calendarDay(machineNow()), 20);
  await addSubscriptions(bench.server, url, { tag: "i0", count: IDLE * bench.renewals, organisations, nextDue });
  for (let round = 0; round < bench.rounds; round++)
    among.push(await measureRound(setup, bench.renewals, organisations));
  return linesOf(organisations, { rounds, ofOne, among });
}

async function measureRound(setup: Setup, renewals: number, organisations: number): Promise<Round> {
  const { bench, url, service } = setup;
  const [tag, twins] = [`d${setup.made}`, `t${setup.made}`];
  setup.made++;
  const added = { count: renewals, organisations, nextDue: calendarDay(machineNow()) };
  await addSubscriptions(bench.server, url, { ...added, tag });
  await addSubscriptions(bench.server, url, { ...added, tag: twins });
  const { result: seconds, memory } = await watchingMemory(service, () => bill(bench, url, tag));
  await until(bench.server, url, "select not exists (select from due_work where is_due and parked_at is null) as done");
  const floor = await renewalFloor(url, tag);
  bench.say(
    `${Math.round(renewals)} renewals${organisations === 1 ? " of one organisation" : ""}: ${seconds.toFixed(1)} s, floor ${floor.toFixed(1)} s (${(floor / seconds).toFixed(2)}); ${Math.round(Math.max(...memory))} MB`,
  );
  return { renewals, seconds, floor, memory };
}

/** Makes the work on these subscriptions due, and answers the seconds until it was done, with the work of the events. */
const bill = ({ server }: Bench, url: string, tag: string): Promise<number> => {
  const pending = `kind in ('${BILL}', 'event.react') and parked_at is null`;
  return measureWork(server, url, {
    which: `kind = '${BILL}' and subject like 'csub\\_${tag}%'`,
    done: `select not exists (select from due_work where not is_due and not waits_for_clock and due_at <= now() and ${pending})
       and not exists (select from due_work where is_due and ${pending}) as done`,
  });
};

const shareOf = (rounds: readonly Round[]) => median(rounds.map(({ floor, seconds }) => floor / seconds));
const rateOf = (rounds: readonly Round[], seconds: (round: Round) => number) =>
  median(rounds.map((round) => round.renewals / seconds(round)));

interface Measured {
  readonly rounds: readonly Round[];
  readonly ofOne: readonly Round[];
  readonly among: readonly Round[];
}

function linesOf(organisations: number, { rounds, ofOne, among }: Measured): Line[] {
  const [share, shareOfOne] = [shareOf(rounds), shareOf(ofOne)];
  const took = (some: readonly Round[]) => median(some.map(({ seconds }) => seconds));
  const slower = took(among) / took(rounds);
  return [
    {
      name: "floor of renewals",
      value: rateOf(rounds, ({ floor }) => floor),
      unit: "renewals/s",
      note: "batches of 500, one statement for each table, over one connection, of rows that are prepared",
    },
    {
      name: `${rounds[0]?.renewals} renewals that fall due at one moment in ${organisations} organisations`,
      value: rateOf(rounds, ({ seconds }) => seconds),
      unit: "renewals/s",
      ratio: share,
      floor: "the floor",
      target: target("at least", LEAST_SHARE, share, "of the floor"),
      note: "invoice of two lines, pay link, postings, bill, event and deliveries written; one process, which delivers meanwhile",
    },
    {
      name: "renewals of one organisation alone",
      value: rateOf(ofOne, ({ seconds }) => seconds),
      unit: "renewals/s",
      ratio: shareOfOne,
      floor: "their floor",
      target: target("at least", LEAST_SHARE_OF_ONE, shareOfOne, "of the floor"),
    },
    {
      name: "time of renewals among ten times as many subscriptions that are not due",
      value: slower,
      unit: "times",
      target: target("under", AMONG_MAX, slower),
    },
    ...memoryLines("renewals", [...rounds, ...among], ofOne),
  ];
}
