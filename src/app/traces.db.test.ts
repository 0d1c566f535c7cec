import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { test } from "node:test";
import { cloneDatabase } from "../../test/support/database.ts";
import { eventually, serve } from "../../test/support/processes.ts";
import { generateMasterKey } from "../platform/secrets.ts";
import { freePort } from "./listen.ts";

interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
}

/** What a collector is posted: the part that is looked at here. */
interface Traces {
  readonly resourceSpans: readonly {
    readonly resource: Pick<Span, "attributes">;
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
  }[];
}

const attribute = ({ attributes }: Pick<Span, "attributes">, name: string): unknown =>
  Object.values(attributes.find(({ key }) => key === name)?.value ?? {})[0];

test("spans of requests, transactions and background work reach a collector, within the caller's trace", async (t) => {
  const spans: Span[] = [];
  const services = new Set<unknown>();
  const collector = createServer(async (request, response) => {
    const { resourceSpans } = (await json(request)) as Traces;
    for (const { resource, scopeSpans } of resourceSpans) {
      services.add(attribute(resource, "service.name"));
      spans.push(...scopeSpans.flatMap((scope) => scope.spans));
    }
    response.end("{}");
  }).listen(0, "127.0.0.1");
  await once(collector, "listening");
  t.after(() => collector.close());

  const port = String(await freePort("127.0.0.1"));
  const service = serve(t, {
    PORT: port,
    DATABASE_URL: (await cloneDatabase()).url,
    SECRET_KEY: generateMasterKey(),
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}/`,
    OTEL_SERVICE_NAME: "pay",
  });
  const key = (await service.says(/API key +(tefo_\S+)/))[1];
  await service.says(/"msg":"ready"/);
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const made = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    assert.equal(made.status, 201, await made.text());
  };
  const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
  await post("/payment-links", { title: "Secret garden", amount: 10 }, { traceparent });
  // An event without an endpoint is no work.
  await post("/webhook-endpoints", { url: "https://shop.example/hook", events: ["*"] });
  await post("/customers", { email: "thandi@customer.example" });
  await eventually("the reaction to a new customer", async () =>
    spans.some(({ name, parentSpanId }) => name === "event.react" && !parentSpanId),
  );
  const refused = await fetch(`http://127.0.0.1:${port}/api/v1/payment-links/none`, {
    headers: { authorization: `Bearer ${key}` },
  });
  assert.equal(refused.status, 404);
  service.child.kill("SIGTERM");
  assert.equal(await service.ended(), 0, service.output());
  const requests = service
    .output()
    .split("\n")
    .filter((line) => line.includes('"msg":"request"') && line.includes('"route":"/api/v1/payment-links'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const [first, second] = requests;
  assert.deepEqual([first?.["status"], first?.["traceId"], first?.["error"]], [201, traceId, undefined]);
  assert.match(String(first?.["key"]), /^key_/);
  assert.deepEqual([second?.["status"], second?.["error"], second?.["key"]], [404, "not_found", first?.["key"]]);

  const request = spans.find(({ name }) => name === "POST /api/v1/payment-links");
  assert.equal(request?.traceId, traceId);
  assert.equal(request?.parentSpanId, "b7ad6b7169203331");
  assert.equal(request && attribute(request, "http.response.status_code"), 201);
  const within = spans.filter(({ parentSpanId }) => parentSpanId === request?.spanId);
  assert.deepEqual(
    within.map(({ name }) => name),
    ["transaction"],
  );
  assert.deepEqual([...services], ["pay"]);
  assert.doesNotMatch(JSON.stringify(spans), /Secret garden|tefo_[0-9a-f]{8}_/);
});
