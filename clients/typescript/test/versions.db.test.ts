import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { openApi } from "../../../test/support/api.ts";
import { eventually } from "../../../test/support/processes.ts";
import { ROOT } from "../../../test/support/source.ts";
import { openUser } from "../../cli/test/cli.ts";
import { Tefo } from "../src/index.ts";

const textOf = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const versionIn = (path: string): unknown => (JSON.parse(textOf(path)) as { version: unknown }).version;

/** A constant of a client's generated code. */
const constant = (path: string, name: string): string | undefined =>
  new RegExp(`\\b${name} = ["']([^"']+)["']`).exec(textOf(path))?.[1];

test("service, API, description and clients have the versions that the page says, wherever they are read", async (t) => {
  const page = textOf("docs/integrators/versions.md");
  const rows = [...page.matchAll(/^\| (the service|the API|the description|a client) \| (\S+) \|/gm)];
  const {
    "the service": service,
    "the API": api,
    "the description": description,
    "a client": client,
  } = Object.fromEntries(rows.map(([, name = "", version = ""]) => [name, version]));
  assert.ok(service && api && description);
  assert.equal(client, service);
  assert.ok(
    page.includes(`Tefo/${service}`) && page.includes(`tefo-typescript/${service} (description ${description})`),
  );

  assert.deepEqual([Tefo.version, Tefo.descriptionVersion, Tefo.apiVersion], [service, description, api]);
  for (const path of ["clients/python/tefo/generated.py", "clients/php/src/Generated/Resources.php"])
    assert.deepEqual(
      ["CLIENT_VERSION", "DESCRIPTION_VERSION", "API_VERSION"].map((name) => constant(path, name)),
      [service, description, api],
      path,
    );
  for (const path of [
    "package.json",
    "clients/typescript/package.json",
    "clients/cli/package.json",
    "clients/php/composer.json",
  ])
    assert.equal(versionIn(path), service, path);
  const python = service.replace("-rc.", "rc");
  assert.ok(textOf("clients/python/pyproject.toml").includes(`version = "${python}"`));
  assert.ok(page.includes(python));

  const opened = await openApi({ PROCESS: "all" });
  t.after(() => opened.close());
  const shop = await opened.addMerchant();
  const received: { agent: string | undefined; api: string }[] = [];
  const receiver = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    received.push({
      agent: request.headers["user-agent"],
      api: (JSON.parse(body) as { apiVersion: string }).apiVersion,
    });
    response.writeHead(204).end();
  }).listen(0, "127.0.0.1");
  await once(receiver, "listening");
  t.after(() => receiver.close());
  const agents: (string | null)[] = [];
  const tefo = new Tefo({
    apiKey: shop.key,
    baseUrl: opened.baseUrl,
    fetch: (url, init) => {
      agents.push(new Headers(init?.headers).get("user-agent"));
      return fetch(url, init);
    },
  });
  const { id } = await tefo.webhookEndpoints.create({
    url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
  });
  await tefo.webhookEndpoints.test(id);
  await eventually("a webhook arrives", async () => received.length > 0);
  assert.deepEqual(received[0], { agent: `Tefo/${service}`, api });
  assert.equal((await tefo.me.get()).apiVersion, api);
  assert.deepEqual([...new Set(agents)], [`tefo-typescript/${service} (description ${description})`]);
  const served = (await (await fetch(`${opened.baseUrl}/api/v1/openapi.json`)).json()) as { info: object };
  assert.partialDeepStrictEqual(served.info, { version: description, "x-api-version": api });
  assert.equal((await (await openUser(t)).run("--version")).out, `${service}\n`);
});
