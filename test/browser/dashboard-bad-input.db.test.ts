import assert from "node:assert/strict";
import { test } from "node:test";
import type { Credentials } from "../support/api.ts";
import { enter, loaded, looksRight, routesOf, setUpDashboardPages } from "../support/dashboard-pages.ts";
import { addOneOfEach, filled, namesRecord } from "../support/one-of-each.ts";

/* What nobody plans: a role or a session that ends under an open page, addresses and texts that somebody types. */

const ids = { customer: "", invoice: "" };
const dashboard = setUpDashboardPages(async (shop) => {
  const customer = await shop.post<{ id: string }>("/customers", { company: "Nkosi Timber", email: "t@example.co.za" });
  const invoice = await shop.post<{ id: string }>("/invoices", {
    customerId: customer.body.id,
    send: true,
    lines: [{ description: "Planks", quantity: 1, unitPrice: 100, taxRate: 0 }],
  });
  assert.equal(invoice.status, 201, invoice.text);
  Object.assign(ids, { customer: customer.body.id, invoice: invoice.body.id });
});

const setRole = ({ email }: Credentials, role: string) =>
  dashboard.api.query("update members set role = $1 where email = $2", role, email);

test("a role that is lost while a form is open changes nothing, says so, and keeps what was typed", async (t) => {
  const staff = await dashboard.shop.addStaff();
  const page = await dashboard.open(t, "/customers/new", { staff });
  await page.getByRole("textbox", { name: "Company" }).fill("Too late Traders");
  await setRole(staff, "viewer");
  await page.getByRole("button", { name: "Create customer" }).click();
  await page.getByRole("alert").getByText("Your role viewer may not", { exact: false }).waitFor();
  await looksRight(page, "a form that the role may not send");
  assert.equal(await page.getByRole("textbox", { name: "Company" }).inputValue(), "Too late Traders");
  assert.deepEqual(await dashboard.api.query("select 1 from customers where company = 'Too late Traders'"), []);
  await page.getByText("Your role may not do this any more.").waitFor();
  await page.getByText("Your role is viewer now.").waitFor();
  assert.equal(await page.getByRole("button", { name: "Create customer" }).count(), 0);
  assert.equal(await page.getByRole("textbox", { name: "Company" }).inputValue(), "Too late Traders");
  await page.reload();
  await page.getByRole("heading", { name: "You do not have access" }).waitFor();
});

test("a role that is lost while an action is open moves no money, and the button is gone afterwards", async (t) => {
  const staff = await dashboard.shop.addStaff("finance");
  const page = await dashboard.open(t, `/invoices/${ids.invoice}`, { staff });
  await page.getByRole("button", { name: "Record payment" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Amount" }).fill("60");
  await setRole(staff, "viewer");
  await dialog.getByRole("button", { name: "Record payment" }).click();
  await dialog.getByRole("alert").getByText("Your role viewer may not", { exact: false }).waitFor();
  assert.deepEqual(await dashboard.api.query("select 1 from invoice_payments"), []);
  await dialog.getByText("Your role may not do this any more.").waitFor();
  await looksRight(page, "an action that the role may not do any more");
  assert.equal(await dialog.getByRole("textbox", { name: "Amount" }).inputValue(), "R 60.00");
  await dialog.getByRole("button", { name: "Back" }).click();
  await dialog.waitFor({ state: "detached" });
  for (const name of ["Record payment", "Cancel", "Add note"])
    assert.equal(await page.getByRole("button", { name }).count(), 0, name);
  await page
    .getByRole("link", { name: "PDF" })
    .or(page.getByRole("button", { name: "PDF" }))
    .waitFor();
});

test("who is taken out of the organisation while a form is open is told so, and what was typed stays", async (t) => {
  const staff = await dashboard.shop.addStaff();
  const page = await dashboard.open(t, "/products/new", { staff });
  await page.getByRole("textbox", { name: "Name" }).fill("Planks");
  await dashboard.api.query("delete from members where email = $1", staff.email);
  await page.getByRole("textbox", { name: "Price" }).fill("10");
  await page.getByRole("button", { name: "Create product" }).click();
  await page.getByText("You are a member of Karoo Books no longer.").waitFor();
  await page.getByText("Your role may not do this any more.").waitFor();
  await looksRight(page, "a form of somebody who is a member no longer");
  assert.equal(await page.getByRole("textbox", { name: "Name" }).inputValue(), "Planks");
  assert.equal(await page.getByRole("button", { name: "Create product" }).count(), 0);
  await page.reload();
  await page.getByRole("heading", { name: "You are a member of no organisation" }).waitFor();
});

test("a session that ends in the middle of an action loses nothing, and the money moves once", async (t) => {
  const staff = await dashboard.shop.addStaff();
  const page = await dashboard.open(t, `/invoices/${ids.invoice}`, { staff });
  await page.getByRole("button", { name: "Record payment" }).click();
  const dialog = page.getByRole("dialog", { name: "Record" });
  await dialog.getByRole("textbox", { name: "Amount" }).fill("40");
  await page.context().clearCookies();
  await dialog.getByRole("button", { name: "Record payment" }).dblclick();
  await page.getByText("Your session has ended").waitFor();
  await enter(page, staff);
  await page.getByText("Payment recorded. R 60.00 of INV-000001 is still due").waitFor();
  await page.goBack();
  await page.goForward();
  await page.getByRole("heading", { level: 1 }).waitFor();
  assert.deepEqual(await dashboard.api.query("select amount_cents::int as cents from invoice_payments"), [
    { cents: 4000 },
  ]);
});

test("no page, and nothing that it asks for, shows another organisation's record", async (t) => {
  const other = await dashboard.api.addMerchant();
  const theirs = await addOneOfEach(dashboard.api, other, (length) => `Theirs ${"x".repeat(length)}`.slice(0, length));
  const page = await dashboard.open(t, "/");
  const shown: Promise<string>[] = [];
  page.on("response", (response) => {
    if (!response.url().includes("/dashboard/api/")) return;
    // The body of an answer is gone when the page was left before it came.
    const text = response.text().catch(() => "");
    shown.push(text.then((body) => `${response.url()} ${body}`));
  });
  const routes = (await routesOf(page)).filter((path) => namesRecord(path) && !path.startsWith("/invitations"));
  assert.ok(routes.length > 30, `${routes.length} routes`);
  for (const route of routes) {
    const address = filled(route, theirs);
    await page.goto(`${dashboard.api.baseUrl}/dashboard${address}`);
    // What is new in a package is asked for when it is sent.
    if (route.endsWith("/plans/new")) await page.getByRole("heading", { level: 1 }).waitFor();
    else await page.getByRole("alert").getByText("Not found").waitFor();
    assert.equal(await page.getByRole("button", { name: "Try again" }).count(), 0, route);
    assert.doesNotMatch(String(await page.locator("body").textContent()), /theirs/i, route);
  }
  for (const [form, name] of Object.entries({ "/invoices/new": "customer", "/credit-notes/new": "invoice" })) {
    await page.goto(`${dashboard.api.baseUrl}/dashboard${form}?${name}=${theirs[`${name}s`]}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await loaded(page);
    assert.doesNotMatch(String(await page.locator("body").textContent()), /theirs/i, form);
  }
  for (const answer of await Promise.all(shown)) assert.doesNotMatch(answer, /theirs/i);
});

test("odd texts in the search from anywhere find nothing and break nothing", async (t) => {
  const page = await dashboard.open(t, "/");
  await page.keyboard.press("Control+k");
  const search = page.getByRole("dialog").getByRole("textbox", { name: "Search" });
  for (const text of ["%", "%%", "_' or 1=1", "''", "👋👋", "مرحبا", "\\\\", "x".repeat(10_000)]) {
    await search.fill(text);
    await page.getByRole("dialog").getByText("Nothing found").waitFor();
  }
  await search.fill("Nkosi");
  await page.getByRole("dialog").getByText("Nkosi Timber").first().waitFor();
});
