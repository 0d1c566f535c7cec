import { randomUUID } from "node:crypto";
import product from "../../package.json" with { type: "json" };
import { EXTENSIONS, MAILS, REACTIONS, WORK } from "../catalogue.ts";
import { refuseWrongKey } from "../flows/secrets/refuse-wrong-key.ts";
import type { Services } from "../flows/services.ts";
import { gatewayHttp } from "../gateways/http.ts";
import { baseUrlFor, sourcesFor } from "../gateways/registry.ts";
import { openDatabase } from "../platform/database.ts";
import { type Identity, type IdentityOptions, openIdentity } from "../platform/identity.ts";
import type { Log } from "../platform/log.ts";
import { createMailer, type Mailer } from "../platform/mailer.ts";
import { createMetrics } from "../platform/metrics.ts";
import { createOutbound } from "../platform/outbound.ts";
import type { ReplicaOptions } from "../platform/replica.ts";
import { startTracing } from "../platform/tracing.ts";
import { html } from "../templates/html.ts";
import type { WorkerParts } from "../worker/job.ts";
import { createRunDue } from "../worker/run-due.ts";
import { startWorker } from "../worker/worker.ts";
import type { Config } from "./config.ts";
import { type DatabaseAndKeys, openDatabaseAndKeys } from "./database-and-keys.ts";
import { serveEverything, serveHealth } from "./http.ts";
import { freePort, ownAddress } from "./listen.ts";
import { createFileReader } from "./reader/reader.ts";
import { createRenderer } from "./renderer/renderer.ts";

/** The running service of one process. */
export interface Service {
  readonly services: Services;
  /** Sign-in; a worker has it too, since the first process to start creates the demo. */
  readonly identity: Identity;
  /** Waits for running requests and work, then closes everything; stops the embedded database unless another process uses it. */
  stop(): Promise<void>;
}

const DATABASE_WAIT_MS = 15_000;
const CONNECTIONS = 16;

/**
 * Starts the service that `config` describes; resolves when it serves. `lost` is called when the process cannot go on
 * and must be started again. Throws an Error with a message for a person when it cannot start, after closing what was
 * opened. Tests choose the cost of passwords.
 */
export async function openService(
  given: Config,
  log: Log,
  lost: () => void,
  chosen: Pick<IdentityOptions, "passwordCost"> = {},
): Promise<Service> {
  await using open = new AsyncDisposableStack();
  const config = await withPort(given);
  if (config.tracesEndpoint !== null) open.defer(await startTracing(config.tracesEndpoint, product.version));
  const opened = await openDatabaseAndKeys(config, {
    databaseWaitMs: DATABASE_WAIT_MS,
    log: (message) => log.info(message),
    warn: (fault) => log.warn({ err: fault }, "locks are taken out of order"),
    lost,
  });
  open.defer(opened.release);
  if (opened.migrated.length > 0) log.info({ migrations: opened.migrated }, "database migrated");
  const mailer = createMailer(config.smtpUrl);
  open.defer(mailer.close);
  const outbound = createOutbound();
  open.defer(outbound.close);
  const db = openDatabase(opened.databaseUrl, { connections: CONNECTIONS, replica: replicaFor(config, log) });
  open.defer(db.close);
  const metrics = createMetrics(db);
  const ways = { mailer, outbound, metrics, work: WORK, reactions: REACTIONS, mails: MAILS, version: product.version };
  const renderer = createRenderer();
  open.defer(renderer.close);
  const fileReader = createFileReader();
  open.defer(fileReader.close);
  const services = buildServices(config, opened, { db, renderer, fileReader }, ways, log);
  await refuseWrongKey(services);
  const identity = openStaffIdentity(config, opened, { mailer, log, ...chosen });
  open.defer(identity.close);
  // Both are stopped at the same time, since a request may wait for work and work for a request.
  const running: AsyncDisposable[] = [];
  open.defer(async () => void (await Promise.all(running.map((part) => part[Symbol.asyncDispose]()))));
  if (config.process !== "worker") running.push(await serveEverything(config, services, identity, metrics));
  else running.push(await serveHealth(config, services, metrics));
  if (config.process !== "api") {
    const worker = startWorker({ services, ...ways });
    running.push({ [Symbol.asyncDispose]: worker.stop });
    if (config.backupDir !== null) {
      // Loaded when it is wanted: its packages take memory.
      const [{ keepBackedUp }, { backupPlace }] = await Promise.all([
        import("./backups.ts"),
        import("./backup-place.ts"),
      ]);
      const place = backupPlace(config.backupDir, config.environment);
      running.push({ [Symbol.asyncDispose]: keepBackedUp({ config, opened, db }, place, log) });
    }
  }
  const parts = open.move();
  return { services, identity, stop: () => parts.disposeAsync() };
}

/** The read replica, which only processes that serve requests use. */
const replicaFor = ({ databaseReplicaUrl: url, process }: Config, log: Log): ReplicaOptions | null =>
  url === null || process === "worker"
    ? null
    : {
        url,
        changed: (answers) =>
          answers
            ? log.info("the replica answers reads")
            : log.warn("the replica is away or behind: the primary answers reads"),
      };

/** With PORT=0 takes any free port; BASE_URL then names it unless it was set. */
async function withPort(config: Config): Promise<Config> {
  if (config.port !== 0 || config.process === "worker") return config;
  const port = await freePort(config.host);
  return { ...config, port, baseUrl: config.baseUrl.replace(/^http:\/\/localhost:0$/, `http://localhost:${port}`) };
}

function buildServices(
  config: Config,
  opened: DatabaseAndKeys,
  own: Pick<Services, "db" | "renderer" | "fileReader">,
  ways: Omit<WorkerParts, "services">,
  log: Log,
): Services {
  const address = config.process === "worker" ? config.baseUrl : ownAddress(config.host, config.port);
  const services: Services = {
    ...own,
    secrets: opened.secrets(),
    log,
    baseUrl: config.baseUrl,
    mailEnabled: ways.mailer.sends,
    loopbackWebhooks: config.loopbackWebhooks,
    plans: config.plans,
    extensions: EXTENSIONS,
    gatewayHttp,
    gatewayUrl: (adapter) => baseUrlFor(adapter, config.environment, address),
    gatewaySources: (type) => sourcesFor(type, config.environment),
    runDue: (organisation, until) => runDue(organisation, until),
  };
  const runDue = createRunDue({ services, ...ways });
  return services;
}

function openStaffIdentity(
  config: Config,
  opened: DatabaseAndKeys,
  { mailer, log, ...chosen }: { readonly mailer: Mailer } & Pick<IdentityOptions, "log" | "passwordCost">,
): Identity {
  const { hostname } = new URL(config.baseUrl);
  return openIdentity({
    ...chosen,
    databaseUrl: opened.databaseUrl,
    baseUrl: config.baseUrl,
    secrets: opened.secrets().deriveAll("identity"),
    secureCookies: config.baseUrl.startsWith("https:"),
    log,
    mail: mailer.sends ? sendNow : null,
  });

  async function sendNow(to: string, subject: string, text: string): Promise<void> {
    const result = await mailer.send({
      messageId: `<${randomUUID()}@${hostname}>`,
      from: { name: "Tefo", address: `no-reply@${hostname}` },
      replyTo: null,
      recipients: [to],
      subject,
      text,
      html: html`<p style="white-space: pre-line">${text}</p>`.toString(),
    });
    if (result.outcome !== "sent") throw new Error(`mail not sent: ${result.error}`);
  }
}
