import type { FastifyInstance } from "fastify";
import { ApiError } from "../kernel/errors.ts";

/** All methods that the framework routes. */
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY"] as const;

/** The error 405 with `Allow` (interface 7.2). */
export const methodNotAllowed = (allow: string): ApiError =>
  new ApiError("method_not_allowed", 405, `This path answers to ${allow} only.`, { headers: { allow } });

/** Returns 405 for every method of the path that is not in `known`, before the body is read. */
export function refuseOtherMethods(app: FastifyInstance, url: string, known: ReadonlySet<string>): void {
  const allow = METHODS.filter((method) => known.has(method)).join(", ");
  app.route({
    method: METHODS.filter((method) => !known.has(method)),
    url,
    exposeHeadRoute: false,
    onRequest: async () => {
      throw methodNotAllowed(allow);
    },
    handler: async () => {},
  });
}
