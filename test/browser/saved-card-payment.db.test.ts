import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { issuePortalLink } from "../../src/flows/portal-access/issue-portal-link.ts";
import { axeFindings, openPage } from "../support/browser.ts";
import { addSavedCard } from "../support/charged-cards.ts";
import { openPages, type TestPages } from "../support/pages.ts";

/* A customer, signed in to the portal, pays a link by saved card: chooses it, goes back, chooses again, confirms with a double click. */

const SCREENS = {
  phone: { viewport: { width: 320, height: 640 } },
  desk: { viewport: { width: 1280, height: 800 } },
} as const;

async function open(
  t: TestContext,
): Promise<{ readonly pages: TestPages; readonly url: string; readonly signInUrl: string }> {
  const pages = await openPages();
  t.after(() => pages.close());
  const shop = await pages.addMerchant();
  const ctx = await shop.ctx();
  const { customer } = await addSavedCard(pages.services, ctx, shop.gateway, "thandi@example.co.za");
  const { path } = await shop.addLink({ title: "Box of books", amount: 1234.5, customerId: customer.id });
  const signIn = await pages.services.db.transaction(shop.organisation.id, (tx) =>
    issuePortalLink(tx, ctx, customer.id, { email: false }),
  );
  return { pages, url: pages.baseUrl + path, signInUrl: signIn?.url ?? "" };
}

/** With script only: axe is a script of the page. */
async function inspect(page: Page, what: string): Promise<void> {
  assert.deepEqual(await axeFindings(page), [], what);
  const wider = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
  assert.equal(await page.evaluate<number>(wider), 0, what);
}

for (const [screen, options] of Object.entries(SCREENS))
  for (const javaScriptEnabled of [true, false])
    test(`a customer pays by saved card, on a ${screen}, ${javaScriptEnabled ? "with" : "without"} script`, async (t) => {
      const { pages, url, signInUrl } = await open(t);
      const page = await openPage(t, { ...options, javaScriptEnabled });
      const look = javaScriptEnabled ? inspect : async () => {};
      await page.goto(url);
      assert.equal(await page.getByRole("radio", { name: /ending in/ }).count(), 0, "the address alone opens no card");
      await page.goto(signInUrl);
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByRole("link", { name: "Pay Box of books" }).click();
      await page.getByRole("radio", { name: "Mastercard ending in 4444" }).waitFor();
      await look(page, "pay page");
      assert.ok(gzipSync((await pages.get(url)).text).length < 30_000);

      await page.getByRole("button", { name: "Pay with a saved card" }).click();
      await page.waitForURL(/\/card\/card_\w+$/);
      assert.equal(await page.getByRole("heading", { level: 1 }).textContent(), "Confirm the payment");
      await page.getByText("R\u00a01\u00a0234.50").first().waitFor();
      await look(page, "confirmation");
      await page.getByRole("link", { name: "Pay in another way" }).click();
      await page.getByRole("button", { name: "Pay with a saved card" }).press("Enter");

      await page.getByRole("button", { name: /^Pay R/ }).dblclick();
      // The second click breaks off the first one's navigation, which a wait for an address would report as an error.
      await page.getByRole("heading", { name: "Payment under way", level: 1 }).waitFor();
      assert.match(page.url(), /\/result\/TEFOC-[0-9a-f]{16}-1$/);
      await look(page, "under way");
      const rows = await pages.query(
        "select status, amount_cents::integer as cents from transactions where type = 'card_debit'",
      );
      assert.deepEqual(rows, [{ status: "pending", cents: 123_450 }]);

      await page.goto(url);
      await page.getByText("is being paid by saved card already").waitFor();
      assert.equal(await page.getByRole("radio", { name: /ending in/ }).count(), 0);
      await look(page, "pay page, under way");
    });
