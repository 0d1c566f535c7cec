import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, test } from "node:test";
import Fastify from "fastify";
import { newWebhookSecret } from "../../../src/platform/webhook-signing.ts";
import {
  forExpress,
  forFastify,
  forHono,
  forNext,
  forNode,
  type NodeRequest,
  type NodeResponse,
} from "../src/webhooks/adapters.ts";
import { createHandler, type HandlerOptions } from "../src/webhooks/handler.ts";
import { memoryStore } from "../src/webhooks/store.ts";
import { verify } from "../src/webhooks/verify.ts";
import { delivered, eventOf, nowSeconds, readerOf, SECRET } from "./deliveries.ts";

describe("verify", () => {
  const event = eventOf("inv_1", 1);

  test("takes what the service signs, in whatever form the headers and the body are", async () => {
    const { body, headers } = delivered(event);
    const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    for (const given of [headers, lower, new Headers(headers)])
      for (const payload of [body, Buffer.from(body), new TextEncoder().encode(body).buffer])
        assert.deepEqual(await verify(payload, given, SECRET), event);
  });

  test("takes either signature while a secret is rotated, and either secret of several", async () => {
    const next = newWebhookSecret();
    const { body, headers } = delivered(event, [next, SECRET]);
    for (const secret of [SECRET, next, ["whsec_other", next]]) assert.ok(await verify(body, headers, secret));
  });

  test("refuses another body, another secret, an old or a missing signature", async () => {
    const { body, headers } = delivered(event);
    const refused = (payload: string, given: Record<string, string>, secret = SECRET) =>
      assert.rejects(verify(payload, given, secret), { name: "WebhookRefused" });
    await refused(body.replace("inv_1", "inv_2"), headers);
    await refused(body, headers, newWebhookSecret());
    await refused(body, {});
    await refused(body, { "Service-Signature": "" });
    await refused(body, { "Service-Signature": `t=${nowSeconds()},v1=` });
    await refused(body, { "Service-Signature": String(headers["Service-Signature"]).replace("v1=", "v0=") });
    await refused(body, delivered(event, [SECRET], nowSeconds() - 301).headers);
    await refused(body, delivered(event, [SECRET], nowSeconds() + 310).headers);
    await assert.rejects(verify(body, headers, ""), { name: "TypeError" });
  });

  test("takes an old one where the tolerance allows it", async () => {
    const { body, headers } = delivered(event, [SECRET], nowSeconds() - 400);
    assert.ok(await verify(body, headers, SECRET, { tolerance: 600 }));
    assert.ok(await verify(body, headers, SECRET, { now: () => Date.now() - 400_000 }));
  });
});

/** A handler that writes down what it works on. */
function recorder(options: Partial<HandlerOptions<void>> = {}, events = [eventOf("inv_1", 1), eventOf("inv_1", 2)]) {
  const seen: string[] = [];
  const errors: unknown[] = [];
  const handler = createHandler(
    readerOf(() => events),
    {
      secret: SECRET,
      on: { "*": (event) => void seen.push(`${event.subject} ${event.sequence}`) },
      onError: (error) => errors.push(error),
      ...options,
    },
  );
  const receive = ({ body, headers }: ReturnType<typeof delivered>) => handler.receive(body, headers);
  return { handler, receive, seen, errors };
}

describe("handler", () => {
  test("works on an event once, and answers 204 each time", async () => {
    const { receive, seen } = recorder();
    for (let time = 0; time < 3; time += 1) assert.equal((await receive(delivered(eventOf("inv_1", 1)))).status, 204);
    assert.deepEqual(seen, ["inv_1 1"]);
  });

  test("answers 400 to what is not signed", async () => {
    const { receive, seen, errors } = recorder();
    const { status, message } = await receive(delivered(eventOf("inv_1", 1), [newWebhookSecret()]));
    assert.deepEqual([status, seen, errors], [400, [], []]);
    assert.match(message, /does not match/);
  });

  test("reads what is missing before it, and skips what is no longer kept", async () => {
    const { receive, seen } = recorder(
      {},
      [3, 4, 5, 6].map((sequence) => eventOf("inv_1", sequence)),
    );
    await receive(delivered(eventOf("inv_1", 6)));
    await receive(delivered(eventOf("inv_1", 3)));
    assert.deepEqual(seen, ["inv_1 3", "inv_1 4", "inv_1 5", "inv_1 6"]);
  });

  test("calls the function of the type, and none for a type without one", async () => {
    const seen: string[] = [];
    const { receive } = recorder({ on: { "invoice.paid": (event) => void seen.push(event.data.id ?? event.type) } });
    await receive(delivered(eventOf("inv_1", 1)));
    await receive(delivered(eventOf("inv_1", 2, "invoice.sent")));
    assert.deepEqual(seen, ["invoice.paid"]);
  });

  test("an error of a function is answered with 500, and the event is worked on when it comes again", async () => {
    let fails = true;
    const seen: number[] = [];
    const on = {
      "*": async ({ sequence }: { sequence: number }) => {
        if (fails && sequence === 2) throw new Error("the shop is closed");
        seen.push(sequence);
      },
    };
    const { receive, errors } = recorder({ on });
    assert.equal((await receive(delivered(eventOf("inv_1", 2)))).status, 500);
    assert.deepEqual([seen, errors], [[1], [new Error("the shop is closed")]]);
    fails = false;
    assert.equal((await receive(delivered(eventOf("inv_1", 2)))).status, 204);
    assert.deepEqual(seen, [1, 2]);
  });

  test("subjects do not wait for one another", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const seen: string[] = [];
    const on = {
      "*": async ({ subject }: { subject: string }) => {
        if (subject === "inv_1") await promise;
        seen.push(subject);
      },
    };
    const { receive } = recorder({ on });
    const first = receive(delivered(eventOf("inv_1", 1)));
    await receive(delivered(eventOf("inv_2", 1)));
    resolve();
    await first;
    assert.deepEqual(seen, ["inv_2", "inv_1"]);
  });

  test("catches up on what never came", async () => {
    const events = [eventOf("inv_1", 1), eventOf("inv_2", 1), eventOf("inv_1", 2)];
    const { handler, receive, seen } = recorder({ store: memoryStore() }, events);
    await receive(delivered(eventOf("inv_1", 1)));
    assert.equal(await handler.catchUp("2026-11-20T00:00:00Z"), 3);
    assert.deepEqual(seen, ["inv_1 1", "inv_2 1", "inv_1 2"]);
  });
});

describe("a handler answers through", () => {
  const delivery = delivered(eventOf("inv_1", 1));
  const init = { method: "POST", body: delivery.body, headers: delivery.headers };
  const bad = { ...init, body: "{}" };

  /** Sends a delivery and one that is not signed to a server of Node's http. */
  async function served(listener: Parameters<typeof createServer>[1]) {
    const server = createServer(listener ?? (() => {})).listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const statuses = [(await fetch(url, init)).status, (await fetch(url, bad)).status];
    server.close();
    server.closeAllConnections();
    return statuses;
  }

  test("Node's http", async () => {
    const { handler, seen } = recorder();
    assert.deepEqual(await served(forNode(handler)), [204, 400]);
    assert.deepEqual(seen, ["inv_1 1"]);
  });

  test("Express: a raw body, or none that was parsed", async () => {
    const { handler, seen } = recorder();
    const express = forExpress(handler);
    const failed: unknown[] = [];
    const next = (error: unknown) => failed.push(error);
    assert.deepEqual(await served((request, response) => express(request, response, next)), [204, 400]);
    const written: number[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const response: NodeResponse = { writeHead: (status) => written.push(status), end: () => resolve() };
    const request = (body: unknown): NodeRequest => ({
      headers: delivery.headers,
      body,
      async *[Symbol.asyncIterator]() {},
    });
    express(request(Buffer.from(delivery.body)), response, next);
    await promise;
    assert.deepEqual([written, seen, failed], [[204], ["inv_1 1"], []]);
    await new Promise<void>((told) => {
      express(request(JSON.parse(delivery.body)), response, (error) => {
        assert.match(String(error), /parsed before/);
        told();
      });
    });
  });

  test("Fastify, whose other routes parse as before", async () => {
    const { handler, seen } = recorder();
    const app = Fastify();
    await app.register(forFastify(handler, "/tefo"));
    app.post("/other", async ({ body }) => body);
    const post = (url: string, payload: string) =>
      app.inject({ method: "POST", url, payload, headers: delivery.headers });
    assert.equal((await post("/tefo", delivery.body)).statusCode, 204);
    assert.equal((await post("/tefo", "{}")).statusCode, 400);
    assert.deepEqual((await post("/other", '{"a":1}')).json(), { a: 1 });
    assert.deepEqual(seen, ["inv_1 1"]);
    await app.close();
  });

  test("Hono, Next and whatever else takes a Request", async () => {
    const { handler, seen } = recorder();
    const request = (of: RequestInit) => new Request("http://shop.example/tefo", of);
    assert.equal((await forNext(handler)(request(init))).status, 204);
    assert.equal((await forHono(handler)({ req: { raw: request(bad) } })).status, 400);
    assert.deepEqual(seen, ["inv_1 1"]);
  });
});
