import { AsyncLocalStorage } from "node:async_hooks";
import { subscribe } from "node:diagnostics_channel";
import { MAILS, REACTIONS, WORK } from "../../src/catalogue.ts";
import type { Services } from "../../src/flows/services.ts";
import { GatewayFailed, type GatewayHttp, GatewayNotReached, type GatewayRequest } from "../../src/gateways/http.ts";
import type { Database } from "../../src/platform/database.ts";
import { withoutDatabase } from "../../src/platform/faults.ts";
import { createMailer } from "../../src/platform/mailer.ts";
import { createMetrics } from "../../src/platform/metrics.ts";
import { createOutbound } from "../../src/platform/outbound.ts";
import { createRunDue } from "../../src/worker/run-due.ts";
import type { Random } from "../marathon/random.ts";
import { openApi, type TestApi } from "../support/api.ts";

/** How often of a hundred times each fault happens, while faults do. */
const PERCENT = { notSent: 4, noAnswer: 4, twice: 4, rolledBack: 2, committedUnheard: 2 };

/** What goes wrong in a history, as its seed draws it; null: nothing. */
export interface Trouble {
  random: Random | null;
  /** How often each fault happened. */
  readonly counts: Map<string, number>;
}

/**
 * Set while a request is answered, with all that it causes. What the process does by itself in real time, such as writing the request log,
 * meets no faults: it would draw them at other moments each time.
 */
const answering = new AsyncLocalStorage<true>();
subscribe("http.server.request.start", () => answering.enterWith(true));

/** One process in which everything happens in one order: requests, due work, gateway and network. */
export interface World {
  readonly api: TestApi;
  readonly trouble: Trouble;
  close(): Promise<void>;
}

/**
 * Opens the service with a network and a scheduler of the simulation: a request to the gateway is lost, its answer is lost, or it arrives
 * twice; a transaction is rolled back at its end, or its commit is not heard of; due work runs one piece after the other, by the
 * organisation's clock. One thing waits for real time: a request that is repeated, for the first one with its Idempotency-Key, which may have
 * ended without an answer.
 */
export async function openWorld(): Promise<World> {
  const api = await openApi({ IP_RATE_LIMIT: "100000000" });
  const { services } = api;
  const trouble: Trouble = { random: null, counts: new Map() };
  const happens = (name: keyof typeof PERCENT): boolean => {
    if (!trouble.random || !answering.getStore() || trouble.random.below(100) >= PERCENT[name]) return false;
    trouble.counts.set(name, (trouble.counts.get(name) ?? 0) + 1);
    return true;
  };
  const scheduler: Services = { ...services, db: { ...services.db } };
  const [outbound, mailer] = [createOutbound(), createMailer(null)];
  const ways = {
    outbound,
    mailer,
    metrics: createMetrics(scheduler.db),
    reactions: REACTIONS,
    mails: MAILS,
    version: "1",
  };
  // Handlers meet faults; the clock itself does not, which would only wait for its lease to end.
  const work = WORK.map(({ work: kind, handler }) => ({
    work: kind,
    handler: () => handler({ ...ways, work: WORK, services }),
  }));
  const runDue = createRunDue({ ...ways, services: scheduler, work }, { limit: () => 1, backOffSeconds: 0 });
  Object.assign(services, { gatewayHttp: unreliableNetwork(services.gatewayHttp, happens), runDue });
  Object.assign(services.db, unreliableDatabase(scheduler.db, happens));
  return {
    api,
    trouble,
    async close() {
      outbound.close();
      mailer.close();
      await api.close();
    },
  };
}

type Happens = (name: keyof typeof PERCENT) => boolean;

/** Where gateways notify the service. */
const NOTIFIED = "/api/webhooks/";

function unreliableNetwork(send: GatewayHttp, happens: Happens): GatewayHttp {
  /** Of notifications that were sent. The sandbox gateway repeats one in real time, which is left out: the service asks by itself. */
  const notified = new Set<GatewayRequest["body"]>();
  return async (request) => {
    const isNotification = request.url.includes(NOTIFIED);
    if (isNotification && notified.has(request.body)) throw new GatewayNotReached("The simulation repeats nothing.");
    if (isNotification) notified.add(request.body);
    if (happens("notSent")) throw new GatewayNotReached("The simulation did not send this request.");
    const isRepeatable = typeof request.body !== "object" && (request.repeatable ?? request.method === "GET");
    if ((isNotification || isRepeatable) && happens("twice")) await send(request);
    const answer = await send(request);
    if (happens("noAnswer")) throw new GatewayFailed("The simulation lost this answer.");
    return answer;
  };
}

const lost = () => withoutDatabase(new Error("The simulation lost this connection."));

function unreliableDatabase({ transaction }: Database, happens: Happens): Pick<Database, "transaction" | "gathered"> {
  const unreliable: Database["transaction"] = async (organisation, work) => {
    const done = await transaction(organisation, async (tx) => {
      const result = await work(tx);
      if (happens("rolledBack")) throw lost();
      return result;
    });
    if (happens("committedUnheard")) throw lost();
    return done;
  };
  return { transaction: unreliable, gathered: unreliable };
}
