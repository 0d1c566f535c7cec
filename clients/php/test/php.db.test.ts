import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer, text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { newWebhookSecret } from "../../../src/platform/webhook-signing.ts";
import { openApi } from "../../../test/support/api.ts";
import { addTransfers } from "../../../test/support/eft.ts";
import { ROOT } from "../../../test/support/source.ts";
import { delivered, eventOf, nowSeconds, SECRET } from "../../typescript/test/deliveries.ts";

const PACKAGE = join(ROOT, "clients/php");
const LEFT_OUT = "left out: this machine has no php of version 8.1 or later with curl and mbstring";

/** PHP of a version that the client is for. */
const HAS_PHP =
  spawnSync("php", [
    "-r",
    'exit(PHP_VERSION_ID >= 80100 && extension_loaded("curl") && extension_loaded("mbstring") ? 0 : 1);',
  ]).status === 0;

/** Deliveries with whether they are signed, as lines of JSON. */
function deliveries(): string {
  const event = eventOf("inv_1", 1);
  const next = newWebhookSecret();
  const given = delivered(event);
  return [
    { ...given, secret: SECRET, isSigned: true },
    { ...delivered(event, [next, SECRET]), secret: SECRET, isSigned: true },
    { ...given, secret: ["whsec_other", SECRET], isSigned: true },
    { ...given, secret: next, isSigned: false },
    { ...given, body: given.body.replace("inv_1", "inv_2"), secret: SECRET, isSigned: false },
    { ...delivered(event, [SECRET], nowSeconds() - 310), secret: SECRET, isSigned: false },
    { body: given.body, headers: {}, secret: SECRET, isSigned: false },
  ]
    .map((one) => JSON.stringify(one))
    .join("\n");
}

type Handler = (request: IncomingMessage, response: ServerResponse, count: number) => void | Promise<void>;

/** A server on this machine for the time of a test; its address. */
async function serve(t: TestContext, handler: Handler): Promise<string> {
  let count = 0;
  const server = createServer((request, response) => void handler(request, response, ++count));
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Sends a request on to the service. */
async function forward(request: IncomingMessage, baseUrl: string): Promise<Response> {
  const names = ["authorization", "content-type", "idempotency-key"];
  const headers = names.map((name): [string, string] => [name, String(request.headers[name])]);
  return await fetch(baseUrl + request.url, { method: "POST", headers, body: new Uint8Array(await buffer(request)) });
}

const answerWith = async (response: ServerResponse, from: Response) =>
  response.writeHead(from.status, { "content-type": "application/json" }).end(await from.text());

test("the PHP client, of the real service", async (t) => {
  if (!HAS_PHP) return t.diagnostic(LEFT_OUT);
  const api = await openApi();
  t.after(() => api.close());
  const shop = await api.addMerchant();
  await addTransfers(shop);
  const keys = new Set<unknown>();
  const env = {
    ...process.env,
    BASE_URL: api.baseUrl,
    TEFO_KEY: shop.key,
    PROXY_URL: await serve(t, async (request, response, count) => {
      keys.add(request.headers["idempotency-key"]);
      const answer = await forward(request, api.baseUrl);
      await (count <= 2 ? request.socket.destroy() : answerWith(response, answer));
    }),
    BUSY_URL: await serve(t, async (request, response, count) => {
      if (count === 2) response.writeHead(503, { "retry-after": "3" }).end("<html>");
      else if (count === 3) await answerWith(response, await forward(request, api.baseUrl));
      else response.writeHead(429, { "retry-after": "7" }).end("{}");
    }),
    HTML_URL: await serve(t, (_request, response) => void response.end("<html>")),
    SILENT_URL: await serve(t, () => undefined),
  };
  const child = spawn("php", [join(PACKAGE, "test/check.php")], { env, stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.end(deliveries());
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, "close")]);
  assert.equal(code, 0, output);
  assert.match(output, /Ran 11 tests/);
  assert.equal(keys.size, 1);
});

test("the README of the PHP client does what it says, from an empty folder", async (t) => {
  if (!HAS_PHP) return t.diagnostic(LEFT_OUT);
  const api = await openApi();
  t.after(() => api.close());
  const shop = await api.addMerchant();
  await shop.addGateway();
  await addTransfers(shop);
  const folder = mkdtempSync(join(tmpdir(), "tefo-php-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const [, manifest = ""] = /```json\n(.*?)```/s.exec(readFileSync(join(PACKAGE, "README.md"), "utf8")) ?? [];
  writeFileSync(join(folder, "composer.json"), manifest.replace("<path of the checkout>", ROOT));
  const composer = spawnSync("composer", ["install", "--no-interaction", "--quiet"], { cwd: folder, encoding: "utf8" });
  if (composer.error) {
    t.diagnostic("Composer was left out: this machine has none");
    mkdirSync(join(folder, "vendor"));
    writeFileSync(
      join(folder, "vendor/autoload.php"),
      `<?php require ${JSON.stringify(join(PACKAGE, "autoload.php"))};`,
    );
  } else assert.equal(composer.status, 0, composer.stderr);
  const samples = [
    ...readFileSync(join(PACKAGE, "README.md"), "utf8").matchAll(/```php\n(<\?php\n\/\/ (\S+)\n.*?)```/gs),
  ];
  for (const [, code = "", name = ""] of samples) writeFileSync(join(folder, name), code);
  assert.deepEqual(
    samples.map(([, , name]) => name),
    ["quickstart.php", "webhook.php", "endpoint.php", "year.php"],
  );
  const env = { ...process.env, BASE_URL: api.baseUrl, TEFO_KEY: shop.key, TEFO_WEBHOOK_SECRET: SECRET };
  const run = async (name: string) => {
    const child = spawn("php", [name], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
    return (await Promise.all([text(child.stdout), text(child.stderr)])).join("");
  };
  assert.match(await run("quickstart.php"), /^Pay here: http\S+\nplink_\w+ 349\.50 0\n$/);
  assert.equal(await run("year.php"), "unpaid: 1\nsigned: TEFO-20270301-8F3A12C7\n");
  assert.match(await run("endpoint.php"), /^whsec_\S+\n$/);
  const port = Number(new URL(await serve(t, () => undefined)).port) + 1;
  const server = spawn("php", ["-S", `127.0.0.1:${port}`], { cwd: folder, env, stdio: ["ignore", "ignore", "pipe"] });
  t.after(() => server.kill());
  let log = "";
  server.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    log += chunk;
  });
  await once(server.stderr, "data");
  const event = eventOf("TEFO-1", 1, "payment.complete");
  const given = delivered({ ...event, data: { reference: "TEFO-1", amount: 349.5 } } as typeof event);
  const post = async (body: string) =>
    (await fetch(`http://127.0.0.1:${port}/webhook.php`, { method: "POST", headers: given.headers, body })).status;
  assert.equal(await post(given.body), 204);
  assert.equal(await post(given.body.replace("349.5", "3.5")), 400);
  server.kill();
  await once(server, "close");
  assert.equal(log.match(/paid: TEFO-1 349\.50/g)?.length, 1, log);
});

test("its files are PHP, and its package has the service's version", (t) => {
  const package_ = JSON.parse(readFileSync(join(PACKAGE, "composer.json"), "utf8")) as { version: string };
  const service = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };
  assert.equal(package_.version, service.version);
  if (!HAS_PHP) return t.diagnostic(LEFT_OUT);
  const files = readdirSync(PACKAGE, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".php"));
  assert.ok(files.length > 50);
  const loaded = files.filter((name) => name.startsWith("src/")).map((name) => JSON.stringify(name.slice(4, -4)));
  const code = `require "autoload.php"; foreach ([${loaded.join(",")}] as $name) {
    $class = "Tefo\\\\" . strtr($name, "/", "\\\\");
    if ($name !== "Http/Psr18Sender" && !class_exists($class) && !interface_exists($class)) { echo $name, "\\n"; } }`;
  assert.equal(execFileSync("php", ["-d", "display_errors=1", "-r", code], { cwd: PACKAGE, encoding: "utf8" }), "");
});
