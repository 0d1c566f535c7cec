import type { Bench } from "../bench.ts";
import { DEBITS, fillMandates } from "../fill-debits.ts";
import { debitFloor } from "../floor-debits.ts";
import { organisationId } from "../names.ts";
import { type Line, target } from "../report.ts";
import { type Service, startService } from "../service.ts";
import { median } from "../statistics.ts";
import { measureWork, memoryLines, watchingMemory } from "./work.ts";

/** Of the batch that is made before. */
const WARM_UP_DEBITS = 1000;
/** Mandates that are not due, beside those that are. */
const IDLE = 10 * DEBITS;
const LEAST_SHARE = 0.25;
/** Largest part that mandates which are not due may add: a smaller one cannot be distinguished from variation. */
const NOISE = 1.15;

/** The steps of a batch: the work that is made due, and the state when it is done. */
const STEPS = {
  made: {
    kind: "debit_batch.gather",
    done: "select sum(debits) = :debits as done from debit_batches where organisation_id = :id",
  },
  submitted: {
    kind: "debit_batch.submit",
    done: "select bool_and(status = 'submitted') as done from debit_batches where organisation_id = :id",
  },
  applied: {
    kind: "sandbox.debit",
    // With the work of the events, which runs at the same time.
    done: `select bool_and(reported = lines) and not exists (select from due_work where organisation_id = :id and kind = 'event.react') as done
             from sandbox_debit_batches where organisation_id = :id`,
  },
} as const;
type Step = keyof typeof STEPS;
type Seconds = Readonly<Record<Step, number>>;

/** A batch by the service, beside its floor. */
interface Round {
  readonly service: Seconds;
  readonly floor: number;
  /** Resident megabytes while the batch was made, submitted and settled. */
  readonly memory: readonly number[];
}

/**
 * A batch of 50 000 debits made, submitted to the sandbox gateway and its results applied, with the work of their
 * events, by one process that does everything, compared with bare SQL that writes the same rows; then the same in
 * organisations with ten times as many mandates that are not due.
 */
export async function measureDebitBatch(bench: Bench): Promise<Line[]> {
  const url = await bench.server.database("debits");
  const service = await startService(bench.server, { DATABASE_URL: url });
  const rounds: Round[] = [];
  const crowded: Round[] = [];
  try {
    // A database without statistics plans as if its tables were empty, so a batch is made before.
    await measureBatch(bench, url, service, { number: 1, debits: WARM_UP_DEBITS, idle: 0 });
    await bench.server.query(url, "vacuum analyze");
    for (let round = 0; round < bench.rounds; round++) {
      rounds.push(await measureRound(bench, url, service, 4 * round + 2, 0));
      crowded.push(await measureRound(bench, url, service, 4 * round + 4, IDLE));
    }
  } finally {
    await service.stop();
  }
  return linesOf(rounds, crowded);
}

/** One batch of organisation `number`; its floor in the next organisation, which has the same mandates. */
async function measureRound(bench: Bench, url: string, service: Service, number: number, idle: number): Promise<Round> {
  await fillMandates(bench.server, url, number + 1, { debits: DEBITS, idle });
  const batch = await measureBatch(bench, url, service, { number, debits: DEBITS, idle });
  const floor = await debitFloor(url, number, number + 1);
  bench.say(
    `debit-batch${idle > 0 ? " among many" : ""}: ${Object.entries(batch.service)
      .map(([step, took]) => `${step} ${took.toFixed(1)} s`)
      .join(", ")}; floor ${floor.toFixed(1)} s; ${Math.round(Math.max(...batch.memory))} MB`,
  );
  return { ...batch, floor };
}

/** A batch of the organisation with this number. */
interface Subject {
  readonly number: number;
  readonly debits: number;
  readonly idle: number;
}

async function measureBatch(
  { server }: Bench,
  url: string,
  service: Service,
  { number, debits, idle }: Subject,
): Promise<Omit<Round, "floor">> {
  await fillMandates(server, url, number, { debits, idle });
  const id = organisationId(number);
  await server.query(
    url,
    `insert into due_work (organisation_id, kind, subject, lane, due_at)
     values ('${id}', 'debit_batch.gather', '${id}', 'debit_batch.gather', now() + interval '1 hour')`,
  );
  const { result, memory } = await watchingMemory(service, async () => {
    const seconds = { made: 0, submitted: 0, applied: 0 };
    for (const step of Object.keys(STEPS) as Step[])
      seconds[step] = await measureWork(server, url, {
        which: `organisation_id = '${id}' and kind = '${STEPS[step].kind}'`,
        done: STEPS[step].done.replace(":debits", String(debits)).replaceAll(":id", `'${id}'`),
      });
    return seconds;
  });
  return { service: result, memory };
}

const secondsOf = ({ made, submitted, applied }: Seconds): number => made + submitted + applied;

function linesOf(rounds: readonly Round[], crowded: readonly Round[]): Line[] {
  const seconds = median(rounds.map(({ service }) => secondsOf(service)));
  const floor = median(rounds.map((round) => round.floor));
  const share = median(rounds.map((round) => round.floor / secondsOf(round.service)));
  const among = median(crowded.map((round) => round.floor / secondsOf(round.service)));
  const steps = (Object.keys(STEPS) as Step[]).map(
    (step) => `${step} ${median(rounds.map(({ service }) => service[step])).toFixed(1)} s`,
  );
  return [
    {
      name: "floor of a batch of 50 000 debits",
      value: DEBITS / floor,
      unit: "debits/s",
      note: "one statement for each table and step, over one connection, of rows that are prepared",
    },
    {
      name: "batch of 50 000 debits made, submitted and its results applied",
      value: DEBITS / seconds,
      unit: "debits/s",
      ratio: share,
      floor: "the floor",
      target: target("at least", LEAST_SHARE, share, "of the floor"),
      note: `${steps.join(", ")}; one process, which is the sandbox gateway too`,
    },
    {
      name: "the same with ten times as many mandates that are not due, against its own floor",
      value: share / among,
      unit: "times",
      target: target("under", NOISE, share / among),
    },
    ...memoryLines("batches", rounds, crowded),
  ];
}
