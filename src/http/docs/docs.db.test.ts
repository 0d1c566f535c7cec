import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { axeFindings, openPage } from "../../../test/support/browser.ts";
import { type Merchant, openMerchant } from "../../../test/support/merchant.ts";
import { clientApi } from "../client-api.ts";
import { mountEndpoints } from "../mount.ts";
import { apiKeyEndpoints } from "../resources/api-keys.ts";
import { meEndpoints } from "../resources/me.ts";
import { paymentLinkEndpoints } from "../resources/payment-links.ts";
import { settingsEndpoints } from "../resources/settings.ts";
import { registerDocs } from "./docs.ts";

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
    const { payload, headers } = await merchant.dashboard.app.inject("/docs/reference");
    assert.match(String(headers["content-security-policy"]), /^default-src 'none'; script-src 'self';/);
    const [script = ""] = /\/docs\/assets\/reference-[0-9a-f]{20}\.js/.exec(payload) ?? [];
    const answer = await merchant.dashboard.app.inject(script);
    assert.deepEqual(
      [answer.statusCode, answer.headers["cache-control"]],
      [200, "public, max-age=31536000, immutable"],
    );
    assert.equal((await merchant.dashboard.app.inject("/docs/assets/other.js")).statusCode, 404);
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
    await page.goto(`${origin}/docs/reference`);
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

    await page.goto(`${origin}/docs/reference?api=dashboard`);
    await page.getByRole("heading", { level: 1, name: "Tefo dashboard API" }).waitFor();
    assert.deepEqual(foreign, []);
    assert.deepEqual(complaints, []);
  });

  describe("the documentation", () => {
    const KINDS = [
      "/docs",
      "/docs/guides/webhooks",
      "/docs/gateways/payfast",
      "/docs/interface/2-resources",
      "/docs/calls",
      "/docs/errors",
      "/docs/errors/invalid_request",
      "/docs/events",
      "/docs/events/invoice.paid",
      "/docs/clients/typescript",
      "/docs/none",
    ];

    for (const [device, viewport] of Object.entries({
      phone: { width: 360, height: 740 },
      desk: { width: 1280, height: 800 },
    }))
      for (const colorScheme of ["light", "dark"] as const)
        test(`each kind of page on a ${device}, ${colorScheme}: axe finds nothing, nothing overflows`, async (t) => {
          const page = await openPage(t, { viewport, colorScheme });
          for (const path of KINDS) {
            await page.goto(`${origin}${path}`);
            assert.deepEqual(await axeFindings(page), [], path);
            const overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
            assert.equal(await page.evaluate(overflow), 0, path);
          }
        });

    test("the search is found, used and left by keyboard", async (t) => {
      const page = await openPage(t);
      await page.goto(`${origin}/docs`);
      await page.keyboard.press("/");
      // Words that every page has, and short ones, look for nothing.
      await page.keyboard.type("how to verify the signature of it");
      await page.getByRole("option").first().waitFor();
      assert.match((await page.getByRole("status").textContent()) ?? "", /^\d+ found$/);
      const search = page.getByRole("combobox", { name: "Search the docs" });
      assert.equal(await search.getAttribute("aria-activedescendant"), "result-0");
      await page.keyboard.press("ArrowDown");
      assert.equal(await search.getAttribute("aria-activedescendant"), "result-1");
      assert.deepEqual(await axeFindings(page), []);
      await page.keyboard.press("ArrowUp");
      await page.keyboard.press("Enter");
      await page.waitForURL("**/docs/guides/webhooks#verify-the-signature");
      await page.keyboard.press("/");
      await page.keyboard.type("xyzzy");
      await page.getByText("Nothing found").waitFor();
      await page.keyboard.press("Escape");
      assert.equal(await page.getByRole("option").count(), 0);
    });

    test("pages work without script: the menu opens, and no search is offered", async (t) => {
      const page = await openPage(t, { javaScriptEnabled: false, viewport: { width: 360, height: 740 } });
      await page.goto(`${origin}/docs/guides/quickstart`);
      assert.equal(await page.getByLabel("Search the docs").isVisible(), false);
      await page.getByRole("button", { name: "Menu" }).click();
      const menu = page.getByRole("navigation", { name: "Pages" });
      await menu.getByRole("link", { name: "Clients", exact: true }).click();
      await page.waitForURL("**/docs/guides/clients");
    });

    test("Markdown, lists of pages and the collection are beside the pages, and a browser that has a page gets 304", async () => {
      const { app } = merchant.dashboard;
      for (const [path, type, words] of [
        ["/docs/guides/quickstart.md", "text/markdown", /^# Quickstart/],
        ["/docs/index.md", "text/markdown", /^# Tefo documentation/],
        ["/docs/errors/customer_not_found.md", "text/markdown", /^# customer_not_found/],
        ["/llms.txt", "text/plain", /^# Tefo\n/],
        ["/docs/llms.txt", "text/plain", /^# Tefo\n/],
        ["/docs/postman.json", "application/json", /collection\.json/],
        ["/docs/files/docs/interface/released.txt", "text/plain", /./],
      ] as const) {
        const answer = await app.inject(path);
        assert.equal(answer.statusCode, 200, path);
        assert.ok(String(answer.headers["content-type"]).startsWith(type), path);
        assert.match(answer.payload, words);
        const again = await app.inject({ url: path, headers: { "if-none-match": String(answer.headers["etag"]) } });
        assert.equal(again.statusCode, 304, path);
      }
      for (const path of ["/docs/none", "/docs/%", "/docs/files/package.json", "/docs/files/../package.json"])
        assert.equal((await app.inject(path)).statusCode, 404, path);
    });
  });
});
