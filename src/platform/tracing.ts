import {
  type Attributes,
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";

/* What a request or a piece of work spent its time on, for whoever collects traces (OpenTelemetry). Off unless it is started. */

/** Spans hold ids and kinds, as the log does: never bodies, addresses of payers, tokens or secrets. */
export type SpanAttributes = Attributes;

const tracer = trace.getTracer("tefo");
let on = false;

/**
 * Begins to send spans to a collector, by OTLP over HTTP as JSON, and loads what that takes. Headers, timeouts and names come from the
 * standard `OTEL_*` variables. Answers how to stop, which sends what is left.
 */
export async function startTracing(endpoint: string, version: string): Promise<() => Promise<void>> {
  const [{ AsyncLocalStorageContextManager }, { OTLPTraceExporter }, resources, sdk, { W3CTraceContextPropagator }] =
    await Promise.all([
      import("@opentelemetry/context-async-hooks"),
      import("@opentelemetry/exporter-trace-otlp-http"),
      import("@opentelemetry/resources"),
      import("@opentelemetry/sdk-trace"),
      import("@opentelemetry/core"),
    ]);
  const url = `${endpoint.replace(/\/+$/, "")}/v1/traces`;
  const own = resources.resourceFromAttributes({ "service.name": "tefo", "service.version": version });
  const provider = new sdk.TracerProvider({
    // What OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES say goes before our own.
    resource: own.merge(resources.detectResources({ detectors: [resources.envDetector] })),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url }) })],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  on = true;
  return async () => {
    on = false;
    await provider.shutdown();
    for (const api of [trace, propagation, context]) api.disable();
  };
}

/** Runs the work as a span of what it is part of. */
export function traced<T>(name: string, attributes: SpanAttributes, work: () => Promise<T>): Promise<T> {
  if (!on) return work();
  return tracer.startActiveSpan(name, { attributes }, async (span) => {
    try {
      return await work();
    } catch (error) {
      fail(span, error);
      throw error;
    } finally {
      span.end();
    }
  });
}

/** A request under way. */
export interface RequestSpan {
  /** Whatever `work` begins is part of the request. */
  within(work: () => void): void;
  /** By its route, which is known only by then. */
  end(name: string, attributes: SpanAttributes, failed: boolean): void;
}

/** Begins the span of a request, which may be part of its caller's trace (W3C `traceparent`). Null while tracing is off. */
export function beginRequest(headers: Readonly<Record<string, unknown>>): RequestSpan | null {
  if (!on) return null;
  const caller: Context = propagation.extract(ROOT_CONTEXT, headers);
  const span = tracer.startSpan("request", { kind: SpanKind.SERVER }, caller);
  return {
    within: (work) => context.with(trace.setSpan(caller, span), work),
    end(name, attributes, failed) {
      span.updateName(name);
      span.setAttributes(attributes);
      if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}

/** An error's text may quote what was sent; its kind may not. */
const fail = (span: Span, error: unknown): unknown =>
  span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.name : typeof error });
