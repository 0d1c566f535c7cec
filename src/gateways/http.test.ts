import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { beforehand, GatewayFailed, GatewayNotReached, GatewayUnclear, gatewayHttp } from "./http.ts";

/** A gateway on a port of its own; answers its base URL. */
async function serve(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const unclear = (message: RegExp) => (error: unknown) => error instanceof GatewayUnclear && message.test(error.message);

test("any status is an answer, with headers in lower case and the body as text", async (t) => {
  const base = await serve(t, (request, response) => {
    response.writeHead(402, { "X-Told": `${request.method} ${request.headers["x-key"]}` }).end("né");
  });
  const answer = await gatewayHttp({ method: "POST", url: `${base}/a`, headers: { "X-Key": "k" }, body: "b" });
  assert.equal(answer.status, 402);
  assert.equal(answer.headers["x-told"], "POST k");
  assert.equal(answer.body, "né");
});

test("a connection that is closed without an answer was one: what was sent may have happened", async (t) => {
  const base = await serve(t, (_, response) => void response.destroy());
  const closed = await gatewayHttp({ method: "POST", url: base }).catch((error: unknown) => error);
  assert.ok(closed instanceof GatewayUnclear && !(closed instanceof GatewayNotReached));
});

test("a body in pieces is sent once, and as it is made", async (t) => {
  const bodies: string[] = [];
  const base = await serve(t, async (request, response) => {
    bodies.push(Buffer.concat(await Array.fromAsync(request)).toString());
    response.writeHead(503).end();
  });
  async function* pieces() {
    yield Buffer.from("né");
    yield Buffer.from("w");
  }
  const answer = await gatewayHttp({ method: "POST", url: base, body: pieces(), repeatable: true });
  assert.deepEqual([answer.status, bodies], [503, ["néw"]]);
});

for (const [id, isSent] of [
  ["..", false],
  ["%2e%2e", false],
  [".", false],
  ["a\nb", false],
  ["..%2f..", true],
] as const)
  test(`an id in a path is ${isSent ? "sent" : "not sent, since it leads to another path"}: ${JSON.stringify(id)}`, async (t) => {
    const asked: unknown[] = [];
    const base = await serve(t, ({ url }, response) => {
      asked.push(url);
      response.end();
    });
    const sent = gatewayHttp({ method: "GET", url: `${base}/refunds/${id}/x` });
    if (isSent) await sent;
    else await assert.rejects(sent, GatewayNotReached);
    assert.deepEqual(asked, isSent ? [`/refunds/${id}/x`] : []);
  });

test("a redirect is an answer too, and is not followed", async (t) => {
  let calls = 0;
  const base = await serve(t, (_, response) => {
    calls++;
    response.writeHead(302, { location: "/elsewhere" }).end();
  });
  assert.equal((await gatewayHttp({ method: "GET", url: base })).status, 302);
  assert.equal(calls, 1);
});

test("a repeatable request is sent again after a temporary fault", async (t) => {
  const bodies: string[] = [];
  const base = await serve(t, async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    bodies.push(body);
    if (bodies.length === 1) request.socket.destroy();
    else response.writeHead(bodies.length === 2 ? 503 : 200).end();
  });
  const answer = await gatewayHttp({ method: "POST", url: base, body: "pay", repeatable: true });
  assert.equal(answer.status, 200);
  assert.deepEqual(bodies, ["pay", "pay", "pay"]);
});

test("any other request is sent once", async (t) => {
  let calls = 0;
  const base = await serve(t, (request) => {
    calls++;
    request.socket.destroy();
  });
  await assert.rejects(
    gatewayHttp({ method: "POST", url: `${base}/secret`, body: "pay" }),
    unclear(/^127\.0\.0\.1:\d+: /),
  );
  assert.equal(calls, 1);
});

test("a temporary status that remains is answered as it is", async (t) => {
  const base = await serve(t, (_, response) => void response.writeHead(503).end("down"));
  const answer = await gatewayHttp({ method: "GET", url: base });
  assert.deepEqual([answer.status, answer.body], [503, "down"]);
});

test("no answer in time is unclear, also within the body", async (t) => {
  const silent = await serve(t, () => undefined);
  const halting = await serve(t, (_, response) => void response.writeHead(200).write("half"));
  for (const url of [silent, halting])
    await assert.rejects(gatewayHttp({ method: "GET", url, timeoutMs: 100 }), unclear(/no answer in time$/));
});

test("an unreachable gateway is unclear, and the message holds no path", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const request = { method: "POST", url: `http://127.0.0.1:${port}/token/abc?key=def` } as const;
  await assert.rejects(gatewayHttp(request), unclear(/^127\.0\.0\.1:\d+: ECONNREFUSED$/));
  await assert.rejects(gatewayHttp(request), GatewayNotReached);
});

for (const [what, first] of [
  ["closed without an answer", (response: ServerResponse) => void response.destroy()],
  ["answered with 503", (response: ServerResponse) => void response.writeHead(503).end()],
] as const)
  test(`a request that was ${what} before the gateway could not be reached may have happened`, async (t) => {
    const server = createServer((_, response) => {
      server.close();
      response.setHeader("connection", "close");
      first(response);
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    t.after(() => server.closeAllConnections());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const failed = await gatewayHttp({ method: "POST", url, body: "pay", repeatable: true }).catch(
      (error: unknown) => error,
    );
    assert.ok(failed instanceof GatewayUnclear && !(failed instanceof GatewayNotReached), String(failed));
    assert.match(failed.message, /ECONNREFUSED$/);
  });

test("what a call that fails beforehand would have led to was not sent; a fault of our own stays one", async () => {
  assert.equal(await beforehand(async () => 1), 1);
  for (const error of [new GatewayUnclear("x: refused"), new GatewayFailed("x: HTTP 500")])
    await assert.rejects(
      beforehand(() => Promise.reject(error)),
      (thrown) => thrown instanceof GatewayNotReached && thrown.message === error.message,
    );
  await assert.rejects(
    beforehand(() => Promise.reject(new TypeError("ours"))),
    TypeError,
  );
});

test("an answer without end is cut off", async (t) => {
  const base = await serve(t, (_, response) => void response.writeHead(200).end(Buffer.alloc(9 * 1024 * 1024, "a")));
  await assert.rejects(gatewayHttp({ method: "POST", url: base }), unclear(/too large/));
});
