import assert from "node:assert/strict";
import { test } from "node:test";
import { looksRightAnywhere, setUpDashboardPages } from "../support/dashboard-pages.ts";

/* Forms that were left before they were sent: their input is offered again, without secrets. */

const dashboard = setUpDashboardPages(async (shop) => {
  await shop.post("/customers", { company: "Nkosi Timber", email: "t@example.co.za" });
});

const STORED =
  "Object.entries(sessionStorage).filter(([name]) => name.startsWith('tefo-form:')).map(([, text]) => text)";

test("input that was left is offered again, after a reload too, until it is sent or discarded", async (t) => {
  const page = await dashboard.open(t, "/customers/new");
  const company = page.getByRole("textbox", { name: "Company" });
  await company.fill("Karoo Saws");
  await page.getByRole("link", { name: "Payments" }).click();
  await page.getByRole("heading", { level: 1, name: "Payments" }).waitFor();
  await page.goBack();
  await page.getByText("You have input that is not saved").waitFor();
  await looksRightAnywhere(page, "input that is offered");
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.reload();
  await page.getByRole("button", { name: "Continue with it" }).click();
  assert.equal(await company.inputValue(), "Karoo Saws");
  await page.reload();
  await page.getByRole("button", { name: "Discard it" }).click();
  await page.reload();
  await company.waitFor();
  assert.equal(await page.getByText("You have input that is not saved").count(), 0);

  await company.fill("Karoo Saws");
  await page.getByRole("button", { name: "Create customer" }).click();
  await page.getByText("Customer created").waitFor();
  assert.deepEqual(await page.evaluate(STORED), []);
  await page.goto(`${dashboard.api.baseUrl}/dashboard/customers/new`);
  await company.fill("Again");
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("heading", { level: 1, name: "Customers" }).waitFor();
  assert.deepEqual(await page.evaluate(STORED), []);
});

test("a change of a record is offered only while the record is as it was", async (t) => {
  const { data } = (await (await dashboard.shop.signIn())<{ data: { id: string }[] }>("GET", "/customers")).body;
  const id = data.at(-1)?.id;
  const page = await dashboard.open(t, `/customers/${id}/edit`);
  const company = page.getByRole("textbox", { name: "Company" });
  await company.fill("Nkosi Wood");
  await page.reload();
  await page.getByText("You have input that is not saved").waitFor();
  await (await dashboard.shop.signIn())("PATCH", `/customers/${id}`, { company: "Nkosi Trees" });
  await page.reload();
  await company.waitFor();
  assert.equal(await company.inputValue(), "Nkosi Trees");
  assert.equal(await page.getByText("You have input that is not saved").count(), 0);
});

test("account numbers, identity numbers and credentials are never kept, and nothing is after signing out", async (t) => {
  const page = await dashboard.open(t, "/mandates/new");
  await page.getByRole("textbox", { name: "Account number" }).fill("62000000001");
  await page.getByRole("textbox", { name: "Account holder" }).fill("N Nkosi");
  await page.getByRole("textbox", { name: "ID number of the holder" }).fill("8001015009087");
  const [stored] = await page.evaluate<string[]>(STORED);
  assert.match(stored ?? "", /N Nkosi/);
  assert.doesNotMatch(stored ?? "", /62000000001|8001015009087/);
  await page.getByRole("button", { name: /^Account of/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByRole("button", { name: "Sign in", exact: true }).waitFor();
  assert.deepEqual(await page.evaluate(STORED), []);
});
