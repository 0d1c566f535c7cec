import type { FastifyInstance, FastifyRequest } from "fastify";
import { refuseOtherMethods } from "../methods.ts";

/** A JSON route that stands before any organisation is known, so behind no door; its other methods are 405. */
export function openRoute(
  app: FastifyInstance,
  method: "GET" | "POST",
  url: string,
  answer: (request: FastifyRequest) => Promise<unknown>,
): void {
  app.route({
    method,
    url,
    exposeHeadRoute: false,
    handler: async (request, reply) => {
      const body = JSON.stringify(await answer(request));
      return reply
        .headers({ "content-type": "application/json; charset=utf-8", "cache-control": "no-store" })
        .send(body);
    },
  });
  refuseOtherMethods(app, url, new Set([method]));
}
