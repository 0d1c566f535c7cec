import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { checkEndpointUrl, createOutbound } from "./outbound.ts";

/** Self-signed, for hooks.example, valid until 2126; used only here. */
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgIoz6kvXe1HC9iiMW
6qddIB/K4izGsjcTdMUC8t64JuWhRANCAATEkmPeChWsP99eAprRYSQfTZW+BqiM
m1kTPn9mqozyzww08WW91PE+nCta+f5TTcYejJbRYlnnFbO7xFar4hYe
-----END PRIVATE KEY-----`;
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBoTCCAUegAwIBAgIUckj3nnNs3La1/S0b20/axI6I55QwCgYIKoZIzj0EAwIw
GDEWMBQGA1UEAwwNaG9va3MuZXhhbXBsZTAgFw0yNjExMjAxMjE4MDVaGA8yMTI2
MTAyNzEyMTgwNVowGDEWMBQGA1UEAwwNaG9va3MuZXhhbXBsZTBZMBMGByqGSM49
AgEGCCqGSM49AwEHA0IABMSSY94KFaw/314CmtFhJB9Nlb4GqIybWRM+f2aqjPLP
DDTxZb3U8T6cK1r5/lNNxh6MltFiWecVs7vEVqviFh6jbTBrMB0GA1UdDgQWBBSP
z1R7MeydXmGH67oaJqIkytEAXjAfBgNVHSMEGDAWgBSPz1R7MeydXmGH67oaJqIk
ytEAXjAPBgNVHRMBAf8EBTADAQH/MBgGA1UdEQQRMA+CDWhvb2tzLmV4YW1wbGUw
CgYIKoZIzj0EAwIDSAAwRQIgU06X5LfMT+bhAgIXeTLkCKk1o/2KN9dhWAum34IA
PFYCIQDdOWeX2nL6TYw3dACgS3ubg6kVurA/5rvAdRdE5QQnvw==
-----END CERTIFICATE-----`;

async function listen(t: TestContext, server: Server, host = "127.0.0.1"): Promise<number> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => sockets.add(socket.on("error", () => {})));
  server.listen(0, host);
  await once(server, "listening");
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const serve = (t: TestContext, answer: RequestListener) => listen(t, createServer(answer));

/** A server that answers every chunk it receives with this text, not following HTTP. */
const serveRaw = (t: TestContext, text: string, then: (socket: Socket) => void = () => {}) =>
  listen(
    t,
    createTcpServer((socket) => socket.on("data", () => socket.write(text, () => then(socket)))),
  );

function sandboxClient(t: TestContext, options: Parameters<typeof createOutbound>[0] = {}) {
  const outbound = createOutbound(options);
  t.after(() => outbound.close());
  return (url: string, body = "{}") =>
    outbound.post({ url, headers: { "Service-Event-Id": "evt_1" }, body, allowLoopback: true });
}

const LIVE_REFUSED = [
  "http://hooks.example",
  "http://127.0.0.1:3000",
  "http://localhost:3000",
  "https://localhost",
  "https://localhost.",
  "https://LOCALHOST/hook",
  "https://a.localhost",
  "https://127.0.0.1",
  "https://127.1",
  "https://0177.0.0.1",
  "https://0x7f.0.0.1",
  "https://2130706433",
  "https://127。0。0。1",
  "https://0.0.0.0",
  "https://10.0.0.1",
  "https://172.16.0.1",
  "https://192.168.1.1:8443/hook",
  "https://169.254.169.254/latest/meta-data",
  "https://100.64.0.1",
  "https://224.0.0.1",
  "https://255.255.255.255",
  "https://192.0.2.1",
  "https://198.18.0.1",
  "https://[::1]",
  "https://[::]",
  "https://[::ffff:7f00:1]",
  "https://[::ffff:127.0.0.1]",
  "https://[fe80::1]",
  "https://[fd00::1]",
  "https://[ff02::1]",
  "https://[64:ff9b::7f00:1]",
  "https://[2002:7f00:1::]",
  "https://user:password@hooks.example",
  "https:hooks.example",
  "https:\\\\hooks.example",
  "https://hooks.example\\@127.0.0.1",
  " https://hooks.example",
  "ftp://hooks.example",
  ...[
    "printer.local",
    "db.internal",
    "db.internal.",
    "a.localdomain",
    "nas.lan",
    "wiki.corp",
    "pi.home",
    "pi.home.arpa",
  ].map((name) => `https://${name}/hook`),
  ...["app.intranet", "app.private", "internal", "A.LOCALHOST"].map((name) => `https://${name}/hook`),
  ...[22, 23, 25, 110, 143, 465, 587, 993, 995, 2375, 3306, 5432, 6379, 9200, 11211, 27017].map(
    (port) => `https://hooks.example:${port}/hook`,
  ),
  "https://8.8.8.8:25",
];
const REFUSED_IN_SANDBOX_TOO = LIVE_REFUSED.filter(
  (url) => !/^http:\/\/(127\.0\.0\.1|localhost):3000$/.test(url),
).concat(
  "http://127.0.0.2:3000",
  "http://[::1]:3000",
  "http://0.0.0.0:3000",
  "http://2130706433:3000",
  "http://localhost.evil.example",
  "http://127.0.0.1@evil.example",
  "https://localhost:3000",
);
for (const url of LIVE_REFUSED)
  test(`live endpoint ${url} is refused, also when it is dialled`, async (t) => {
    assert.equal(checkEndpointUrl(url, { sandbox: false }).ok, false);
    const outbound = createOutbound({ resolve: () => assert.fail("nothing is looked up"), isDialable: () => true });
    t.after(() => outbound.close());
    const { statusCode, error } = await outbound.post({ url, headers: {}, body: "{}", allowLoopback: false });
    assert.equal(statusCode, null);
    assert.match(error ?? "", /^The URL/);
  });
for (const url of REFUSED_IN_SANDBOX_TOO)
  test(`sandbox endpoint ${url} is refused`, () => assert.equal(checkEndpointUrl(url, { sandbox: true }).ok, false));
for (const url of [
  "https://hooks.example",
  "https://hooks.example:8443/a?b=c",
  "https://hooks.example:3000",
  "https://local.example",
  "https://internal.hooks.example",
  "https://localhome.example",
  "https://8.8.8.8/hook",
  "https://[2606:4700::1]/",
])
  test(`endpoint ${url} is accepted`, () => {
    assert.deepEqual(checkEndpointUrl(url, { sandbox: false }), { ok: true });
    assert.deepEqual(checkEndpointUrl(url, { sandbox: true }), { ok: true });
  });
for (const url of [
  "http://127.0.0.1",
  "http://127.0.0.1:3000/hook",
  "http://localhost:3000",
  "http://localhost/hook?a=1",
  "http://127.0.0.1:6379",
])
  test(`sandbox endpoint ${url} is accepted`, () =>
    assert.deepEqual(checkEndpointUrl(url, { sandbox: true }), { ok: true }));

const PRIVATE_ANSWERS = [
  ["127.0.0.1"],
  ["10.0.0.1", "fd00::1"],
  ["169.254.169.254"],
  ["::1"],
  ["::ffff:127.0.0.1"],
  ["64:ff9b::7f00:1"],
  [],
];
for (const answer of PRIVATE_ANSWERS)
  test(`a name that resolves to ${answer.join(" and ") || "nothing"} is not dialled`, async (t) => {
    let connections = 0;
    const port = await listen(
      t,
      createTcpServer(() => connections++),
      "::",
    );
    const post = sandboxClient(t, { resolve: async () => answer });
    const { statusCode, error } = await post(`https://hooks.example:${port}/`);
    assert.equal(statusCode, null);
    assert.equal(error, "No public address was found for hooks.example.");
    assert.equal(connections, 0);
  });

const tlsReceiver = (t: TestContext) =>
  listen(
    t,
    createTlsServer({ key: KEY, cert: CERTIFICATE }, (_, response) => response.end("hello")),
  );

test("of mixed answers only the public one is dialled, after one look-up", async (t) => {
  const standard = getCACertificates("default");
  setDefaultCACertificates([...standard, CERTIFICATE]);
  t.after(() => setDefaultCACertificates(standard));
  const asked: string[] = [];
  const port = await tlsReceiver(t);
  const post = sandboxClient(t, {
    resolve: async (host) => {
      asked.push(host);
      return ["10.0.0.1", "127.0.0.1"];
    },
    isDialable: (address) => address === "127.0.0.1",
  });
  const { statusCode, excerpt } = await post(`https://hooks.example:${port}/`);
  assert.deepEqual([statusCode, excerpt, asked], [200, "hello", ["hooks.example"]]);
  const other = await post(`https://other.example:${port}/`);
  assert.match(other.error ?? "", /certificate was not accepted \(ERR_TLS_CERT_ALTNAME_INVALID\)/);
});

test("a self-signed certificate is refused", async (t) => {
  const port = await tlsReceiver(t);
  const post = sandboxClient(t, { resolve: async () => ["127.0.0.1"], isDialable: () => true });
  const { statusCode, error } = await post(`https://hooks.example:${port}/`);
  assert.equal(statusCode, null);
  assert.match(error ?? "", /certificate was not accepted/);
});

test("the receiver gets the raw body, the headers and its own host", async (t) => {
  const seen: unknown[] = [];
  const port = await serve(t, async (request, response) => {
    const chunks = await request.toArray();
    const { host, "service-event-id": id, "content-length": length, "transfer-encoding": coding } = request.headers;
    seen.push(request.method, request.url, host, id, length, coding, Buffer.concat(chunks).toString());
    response.writeHead(202).end("taken");
  });
  const post = sandboxClient(t);
  const body = '{"name":"Ndlovu – Café 💳"}';
  const result = await post(`http://localhost:${port}/hook?a=1`, body);
  assert.deepEqual(
    { ...result, durationMs: 0 },
    { statusCode: 202, durationMs: 0, error: null, excerpt: "taken", retryAfterSeconds: null },
  );
  assert.ok(result.durationMs >= 0);
  const length = String(Buffer.byteLength(body));
  assert.deepEqual(seen, ["POST", "/hook?a=1", `localhost:${port}`, "evt_1", length, undefined, body]);
});

test("localhost reaches a receiver that listens on IPv6 only", async (t) => {
  const port = await listen(
    t,
    createServer((_, response) => response.end("six")),
    "::1",
  );
  const { excerpt } = await sandboxClient(t)(`http://localhost:${port}/`);
  assert.equal(excerpt, "six");
});

test("redirects are answers, not followed", async (t) => {
  let requests = 0;
  const port = await serve(t, (request, response) => {
    requests++;
    response.writeHead(307, { Location: `http://127.0.0.1:${request.socket.localPort}/other` }).end();
  });
  const { statusCode, error, excerpt } = await sandboxClient(t)(`http://127.0.0.1:${port}/`);
  assert.deepEqual([statusCode, error, excerpt, requests], [307, null, null, 1]);
});

test("at most 64 kB are read and 1000 characters kept, and the connection is closed", async (t) => {
  const closed = Promise.withResolvers<void>();
  const port = await serve(t, (_, response) => {
    const more = () => {
      while (response.write("💳".repeat(4096)));
    };
    response.on("drain", more).on("close", closed.resolve);
    more();
  });
  const { statusCode, excerpt } = await sandboxClient(t)(`http://127.0.0.1:${port}/`);
  assert.equal(statusCode, 200);
  assert.equal(excerpt, "💳".repeat(1000));
  await closed.promise;
});

test("control characters and broken bytes do not reach the excerpt", async (t) => {
  const port = await serve(t, (_, response) => response.end(Buffer.from("a\0b\x1b[31m\r\nc\td\x7f\xff", "latin1")));
  const { excerpt } = await sandboxClient(t)(`http://127.0.0.1:${port}/`);
  assert.equal(excerpt, "ab[31m\nc\td\ufffd");
});

const RETRY_AFTER: [string, (seconds: number | null) => boolean][] = [
  ["120", (seconds) => seconds === 120],
  ["0", (seconds) => seconds === 0],
  [new Date(Date.now() + 3_600_000).toUTCString(), (seconds) => seconds !== null && seconds > 3000 && seconds <= 3600],
  ["Wed, 21 Oct 2015 07:28:00 GMT", (seconds) => seconds === 0],
  ["soon", (seconds) => seconds === null],
  ["-5x", (seconds) => seconds === null],
];
for (const [value, fits] of RETRY_AFTER)
  test(`Retry-After ${value}`, async (t) => {
    const port = await serve(t, (_, response) => response.writeHead(503, { "Retry-After": value }).end());
    const { statusCode, retryAfterSeconds } = await sandboxClient(t)(`http://127.0.0.1:${port}/`);
    assert.equal(statusCode, 503);
    assert.ok(fits(retryAfterSeconds), String(retryAfterSeconds));
  });

const NO_ANSWER: [name: string, text: string, then: (socket: Socket) => void, error: RegExp][] = [
  ["closes at once", "", (socket) => socket.end(), /closed before an answer/],
  ["resets", "", (socket) => socket.resetAndDestroy(), /closed before an answer/],
  ["speaks no HTTP", "220 mail.example ESMTP\r\n", () => {}, /not valid HTTP/],
  [
    "switches protocols",
    "HTTP/1.1 101 Hi\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n",
    () => {},
    /closed before an answer/,
  ],
  ["sends endless headers", `HTTP/1.1 200 OK\r\nX: ${"a".repeat(40_000)}`, () => {}, /not valid HTTP/],
  ["says nothing", "", () => {}, /^No answer within 0.3 s\.$/],
  ["only says to wait", "HTTP/1.1 102 Processing\r\n\r\n", () => {}, /^No answer within 0.3 s\.$/],
  ["drips its headers", "HTTP/1.1 200 OK\r\nX: 1", () => {}, /^No answer within 0.3 s\.$/],
];
for (const [name, text, then, expected] of NO_ANSWER)
  test(`a receiver that ${name} is no answer`, async (t) => {
    const port = await serveRaw(t, text, then);
    // Only receivers that never answer may time out.
    const timeoutMs = expected.test("No answer within 0.3 s.") ? 300 : 60_000;
    const { statusCode, error } = await sandboxClient(t, { timeoutMs })(`http://127.0.0.1:${port}/`);
    assert.equal(statusCode, null);
    assert.match(error ?? "", expected);
  });

test("a refused connection is an error in words", async (t) => {
  const server = createTcpServer();
  const port = await listen(t, server);
  server.close();
  await once(server, "close");
  const { error } = await sandboxClient(t)(`http://127.0.0.1:${port}/`);
  assert.equal(error, "The connection was refused.");
});

test("a name server that never answers counts against the same timeout", async (t) => {
  const { promise, resolve } = Promise.withResolvers<string[]>();
  t.after(() => resolve([]));
  const { error } = await sandboxClient(t, { resolve: () => promise, timeoutMs: 200 })("https://hooks.example/");
  assert.equal(error, "No answer within 0.2 s.");
});

test("an answer whose body stalls or breaks off counts by its status", async (t) => {
  const text = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart";
  const ENDS: [then: (socket: Socket) => void, timeoutMs: number][] = [
    [() => {}, 2_000],
    [(socket) => socket.end(), 60_000],
  ];
  for (const [then, timeoutMs] of ENDS) {
    const port = await serveRaw(t, text, then);
    const { statusCode, error, excerpt } = await sandboxClient(t, { timeoutMs })(`http://127.0.0.1:${port}/`);
    assert.deepEqual([statusCode, error, excerpt], [200, null, "part"]);
  }
});

test("sockets are kept and bounded", async (t) => {
  const sockets = new Set<Socket>();
  const port = await serve(t, (request, response) => {
    sockets.add(request.socket);
    setTimeout(() => response.end(), 5);
  });
  const post = sandboxClient(t);
  const results = await Promise.all(Array.from({ length: 300 }, () => post(`http://127.0.0.1:${port}/`)));
  assert.ok(results.every(({ statusCode }) => statusCode === 200));
  assert.ok(sockets.size <= 64, `${sockets.size} sockets`);
});

test("a kept socket that the receiver has closed does not fail a post", async (t) => {
  let requests = 0;
  const port = await listen(
    t,
    createTcpServer((socket) => {
      let first = true;
      socket.on("data", () => {
        requests++;
        if (first) socket.write("HTTP/1.1 204 No Content\r\n\r\n");
        else socket.resetAndDestroy();
        first = false;
      });
    }),
  );
  const post = sandboxClient(t);
  assert.equal((await post(`http://127.0.0.1:${port}/`)).statusCode, 204);
  assert.equal((await post(`http://127.0.0.1:${port}/`)).statusCode, 204);
  assert.equal(requests, 3);
});
