import type { FastifyInstance, FastifyRequest } from "fastify";
import { ApiError } from "../../kernel/errors.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
type Method = (typeof METHODS)[number];

/** A JSON route that stands before any organisation is known, so behind no door; its other methods are 405. */
export function openRoute(
  app: FastifyInstance,
  method: Method,
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
  app.route({
    method: METHODS.filter((other) => other !== method),
    url,
    exposeHeadRoute: false,
    handler: async () => {
      throw methodNotAllowed(method);
    },
  });
}

/** 405 with `Allow`. */
export const methodNotAllowed = (allow: string): ApiError =>
  new ApiError("method_not_allowed", 405, `This path answers to ${allow} only.`, { headers: { allow } });
