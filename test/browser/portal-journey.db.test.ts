import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { openApi } from "../support/api.ts";
import { axeFindings, openPage } from "../support/browser.ts";
import { openSubscriptionShop } from "../support/customer-subscriptions.ts";
import { faultsOf } from "../support/verified.ts";

/*
 * A customer's subscription in the portal, in a browser: add-on, plan, pause, cancellation and a change of mind; on a
 * desk with script, on a phone without.
 */

const SCREENS = {
  "desk, with script": { viewport: { width: 1280, height: 800 } },
  "phone, with script": { viewport: { width: 320, height: 640 } },
  "phone, without script": { viewport: { width: 320, height: 640 }, javaScriptEnabled: false },
} as const;

const overflow = (page: Page): Promise<number> =>
  page.evaluate<number>("document.documentElement.scrollWidth - document.documentElement.clientWidth");

for (const [screen, options] of Object.entries(SCREENS))
  test(`a customer changes a subscription on a ${screen}`, async (t) => {
    const api = await openApi();
    t.after(() => api.close());
    const shop = await openSubscriptionShop(api);
    const seat = await shop.staff("POST", "/products", {
      name: "Extra seat",
      amount: 28,
      taxRate: 15,
      recurring: { frequency: "monthly" },
    });
    await shop.staff("PATCH", "/settings", { portal: { addOns: [(seat.body as { id: string }).id] } });
    await shop.addPlan({ name: "Platinum", amount: 380 });
    const { id } = await shop.subscribe({ planId: await shop.addPlan() });
    await shop.move("2027-02-14T20:00:00Z");
    const link = await shop.shop.post<{ url: string }>(`/customers/${shop.customer}/portal-link`, { email: false });
    const page = await openPage(t, options);
    const hasScript = !("javaScriptEnabled" in options);
    const inspect = async (what: string) => {
      if (hasScript) assert.deepEqual(await axeFindings(page), [], what);
      assert.equal(await overflow(page), 0, what);
    };
    const press = (name: string | RegExp) => page.getByRole("button", { name }).first().click();
    const heading = (name: string | RegExp) => page.getByRole("heading", { name, level: 1 }).waitFor();

    await page.goto(link.body.url);
    await press("Sign in");
    await heading(/Hello, Thandi/);
    await inspect("home");
    await page.getByRole("link", { name: "View your subscription to Gold" }).click();
    await heading("Gold");
    await inspect("subscription");

    await page.getByLabel("How many of Extra seat").fill("2");
    await press(/See what it costs to add Extra seat/);
    await heading("Add Extra seat");
    await page.getByText("R 32.20 is to pay now.").waitFor();
    await inspect("add-on, previewed");
    await press("Add it");
    await page.getByText("You have 2").waitFor();

    await page.getByRole("radio", { name: /Platinum/ }).check();
    await press("See what it costs");
    await heading("Change to Platinum");
    await page.getByText(/Platinum in place of Gold \(14 of 28 days\)/).waitFor();
    await inspect("plan, previewed");
    await press("Change the plan");
    await heading("Platinum");

    await press(/Remove Extra seat/);
    await heading("Remove Extra seat");
    await page.getByText("R 28.00 is credited to your next bill.").waitFor();
    await press("Remove the add-on");
    await heading("Platinum");

    await press("Pause the subscription");
    await page.getByText("Paused", { exact: true }).waitFor();
    await press("Resume the subscription");
    await page.getByText("Active", { exact: true }).waitFor();

    await page.getByLabel(/Why do you cancel/).fill("We close");
    await press("Cancel the subscription");
    await page.getByText("Ends after 27 February 2027").waitFor();
    await inspect("cancelled");
    assert.equal((await shop.now(id))["cancelReason"], "We close");
    await press("Keep the subscription");
    await page.getByRole("button", { name: "Cancel the subscription" }).waitFor();

    const now = await shop.now(id);
    assert.deepEqual([now.status, now["amount"], now["items"]], ["active", 380, []]);
    const totals = (await shop.invoices(id)).map(({ total }) => total).toReversed();
    // Gold for a month; 14 of 28 days of two seats; 14 of 28 days of Platinum in place of Gold. What is left of the seats is credit.
    assert.deepEqual(totals, [115, 32.2, 161]);
    assert.deepEqual(await faultsOf(api), []);
  });
