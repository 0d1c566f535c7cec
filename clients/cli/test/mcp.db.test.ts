import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";
import { type ApiMerchant, openApi, type TestApi } from "../../../test/support/api.ts";
import { temporaryFolder } from "../../../test/support/processes.ts";
import { ROOT } from "../../../test/support/source.ts";
import { openUser } from "./cli.ts";

let api: TestApi;
let shop: ApiMerchant;
before(async () => {
  api = await openApi();
  shop = await api.addMerchant({ name: "Karoo Books" });
  await shop.addGateway();
});
after(() => api.close());

interface Answer {
  readonly id: string | number | null;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string };
}

const ask = (id: unknown, method: string, params?: object) =>
  JSON.stringify({ jsonrpc: "2.0", id, method, ...(params ? { params } : {}) });
const hello = ask(0, "initialize", {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "t", version: "1" },
});
const meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };

const answersIn = (out: string): Answer[] =>
  out
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Answer);

describe("tefo mcp", () => {
  test("passes what an assistant says on to the service, and its answers back", async (t) => {
    const user = await openUser(t, shop.key);
    await user.run("login", "--base-url", api.baseUrl);
    const call = ask("é", "tools/call", {
      name: "createCustomer",
      arguments: { body: { externalReference: "stdio-1" } },
    });
    const lines = [
      hello,
      JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }),
      "",
      call,
      ask(2, "tools/list", {}),
      "{",
      ask(3, "tools/call", { name: "getMé", _meta: meta }),
      ask(4, "server/discover", { _meta: meta }),
    ];
    const { code, out, err } = await user.feed(lines, "mcp");
    assert.equal(code, 0, err);
    const answers = new Map(answersIn(out).map((answer) => [answer.id, answer]));
    assert.equal(answers.size, 6);
    assert.equal(answers.get(0)?.result?.["protocolVersion"], "2025-06-18");
    const [made] = (answers.get("é")?.result?.["content"] ?? []) as { text: string }[];
    assert.equal((JSON.parse(made?.text ?? "") as { externalReference: string }).externalReference, "stdio-1");
    assert.equal((answers.get(2)?.result?.["tools"] as unknown[] | undefined)?.length, 50);
    assert.equal(answers.get(null)?.error?.code, -32_700);
    assert.match(answers.get(3)?.error?.message ?? "", /There is no tool getMé/);
    assert.match(JSON.stringify(answers.get(4)?.result), /"supportedVersions":\["2026-07-28"/);
  });

  test("the same call of one session is one call, of another session another", async (t) => {
    const user = await openUser(t, shop.key);
    await user.run("login", "--base-url", api.baseUrl);
    const call = ask(1, "tools/call", {
      name: "createPaymentLink",
      arguments: { body: { title: "Tea", amount: 28 } },
    });
    const idsOf = async () => {
      const answers = answersIn((await user.feed([hello, call, call], "mcp")).out).slice(1);
      return answers.map(({ result = {} }) => {
        const [said] = result["content"] as { text: string }[];
        return (JSON.parse(said?.text ?? "") as { id: string }).id;
      });
    };
    const [first, again] = await idsOf();
    assert.equal(first, again);
    assert.notEqual((await idsOf())[0], first);
  });

  test("a key that is refused, and a service that does not answer or has no /mcp, are errors of the message", async (t) => {
    const server = createServer((_request, response) => response.writeHead(404).end('{"error":"not_found"}'));
    await once(server.listen(0, "127.0.0.1"), "listening");
    t.after(() => server.close());
    const user = await openUser(t);
    for (const [baseUrl, key, words] of [
      [api.baseUrl, `tefo_00000000_${"a".repeat(43)}`, /The API key is invalid/],
      [`http://127.0.0.1:${(server.address() as AddressInfo).port}`, shop.key, /HTTP 404: is it a service with \/mcp/],
      ["http://127.0.0.1:1", shop.key, /did not answer/],
    ] as const) {
      const answers: Answer[] = [];
      const child = spawn(process.execPath, [join(ROOT, "clients/cli/src/main.ts"), "mcp"], {
        env: { PATH: process.env["PATH"], HOME: user.folder, BASE_URL: baseUrl, TEFO_KEY: key },
        stdio: ["pipe", "pipe", "inherit"],
      });
      createInterface({ input: child.stdout }).on("line", (line) => answers.push(JSON.parse(line) as Answer));
      child.stdin.end(`${ask(7, "tools/list")}\n`);
      assert.deepEqual(await once(child, "close"), [0, null]);
      assert.equal(answers.length, 1);
      assert.equal(answers[0]?.id, 7);
      assert.match(answers[0]?.error?.message ?? "", words);
    }
  });

  test("ends by Ctrl+C while it waits", async (t) => {
    const folder = await temporaryFolder(t);
    const env = { PATH: process.env["PATH"], HOME: folder, BASE_URL: api.baseUrl, TEFO_KEY: shop.key };
    const child = spawn(process.execPath, [join(ROOT, "clients/cli/src/main.ts"), "mcp"], {
      env,
      stdio: ["pipe", "pipe", "inherit"],
    });
    child.stdin.write(`${hello}\n`);
    await once(child.stdout, "data");
    child.kill("SIGINT");
    assert.deepEqual(await once(child, "close"), [0, null]);
  });
});
