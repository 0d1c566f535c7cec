import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { axeFindings } from "../support/browser.ts";
import { isNoWider, setUpDashboardPages } from "../support/dashboard-pages.ts";

/* Views of lists: those that a list brings along, and those that staff save. */

const dashboard = setUpDashboardPages(async (shop) => {
  const customer = await shop.post<{ id: string }>("/customers", { company: "Nkosi Timber" });
  for (const description of ["Planks", "Beams"]) {
    const lines = [{ description, quantity: 1, unitPrice: 100 }];
    assert.equal((await shop.post("/invoices", { customerId: customer.body.id, lines })).status, 201);
  }
});

const views = (page: Page) => page.getByRole("navigation", { name: "Views of Invoices" });
/** The name of the marked view, without how many records it has. */
const current = async (page: Page) =>
  (await views(page).locator("[aria-current=page]").textContent())?.replace(/ [\d+]*$/, "");
const rows = (page: Page) => page.locator("[data-record]");

test("the views of a list filter it, and the one in the address is marked", async (t) => {
  const page = await dashboard.open(t, "/invoices");
  await rows(page).nth(1).waitFor();
  assert.equal(await current(page), "All");
  await views(page).getByRole("link", { name: /^Paid/ }).click();
  await page.getByText("Nothing matches").waitFor();
  assert.equal(await current(page), "Paid");
  await views(page).getByRole("link", { name: "Drafts" }).press("Enter");
  await rows(page).nth(1).waitFor();
  assert.match(page.url(), /status=draft/);
  await page.goBack();
  await page.getByText("Nothing matches").waitFor();
  assert.equal(await current(page), "Paid");
});

test("filters are saved as a view of one's own or of the team, opened again, and deleted", async (t) => {
  const staff = await dashboard.shop.addStaff("owner");
  const page = await dashboard.open(t, "/invoices", { staff });
  await rows(page).first().waitFor();
  assert.equal(await page.getByRole("button", { name: "Save view" }).count(), 0, "nothing to save without a filter");
  await page.getByLabel("Status", { exact: true }).selectOption("cancelled");
  await page.getByRole("button", { name: "Save view" }).click();
  const dialog = page.getByRole("dialog", { name: "Save view" });
  await dialog.getByRole("button", { name: "Save view" }).click();
  await dialog.getByText("Give the view a name.").waitFor();
  await dialog.getByLabel("Name").fill("Given up");
  await dialog.getByLabel("For the whole team").check();
  await dialog.getByText("for all members").waitFor();
  await dialog.getByRole("button", { name: "Save view" }).click();
  await views(page).getByRole("link", { name: "Given up" }).waitFor();
  assert.equal(await current(page), "Given up");
  assert.deepEqual(await axeFindings(page), []);

  const other = await dashboard.open(t, "/invoices", { role: "viewer", viewport: { width: 360, height: 740 } });
  await views(other).getByRole("link", { name: "Given up" }).click();
  await other.getByText("Nothing matches").waitFor();
  assert.equal(
    await other.getByRole("button", { name: "Delete view" }).count(),
    0,
    "a viewer changes nothing of others",
  );
  await isNoWider(other, "the list with its views");

  await page.getByRole("button", { name: "Delete view" }).click();
  await page.getByRole("dialog").getByText("disappears for all members").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Delete view" }).click();
  await views(page).getByRole("link", { name: "Given up" }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Save view" }).waitFor();
});
