import assert from "node:assert/strict";
import { test } from "node:test";
import {
  everyPageLooksRight,
  isForm,
  isNoWider,
  loaded,
  looksRightAnywhere,
  routesOf,
  setUpDashboardPages,
} from "../support/dashboard-pages.ts";
import { addOneOfEach, filled, kindsIn, type RecordIds } from "../support/one-of-each.ts";
import { oddText } from "../support/text.ts";

/* Every form for something new, in an organisation whose texts are as long and odd as people may write them. */

let ids: RecordIds = {};
const dashboard = setUpDashboardPages(async (shop, api) => {
  ids = await addOneOfEach(api, shop, oddText);
});

everyPageLooksRight(
  dashboard,
  (routes) => [
    ...routes.filter((path) => kindsIn(path).length === 0 && isForm(path)),
    "/gateways/new?type=payfast",
    `/invoices/new?customer=${ids["customers"]}`,
  ],
  async (page) => {
    await page.goto(`${dashboard.api.baseUrl}/dashboard/customers/new`);
    await page.getByRole("textbox", { name: "Company" }).fill(oddText(10_000));
    await page.getByRole("textbox", { name: "Address", exact: true }).fill(oddText(10_000));
    await page.getByRole("button", { name: "Create customer" }).click();
    await page.locator("[aria-invalid=true]").first().waitFor();
    await looksRightAnywhere(page, "a form with texts of 10 000 characters");
    await page.goto(`${dashboard.api.baseUrl}/dashboard/invoices/new`);
    await page.getByRole("combobox", { name: "Customer" }).fill("payer@");
    await page
      .getByRole("option", { name: /<script>/ })
      .first()
      .waitFor();
    await isNoWider(page, "a choice of customers");
  },
);

/** Buttons that show something, and change nothing. */
const LOOKS = /^(Calendar|Columns|Copy|Copied|Clear|CSV|Download|PDF|Previous|Next|Show|Remove)/;

test("who may only look is shown no button on any page that changes something, and no way to a form", async (t) => {
  const page = await dashboard.open(t, "/", { role: "viewer" });
  const faults: string[] = [];
  const routes = (await routesOf(page)).filter(
    (path) => !/^\/(account|organisations|invitations|reset-password)\b/.test(path),
  );
  for (const route of routes) {
    await page.goto(`${dashboard.api.baseUrl}/dashboard${filled(route, ids)}`);
    await page.getByRole("heading", { level: 1 }).first().waitFor();
    await loaded(page);
    const buttons = await page.getByRole("main").getByRole("button").all();
    for (const button of buttons) {
      // It chooses what is shown beside it, or sorts it.
      const chooses = await button.evaluate(
        (one) => one.hasAttribute("aria-pressed") || one.hasAttribute("aria-current") || one.closest("th") !== null,
      );
      if (chooses) continue;
      const name = (await button.getAttribute("aria-label")) ?? (await button.textContent()) ?? "";
      if ((await button.isEnabled()) && !LOOKS.test(name.trim())) faults.push(`${route}: ${name}`);
    }
    for (const link of await page
      .getByRole("main")
      .locator("a[href$='/new'], a[href*='/new?'], a[href$='/edit']")
      .all())
      faults.push(`${route}: ${await link.getAttribute("href")}`);
  }
  assert.deepEqual(faults, []);
});
