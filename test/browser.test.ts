import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { axeFindings, openPage } from "./support/browser.ts";

/** Serves a page with the Content-Security-Policy of the hosted pages. */
async function servePage(t: { after(run: () => void): void }, body: string): Promise<string> {
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.setHeader("content-security-policy", "default-src 'none'; form-action 'self'; frame-ancestors 'none'");
    response.end(`<!doctype html><html lang="en"><title>Pay</title><main>${body}</main></html>`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const address = server.address();
  assert(address !== null && typeof address === "object");
  return `http://127.0.0.1:${address.port}/`;
}

test("axe finds an input without a label, under a policy that forbids inline script", async (t) => {
  const page = await openPage(t);
  await page.goto(await servePage(t, "<h1>Pay</h1><form><input name=email></form>"));
  assert.match((await axeFindings(page)).join("\n"), /^label at input/);
});

test("axe finds nothing wrong with a labelled form", async (t) => {
  const page = await openPage(t, { viewport: { width: 320, height: 640 } });
  await page.goto(await servePage(t, "<h1>Pay</h1><form><label>Email <input name=email></label></form>"));
  assert.deepEqual(await axeFindings(page), []);
});

test("a page opens with JavaScript switched off", async (t) => {
  const page = await openPage(t, { javaScriptEnabled: false });
  await page.goto(await servePage(t, "<h1>Pay</h1>"));
  assert.equal(await page.textContent("h1"), "Pay");
});
