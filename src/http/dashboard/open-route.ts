import type { FastifyInstance, FastifyRequest } from "fastify";
import { refuseOtherMethods } from "../methods.ts";

/**
 * Registers a JSON route of the dashboard that needs no session and no organisation. Other methods of its path get 405.
 */
export function openRoute(
  app: FastifyInstance,
  method: "GET" | "POST",
  url: string,
  answer: (request: FastifyRequest) => Promise<unknown>,
  status = 200,
): void {
  app.route({
    method,
    url,
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      const body = JSON.stringify(await answer(request));
      return reply
        .code(status)
        .headers({ "content-type": "application/json; charset=utf-8", "cache-control": "no-store" })
        .send(body);
    },
  });
  refuseOtherMethods(app, url, new Set([method]));
}
