import formbody from "@fastify/formbody";
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from "fastify";
import { invalid } from "../kernel/errors.ts";
import type { Log } from "../platform/log.ts";
import { newId } from "../platform/new-id.ts";
import { BODY_CHARACTERS_MAX, errorText, sendError } from "./errors.ts";
import type { Admitted } from "./mount.ts";
import { type KnownPath, noSuchPath, refuseSlashAtEnd } from "./unknown-paths.ts";

declare module "fastify" {
  interface FastifyInstance {
    /** The interface's {base_url}, without a trailing slash. */
    baseUrl: string;
    /** The operations of APIs, of which the advice about unknown paths is made. */
    knownPaths: KnownPath[];
  }
  interface FastifyRequest {
    /** The API that serves the request sets it. */
    admitted: Admitted | null;
    /** The code of the error that was answered, for the log; null when none was. */
    refusal: string | null;
  }
}

/** A character has at most four bytes; characters are counted later (interface 4.1). */
const BODY_BYTES_MAX = 4 * BODY_CHARACTERS_MAX;

/** Two years, as browsers' lists of HTTPS-only hosts require. */
const HTTPS_ONLY = "max-age=63072000";

/**
 * Creates the HTTP server with what all routes share: raw bodies, request ids, the interface's errors, graceful
 * shutdown. The caller registers the routes. `baseUrl` is {base_url}: when it is https, browsers are told to use only
 * https.
 */
export function createServer(log: Log, baseUrl: string): FastifyInstance {
  const app = Fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_BYTES_MAX,
    // Node accepts URLs up to 16 kB. A route with a long parameter finds no record and returns 404.
    routerOptions: { maxParamLength: 16_384, ignoreDuplicateSlashes: false },
    genReqId: () => newId("req"),
    return503OnClosing: false,
    forceCloseConnections: "idle",
    // Allows the upload of a photograph over a mobile network.
    requestTimeout: 180_000,
    keepAliveTimeout: 72_000,
    frameworkErrors: (error, request, reply) => void sendError(error, request, reply),
    clientErrorHandler(_error, socket) {
      if (!socket.writable) return;
      const body = errorText(invalid("The request cannot be read. Check its request line and headers."), {
        baseUrl,
        requestId: newId("req"),
      });
      socket.end(
        "HTTP/1.1 400 Bad Request\r\nContent-Type: application/json; charset=utf-8\r\n" +
          `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
      );
    },
  });
  app.decorate("baseUrl", baseUrl);
  app.decorate("knownPaths", []);
  app.decorateRequest("admitted", null);
  app.decorateRequest("caller", null);
  app.decorateRequest("refusal", null);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  const isSecure = baseUrl.startsWith("https:");
  app.addHook("onRequest", (request, reply, done) => {
    reply.header("x-request-id", request.id);
    reply.header("x-content-type-options", "nosniff");
    if (isSecure) reply.header("strict-transport-security", HTTPS_ONLY);
    refuseSlashAtEnd(request);
    done();
  });
  app.addHook("onResponse", (request, reply, done) => {
    const { url } = request.routeOptions;
    request.log.info(
      {
        method: request.method,
        route: url,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
        organisation: request.admitted?.ctx.organisation.id,
        key: request.caller?.keyId,
        error: request.refusal ?? undefined,
      },
      "request",
    );
    done();
  });
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply));
  app.setNotFoundHandler((request, reply) => sendError(noSuchPath(request, app.knownPaths), request, reply));
  return app;
}

/** Accepts submitted forms in this scope (hosted pages). */
export const acceptForms = (scope: FastifyInstance): unknown => scope.register(formbody, { bodyLimit: BODY_BYTES_MAX });
