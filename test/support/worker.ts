import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { SMTPServer } from "smtp-server";
import { z } from "zod";
import { EXTENSIONS, MAILS, REACTIONS, WORK } from "../../src/catalogue.ts";
import { event } from "../../src/events/event.ts";
import { appendEvent } from "../../src/events/outbox.ts";
import { contextFor, SYSTEM } from "../../src/flows/context.ts";
import type { Services } from "../../src/flows/services.ts";
import { createEndpoint } from "../../src/flows/webhooks/create-endpoint.ts";
import { gatewayHttp } from "../../src/gateways/http.ts";
import type { EventId, OrganisationId } from "../../src/kernel/ids.ts";
import type { Instant } from "../../src/kernel/time.ts";
import { insertMember } from "../../src/modules/members/store.ts";
import { findOrganisation, insertOrganisation } from "../../src/modules/organisations/store.ts";
import type { Organisation } from "../../src/modules/organisations/types.ts";
import { listDeliveries } from "../../src/modules/webhooks/store.ts";
import type { Delivery, WebhookEndpoint } from "../../src/modules/webhooks/types.ts";
import { openDatabase } from "../../src/platform/database.ts";
import { createLog } from "../../src/platform/log.ts";
import { machineNow } from "../../src/platform/machine-clock.ts";
import { createMailer, type Mailer } from "../../src/platform/mailer.ts";
import { createMetrics } from "../../src/platform/metrics.ts";
import { newId } from "../../src/platform/new-id.ts";
import { createOutbound, type Outbound } from "../../src/platform/outbound.ts";
import { createSecrets, generateMasterKey } from "../../src/platform/secrets.ts";
import type { WorkerParts } from "../../src/worker/job.ts";
import { createRunDue } from "../../src/worker/run-due.ts";
import { startWorker } from "../../src/worker/worker.ts";
import { cloneDatabase } from "./database.ts";
import { newOrganisation } from "./organisation.ts";
import { fileReader, renderer } from "./threads.ts";

// Shared by the tests of src/worker.

const thing = z.record(z.string(), z.unknown());
/** Events of tests only. */
const THINGS = {
  "thing.done": event("thing.done", { about: "A thing that was done.", data: thing, reacts: true }),
  "thing.mentioned": event("thing.mentioned", { about: "A thing to which the service does not react.", data: thing }),
  "thing.failed": event("thing.failed", { about: "A thing that failed.", data: thing, reacts: true }),
} as const;

const reactions = new Map([...REACTIONS, ...Object.keys(THINGS).map((name) => [name, []] as const)]);

const catalogue = { work: WORK, reactions, mails: MAILS };

/** Something with `after`, which runs at the end of a test. */
export interface Ending {
  after(run: () => Promise<void> | void): void;
}

/** Everything that a worker needs, on a database of its own. Tests start the worker themselves. */
export interface Fixture extends WorkerParts {
  readonly databaseUrl: string;
  /** A sandbox organisation on plan business, so that receivers may be local. */
  addOrganisation(facts?: Partial<Organisation>): Promise<Organisation>;
  addEndpoint(organisation: Organisation, url: string, events?: string[]): Promise<Created>;
  addOwner(organisation: Organisation, email: string): Promise<unknown>;
  /** The organisation as it is now. */
  organisation(of: Organisation): Promise<Organisation>;
  happen(
    of: Organisation,
    thing: keyof typeof THINGS,
    subject: string,
    data?: Readonly<Record<string, unknown>>,
    at?: Instant,
  ): Promise<EventId>;
  deliveries(of: Organisation): Promise<Delivery[]>;
  /** Runs as the superuser, which sees the rows of every organisation. */
  query<Row extends object>(sql: string, ...values: unknown[]): Promise<Row[]>;
}

interface Created {
  readonly endpoint: WebhookEndpoint;
  readonly secret: string;
}

/** `t` ends it with the test. */
export async function openFixture(
  t: Ending,
  options: { mailer?: Mailer; outbound?: Outbound; connections?: number } = {},
): Promise<Fixture> {
  const { url } = await cloneDatabase(t);
  const db = openDatabase(url, { connections: options.connections ?? 10 });
  const superuser = new pg.Pool({ connectionString: url, max: 2 });
  superuser.on("error", () => {});
  const outbound = options.outbound ?? createOutbound();
  const mailer = options.mailer ?? createMailer(null);
  const services: Services = {
    db,
    secrets: createSecrets({ current: generateMasterKey(), previous: [] }),
    log: createLog("silent"),
    baseUrl: "http://pay.example",
    mailEnabled: mailer.sends,
    loopbackWebhooks: true,
    plans: false,
    extensions: EXTENSIONS,
    gatewayUrl: () => null,
    gatewayHttp,
    gatewaySources: () => null,
    renderer,
    fileReader,
    runDue: (organisation: OrganisationId, until: Instant) => runDue(organisation, until),
  };
  const parts = { services, outbound, mailer, metrics: createMetrics(db), ...catalogue, version: "1.2.3" };
  const runDue = createRunDue(parts);
  t.after(async () => {
    outbound.close();
    mailer.close();
    await db.close();
    await superuser.end();
  });
  const now = async (of: Organisation) => contextFor(services, await organisation(of), SYSTEM);
  const organisation = async (of: Organisation) => (await db.read(of.id, findOrganisation)) ?? of;
  return {
    ...parts,
    databaseUrl: url,
    organisation,
    async addOrganisation(facts = {}) {
      const added = newOrganisation(services.secrets, facts);
      await db.transaction(added.id, async (tx) => insertOrganisation(tx, added));
      return added;
    },
    async addEndpoint(of, to, events = ["*"]) {
      const ctx = await now(of);
      return db.transaction(of.id, (tx) => createEndpoint(tx, ctx, { url: to, events, enabled: true }));
    },
    addOwner: (of, email) =>
      db.transaction(of.id, (tx) =>
        insertMember(tx, {
          id: newId("mem"),
          userId: email,
          email,
          name: "Thandi",
          role: "owner",
          createdAt: machineNow(),
        }),
      ),
    async happen(of, thing, subject, data = {}, at) {
      const when = at ?? (await now(of)).now;
      return db.transaction(of.id, async (tx) => appendEvent(tx, when, THINGS[thing], subject, data));
    },
    deliveries: (of) => db.read(of.id, (tx) => listDeliveries(tx, { limit: 10_000 })),
    query: async <Row extends object>(sql: string, ...values: unknown[]) =>
      (await superuser.query(sql, values)).rows as Row[],
  };
}

/** A request that a receiver got. */
export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly at: number;
}

/** A real HTTP receiver on this machine. */
export interface Receiver {
  readonly url: string;
  readonly received: Received[];
}

/** Answers 200 unless `answer` does otherwise; an `answer` that never answers leaves the request waiting. */
export async function openReceiver(
  t: Ending,
  answer: (response: ServerResponse, received: Received) => void = (response) => void response.end("ok"),
): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const one = { headers: request.headers, body, at: performance.now() };
      received.push(one);
      answer(response, one);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, received };
}

/** What a receiver answers: this status and no more. */
export const answering = (code: number) => (response: ServerResponse) => {
  response.statusCode = code;
  response.end("no");
};

/** One header of a request as it was received. */
export const headerOf = ({ headers }: Received, name: string): string => String(headers[name]);

/** A worker that stops with the test. */
export function startIn(t: Ending, parts: WorkerParts): void {
  const worker = startWorker(parts);
  t.after(() => worker.stop());
}

/** Resolves when `holds` answers true; fails with `what` when it does not within `seconds`. */
export async function eventually(what: string, holds: () => boolean | Promise<boolean>, seconds = 60): Promise<void> {
  const until = performance.now() + seconds * 1000;
  while (!(await holds())) {
    if (performance.now() > until) throw new Error(`not within ${seconds} s: ${what}`);
    await sleep(10);
  }
}

/** A mail server and the mails that it received. */
export interface Mailbox {
  readonly url: string;
  readonly messages: string[];
  /** The server's next refusal; null: it accepts the mail. */
  refuse: { code: number; message: string } | null;
  /** The server accepts the mail and never confirms it. */
  silent: boolean;
}

/** A real SMTP server that keeps the mails it receives. */
export async function openMailbox(t: Ending): Promise<Mailbox> {
  const mailbox: Mailbox = { url: "", messages: [], refuse: null, silent: false };
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS"],
    authOptional: true,
    disableReverseLookup: true,
    closeTimeout: 50,
    onRcptTo(_address, _session, done) {
      const { refuse } = mailbox;
      done(refuse ? Object.assign(new Error(refuse.message), { responseCode: refuse.code }) : null);
    },
    onData(stream, _session, done) {
      const chunks: Buffer[] = [];
      stream
        .on("data", (chunk: Buffer) => chunks.push(chunk))
        .on("end", () => {
          mailbox.messages.push(Buffer.concat(chunks).toString());
          if (!mailbox.silent) done(null, "queued");
        });
    },
  });
  server.on("error", () => {}); // connections cut by a test
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  t.after(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return Object.assign(mailbox, { url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}` });
}
