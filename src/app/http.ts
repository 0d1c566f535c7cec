import type { FastifyInstance } from "fastify";
import product from "../../package.json" with { type: "json" };
import { CLIENT_ENDPOINTS, DASHBOARD_ENDPOINTS, EVENTS, registerPages } from "../catalogue.ts";
import type { Services } from "../flows/services.ts";
import { clientApi } from "../http/client-api.ts";
import { registerAccountRoutes } from "../http/dashboard/account.ts";
import { registerDashboardApp } from "../http/dashboard/app.ts";
import { registerAuthRoutes } from "../http/dashboard/auth.ts";
import { registerInvitationRoutes } from "../http/dashboard/invitations.ts";
import { registerOrganisationRoutes } from "../http/dashboard/organisations.ts";
import { dashboardApi } from "../http/dashboard-api.ts";
import { registerDocs } from "../http/docs/docs.ts";
import { prepareDrain } from "../http/drain.ts";
import { registerHealth } from "../http/health.ts";
import { registerLogoRoute } from "../http/logo.ts";
import { registerMcp } from "../http/mcp/server.ts";
import { registerMessageReports } from "../http/message-reports.ts";
import { mountEndpoints } from "../http/mount.ts";
import { registerNotifications } from "../http/notifications.ts";
import { registerAssets } from "../http/pages/site.ts";
import { logRequests } from "../http/request-log.ts";
import { registerSandboxApi } from "../http/sandbox-gateway/routes.ts";
import { createServer } from "../http/server.ts";
import { traceRequests } from "../http/traces.ts";
import type { Identity } from "../platform/identity.ts";
import type { Metrics } from "../platform/metrics.ts";
import type { Config } from "./config.ts";
import { DASHBOARD_DIST } from "./dashboard-build.ts";
import { listen } from "./listen.ts";

/** Serves all HTTP requests until it is disposed of, which waits for running requests (interface 10.1). */
export async function serveEverything(
  config: Config,
  services: Services,
  identity: Identity,
  metrics: Metrics,
): Promise<AsyncDisposable> {
  const { app, drain } = serverWithHealth(config, services, metrics);
  const requestLog = logRequests(app, services);
  mountEndpoints(app, clientApi(services, config), CLIENT_ENDPOINTS, services);
  mountEndpoints(app, dashboardApi(services, identity, config), DASHBOARD_ENDPOINTS, services);
  registerAuthRoutes(app, identity, services, config);
  registerInvitationRoutes(app, identity, services, config);
  registerOrganisationRoutes(app, identity, services, config);
  registerAccountRoutes(app, identity, services, config);
  registerDashboardApp(app, DASHBOARD_DIST);
  registerDocs(app, { client: CLIENT_ENDPOINTS, dashboard: DASHBOARD_ENDPOINTS, events: EVENTS });
  registerMcp(app, CLIENT_ENDPOINTS, product.version);
  registerNotifications(app, services, config);
  registerMessageReports(app, services, config);
  registerPages(app, services, config);
  registerAssets(app);
  registerLogoRoute(app, services);
  registerSandboxApi(app, services);
  await listen(app, config.host, config.port);
  return {
    async [Symbol.asyncDispose]() {
      await drain.end();
      await requestLog.end();
    },
  };
}

/** Serves `/health` and `/metrics` alone, for a worker with a HEALTH_PORT. */
export async function serveHealth(config: Config, services: Services, metrics: Metrics): Promise<AsyncDisposable> {
  const { app, drain } = serverWithHealth(config, services, metrics);
  if (config.healthPort !== null) await listen(app, config.host, config.healthPort);
  return { [Symbol.asyncDispose]: drain.end };
}

function serverWithHealth(
  { metricsToken, trustedProxies }: Config,
  { db, log, baseUrl }: Services,
  metrics: Metrics,
): { app: FastifyInstance; drain: ReturnType<typeof prepareDrain> } {
  const app = createServer(log, baseUrl);
  traceRequests(app);
  const drain = prepareDrain(app);
  registerHealth(app, { db, metrics, drain, metricsToken, trustedProxies });
  return { app, drain };
}
