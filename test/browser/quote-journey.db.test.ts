import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { openApi } from "../support/api.ts";
import { axeFindings, openPage } from "../support/browser.ts";
import { mailsOf } from "../support/mails.ts";
import { openQuoting, type QuoteAnswer } from "../support/quotes.ts";

/* A customer answers a quote in a browser, from the mail on: with and without script, by mouse and by keyboard. */

const SCREENS = {
  phone: { viewport: { width: 320, height: 640 } },
  desk: { viewport: { width: 1280, height: 800 } },
} as const;
const LINES = [
  { description: "Shelves of Karoo pine", details: "Sanded\nand oiled", quantity: 6, unitPrice: 412.5 },
  { description: "Readers", quantity: 40, unitPrice: 12.3456, taxRate: 0 },
];

const overflow = (page: Page): Promise<number> =>
  page.evaluate<number>("document.documentElement.scrollWidth - document.documentElement.clientWidth");

/** Asserts, with script, that axe finds nothing and nothing overflows. */
async function inspect(page: Page, what: string): Promise<void> {
  assert.deepEqual(await axeFindings(page), [], what);
  assert.equal(await overflow(page), 0, what);
}

for (const [screen, options] of Object.entries(SCREENS))
  test(`a customer accepts a quote that was mailed, and opens its invoice, on a ${screen}`, async (t) => {
    const api = await openApi();
    t.after(() => api.close());
    const shop = await openQuoting(api);
    const { body: quote } = await shop.create({ lineItems: LINES, send: true, expiryDate: "2027-03-31" });
    const [mail] = await mailsOf(api.services, shop.merchant.organisation, { q: quote.number });
    const [url = ""] = /http\S+\/quote\/[\w-]{64}/.exec(JSON.stringify(mail)) ?? [];
    const page = await openPage(t, options);
    const foreign: string[] = [];
    page.on("request", (request) => {
      if (!request.url().startsWith(`${api.baseUrl}/`)) foreign.push(request.url());
    });
    await page.goto(url);
    await inspect(page, "open");
    await page.getByRole("button", { name: "Accept the quote" }).click();
    assert.equal(await page.getByRole("heading", { name: "Accepted" }).count(), 0, "the name is asked for");
    await page.getByRole("textbox", { name: "Your full name" }).fill("Thandi Nkosi");
    await page.getByRole("button", { name: "Accept the quote" }).dblclick();
    await page.getByRole("heading", { name: "Accepted" }).waitFor();
    await page.getByText("Thandi Nkosi accepted it on").waitFor();
    await inspect(page, "accepted");
    assert.equal((await shop.merchant.get<QuoteAnswer>(`/quotes/${quote.id}`)).body.status, "accepted");
    await shop.merchant.post(`/quotes/${quote.id}/convert`, undefined);
    await page.reload();
    await inspect(page, "invoiced");
    await page.getByRole("link", { name: "Open the invoice" }).click();
    await page.waitForURL("**/pay/**");
    assert.deepEqual(foreign, []);
    assert.equal((await shop.eventsOf(quote.id)).filter(({ type }) => type === "quote.accepted").length, 1);
  });

test("a customer declines by keyboard alone, without script", async (t) => {
  const api = await openApi();
  t.after(() => api.close());
  const shop = await openQuoting(api);
  const { body: quote } = await shop.create({ send: true });
  const mails = await mailsOf(api.services, shop.merchant.organisation, { q: quote.number });
  const [url = ""] = /http\S+\/quote\/[\w-]{64}/.exec(JSON.stringify(mails)) ?? [];
  const page = await openPage(t, { ...SCREENS.phone, javaScriptEnabled: false });
  await page.goto(url);
  const decline = page.getByRole("button", { name: "Decline" });
  for (let tabs = 0; tabs < 10 && !(await decline.evaluate((button) => button.matches(":focus"))); tabs++)
    await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Declined" }).waitFor();
  assert.equal((await shop.merchant.get<QuoteAnswer>(`/quotes/${quote.id}`)).body.status, "declined");
});
