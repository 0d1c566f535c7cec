import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { welcome } from "../src/app/welcome.ts";
import { openApi, signIn, type TestApi } from "./support/api.ts";
import { addTransfers } from "./support/eft.ts";
import { lackingPrograms, type Reader, readPage, samplePorts } from "./support/sample-reader.ts";
import { fileOf, stepsOf } from "./support/samples.ts";
import { ROOT } from "./support/source.ts";

/*
 * The guides of integrators, read as their readers do: each page from its first sample to its last, in an organisation
 * as the demo, by bash and curl.
 */

const GUIDES = readdirSync(join(ROOT, "docs/integrators")).filter((name) => name.endsWith(".md"));
const PAGES = [...GUIDES.map((name) => `docs/integrators/${name}`), "clients/python/README.md"];
/** Pages whose code is run by tests of their own, in a project that has the client installed. */
const OF_CLIENTS = ["clients/typescript/README.md", "clients/php/README.md"];
const textOf = (page: string): string => readFileSync(join(ROOT, page), "utf8");
const LACKS = lackingPrograms();

/** What makes an invoice of the demo a Tax Invoice. */
const BRANDING = { companyName: "Demo Trading (Pty) Ltd", address: "12 Kerk Street", vatNumber: "4000000000" };

let api: TestApi;
let ports: ReadonlyMap<string, number>;
before(async () => {
  const free = await samplePorts(0);
  api = await openApi({
    PROCESS: "all",
    IP_RATE_LIMIT: "1000000",
    GATEWAY_URL_YOCO: `http://127.0.0.1:${free.get("9101")}`,
  });
  ports = new Map([...free, ["8080", Number(new URL(api.baseUrl).port)]]);
});
after(() => api.close());

/** A reader with an organisation as `npm start` makes it. */
async function openReader(say: (words: string) => void): Promise<Reader & AsyncDisposable> {
  const shop = await api.addMerchant({ name: "Demo Trading", slug: "demo", rateLimit: null });
  await shop.addGateway();
  await addTransfers(shop);
  await api.query("update api_keys set name = 'First key' where id = $1", shop.keyId);
  const { email, password } = await shop.addStaff();
  const staff = await signIn(api, { email, password });
  assert.equal((await staff("PATCH", "/settings", { branding: BRANDING })).status, 200);
  const config = { process: "all" } as Parameters<typeof welcome>[0];
  const demo = { email, password: "PLM0-gI1j5RQ7vBk", apiKey: shop.key, payUrl: `${api.baseUrl}/pay/Aa1` };
  return {
    api,
    shop,
    ports,
    say,
    lacks: LACKS,
    env: {
      BASE_URL: api.baseUrl,
      TEFO_KEY: shop.key,
      TEFO_EMAIL: email,
      TEFO_PASSWORD: password,
      PYTHONPATH: join(ROOT, "clients/python"),
      PYTHONDONTWRITEBYTECODE: "1",
      SAMPLE_WELCOME: welcome(config, { baseUrl: api.baseUrl }, demo),
      ...api.environment,
    },
    [Symbol.asyncDispose]: () => shop.change({ slug: shop.organisation.id.replaceAll("_", "-") }),
  };
}

describe("samples of", () => {
  for (const page of PAGES)
    test(page, async (t) => {
      await using reader = await openReader((words) => t.diagnostic(words));
      await readPage(t, reader, textOf(page));
    });
});

test("code of the other clients' pages names its file, by which their tests find and run it", () => {
  for (const page of OF_CLIENTS) {
    const code = stepsOf(textOf(page)).filter(
      (step) => step.kind === "sample" && !["sh", "json"].includes(step.language),
    );
    assert.ok(code.length > 2, page);
    for (const step of code) assert.ok(step.kind === "sample" && fileOf(step), `${page}, line ${step.line}`);
  }
});
