import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type TestContext, test } from "node:test";
import type { Page } from "playwright-core";
import { pageHeaders } from "../../src/http/pages/headers.ts";
import type { Html } from "../../src/templates/html.ts";
import { findAsset } from "../../src/templates/pages/assets/assets.ts";
import { handOffPage, payPage } from "../../src/templates/pages/pay.ts";
import { resultPage } from "../../src/templates/pages/result.ts";
import { axeFindings, openPage } from "../support/browser.ts";
import { payModel, resultModel } from "../support/page-models.ts";
import { PAGES } from "../support/page-samples.ts";

const PHONE = { viewport: { width: 320, height: 640 } };
const DESK = { viewport: { width: 1280, height: 800 } };

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void;

/** Serves `pages` by path, with the hosted pages' headers and assets. Answers the base URL. */
async function serve(t: TestContext, pages: Readonly<Record<string, Answer>>): Promise<string> {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? "", "http://localhost").pathname);
    const asset = path.startsWith("/assets/") ? findAsset(path.slice("/assets/".length)) : null;
    if (asset) return void response.writeHead(200, asset.headers).end(asset.body);
    const answer = pages[path];
    if (!answer) return void response.writeHead(path.startsWith("/logos/") ? 204 : 404).end();
    let body = "";
    request.on("data", (chunk) => {
      body += String(chunk);
    });
    request.on("end", () => answer(request, response, body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const address = server.address();
  assert(address !== null && typeof address === "object");
  return `http://127.0.0.1:${address.port}`;
}

const html =
  (make: () => string | Html): Answer =>
  (_request, response) =>
    response.writeHead(200, pageHeaders({ sandbox: true, capability: true })).end(String(make()));

/** Records the browser's errors and every request to another origin than `base`. */
function watch(page: Page, base: string): string[] {
  const seen: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") seen.push(message.text());
  });
  page.on("pageerror", (error) => seen.push(error.message));
  page.on("request", (request) => {
    if (!request.url().startsWith(`${base}/`)) seen.push(`foreign: ${request.url()}`);
  });
  return seen;
}

const overflow = (page: Page): Promise<number> =>
  page.evaluate<number>("document.documentElement.scrollWidth - document.documentElement.clientWidth");

const LONG = "ungewoehnlich-".repeat(8) + "W".repeat(120);
const RIGHT_TO_LEFT = "كتب الكارو 📚 دفعة الطلب ".repeat(6);

// The script would submit this page's form at once; here the page must stay open.
const samples = Object.fromEntries(
  Object.entries(PAGES).flatMap(([name, render]) => [
    [`/${name}`, html(() => render().replace(" data-auto", ""))],
    [`/${name}/long`, html(() => render(LONG).replace(" data-auto", ""))],
    [`/${name}/rtl`, html(() => render(RIGHT_TO_LEFT).replace(" data-auto", ""))],
  ]),
);

for (const [device, options] of Object.entries({ phone: PHONE, desk: DESK })) {
  test(`every page on a ${device}: axe finds nothing, nothing overflows, nothing foreign is loaded`, async (t) => {
    const base = await serve(t, samples);
    const page = await openPage(t, options);
    const complaints = watch(page, base);
    for (const name of Object.keys(PAGES)) {
      await page.goto(`${base}/${encodeURIComponent(name)}`);
      assert.deepEqual(await axeFindings(page), [], name);
      assert.equal(await overflow(page), 0, name);
    }
    assert.deepEqual(complaints, []);
  });
}

test("long words and right-to-left text stay inside a 320 px phone", async (t) => {
  const base = await serve(t, samples);
  const page = await openPage(t, PHONE);
  for (const name of Object.keys(PAGES)) {
    for (const kind of ["long", "rtl"]) {
      await page.goto(`${base}/${encodeURIComponent(name)}/${kind}`);
      assert.equal(await overflow(page), 0, `${name}, ${kind}`);
    }
  }
});

test("a double click pays once", async (t) => {
  const bodies: string[] = [];
  const base = await serve(t, {
    "/pay": (request, response, body) => {
      if (request.method === "GET") return html(() => payPage({ ...payModel, fields: [] }))(request, response, body);
      bodies.push(body);
      setTimeout(() => response.writeHead(303, { location: "/done" }).end(), 300);
    },
    "/done": html(() => resultPage(resultModel)),
  });
  const page = await openPage(t, PHONE);
  await page.goto(`${base}/pay`);
  await page.locator("button.button").dblclick();
  await page.waitForURL("**/done");
  assert.deepEqual(bodies, ["gateway=gw_1&formToken=token"]);
});

test("a payer needs only the keyboard", async (t) => {
  let sent = "";
  const base = await serve(t, {
    "/pay": (request, response, body) => {
      if (request.method === "POST") sent = body;
      html(() => (request.method === "POST" ? resultPage(resultModel) : payPage(payModel)))(request, response, body);
    },
  });
  const page = await openPage(t, PHONE);
  await page.goto(`${base}/pay`);
  for (const text of ["thandi@example.test", "Thandi", "Mokoena"]) {
    await page.keyboard.press("Tab");
    await page.keyboard.type(text);
  }
  await page.keyboard.press("Tab");
  await page.keyboard.press("ArrowDown");
  const outline = "getComputedStyle(document.activeElement.closest('label') ?? document.activeElement).outlineStyle";
  assert.equal(await page.evaluate(outline), "solid", "the focus is seen");
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(outline), "solid", "the focus is seen");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Payment received" }).waitFor();
  assert.equal(sent, "email=thandi%40example.test&firstName=Thandi&lastName=Mokoena&gateway=gw_2&formToken=token");
});

/** Serves a result that is pending at the first request and complete afterwards, with a redirect to `/shop`. */
async function serveResult(t: TestContext): Promise<string> {
  let looks = 0;
  const base: string = await serve(t, {
    "/result": html(() => {
      looks += 1;
      const onward = { url: `${base}/shop`, afterSeconds: 1 };
      return resultPage({ ...resultModel, status: looks === 1 ? "pending" : "complete", onward });
    }),
    "/shop": (_request, response) => response.end("shop"),
  });
  return base;
}

test("a pending result becomes final without a reload, is announced, and redirects to the merchant", async (t) => {
  const base = await serveResult(t);
  const page = await openPage(t, PHONE);
  await page.goto(`${base}/result`);
  assert.equal(await page.textContent("h1"), "Waiting for confirmation");
  await page.getByRole("heading", { name: "Payment received" }).waitFor();
  assert.equal(await page.evaluate("document.activeElement.tagName"), "H1");
  assert.match(await page.title(), /^Payment received/);
  await page.waitForURL("**/shop");
});

test("the payer may stay on the result page", async (t) => {
  const base = await serve(t, {
    "/result": html(() => resultPage({ ...resultModel, onward: { url: `${base}/shop`, afterSeconds: 1 } })),
    "/shop": (_request, response) => response.end("shop"),
  });
  const page = await openPage(t, PHONE);
  await page.goto(`${base}/result`);
  await page.getByRole("button", { name: "Stay here" }).click();
  await page.waitForTimeout(1500);
  assert.equal(page.url(), `${base}/result`);
});

test("without script a pending result is reloaded and redirects by refresh", async (t) => {
  const base = await serveResult(t);
  const page = await openPage(t, { ...PHONE, javaScriptEnabled: false });
  await page.goto(`${base}/result`);
  await page.waitForURL("**/shop");
});

test("a hand-off goes to the gateway by itself, and by its button without script", async (t) => {
  const bodies: string[] = [];
  const base: string = await serve(t, {
    "/pay": html(() =>
      handOffPage({
        ...payModel,
        ...payModel.payable,
        gatewayName: "PayFast",
        action: `${base}/gateway`,
        inputs: [["signature", "a b"]],
      }),
    ),
    "/gateway": (_request, response, body) => {
      bodies.push(body);
      response.end("gateway");
    },
  });
  const page = await openPage(t, PHONE);
  await page.goto(`${base}/pay`);
  await page.waitForURL("**/gateway");
  const plain = await openPage(t, { ...PHONE, javaScriptEnabled: false });
  await plain.goto(`${base}/pay`);
  await plain.getByRole("button", { name: "Continue to PayFast" }).click();
  await plain.waitForURL("**/gateway");
  assert.deepEqual(bodies, ["signature=a+b", "signature=a+b"]);
});

test("a test number is filled in at a click, and the outcome is the button's", async (t) => {
  let sent = "";
  const base = await serve(t, {
    "/gateway": (request, response, body) => {
      sent = body;
      html(() => PAGES["sandbox gateway"]?.() ?? "")(request, response, body);
    },
  });
  const page = await openPage(t, PHONE);
  await page.goto(`${base}/gateway`);
  await page.getByRole("button", { name: "Use 4242424242424242" }).click();
  await page.getByRole("button", { name: "Let it fail" }).click();
  await page.waitForLoadState();
  assert.equal(sent, "card=4242424242424242&expiry=&saveCard=true&outcome=failed&formToken=token");
});
