import type { FastifyInstance } from "fastify";
import { ApiError } from "../kernel/errors.ts";

/** Whether the process is on its way out; `/health/ready` tells it to whoever balances load. */
export interface Drain {
  readonly draining: boolean;
}

/** Answers that are still wanted then: they say that the process is going. */
const ANSWERED_STILL = /^\/(health\/|metrics)/;
const RETRY_AFTER_SECONDS = "2";
/** For requests under way; a container is given 40 s in all. */
const PATIENCE_MS = 25_000;

/**
 * Makes the server end well. Once `end` is called new connections are refused, requests under way finish, and new ones on
 * connections that are open get 503 `service_unavailable` (interface 7.2). `end` resolves when every connection is closed.
 */
export function prepareDrain(app: FastifyInstance): Drain & { end(): Promise<void> } {
  let draining = false;
  app.addHook("onRequest", (request, reply, done) => {
    if (!draining || ANSWERED_STILL.test(request.url)) return done();
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
      const patience = setTimeout(() => app.server.closeAllConnections(), PATIENCE_MS);
      await app.close().finally(() => clearTimeout(patience));
    },
  };
}
