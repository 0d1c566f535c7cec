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

/* Traces of requests and background work (OpenTelemetry). Off until `startTracing`. */

/** Attributes of a span: ids and kinds, as in the log; never bodies, addresses of payers, tokens or secrets. */
export type SpanAttributes = Attributes;

const tracer = trace.getTracer("tefo");
let on = false;

/**
 * Starts sending spans to a collector by OTLP (HTTP, JSON). Headers, timeouts and names come from the standard `OTEL_*` variables.
 * Answers a function that sends the remaining spans and stops.
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
    // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES override our own values.
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

/** Runs the work in a span, a child of the active one. */
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

/** The span of a request. */
export interface RequestSpan {
  /** Runs `work` with this span active. */
  within(work: () => void): void;
  /** Ends the span; `name` is the route, which is known only at the end. */
  end(name: string, attributes: SpanAttributes, failed: boolean): void;
}

/** The id of the trace that is under way, for log lines; null while tracing is off, and outside of one. */
export const traceId = (): string | null => (on ? (trace.getActiveSpan()?.spanContext().traceId ?? null) : null);

/** Begins the span of a request, in its caller's trace when it sent a `traceparent` (W3C). Null while tracing is off. */
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

/** Only the error's name: its message may contain request data. */
const fail = (span: Span, error: unknown): unknown =>
  span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.name : typeof error });
