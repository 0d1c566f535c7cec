import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import type { Page } from "playwright-core";
import { upsertCustomer } from "../../src/flows/customers/save-customer.ts";
import { issuePortalLink } from "../../src/flows/portal-access/issue-portal-link.ts";
import { sendSandboxNotification } from "../../src/flows/sandbox-gateway/send-notification.ts";
import { replaceAllowedOrigins } from "../../src/modules/allowed-return-urls/store.ts";
import { axeFindings, openPage } from "../support/browser.ts";
import { mailsOf } from "../support/mails.ts";
import { openPages, type PageMerchant, type TestPages } from "../support/pages.ts";

/* A payment in a browser, from the link to the merchant's page: with and without script, on a phone and on a desktop. */

const SCREENS = {
  phone: { viewport: { width: 320, height: 640 } },
  desk: { viewport: { width: 1280, height: 800 } },
} as const;

interface Stage {
  readonly pages: TestPages;
  readonly shop: PageMerchant;
}

async function open(t: TestContext): Promise<Stage> {
  const pages = await openPages();
  t.after(() => pages.close());
  return { pages, shop: await pages.addMerchant() };
}

/** Serves the merchant's site on another origin. Answers the URL of its return page. */
async function openShop(t: TestContext, { pages, shop }: Stage): Promise<string> {
  const server = createServer((_request, response) =>
    response
      .writeHead(200, { "content-type": "text/html" })
      .end("<!doctype html><title>Shop</title><h1>Thank you</h1>"),
  ).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  t.after(() => server.close());
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  await pages.services.db.transaction(shop.organisation.id, async (tx) => replaceAllowedOrigins(tx, [origin]));
  return `${origin}/back?order=1042`;
}

/** Records the browser's errors and every request to another host than `base` and `allowed`. */
function watch(page: Page, base: string, allowed = "none"): string[] {
  const seen: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") seen.push(message.text());
  });
  page.on("pageerror", (error) => seen.push(error.message));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(`${base}/`) && !url.startsWith(allowed)) seen.push(`foreign: ${url}`);
  });
  return seen;
}

const heading = (page: Page) => page.textContent("h1");
const overflow = (page: Page): Promise<number> =>
  page.evaluate<number>("document.documentElement.scrollWidth - document.documentElement.clientWidth");

/** Asserts, with script, that axe finds nothing and nothing overflows. */
async function inspect(page: Page, what: string): Promise<void> {
  assert.deepEqual(await axeFindings(page), [], what);
  assert.equal(await overflow(page), 0, what);
}

for (const [screen, options] of Object.entries(SCREENS)) {
  test(`a payer pays and is redirected to the shop, on a ${screen}`, async (t) => {
    const stage = await open(t);
    const returnUrl = await openShop(t, stage);
    const { path } = await stage.shop.addLink({ returnUrl, description: "Cloth-bound" });
    const page = await openPage(t, options);
    const complaints = watch(page, stage.pages.baseUrl, new URL(returnUrl).origin);
    await page.goto(stage.pages.baseUrl + path);
    await inspect(page, "pay page");
    await page.getByLabel("Email address").fill("thandi@example.co.za");
    await page.getByRole("button", { name: "Pay R" }).click();
    await page.waitForURL("**/sandbox-gateway/pay/**");
    await inspect(page, "gateway");
    await page.getByRole("button", { name: "Use 4242424242424242" }).click();
    await page.getByLabel("Expiry").fill("08/29");
    await page.getByRole("button", { name: /^Pay/ }).click();
    await page.waitForURL(/\/back\?/);
    assert.match(page.url(), /\/back\?order=1042&reference=TEFO-\d{8}-[0-9A-F]{8}&status=complete$/);
    assert.deepEqual(complaints, []);
    const [row] = await stage.pages.query<{ payer_email: string; status: string }>("select * from transactions");
    assert.deepEqual([row?.payer_email, row?.status], ["thandi@example.co.za", "complete"]);
    await page.goto(stage.pages.baseUrl + path);
    assert.equal(await heading(page), "Already paid");
    await inspect(page, "paid");
  });

  test(`a payer cancels, tries again and stays on the result, without script, on a ${screen}`, async (t) => {
    const { pages, shop } = await open(t);
    const { path } = await shop.addLink();
    const page = await openPage(t, { ...options, javaScriptEnabled: false });
    const complaints = watch(page, pages.baseUrl);
    await page.goto(pages.baseUrl + path);
    await page.getByRole("button", { name: "Pay R" }).click();
    await page.getByRole("button", { name: "Cancel" }).click();
    assert.equal(await heading(page), "Payment cancelled");
    await page.getByRole("link", { name: "Try again" }).click();
    await page.getByRole("button", { name: "Pay R" }).click();
    await page.getByLabel("Card number").fill("1234");
    await page.getByRole("button", { name: /^Pay/ }).click();
    assert.match((await page.textContent("[role=alert]")) ?? "", /test card numbers/);
    await page.getByLabel("Card number").fill("5555555555554444");
    await page.getByRole("button", { name: /^Pay/ }).click();
    assert.equal(await heading(page), "Payment received");
    assert.deepEqual(
      complaints.filter((text) => !/status of 400/.test(text)),
      [],
    );
  });
}

test("a payer who returns before the notification is shown the result when it arrives, and then is redirected", async (t) => {
  const stage = await open(t);
  const { pages, shop } = stage;
  const returnUrl = await openShop(t, stage);
  const { path } = await shop.addLink({ returnUrl });
  const { reference } = await shop.start(path);
  const page = await openPage(t, SCREENS.phone);
  const complaints = watch(page, pages.baseUrl, new URL(returnUrl).origin);
  await page.goto(`${pages.baseUrl}${path}/result/${reference}`);
  assert.equal(await heading(page), "Waiting for confirmation");
  await inspect(page, "pending");
  await sendSandboxNotification(pages.services, shop.organisation, shop.gateway, reference, "complete", 1);
  await page.waitForURL(/status=complete$/);
  assert.deepEqual(complaints, []);
});

test("a form that was wrong comes back with the focus on what to mend", async (t) => {
  const { pages, shop } = await open(t);
  const { path } = await shop.addLink();
  const page = await openPage(t, SCREENS.phone);
  await page.goto(pages.baseUrl + path);
  await page.evaluate("document.querySelector('form').noValidate = true");
  await page.getByLabel("Email address").fill("thandi@");
  await page.getByRole("button", { name: "Pay R" }).click();
  await page.getByRole("alert").waitFor();
  assert.match((await page.textContent("[role=alert]")) ?? "", /Write an email address/);
  assert.equal(await page.evaluate("document.activeElement.className"), "problem");
  assert.equal(await page.inputValue("#email"), "thandi@");
  await inspect(page, "problem");
});

for (const javaScriptEnabled of [true, false])
  test(`a customer signs in by link, pays what is open and signs out, ${javaScriptEnabled ? "with" : "without"} script`, async (t) => {
    const { pages, shop } = await open(t);
    const ctx = await shop.ctx();
    const { id: organisation } = shop.organisation;
    const email = "thandi@example.co.za";
    const { customer } = await pages.services.db.transaction(organisation, (tx) =>
      upsertCustomer(tx, ctx, { email, firstName: "Thandi" }),
    );
    await shop.addLink({ title: "School readers", customerId: customer.id });
    const link = await pages.services.db.transaction(organisation, (tx) =>
      issuePortalLink(tx, ctx, customer.id, { email: false }),
    );
    const page = await openPage(t, { ...SCREENS.phone, javaScriptEnabled });
    const complaints = watch(page, pages.baseUrl);
    await page.goto(link?.url ?? "");
    assert.equal(await heading(page), "Sign in");
    if (javaScriptEnabled) await inspect(page, "portal, sign-in link");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Hello, Thandi" }).waitFor();
    if (javaScriptEnabled) await inspect(page, "portal");
    await page.getByRole("link", { name: "Pay School readers" }).click();
    await page.getByRole("button", { name: "Pay R" }).click();
    await page.getByRole("button", { name: /^Pay/ }).click();
    await page.getByRole("heading", { name: "Payment received" }).waitFor();
    await page.goto(`${pages.baseUrl}/portal/${shop.organisation.slug}`);
    assert.match((await page.textContent("main")) ?? "", /Nothing to pay.*School readers.*Paid/s);
    if (javaScriptEnabled) await inspect(page, "portal, paid");
    await page.getByRole("button", { name: "Sign out" }).click();
    assert.equal(await heading(page), "Sign in");
    await page.goto(link?.url ?? "");
    assert.equal(await heading(page), "This link has been used");
    if (javaScriptEnabled) await inspect(page, "link used");
    await page.getByLabel("Email address").fill(email);
    await page.getByRole("button", { name: "Mail me a link" }).click();
    await page.getByRole("heading", { name: "Look in your mail" }).waitFor();
    assert.deepEqual(complaints, []);
    const [mail] = await mailsOf(pages.services, shop.organisation);
    await page.goto(/http\S+\/portal\/\S+/.exec(mail?.text ?? "")?.[0] ?? "");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Hello, Thandi" }).waitFor();
    assert.equal(await heading(page), "Hello, Thandi");
  });
