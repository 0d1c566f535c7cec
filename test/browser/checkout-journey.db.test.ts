import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { openApi } from "../support/api.ts";
import { axeFindings, openPage } from "../support/browser.ts";
import { addCard } from "../support/cards.ts";
import { openSaleShop, type SaleShop, salePath } from "../support/checkout.ts";

/* The hosted checkout in a browser, from its page to the merchant's: with and without script, on a phone and on a desktop. */

const SCREENS = {
  phone: { viewport: { width: 320, height: 640 } },
  desk: { viewport: { width: 1280, height: 800 } },
} as const;

/** A page with its own way of looking at it: axe is a script of the page. */
interface Payer {
  readonly page: Page;
  look(what: string): Promise<void>;
  fill(email: string): Promise<void>;
}

async function openShop(t: TestContext): Promise<SaleShop> {
  const api = await openApi({ PROCESS: "all" });
  t.after(() => api.close());
  const sale = await openSaleShop(api);
  await sale.stage.staff("PATCH", "/settings", { branding: { supportEmail: "help@shop.example" } });
  return sale;
}

async function openPayer(t: TestContext, options: object, script: boolean): Promise<Payer> {
  const page = await openPage(t, { ...options, javaScriptEnabled: script });
  return {
    page,
    async look(what) {
      assert.ok(gzipSync(await page.content()).length < 30_000, what);
      if (!script) return;
      assert.deepEqual(await axeFindings(page), [], what);
      const wider = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
      assert.equal(await page.evaluate<number>(wider), 0, what);
    },
    async fill(email) {
      await page.getByLabel("Email address").fill(email);
      await page.getByLabel("First name").fill("Thandi");
    },
  };
}

/** Serves the merchant's site on another origin; answers the URL of its return page. */
async function openMerchantSite(t: TestContext, { stage }: SaleShop): Promise<string> {
  const server = createServer((_request, response) =>
    response
      .writeHead(200, { "content-type": "text/html" })
      .end("<!doctype html><title>Shop</title><h1>Thank you</h1>"),
  ).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  t.after(() => server.close());
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  const answer = await stage.staff("PUT", "/allowed-return-urls", { origins: [origin] });
  assert.equal(answer.status, 200, answer.text);
  return `${origin}/back`;
}

const pay = async (page: Page): Promise<void> => {
  await page.getByLabel("Card number").fill("4242424242424242");
  await page.getByRole("button", { name: /^Pay/ }).click();
};
const mainButton = (page: Page) => page.locator("form.sheet button.button").first();
const heading = (page: Page, name: string) => page.getByRole("heading", { level: 1, name }).waitFor();

for (const [screen, options] of Object.entries(SCREENS))
  for (const script of [true, false]) {
    const where = `on a ${screen}, ${script ? "with" : "without"} script`;

    test(`a payer switches the plan, uses a coupon, agrees, fails, tries again on the same link and is passed on, ${where}`, async (t) => {
      const sale = await openShop(t);
      const { stage, packageId, addPlan } = sale;
      const [monthly] = [
        await addPlan({ setupFee: 50 }),
        await addPlan({ name: "Year", amount: 1000, frequency: "annually" }),
      ];
      await stage.staff("POST", "/coupons", { code: "TEN", percent: 10 });
      await stage.staff("PUT", "/checkout-pages", {
        template: "split",
        termsUrl: "https://shop.example/terms",
        fields: { phone: "required", address: "optional" },
        success: { message: "Welcome to the circle", autoRedirectSeconds: 3 },
      });
      const session = await sale.addSession({ packageId, planId: monthly });
      const { page, look, fill } = await openPayer(t, options, script);
      await page.goto(String(session["checkoutUrl"]));
      await look("package");
      assert.equal(await page.getByRole("radio", { name: "Gold" }).isChecked(), true);
      await page.getByRole("radio", { name: "Year" }).check();
      const terms = ((await page.locator("form.sheet").textContent()) ?? "").replaceAll(/\s+/g, " ");
      assert.match(
        terms,
        /You pay R 1 150\.00 today, then R 1 150\.00 every year from 1 March 2028, until you cancel\./,
      );
      assert.match(terms, /To end it, write to .*help@shop\.example at any time, or cancel on your own page/);
      await page.getByText("Have a coupon?").click();
      await page.getByLabel("Coupon code").fill("ten");
      await page.getByRole("button", { name: "Apply" }).click();
      await page.getByText("TEN is applied").waitFor();
      assert.equal(await page.getByRole("radio", { name: "Year" }).isChecked(), true);
      await look("with a coupon");
      await fill("thandi@example.co.za");
      await page.getByLabel("Phone number").fill("082 555 1234");
      await page.getByRole("checkbox", { name: /I agree/ }).check();
      await mainButton(page).click();
      await page.waitForURL(/sandbox-gateway/);
      await page.getByRole("button", { name: "Let it fail" }).click();
      await heading(page, "Payment failed");
      await look("failed");
      await page.getByRole("link", { name: "Try again" }).click();
      await heading(page, "Circle");
      for (const [field, value] of [
        ["#email", "thandi@example.co.za"],
        ["#firstName", "Thandi"],
        ["#phone", "082 555 1234"],
      ] as const)
        assert.equal(await page.inputValue(field), value, "what was entered is there again");
      await page.getByRole("checkbox", { name: /I agree/ }).check();
      await mainButton(page).click();
      await page.waitForURL(/sandbox-gateway/);
      await pay(page);
      await heading(page, "Payment received");
      await page.getByText("Welcome to the circle").waitFor();
      await look("received");
      const { body: done } = await stage.shop.get(`/checkout-sessions/${session["id"]}`);
      assert.deepEqual([done["status"], done["couponCode"]], ["completed", "TEN"]);
      assert.equal((done["transaction"] as { amount: number }).amount, 1035);
    });

    test(`a product is bought and its payer is passed on to the merchant, ${where}`, async (t) => {
      const sale = await openShop(t);
      const returnUrl = await openMerchantSite(t, sale);
      const session = await sale.addSession({ productId: await sale.addProduct(), returnUrl });
      await sale.stage.staff("PUT", "/checkout-pages", { template: "minimal", success: { autoRedirectSeconds: 3 } });
      const { page, look, fill } = await openPayer(t, options, script);
      await page.goto(String(session["checkoutUrl"]));
      await look("product");
      await fill("thandi@example.co.za");
      await mainButton(page).click();
      await page.waitForURL(/sandbox-gateway/);
      await pay(page);
      await page.waitForURL(/\/back\?/);
      const { searchParams } = new URL(page.url());
      assert.deepEqual([searchParams.get("status"), searchParams.get("session")], ["complete", session["id"]]);
      assert.match(searchParams.get("reference") ?? "", /^TEFO-/);
    });

    test(`a signed-in customer pays a plan by saved card, ${where}`, async (t) => {
      const { stage, addPlan, packagePage } = await openShop(t);
      await addPlan({ setupFee: 50 });
      await addCard(stage);
      const link = await stage.staff<{ url: string }>("POST", `/customers/${stage.customer}/portal-link`, {
        email: false,
      });
      const { page, look } = await openPayer(t, options, script);
      await page.goto(link.body.url);
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByRole("heading", { level: 1, name: /^Hello/ }).waitFor();
      await page.goto(stage.api.baseUrl + packagePage);
      assert.equal(await page.inputValue("#firstName"), "Thandi", "they are known");
      await page.getByRole("radio", { name: "Visa ending in 4242" }).waitFor();
      await look("package with a saved card");
      await page.getByRole("button", { name: "Pay with a saved card" }).click();
      await heading(page, "Confirm the payment");
      await look("confirmation");
      // The 1.00 of the card's set-up is the customer's credit.
      await page.getByText("R\u00a0171.50").first().waitFor();
      await page.getByRole("button", { name: /^Pay R/ }).dblclick();
      await heading(page, "Payment under way");
      await look("under way");
      await stage.move("2027-03-04T10:00:00.000Z");
      await page.reload();
      await heading(page, "Payment received");
      const { body } = await stage.shop.get<{ data: { status: string; lastInvoice: { status: string } }[] }>(
        "/customer-subscriptions",
      );
      assert.deepEqual(
        body.data.map(({ status, lastInvoice }) => [status, lastInvoice.status]),
        [["active", "paid"]],
      );
    });

    test(`a trial begins without a payment, ${where}`, async (t) => {
      const sale = await openShop(t);
      await sale.addPlan({ trialDays: 14 });
      const { page, look, fill } = await openPayer(t, options, script);
      await page.goto(sale.stage.api.baseUrl + sale.packagePage);
      await look("trial");
      assert.equal(await page.getByRole("radio", { name: /gateway/i }).count(), 0);
      await fill("thandi@example.co.za");
      await page.getByRole("button", { name: "Start the free trial" }).click();
      await heading(page, "You are signed up");
      await look("signed up");
      const { body } = await sale.stage.shop.get<{ data: { status: string }[] }>("/customer-subscriptions");
      assert.deepEqual(
        body.data.map(({ status }) => status),
        ["trialing"],
      );
    });
  }

test("a form that was wrong says so at its fields, and keeps what was written", async (t) => {
  const sale = await openShop(t);
  const { page, look } = await openPayer(t, SCREENS.phone, true);
  await page.goto(sale.stage.api.baseUrl + salePath(sale.stage, "product", await sale.addProduct()));
  await page.evaluate("document.querySelector('form.sheet').noValidate = true");
  await page.getByLabel("Email address").fill("thandi@");
  await mainButton(page).click();
  await page.getByRole("alert").waitFor();
  assert.match((await page.textContent("[role=alert]")) ?? "", /Write an email address[\s\S]*Write your first name/);
  assert.equal(await page.inputValue("#email"), "thandi@");
  await look("wrong");
});
