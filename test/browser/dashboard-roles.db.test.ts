import assert from "node:assert/strict";
import { test } from "node:test";
import type { RoleId } from "../../src/modules/members/types.ts";
import { looksRight, setUpDashboardPages } from "../support/dashboard-pages.ts";

/* Roles of the organisation's own, by hand in a browser: making one, giving it, and what its holder sees. */

const dashboard = setUpDashboardPages(async (shop) => {
  const customer = await shop.post<{ id: string }>("/customers", { company: "Nkosi Timber", email: "t@example.co.za" });
  const lines = [{ description: "Poles", quantity: 1, unitPrice: 10 }];
  await shop.post("/invoices", { customer: { id: customer.body.id }, lines, send: true });
});

const makeRole = async (name: string, permissions: readonly string[]): Promise<RoleId> => {
  const staff = await dashboard.shop.signIn();
  const made = await staff<{ id: RoleId }>("POST", "/roles", { name, permissions });
  assert.equal(made.status, 201, made.text);
  return made.body.id;
};

test("an owner makes a role from a built-in one by the keyboard, gives it, and cannot delete it while it is held", async (t) => {
  const page = await dashboard.open(t, "/roles");
  await page.getByRole("link", { name: "Viewer", exact: true }).click();
  await page.getByRole("link", { name: "Copy" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("Debtors' clerk");
  const choice = (name: string) => page.getByRole("checkbox", { name, exact: true });
  await choice("See bank lines").waitFor();
  assert.ok(await choice("See bank lines").isChecked());
  await choice("See bank lines").focus();
  await page.keyboard.press("Space");
  await choice("Change invoices and aged debtors").focus();
  await page.keyboard.press("Space");
  await choice("See settings").uncheck();
  // Who may change something sees it, too.
  await choice("See quotes").uncheck();
  await choice("Change quotes").check();
  assert.ok(await choice("See quotes").isChecked());
  await choice("See quotes").uncheck();
  assert.equal(await choice("Change quotes").isChecked(), false);
  await looksRight(page, "the form of a role");
  await page.getByRole("button", { name: "Create role" }).click();
  await page.getByRole("heading", { level: 1, name: "Debtors' clerk" }).waitFor();
  await looksRight(page, "the page of a role");

  const staff = await dashboard.shop.signIn();
  const { body } = await staff<{ data: { name: string; permissions: string[] }[] }>("GET", "/roles");
  const permissions = body.data.find(({ name }) => name === "Debtors' clerk")?.permissions ?? [];
  assert.ok(permissions.includes("invoices:write") && permissions.includes("customers:read"));
  for (const left of ["reconciliation:read", "settings:read", "quotes:read", "quotes:write"])
    assert.ok(!permissions.includes(left), left);

  await page.goto(`${dashboard.api.baseUrl}/dashboard/members/new`);
  await page.getByRole("textbox", { name: "Email address" }).fill("lerato@example.co.za");
  await page.getByRole("radio", { name: "Debtors' clerk" }).check();
  await page.getByRole("button", { name: "Invite" }).click();
  await page
    .getByRole("row", { name: /lerato@example.co.za/ })
    .getByText("Debtors' clerk")
    .waitFor();

  await page.goto(`${dashboard.api.baseUrl}/dashboard/roles`);
  await page.getByRole("link", { name: "Debtors' clerk" }).click();
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText(/lerato@example\.co\.za has the role Debtors' clerk/).waitFor();
});

test("who has a role sees what it lets see: navigation, home, search, a customer's page", async (t) => {
  const role = await makeRole("Clerk", ["customers:read", "invoices:write"]);
  const page = await dashboard.open(t, "/", { role });
  const navigation = page.getByRole("navigation", { name: "Main" });
  await navigation.getByRole("link", { name: "Invoices" }).waitFor();
  for (const hidden of ["Reconcile", "Developers", "Settings", "Payments", "Debit orders"])
    assert.equal(await navigation.getByRole("link", { name: hidden }).count(), 0, hidden);
  await page.getByRole("heading", { name: "To do" }).waitFor();
  assert.equal(await page.getByRole("heading", { name: "Received" }).count(), 0);
  await looksRight(page, "the home page of a clerk");

  await page.goto(`${dashboard.api.baseUrl}/dashboard/customers`);
  await page.getByRole("link", { name: "Nkosi Timber" }).click();
  await page.getByRole("heading", { name: "Invoices" }).waitFor();
  await page.getByRole("heading", { name: "Statement" }).waitFor();
  assert.equal(await page.getByRole("alert").count(), 0, "nothing of the page is refused");
  await looksRight(page, "the page of a customer for a clerk");

  await page.goto(`${dashboard.api.baseUrl}/dashboard/invoices/new`);
  await page.getByRole("button", { name: "Create invoice" }).waitFor();
  assert.equal(await page.getByRole("alert").count(), 0, "the form needs no settings");
});

test("a page that the role may not see says what is missing and whom to ask", async (t) => {
  const role = await makeRole("Sales", ["quotes:write", "customers:write"]);
  const page = await dashboard.open(t, "/reconciliation/items", { role });
  await page.getByRole("heading", { name: "You do not have access" }).waitFor();
  await page.getByText("The role Sales may not see bank lines. Ask an owner or admin", { exact: false }).waitFor();
  await looksRight(page, "a page without access");
});

test("a role that changes while a page is open changes what is shown", async (t) => {
  const role = await makeRole("Assistant", ["customers:read", "invoices:read"]);
  const page = await dashboard.open(t, "/customers", { role });
  const navigation = page.getByRole("navigation", { name: "Main" });
  await navigation.getByRole("link", { name: "Invoices" }).waitFor();
  const staff = await dashboard.shop.signIn();
  assert.equal((await staff("PATCH", `/roles/${role}`, { permissions: ["customers:read"] })).status, 200);
  await navigation.getByRole("link", { name: "Invoices" }).click();
  await page.getByText("What the role Assistant may do has changed.").waitFor();
  await navigation.getByRole("link", { name: "Invoices" }).waitFor({ state: "detached" });
});

test("roles fit a phone", async (t) => {
  const role = await makeRole("For a phone", ["customers:read"]);
  const page = await dashboard.open(t, "/roles", { viewport: { width: 360, height: 740 } });
  await page.getByText("For a phone").first().waitFor();
  await looksRight(page, "the list of roles on a phone");
  await page.goto(`${dashboard.api.baseUrl}/dashboard/roles/${role}/edit`);
  await page.getByRole("button", { name: "Save" }).waitFor();
  await looksRight(page, "the form of a role on a phone");
});
