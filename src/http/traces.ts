import type { FastifyInstance, FastifyRequest } from "fastify";
import { beginRequest, type RequestSpan } from "../platform/tracing.ts";

/** While tracing is on, starts a span for each request; spans started during the request are its children. */
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
