import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { issuePortalLink } from "../../src/flows/portal-access/issue-portal-link.ts";
import { newId } from "../../src/platform/new-id.ts";
import { axeFindings, openPage } from "../support/browser.ts";
import { openPages, type PageMerchant, type TestPages } from "../support/pages.ts";

/* A customer adds a card from the portal: declined first, then saved; prefers another one, and removes the first. */

const SCREENS = {
  phone: { viewport: { width: 320, height: 640 } },
  desk: { viewport: { width: 1280, height: 800 } },
} as const;

interface Stage {
  readonly pages: TestPages;
  readonly shop: PageMerchant;
  readonly signInUrl: string;
}

async function open(t: TestContext): Promise<Stage> {
  const pages = await openPages();
  t.after(() => pages.close());
  const shop = await pages.addMerchant();
  const customer = newId("cus");
  await pages.query(
    `insert into customers (organisation_id, id, account_code, email, first_name, active, metadata, created_at, updated_at)
     values ($1, $2, 'ACC-1', 'thandi@example.co.za', 'Thandi', true, '{}', now(), now())`,
    shop.organisation.id,
    customer,
  );
  const ctx = await shop.ctx();
  const link = await pages.services.db.transaction(shop.organisation.id, (tx) =>
    issuePortalLink(tx, ctx, customer, { email: false }),
  );
  return { pages, shop, signInUrl: link?.url ?? "" };
}

/** With script only: axe is a script of the page. */
async function inspect(page: Page, what: string): Promise<void> {
  assert.deepEqual(await axeFindings(page), [], what);
  assert.equal(
    await page.evaluate<number>("document.documentElement.scrollWidth - document.documentElement.clientWidth"),
    0,
    what,
  );
}

/** Adds a card from the portal's page; the browser ends on that page. */
async function addCard(page: Page, number: string): Promise<void> {
  await page.getByRole("button", { name: "Add a card" }).click();
  await page.getByRole("button", { name: /save the card/ }).click();
  await page.getByLabel(/card/i).first().fill(number);
  await page.getByLabel(/expir/i).fill("12/35");
  await page.getByLabel(/save/i).check();
  await page.locator('button[name="outcome"][value="complete"]').click();
  await page.waitForURL(/\/portal\/[^/]+\/cards/);
}

for (const [screen, options] of Object.entries(SCREENS))
  for (const javaScriptEnabled of [true, false])
    test(`a customer adds, prefers and removes cards, on a ${screen}, ${javaScriptEnabled ? "with" : "without"} script`, async (t) => {
      const { pages, signInUrl } = await open(t);
      const page = await openPage(t, { ...options, javaScriptEnabled });
      const look = javaScriptEnabled ? inspect : async () => {};
      await page.goto(signInUrl);
      await page.getByRole("button", { name: /sign in/i }).click();
      await page.getByRole("link", { name: "Your cards" }).click();
      await look(page, "no card");

      await page.getByRole("button", { name: "Add a card" }).click();
      assert.equal(await page.getByRole("heading", { level: 1 }).textContent(), "Add a card");
      await look(page, "set-up page");
      const url = page.url();
      assert.ok(gzipSync((await pages.get(url)).text).length < 30_000);
      await page.getByRole("button", { name: /save the card/ }).click();
      await page.locator('button[name="outcome"][value="failed"]').click();
      await page.waitForURL(/\/cards\?cardSetup=cset_\w+&status=failed$/);
      await page.goto(url);
      await page.getByText("The last attempt was declined by the bank.").waitFor();
      await look(page, "after a decline");
      await page.goto(`${new URL(signInUrl).origin}${new URL(signInUrl).pathname.replace(/\/sign-in\/.*/, "/cards")}`);

      await addCard(page, "4242424242424242");
      await page.getByText("Visa ending in 4242").first().waitFor();
      await addCard(page, "5555555555554444");
      const rows = page.locator("li", { hasText: "ending in" });
      assert.match((await rows.first().textContent()) ?? "", /Mastercard ending in 4444[\s\S]*Default card/);
      const name = await rows.first().locator(".name").boundingBox();
      assert.ok(name && name.height < 50, `the card's name takes ${name?.height} pixels in height: more than a line`);
      await look(page, "two cards");

      await page.getByRole("button", { name: "Make default Visa ending in 4242" }).click();
      await rows.first().filter({ hasText: "Visa" }).waitFor();
      assert.match((await rows.first().textContent()) ?? "", /Visa ending in 4242[\s\S]*Default card/);
      await page.getByRole("button", { name: "Remove Visa ending in 4242" }).click();
      await page.getByRole("button", { name: "Remove Visa ending in 4242" }).waitFor({ state: "detached" });
      assert.match((await rows.first().textContent()) ?? "", /Mastercard ending in 4444[\s\S]*Default card/);
      assert.deepEqual(await pages.query("select status, is_default from cards order by id"), [
        { status: "removed", is_default: false },
        { status: "active", is_default: true },
      ]);
    });
