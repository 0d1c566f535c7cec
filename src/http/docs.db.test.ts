import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { openPage } from "../../test/support/browser.ts";
import { type Merchant, openMerchant } from "../../test/support/merchant.ts";
import { clientApi } from "./client-api.ts";
import { registerDocs } from "./docs.ts";
import { mountEndpoints } from "./mount.ts";
import { apiKeyEndpoints } from "./resources/api-keys.ts";
import { meEndpoints } from "./resources/me.ts";
import { paymentLinkEndpoints } from "./resources/payment-links.ts";
import { settingsEndpoints } from "./resources/settings.ts";

describe("interface descriptions", () => {
  let merchant: Merchant;
  let origin: string;
  before(async () => {
    const dashboard = [...apiKeyEndpoints, ...settingsEndpoints];
    const client = [...meEndpoints, ...paymentLinkEndpoints];
    merchant = await openMerchant(dashboard);
    const { app, services } = merchant.dashboard;
    mountEndpoints(app, clientApi(services, { ipRateLimit: 10_000, trustedProxies: 0 }), client, services);
    registerDocs(app, { client, dashboard: [...client, ...dashboard], events: [] });
    origin = await app.listen({ host: "127.0.0.1", port: 0 });
  });
  after(() => merchant.close());

  for (const [path, title] of [
    ["/api/v1/openapi.json", "Tefo API"],
    ["/dashboard/api/openapi.json", "Tefo dashboard API"],
  ] as const)
    test(`GET ${path} needs no key and is OpenAPI 3.1`, async () => {
      const plain = await merchant.dashboard.app.inject(path);
      assert.equal(plain.statusCode, 200);
      assert.equal(plain.headers["content-type"], "application/json; charset=utf-8");
      const document = JSON.parse(plain.payload);
      assert.deepEqual([document.openapi, document.info.version, document.info.title], ["3.1.0", "1.8.1", title]);
      assert.ok(document.paths["/payment-links"].post);
      const zipped = await merchant.dashboard.app.inject({ url: path, headers: { "accept-encoding": "gzip" } });
      assert.equal(zipped.headers["content-encoding"], "gzip");
      assert.equal(gunzipSync(zipped.rawPayload).toString(), plain.payload);
    });

  test("the viewer's script has its content's hash in its name", async () => {
    const { payload, headers } = await merchant.dashboard.app.inject("/docs");
    assert.match(String(headers["content-security-policy"]), /^default-src 'none'; script-src 'self';/);
    const [script = ""] = /\/docs\/reference-[0-9a-f]{20}\.js/.exec(payload) ?? [];
    const answer = await merchant.dashboard.app.inject(script);
    assert.deepEqual(
      [answer.statusCode, answer.headers["cache-control"]],
      [200, "public, max-age=31536000, immutable"],
    );
    assert.equal((await merchant.dashboard.app.inject("/docs/other.js")).statusCode, 404);
  });

  test("the reference tries a call out with a key, and asks no other host for anything", async (t) => {
    const page = await openPage(t, { viewport: { width: 1280, height: 900 } });
    const foreign: string[] = [];
    const complaints: string[] = [];
    page.on("request", (request) => {
      if (!request.url().startsWith(`${origin}/`) && !request.url().startsWith("data:")) foreign.push(request.url());
    });
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(error.message));
    await page.goto(`${origin}/docs`);
    await page.getByRole("heading", { level: 1, name: "Tefo API" }).waitFor();

    const { key } = (await merchant.call("POST", "/api-keys", { name: "Docs" })).body;
    await page.getByLabel("Bearer Token", { exact: false }).first().fill(String(key));
    await page.getByText("Who this key belongs to and what it may do").first().click();
    await page
      .getByRole("button", { name: /Test Request/i })
      .first()
      .click();
    const answered = page.waitForResponse(`${origin}/api/v1/me`);
    await page.getByRole("button", { name: /^Send/i }).first().click();
    assert.equal((await answered).status(), 200);

    await page.goto(`${origin}/docs?api=dashboard`);
    await page.getByRole("heading", { level: 1, name: "Tefo dashboard API" }).waitFor();
    assert.deepEqual(foreign, []);
    assert.deepEqual(complaints, []);
  });
});
