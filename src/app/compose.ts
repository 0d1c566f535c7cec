import { randomUUID } from "node:crypto";
import type { FastifyInstance } from "fastify";
import type { Services } from "../flows/services.ts";
import { baseUrlFor } from "../gateways/registry.ts";
import { apiDoor } from "../http/api-door.ts";
import { registerAuthRoutes } from "../http/dashboard/auth.ts";
import { registerInvitationRoutes } from "../http/dashboard/invitations.ts";
import { dashboardDoor } from "../http/dashboard-door.ts";
import { prepareDrain } from "../http/drain.ts";
import { registerLogoRoute } from "../http/logo.ts";
import { mountEndpoints } from "../http/mount.ts";
import { CLIENT_ENDPOINTS, DASHBOARD_ENDPOINTS } from "../http/routes.ts";
import { createServer } from "../http/server.ts";
import { openDatabase } from "../platform/database.ts";
import { type Identity, openIdentity } from "../platform/identity.ts";
import type { Log } from "../platform/log.ts";
import { createMailer, type Mailer } from "../platform/mailer.ts";
import type { Config } from "./config.ts";
import { type Ground, openGround } from "./ground.ts";
import { freePort, listen, ownAddress } from "./listen.ts";

/** Everything one process runs, built and at work. */
export interface Service {
  readonly services: Services;
  /** For who signs in; of a worker too, since the demo is made by whoever is first. */
  readonly identity: Identity;
  /** Requests and work under way finish, then everything closes; the embedded database too, unless others use it. */
  stop(): Promise<void>;
}

const DATABASE_WAIT_MS = 15_000;
const CONNECTIONS = 16;

/**
 * Opens what `config` describes; resolves when it serves. `lost` is called when the process cannot go on and must be started again.
 * Throws an Error with a message for a person when it cannot start; what was opened by then is closed.
 */
export async function openService(given: Config, log: Log, lost: () => void): Promise<Service> {
  await using open = new AsyncDisposableStack();
  const config = await withPort(given);
  const ground = await openGround(config, {
    databaseWaitMs: DATABASE_WAIT_MS,
    log: (message) => log.info(message),
    lost,
  });
  open.defer(ground.release);
  if (ground.migrated.length > 0) log.info({ migrations: ground.migrated }, "database migrated");
  const mailer = createMailer(config.smtpUrl);
  open.defer(mailer.close);
  const services = buildServices(config, ground, mailer, log);
  open.defer(services.db.close);
  const identity = openStaffIdentity(config, ground, mailer, log);
  open.defer(identity.close);
  if (config.process !== "worker") open.use(await serveHttp(config, services, identity, log));
  const parts = open.move();
  return { services, identity, stop: () => parts.disposeAsync() };
}

/** PORT=0 is any free port, and BASE_URL then names it unless it was set. */
async function withPort(config: Config): Promise<Config> {
  if (config.port !== 0 || config.process === "worker") return config;
  const port = await freePort(config.host);
  return { ...config, port, baseUrl: config.baseUrl.replace(/^http:\/\/localhost:0$/, `http://localhost:${port}`) };
}

function buildServices(config: Config, ground: Ground, mailer: Mailer, log: Log): Services {
  const own = config.process === "worker" ? config.baseUrl : ownAddress(config.host, config.port);
  const services: Services = {
    db: openDatabase(ground.databaseUrl, { connections: CONNECTIONS }),
    secrets: ground.secrets(),
    log,
    baseUrl: config.baseUrl,
    mailEnabled: mailer.sends,
    gatewayUrl: (adapter) => baseUrlFor(adapter, config.environment, own),
    runDue: async () => ({}),
  };
  return services;
}

function openStaffIdentity(config: Config, ground: Ground, mailer: Mailer, log: Log): Identity {
  const { hostname } = new URL(config.baseUrl);
  return openIdentity({
    databaseUrl: ground.databaseUrl,
    baseUrl: config.baseUrl,
    secrets: ground.secrets().deriveAll("identity"),
    secureCookies: config.baseUrl.startsWith("https:"),
    log,
    mail: mailer.sends ? sendNow : null,
  });

  async function sendNow(to: string, subject: string, text: string, html = ""): Promise<void> {
    const result = await mailer.send({
      messageId: `<${randomUUID()}@${hostname}>`,
      from: { name: "Tefo", address: `no-reply@${hostname}` },
      replyTo: null,
      recipients: [to],
      subject,
      text,
      html,
    });
    if (result.outcome !== "sent") throw new Error(`mail not sent: ${result.error}`);
  }
}

async function serveHttp(config: Config, services: Services, identity: Identity, log: Log): Promise<AsyncDisposable> {
  const app = createServer(log);
  const drain = prepareDrain(app);
  registerRoutes(app, config, services, identity);
  await listen(app, config.host, config.port);
  return { [Symbol.asyncDispose]: drain.end };
}

function registerRoutes(app: FastifyInstance, config: Config, services: Services, identity: Identity): void {
  mountEndpoints(app, apiDoor(services, config), CLIENT_ENDPOINTS, services);
  mountEndpoints(app, dashboardDoor(services, identity, config), DASHBOARD_ENDPOINTS, services);
  registerAuthRoutes(app, identity, services, config);
  registerInvitationRoutes(app, identity, services, config);
  registerLogoRoute(app, services);
}
