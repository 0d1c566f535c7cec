import type { FastifyInstance } from "fastify";
import { ApiError } from "../kernel/errors.ts";

/**
 * Whether the process is shutting down; `/health/ready` then returns 503, so that load balancers send no more requests.
 */
export interface Drain {
  readonly draining: boolean;
}

/** Paths that are still served while the process shuts down. */
const SERVED_WHILE_DRAINING = /^\/(health\/|metrics)/;
const RETRY_AFTER_SECONDS = "2";
/** After this time, connections with running requests are closed; a container has 40 s to stop. */
const CLOSE_AFTER_MS = 25_000;

/**
 * Prepares a graceful shutdown. After `end` is called, new connections are refused, running requests finish, and new
 * requests on open connections get 503 `service_unavailable` (interface 7.2). `end` resolves when every connection is
 * closed.
 */
export function prepareDrain(app: FastifyInstance): Drain & { end(): Promise<void> } {
  let draining = false;
  app.addHook("onRequest", (request, reply, done) => {
    if (!draining || SERVED_WHILE_DRAINING.test(request.url)) return done();
    reply.header("connection", "close");
    done(
      new ApiError("service_unavailable", 503, "The service is restarting. Try again shortly.", {
        headers: { "retry-after": RETRY_AFTER_SECONDS },
      }),
    );
  });
  app.addHook("onSend", (_request, reply, _payload, done) => {
    if (draining) reply.header("connection", "close");
    done();
  });
  return {
    get draining() {
      return draining;
    },
    async end() {
      draining = true;
      const deadline = setTimeout(() => app.server.closeAllConnections(), CLOSE_AFTER_MS);
      await app.close().finally(() => clearTimeout(deadline));
    },
  };
}
