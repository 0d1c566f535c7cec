import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { openApi } from "../support/api.ts";
import { axeFindings, openPage } from "../support/browser.ts";
import { addRecurringLink, openSubscriptionShop } from "../support/gateway-subscriptions.ts";

/* A recurring link in a browser: its terms before it is paid, with and without script, on a phone and on a desktop. */

const SCREENS = {
  phone: { viewport: { width: 320, height: 640 } },
  desk: { viewport: { width: 1280, height: 800 } },
} as const;

const BANK = {
  bankName: "Bank",
  accountName: "Shop",
  accountNumber: "1234567890",
  branchCode: "250655",
  accountType: "current",
};

async function open(t: TestContext) {
  const api = await openApi({ PROCESS: "all" });
  t.after(() => api.close());
  const shop = await openSubscriptionShop(api);
  await shop.shop.addGateway({ type: "manual_eft", credentials: BANK });
  await shop.staff("PATCH", "/settings", { branding: { supportEmail: "help@shop.example" } });
  const begun = async (link: unknown) => (await shop.shop.get(`/payment-links/${link}`)).body["subscription"];
  const recurring = { frequency: "quarterly", amount: 80 };
  return { shop, link: await addRecurringLink(shop, { recurring, singleUse: true }), begun };
}

for (const [screen, options] of Object.entries(SCREENS))
  for (const javaScriptEnabled of [true, false])
    test(`the payer reads what is taken, how often and how to end it, then pays, on a ${screen}, script ${javaScriptEnabled}`, async (t) => {
      const { link, begun } = await open(t);
      const page = await openPage(t, { ...options, javaScriptEnabled });
      await page.goto(String(link["url"]));
      const form = ((await page.textContent("form")) ?? "").replaceAll(/\s+/g, " ");
      assert.match(
        form,
        /By paying you let .* take R 80\.00 from your card every 3 months from now on, until you cancel\./,
      );
      assert.match(form, /To cancel, contact .*help@shop\.example/);
      const terms = page.getByText("To cancel, contact");
      const pay = page.getByRole("button", { name: "Pay R 100.00" });
      const [above, below] = [await terms.boundingBox(), await pay.boundingBox()];
      assert.ok(above && below && above.y + above.height <= below.y, "the terms stand before the button");
      if (javaScriptEnabled) {
        assert.deepEqual(await axeFindings(page), []);
        const overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
        assert.equal(await page.evaluate<number>(overflow), 0);
      }
      assert.equal(await page.getByRole("radio").count(), 1, "no bank transfer is offered");
      await pay.click();
      await page.getByLabel("Card number").fill("4242424242424242");
      await page.getByRole("button", { name: /^Pay/ }).click();
      await page.waitForURL(/\/result\//);
      assert.equal(await page.textContent("h1"), "Payment received");
      assert.equal(((await begun(link["id"])) as { status: string }).status, "active");
      await page.goto(String(link["url"]));
      assert.equal(await page.textContent("h1"), "Already paid");
      assert.doesNotMatch((await page.textContent("body")) ?? "", /By paying you let/);
    });
