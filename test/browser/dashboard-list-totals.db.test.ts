import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { isNoWider, loaded, looksRightAnywhere, setUpDashboardPages } from "../support/dashboard-pages.ts";
import { EXCHANGE, exempt, type Invoicing, openInvoicing } from "../support/invoices.ts";

/* The footer of a list, the counts of its views, and its order. */

let shop: Invoicing;
const dashboard = setUpDashboardPages(async (_shop, api) => {
  shop = await openInvoicing(api);
  for (const [amount, dueDate] of [
    [100, "2027-03-31"],
    [250.5, "2027-03-10"],
    [1000, "2027-03-20"],
  ] as const)
    await shop.owe(amount, { dueDate });
  await shop.create({ lines: [exempt(77)], dueDate: "2027-04-30" });
  for (let more = 0; more < 20; more += 1) await shop.owe(10, { dueDate: "2027-03-25" });
  await shop.owe(40, { dueDate: "2027-03-26", currency: "USD", exchange: EXCHANGE });
});

const footer = (page: Page) =>
  page
    .locator("tfoot tr")
    .evaluateAll((lines) =>
      lines.map((line) =>
        [...line.querySelectorAll("th, td")].map(({ textContent }) => (textContent ?? "").replaceAll("\u00a0", " ")),
      ),
    );
const footed = (page: Page, title: string) => page.locator("tfoot").getByText(title).first().waitFor();
const views = (page: Page) => page.getByRole("navigation", { name: "Views of Invoices" });
const dueDays = (page: Page) => page.locator("[data-record] td[data-label=Due]").allTextContents();

test("a list's footer counts and sums all that it shows, on every page, and views say how many they have", async (t) => {
  const staff = await shop.merchant.addStaff("owner");
  const page = await dashboard.open(t, "/invoices", { staff });
  await footed(page, "All 25 in this view");
  assert.deepEqual(await footer(page), [
    ["All 25 in this view", "R 1 550.50", "R 1 627.50"],
    ["In USD", "USD 40.00", "USD 40.00"],
  ]);
  await views(page).getByRole("link", { name: "All 25" }).waitFor();
  await views(page).getByRole("link", { name: "Drafts 1" }).waitFor();
  await views(page).getByRole("link", { name: "Overdue 0" }).waitFor();
  await page.getByRole("button", { name: "Next" }).click();
  await page.waitForURL(/after=/);
  await footed(page, "All 25 in this view");
  await views(page).getByRole("link", { name: "Drafts 1" }).click();
  await footed(page, "1 in this view");
  assert.deepEqual(await footer(page), [["1 in this view", "R 0.00", "R 77.00"]]);
  await page.goto(`${dashboard.api.baseUrl}/dashboard/invoices?columns=number,customer,total`);
  await footed(page, "Balance due");
  assert.deepEqual((await footer(page))[0], ["All 25 in this viewBalance due R 1 550.50", "R 1 627.50"]);
});

test("a list's heads sort it; the address and a saved view keep the order", async (t) => {
  const staff = await shop.merchant.addStaff("owner");
  const page = await dashboard.open(t, "/invoices", { staff });
  const head = page.getByRole("columnheader", { name: "Due", exact: true });
  const order = () => head.getAttribute("aria-sort");
  await footed(page, "All 25 in this view");
  assert.equal(await order(), null);
  await head.getByRole("button").press("Enter");
  await page.waitForURL(/sort=dueDate/);
  await page.locator("[data-stale=false]").waitFor();
  assert.equal(await order(), "ascending");
  await page.locator("[data-record]").first().getByText("10 Mar").waitFor();
  assert.equal((await dueDays(page))[0], "10 Mar 2027");
  await page.getByRole("button", { name: "Next" }).click();
  await page.waitForURL(/after=dueDate/);
  await page.locator("[data-record]").first().getByText("25 Mar").waitFor();
  assert.equal((await dueDays(page)).at(-1), "30 Apr 2027");
  await head.getByRole("button").click();
  await page.waitForURL((url) => url.search.includes("sort=-dueDate") && !url.search.includes("after"));
  await page.locator("[data-record]").first().getByText("30 Apr").waitFor();
  assert.equal(await order(), "descending");
  await page.reload();
  await page.locator("[data-record]").first().getByText("30 Apr").waitFor();

  await page.getByRole("button", { name: "Save view" }).click();
  const dialog = page.getByRole("dialog", { name: "Save view" });
  await dialog.getByLabel("Name").fill("Latest due");
  await dialog.getByRole("button", { name: "Save view" }).click();
  await views(page).getByRole("link", { name: "Latest due 25" }).waitFor();
  await views(page).getByRole("link", { name: /^All/ }).click();
  await page.waitForURL((url) => !url.search.includes("sort"));
  await views(page).getByRole("link", { name: "Latest due 25" }).click();
  await page.waitForURL(/sort=-dueDate/);
  await head.getByRole("button").click();
  await page.waitForURL((url) => !url.search.includes("sort"));
});

test("the footer, the views and the order look right anywhere, and a phone has the order in a field", async (t) => {
  const staff = await shop.merchant.addStaff("owner");
  const page = await dashboard.open(t, "/invoices?sort=dueDate&owing=open", { staff });
  await footed(page, "All 24 in this view");
  await looksRightAnywhere(page, "invoices by due date");
  await page.setViewportSize({ width: 360, height: 740 });
  await page.getByLabel("Order").selectOption({ label: "Total, highest first" });
  await page.waitForURL(/sort=-total/);
  await page.locator("[data-record]").first().locator("[data-phone=figure]").getByText("1\u00a0000.00").waitFor();
  await loaded(page);
  await isNoWider(page, "the list on a phone");
  for (const path of ["/transactions", "/quotes", "/credit-notes", "/customers", "/customer-subscriptions"]) {
    await page.goto(`${dashboard.api.baseUrl}/dashboard${path}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await loaded(page);
    assert.equal(await page.getByText("Something went wrong").count(), 0, path);
  }
});
