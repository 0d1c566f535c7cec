import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { looksRightAnywhere, setUpDashboardPages } from "../support/dashboard-pages.ts";

/* Shortcuts of single keys: on every page, of a list, not in a field, and off for who wants none. */

const dashboard = setUpDashboardPages(async (shop) => {
  const customer = await shop.post<{ id: string }>("/customers", { company: "Nkosi Timber", email: "t@example.co.za" });
  const lines = [{ description: "Planks", quantity: 1, unitPrice: 1500.4, taxRate: 0 }];
  await shop.post("/invoices", { customerId: customer.body.id, externalReference: "a", send: true, lines });
});

const isOn = async (page: Page, heading: string | RegExp) =>
  page.getByRole("heading", { level: 1, name: heading }).waitFor();

test("keys go to pages, begin what is new, and search", async (t) => {
  const page = await dashboard.open(t, "/");
  await page.keyboard.type("gi");
  await isOn(page, "Invoices");
  await page.keyboard.press("/");
  const search = page.getByRole("searchbox", { name: /Search/ });
  await page.waitForFunction("document.activeElement.type === 'search'");
  await page.keyboard.type("gc");
  assert.equal(await search.inputValue(), "gc", "in a field they are letters");
  await page.keyboard.press("Escape");
  await page.evaluate("document.activeElement.blur()");
  await page.keyboard.press("n");
  await isOn(page, /New invoice/);
  await page.getByRole("heading", { level: 1 }).click();
  await page.keyboard.type("cq");
  await isOn(page, /New quote/);
  await page.getByRole("heading", { level: 1 }).click();
  await page.keyboard.type("g,");
  await isOn(page, /Settings|General/);
  await page.keyboard.press("/");
  await page.getByRole("dialog").getByRole("textbox", { name: "Search" }).fill("1500");
  await page.getByText(/R\u00a01\u00a0500\.40/).waitFor();
});

test("the sheet behind ? says the keys of this page and of all, and turns them off", async (t) => {
  const page = await dashboard.open(t, "/invoices");
  await isOn(page, "Invoices");
  await page.keyboard.press("?");
  const sheet = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await sheet.getByText("Search the list").waitFor();
  await sheet.getByText("Go to Customers").waitFor();
  await looksRightAnywhere(page, "sheet of shortcuts");
  await sheet.getByRole("switch").press("Space");
  await page.keyboard.press("Escape");
  await sheet.waitFor({ state: "detached" });
  await page.keyboard.type("gc");
  await page.keyboard.press("?");
  await isOn(page, "Invoices");
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole("button", { name: /^Account of/ }).click();
  await page.getByRole("menuitem", { name: "Keyboard shortcuts" }).click();
  await sheet.getByRole("switch").press("Space");
  await page.keyboard.press("Escape");
  await sheet.waitFor({ state: "detached" });
  await page.keyboard.type("gc");
  await isOn(page, "Customers");
});
