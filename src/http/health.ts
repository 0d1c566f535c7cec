import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ApiError } from "../kernel/errors.ts";
import type { Database } from "../platform/database.ts";
import type { Metrics } from "../platform/metrics.ts";
import { migrationsCurrent } from "../platform/migrations.ts";
import { isFromThisMachine } from "./client-address.ts";
import { refuseOtherMethods } from "./methods.ts";

/** How long `/health/ready` waits for the database: load balancers ask every few seconds and time out soon. */
const DATABASE_WAIT_MS = 2_000;

interface HealthOptions {
  readonly db: Database;
  readonly metrics: Metrics;
  /** Whether the process is shutting down. */
  readonly drain: { readonly draining: boolean };
  /** The value of METRICS_TOKEN. */
  readonly metricsToken: string | null;
  readonly trustedProxies: number;
}

/** Registers `GET /health/live`, `/health/ready` and `/metrics` (interface 11.2); every later request is counted. */
export function registerHealth(app: FastifyInstance, options: HealthOptions): void {
  const { metrics } = options;
  app.addHook("onResponse", (request, reply, done) => {
    const route = request.routeOptions.url ?? "none";
    metrics.observeRequest({
      method: request.method,
      route,
      status: reply.statusCode,
      seconds: reply.elapsedTime / 1000,
    });
    done();
  });
  probe(app, "/health/live", async (_request, reply) => sendJson(reply, 200, { status: "ok" }));
  probe(app, "/health/ready", async (_request, reply) => {
    const reasons = await whyNotReady(options);
    if (reasons.length === 0) return sendJson(reply, 200, { status: "ok" });
    const message = `Not ready: ${reasons.join(", ")}.`;
    return sendJson(reply.header("retry-after", "2"), 503, { error: "service_unavailable", message, reasons });
  });
  probe(app, "/metrics", async (request, reply) => {
    if (!maySeeMetrics(request, options))
      throw new ApiError("unauthorized", 401, "Metrics are for this machine, or for whoever sends METRICS_TOKEN.", {
        headers: { "www-authenticate": "Bearer" },
      });
    const { contentType, text } = await metrics.render();
    return reply.headers({ "content-type": contentType, "cache-control": "no-store" }).send(text);
  });
}

type Answer = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** Registers GET and HEAD; their requests are not logged. */
function probe(app: FastifyInstance, url: string, answer: Answer): void {
  app.route({ method: ["GET", "HEAD"], url, logLevel: "warn", exposeHeadRoute: false, handler: answer });
  refuseOtherMethods(app, url, new Set(["GET", "HEAD"]));
}

const sendJson = (reply: FastifyReply, status: number, body: object): FastifyReply =>
  reply
    .code(status)
    .headers({ "content-type": "application/json; charset=utf-8", "cache-control": "no-store" })
    .send(JSON.stringify(body));

async function whyNotReady({ db, drain }: HealthOptions): Promise<string[]> {
  if (drain.draining) return ["draining"];
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error("no answer in time")), DATABASE_WAIT_MS);
  });
  try {
    const [current, writes] = await Promise.race([Promise.all([migrationsCurrent(db), db.takesWrites()]), late]);
    return [...(current ? [] : ["migrations are not current"]), ...(writes ? [] : ["the database takes no writes"])];
  } catch {
    return ["the database does not answer"];
  } finally {
    clearTimeout(timer);
  }
}

function maySeeMetrics(request: FastifyRequest, { metricsToken, trustedProxies }: HealthOptions): boolean {
  const [, sent] = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? "") ?? [];
  if (sent !== undefined && metricsToken !== null && timingSafeEqual(digest(sent), digest(metricsToken))) return true;
  return isFromThisMachine(request, trustedProxies);
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
