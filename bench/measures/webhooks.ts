import type { Bench } from "../bench.ts";
import { type Helper, startHelper } from "../child.ts";
import { type Merchant, newMerchant } from "../merchant.ts";
import type { Received, ReceiverRequest } from "../receiver.ts";
import { type Line, target } from "../report.ts";
import { startService } from "../service.ts";
import { median } from "../statistics.ts";

const CUSTOMERS = 2500;
/** An even number of changes for each customer, so that every round begins in the same state. */
const EVENTS = 4 * CUSTOMERS;
const TIMEOUT_SECONDS = 120;
const PER_SECOND_MIN = 500;
/** Least ratio; smaller differences are within the variation between runs. */
const RATIO_MIN = 0.9;
const ROUNDS = 2;
const CALLERS = 16;

/**
 * How fast one process delivers a backlog of events to an endpoint that accepts them, alone and at the same time as to one that accepts the
 * connection and never answers.
 */
export async function measureWebhooks(bench: Bench): Promise<Line[]> {
  const url = await bench.server.database("webhooks");
  const merchant = await newMerchant(bench.server, url);
  const receiver = startHelper<ReceiverRequest, Received>("receiver.ts");
  try {
    const { live, dead } = await receiver.ask({ kind: "open" });
    const customers: string[] = [];
    await withApi(bench, url, async (baseUrl) => {
      await merchant.dashboard(baseUrl, "POST", "/webhook-endpoints", { url: live, events: ["*"] });
      await together(CUSTOMERS, async (index) => {
        const body = { externalReference: `bench-${index}`, email: `payer-${index}@bench.example` };
        customers[index] = ((await merchant.api(baseUrl, "POST", "/customers", body)) as { id: string }).id;
      });
    });
    const world: Setup = { bench, url, merchant, receiver, customers, dead };
    const alone: number[] = [];
    const beside: number[] = [];
    for (let round = 1; round <= ROUNDS; round++) {
      // The order alternates, since a later measurement finds more rows.
      for (const withDead of round % 2 === 1 ? [false, true] : [true, false])
        (withDead ? beside : alone).push(await deliver(world, withDead));
      bench.say(`webhooks ${round}/${ROUNDS}: alone ${alone.at(-1)}/s, beside a dead one ${beside.at(-1)}/s`);
    }
    return linesOf(
      median(alone),
      median(beside),
      median(beside.map((rate, round) => rate / (alone[round] ?? Number.NaN))),
    );
  } finally {
    await receiver.stop();
  }
}

interface Setup {
  readonly bench: Bench;
  readonly url: string;
  readonly merchant: Merchant;
  readonly receiver: Helper<ReceiverRequest, Received>;
  readonly customers: readonly string[];
  readonly dead: string;
}

/** Deliveries a second of a backlog that was made while no worker ran, until the live endpoint has every event. */
async function deliver({ bench, url, merchant, receiver, customers, dead }: Setup, withDead: boolean): Promise<number> {
  let endpoint = "";
  await withApi(bench, url, async (baseUrl) => {
    if (withDead) {
      const body = { url: dead, events: ["*"] };
      endpoint = ((await merchant.dashboard(baseUrl, "POST", "/webhook-endpoints", body)) as { id: string }).id;
    }
    // Each change of a customer's standing is an event.
    for (let made = 0; made < EVENTS; made += CUSTOMERS) {
      const active = (made / CUSTOMERS) % 2 === 1;
      await together(CUSTOMERS, (index) =>
        merchant.api(baseUrl, "PATCH", `/customers/${customers[index]}`, { active }),
      );
    }
  });
  // The state after autovacuum, which runs within a minute.
  await bench.server.query(url, "vacuum analyze");
  await receiver.ask({ kind: "reset" });
  const service = await startService(bench.server, { DATABASE_URL: url });
  try {
    const { events, seconds, deadRequests } = await receiver.ask({
      kind: "await",
      events: EVENTS,
      seconds: TIMEOUT_SECONDS,
    });
    // A change of a customer has a second event, and some of these come meanwhile.
    if (events < EVENTS) throw new Error(`${events} of ${EVENTS} events came within ${TIMEOUT_SECONDS} s`);
    if (withDead && deadRequests === 0) throw new Error("the dead endpoint was never tried");
    if (withDead) await merchant.dashboard(service.baseUrl, "DELETE", `/webhook-endpoints/${endpoint}`);
    return events / seconds;
  } finally {
    await service.stop();
  }
}

async function withApi(bench: Bench, url: string, work: (baseUrl: string) => Promise<void>): Promise<void> {
  const service = await startService(bench.server, { DATABASE_URL: url, PROCESS: "api" });
  try {
    await work(service.baseUrl);
  } finally {
    await service.stop();
  }
}

/** Calls `work` with 0 to `count - 1`, a few at once. */
async function together(count: number, work: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const caller = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
}

const linesOf = (alone: number, beside: number, ratio: number): Line[] => [
  {
    name: "webhook deliveries by one process to one endpoint",
    value: alone,
    unit: "deliveries/s",
    target: target("at least", PER_SECOND_MIN, alone, "a second"),
    note: `a backlog of ${EVENTS} events of ${CUSTOMERS} customers, from the first delivery to the last`,
  },
  {
    name: "webhook deliveries beside a dead endpoint",
    value: beside,
    unit: "deliveries/s",
    ratio,
    floor: "those without it",
    target: target("at least", RATIO_MIN, ratio, "of those without it"),
  },
];
