import assert from "node:assert/strict";
import { test } from "node:test";
import { enter, setUpDashboardPages } from "../support/dashboard-pages.ts";
import { mailsOf } from "../support/mails.ts";

/* What staff do all day, by hand in a browser. */

const dashboard = setUpDashboardPages();

test("somebody makes a customer and an invoice, sends it, and records its payment once", async (t) => {
  const page = await dashboard.open(t, "/");
  await page.getByRole("link", { name: "Customers" }).click();
  await page.getByRole("link", { name: "New customer" }).first().click();
  await page.getByRole("textbox", { name: "Company" }).fill("Thandi's Bakery");
  await page.getByRole("textbox", { name: "Email address" }).fill("thandi@example.co.za");
  await page.getByRole("button", { name: "Create customer" }).click();
  await page.getByRole("heading", { name: "Thandi's Bakery" }).waitFor();
  await page.getByRole("link", { name: "New invoice" }).click();
  await page.getByRole("textbox", { name: "Description" }).fill("Flour, 25 kg");
  await page.getByRole("textbox", { name: "Quantity" }).fill("3");
  await page.getByRole("textbox", { name: "Unit price excl. VAT" }).fill("100.50");
  await page.getByText("R 346.73").waitFor();
  await page.getByRole("checkbox", { name: "Email it to the customer now" }).uncheck();
  await page.getByRole("button", { name: "Create invoice" }).click();
  await page.getByRole("heading", { name: "INV-000001" }).waitFor();
  assert.equal(await page.locator("main .tefo-status").first().textContent(), "Draft");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByText("The invoice is issued, but not emailed").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Send", exact: true }).click();
  await page.getByText("INV-000001 saved. Not emailed: email is off").waitFor();
  await page.getByRole("button", { name: "Record payment" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Amount" }).fill("46.73");
  await dialog.getByText("INV-000001 is partly paid; R 300.00 is still to pay.").waitFor();
  await dialog.getByRole("button", { name: "Record payment" }).dblclick();
  await page.getByText("Payment recorded. R 300.00 of INV-000001 is still due").waitFor();
  await page.goBack();
  await page.getByRole("heading", { name: "Thandi's Bakery" }).waitFor();
  const payments = await dashboard.api.query("select amount_cents::int as cents from invoice_payments");
  assert.deepEqual(payments, [{ cents: 4673 }]);
});

test("somebody makes a quote and sends it with one press, once; the customer reads it and accepts", async (t) => {
  const { api, shop } = dashboard;
  const email = "lerato@example.co.za";
  const customer = await shop.post<{ id: string }>("/customers", { company: "Lerato's Looms", email });
  const page = await dashboard.open(t, `/customers/${customer.body.id}`);
  await page.goto(`${api.baseUrl}/dashboard/quotes/new`);
  await page.getByRole("combobox", { name: "Customer" }).fill("Lerato");
  await page.getByRole("option", { name: /Lerato's Looms/ }).click();
  await page.getByRole("textbox", { name: "Description" }).fill("A loom");
  await page.getByRole("textbox", { name: "Unit price excl. VAT" }).fill("2000");
  await page.getByText("R 2 300.00").waitFor();
  await page.getByRole("button", { name: "Create quote" }).dblclick();
  await page.getByRole("heading", { name: "QUO-000001" }).waitFor();
  assert.equal(await page.locator("main .tefo-status").first().textContent(), "Sent");
  const quotes = "select number, status, total_cents::int as cents from quotes";
  assert.deepEqual(await api.query(quotes), [{ number: "QUO-000001", status: "sent", cents: 230_000 }]);
  const [mail, ...others] = await mailsOf(api.services, shop.organisation, { q: "QUO-000001" });
  assert.deepEqual(others, [], "one mail");
  const [address = ""] = /http\S+\/quote\/[\w-]{64}/.exec(JSON.stringify(mail)) ?? [];
  assert.equal(await page.getByRole("link", { name: "View as customer" }).getAttribute("href"), address);
  const payer = await page.context().newPage();
  await payer.goto(address);
  await payer.getByText("A loom").first().waitFor();
  await payer.getByRole("textbox", { name: "Your full name" }).fill("Thandi Nkosi");
  await payer.getByRole("button", { name: "Accept the quote" }).dblclick();
  await payer.getByRole("heading", { name: "Accepted" }).waitFor();
  await page.reload();
  await page.locator("main .tefo-status").getByText("Accepted", { exact: true }).waitFor();
});

test("a session that ends in the middle of a form loses nothing", async (t) => {
  const staff = await dashboard.shop.addStaff();
  const page = await dashboard.open(t, "/customers/new", { staff });
  await page.getByRole("textbox", { name: "Company" }).fill("Vuyo's Garage");
  await page.context().clearCookies();
  await page.getByRole("button", { name: "Create customer" }).click();
  await page.getByText("Your session has ended").waitFor();
  await enter(page, staff);
  await page.getByRole("heading", { name: "Vuyo's Garage" }).waitFor();
});

test("faults stand beside their fields, and what was typed stays", async (t) => {
  const page = await dashboard.open(t, "/customers/new");
  await page.getByRole("textbox", { name: "Company" }).fill("Karoo & <b>Sons</b>");
  await page.getByRole("textbox", { name: "Email address" }).fill("not an address");
  await page.getByRole("button", { name: "Create customer" }).click();
  const address = page.getByRole("textbox", { name: "Email address" });
  await page.locator("[aria-invalid=true]").waitFor();
  assert.equal(await address.getAttribute("aria-invalid"), "true");
  assert.equal(await page.getByRole("textbox", { name: "Company" }).inputValue(), "Karoo & <b>Sons</b>");
});

test("a role that may only look is shown no button that changes anything, and no form by its address", async (t) => {
  const page = await dashboard.open(t, "/customers", { role: "viewer" });
  await page.getByRole("heading", { name: "Customers", level: 1 }).waitFor();
  assert.equal(await page.getByRole("link", { name: "New customer" }).count(), 0);
  await page.goto(`${dashboard.api.baseUrl}/dashboard/customers/new`);
  await page.getByRole("heading", { name: "You do not have access" }).waitFor();
});

test("a wrong password is refused where it was typed", async (t) => {
  const page = await dashboard.open(t, "/");
  await page.getByRole("button", { name: /^Account of/ }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await enter(page, { email: "nobody@example.co.za", password: "wrong password" });
  await page.getByText("The email address or the password is wrong.").waitFor();
});
