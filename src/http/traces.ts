import type { FastifyInstance, FastifyRequest } from "fastify";
import { beginRequest, type RequestSpan } from "../platform/tracing.ts";

/** Makes each request a span that holds whatever it begins, while tracing is on. */
export function traceRequests(app: FastifyInstance): void {
  const spans = new WeakMap<FastifyRequest, RequestSpan>();
  app.addHook("onRequest", (request, _reply, done) => {
    const span = beginRequest(request.headers);
    if (!span) return done();
    spans.set(request, span);
    span.within(done);
  });
  app.addHook("onResponse", (request, reply, done) => {
    const route = request.routeOptions.url ?? "unknown";
    spans.get(request)?.end(
      `${request.method} ${route}`,
      {
        "http.request.method": request.method,
        "http.route": route,
        "http.response.status_code": reply.statusCode,
        "tefo.request": request.id,
        "tefo.organisation": request.admitted?.ctx.organisation.id,
      },
      reply.statusCode >= 500,
    );
    done();
  });
}
