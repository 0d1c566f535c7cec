import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { openApi } from "../support/api.ts";
import { axeFindings, openPage } from "../support/browser.ts";
import { addMandate, issueAgreement, mandateNow, openMandateShop } from "../support/mandates.ts";

/* A customer signs a debit order agreement in a browser: on a phone, with and without script, by keyboard. */

const PHONE = { viewport: { width: 320, height: 640 } };

const overflow = (page: Page): Promise<number> =>
  page.evaluate<number>("document.documentElement.scrollWidth - document.documentElement.clientWidth");

for (const [screen, options] of Object.entries({ phone: PHONE, desk: { viewport: { width: 1280, height: 800 } } }))
  test(`a customer signs on a ${screen}, after forgetting the tick`, async (t) => {
    const api = await openApi();
    t.after(() => api.close());
    const shop = await openMandateShop(api);
    const mandate = await addMandate(shop);
    const { signUrl } = await issueAgreement(shop, mandate, { notes: "First month free" });
    const page = await openPage(t, options);
    const foreign: string[] = [];
    page.on("request", (request) => {
      if (!request.url().startsWith(`${api.baseUrl}/`)) foreign.push(request.url());
    });
    const inspect = async (what: string) => {
      assert.deepEqual(await axeFindings(page), [], what);
      assert.equal(await overflow(page), 0, what);
    };
    await page.goto(String(signUrl));
    await inspect("open");
    await page.getByLabel("Full name").fill("Thandi Nkosi");
    await page.locator("form").evaluate((form: { noValidate: boolean }) => {
      form.noValidate = true;
    });
    await page.getByRole("button", { name: "Sign the agreement" }).click();
    await page.getByRole("alert").waitFor();
    await inspect("not ticked");
    assert.equal(await page.getByLabel("Full name").inputValue(), "Thandi Nkosi");
    await page.getByRole("checkbox").check();
    await page.getByRole("button", { name: "Sign the agreement" }).dblclick();
    await page.getByRole("heading", { name: "Signed", exact: true }).waitFor();
    await inspect("signed");
    assert.equal((await mandateNow(shop, mandate))["status"], "active");
    assert.deepEqual(foreign, []);
  });

test("a customer signs by keyboard alone, without script", async (t) => {
  const api = await openApi();
  t.after(() => api.close());
  const shop = await openMandateShop(api);
  const mandate = await addMandate(shop);
  const { signUrl } = await issueAgreement(shop, mandate);
  const page = await openPage(t, { ...PHONE, javaScriptEnabled: false });
  await page.goto(String(signUrl));
  await page.getByLabel("Full name").focus();
  await page.keyboard.type("Thandi Nkosi");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Space");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Signed", exact: true }).waitFor();
  assert.equal((await mandateNow(shop, mandate))["status"], "active");
});
