import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { looksRight, setUpDashboardPages } from "../support/dashboard-pages.ts";
import { addPayment, CREDENTIALS, notify, reportedPayment } from "../support/payments.ts";
import { temporaryFolder } from "../support/processes.ts";

/* Jobs of the dashboard, each seen in what changed, and that it changed once. */

const dashboard = setUpDashboardPages();

test("a part of a payment is refunded, once, with its reason", async (t) => {
  const { api, shop } = dashboard;
  const account = await shop.addGateway({ credentials: CREDENTIALS });
  const reference = await addPayment(api, shop, account);
  await notify(api, account, { payment: reportedPayment(reference, "complete") });
  const page = await dashboard.open(t, "/transactions");
  await page.getByRole("link", { name: reference }).click();
  await page.getByRole("button", { name: "Refund" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Amount" }).fill("400");
  await dialog.getByText("Nothing: only R 100.00 of the payment can be refunded.").waitFor();
  await dialog.getByRole("textbox", { name: "Amount" }).fill("40");
  await dialog.getByRole("combobox", { name: "Refund to" }).selectOption("manual");
  await dialog.getByText("R 60.00 of the payment stays.").waitFor();
  await dialog.getByRole("button", { name: "Refund" }).click();
  await dialog.getByText("Say why").waitFor();
  await dialog.getByRole("textbox", { name: "Reason" }).fill("One cup was broken");
  await dialog.getByRole("button", { name: "Refund" }).dblclick();
  await page.getByText("Refunded", { exact: true }).first().waitFor();
  await page.locator("main .tefo-status").getByText("Part refunded").waitFor();
  const refunds = await api.query("select amount_cents::int as cents, reason from refunds");
  assert.deepEqual(refunds, [{ cents: 4000, reason: "One cup was broken" }]);
  const change = page.locator("[data-kind=change]", { hasText: "Refunded by" });
  await change.getByText("Status: Part refunded (was Paid)").waitFor();
  await change.getByText("Refunded amount: 40.00 (was 0.00)").waitFor();
  await change.getByText("Reason: One cup was broken").waitFor();
  await page.goBack();
  await page.getByRole("heading", { name: "Payments", level: 1 }).waitFor();
  assert.equal((await api.query("select 1 from refunds")).length, 1);
});

test("a quote becomes an invoice, by keyboard alone", async (t) => {
  const { api, shop } = dashboard;
  const customer = await shop.post<{ id: string }>("/customers", { company: "Nkosi Timber", email: "t@example.co.za" });
  const lineItems = [{ description: "Planks", quantity: 2, unitPrice: 50 }];
  await shop.post("/quotes", { customerId: customer.body.id, lineItems });
  const page = await dashboard.open(t, "/");
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog").locator("input").waitFor();
  // Where typing is slow, what is found by the beginning is shown first.
  const found = page.waitForResponse((response) => response.url().endsWith("/search?q=QUO-000001"));
  await page.keyboard.type("QUO-000001");
  await found;
  await page.getByRole("dialog").getByText("Nkosi Timber").waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "QUO-000001" }).waitFor();
  await page.getByRole("button", { name: "Create invoice" }).focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog");
  await dialog.getByText("A draft invoice over R 115.00 is made").waitFor();
  await dialog.getByRole("textbox", { name: "Days to pay" }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "INV-000001" }).waitFor();
  await page.getByRole("definition").getByRole("link", { name: "Nkosi Timber" }).waitFor();
  assert.deepEqual(await api.query("select status from quotes"), [{ status: "invoiced" }]);
  assert.equal((await api.query("select 1 from invoices")).length, 1);
});

test("a changed customer of a quote is stated by name, each with a link to the customer", async (t) => {
  const { shop } = dashboard;
  const [before, after] = await Promise.all(
    ["Botha Joinery", "Dlamini Roofing"].map((company) => shop.post<{ id: string }>("/customers", { company })),
  );
  const lineItems = [{ description: "Beams", quantity: 1, unitPrice: 20 }];
  const quote = await shop.post<{ id: string }>("/quotes", { customerId: before?.body.id, lineItems });
  const changed = await shop.call("PATCH", `/quotes/${quote.body.id}`, { body: { customerId: after?.body.id } });
  assert.equal(changed.status, 200, JSON.stringify(changed.body));
  const page = await dashboard.open(t, `/quotes/${quote.body.id}`);
  const change = page.locator("[data-kind=change] li", { hasText: "(was" }).filter({ hasText: "Dlamini Roofing" });
  await change.getByRole("link", { name: "Botha Joinery" }).waitFor();
  await change.getByRole("link", { name: "Dlamini Roofing" }).click();
  await page.getByRole("heading", { name: "Dlamini Roofing", level: 1 }).waitFor();
});

test("the arrow keys move between the records of a list, and the first link of a page skips the navigation", async (t) => {
  const { shop } = dashboard;
  for (const company of ["First Traders", "Second Traders"]) await shop.post("/customers", { company });
  const page = await dashboard.open(t, "/customers?q=traders");
  await page.getByRole("link", { name: "Second Traders" }).focus();
  await page.keyboard.press("ArrowDown");
  const focused = () => page.evaluate<string>("document.activeElement.textContent");
  assert.equal(await focused(), "First Traders");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "First Traders" }).waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "First Traders" }).waitFor();
  await page.keyboard.press("Tab");
  assert.equal(await focused(), "Skip to the content");
});

test("odd texts are searched for, and break nothing", async (t) => {
  const page = await dashboard.open(t, "/customers");
  for (const text of ["%", "'", "👋", "x".repeat(10_000)]) {
    await page.getByRole("searchbox", { name: "Search customers" }).fill(text);
    await page.getByRole("heading", { name: "Nothing matches" }).waitFor();
    await page.getByRole("button", { name: "Show all" }).click();
    await page.getByRole("heading", { name: "Nothing matches" }).waitFor({ state: "detached" });
  }
});

test("a member of two organisations keeps files of the one that is chosen", async (t) => {
  const staff = await dashboard.shop.addStaff("owner");
  const other = await dashboard.api.addMerchant({ name: "Overberg Tools" });
  await dashboard.api.query(
    `insert into members (organisation_id, id, user_id, email, name, role, created_at)
     select $1, 'mem_of_both', user_id, email, name, role, created_at from members where email = $2`,
    other.organisation.id,
    staff.email,
  );
  const customer = await other.post<{ id: string }>("/customers", { company: "Saws", externalReference: "OVERBERG-1" });
  const invoice = await other.post<{ id: string; number: string }>("/invoices", {
    customerId: customer.body.id,
    lines: [{ description: "Saw", quantity: 1, unitPrice: 100 }],
  });
  assert.equal(invoice.status, 201, invoice.text);
  const page = await dashboard.open(t, "/", { staff });
  await page.getByRole("combobox", { name: "Organisation" }).selectOption({ label: "Overberg Tools" });
  await page.locator("main").getByText("Overberg Tools").waitFor();
  await page.getByRole("link", { name: "Invoices", exact: true }).click();
  const folder = await temporaryFolder(t);
  const kept = async (button: string) => {
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: button }).click(),
    ]);
    const file = join(folder, button);
    await download.saveAs(file);
    return readFile(file);
  };
  assert.match(String(await kept("Export")), /OVERBERG-1/);
  await page.getByRole("link", { name: invoice.body.number }).click();
  assert.equal(String((await kept("PDF")).subarray(0, 5)), "%PDF-");
});

/** Lists with a form for a new record, and what the form needs. */
const FORMS = {
  customers: "customers:write",
  invoices: "invoices:write",
  quotes: "quotes:write",
  "credit-notes": "credit_notes:write",
  "payment-links": "payment_links:write",
  "checkout-sessions": "checkout_sessions:write",
  "eft-orders": "eft_orders:write",
  "customer-subscriptions": "subscriptions:write",
  mandates: "mandates:write",
  packages: "packages:write",
  products: "products:write",
  coupons: "coupons:write",
  "api-keys": "api_keys:write",
  "webhook-endpoints": "webhooks:write",
  gateways: "gateways:write",
  members: "members:write",
};

for (const role of ["admin", "finance", "support", "viewer"] as const)
  test(`${role} is shown the forms and buttons of its permissions and no other, and the API agrees`, async (t) => {
    const staff = await dashboard.shop.signIn(role);
    const session = await staff<{ organisations: { permissions: string[] }[] }>("GET", "/session");
    const may = new Set(session.body.organisations[0]?.permissions);
    const page = await dashboard.open(t, "/", { role });
    for (const [path, permission] of Object.entries(FORMS)) {
      await page.goto(`${dashboard.api.baseUrl}/dashboard/${path}`);
      const busy = page.locator("[aria-busy=true]");
      await page.getByRole("heading", { level: 1 }).waitFor();
      while ((await busy.count()) > 0) await busy.first().waitFor({ state: "detached" });
      const link = page.locator(`#content a[href$="/dashboard/${path}/new"]`);
      assert.equal((await link.count()) > 0, may.has(permission), `the button of ${path}`);
      await page.goto(`${dashboard.api.baseUrl}/dashboard/${path}/new`);
      await page.getByRole("heading", { level: 1 }).waitFor();
      const refused = await page.getByRole("heading", { name: "You do not have access" }).count();
      assert.equal(refused === 0, may.has(permission), `the form of ${path}`);
      const { status } = await staff("POST", `/${path}`, { unlikely: true });
      assert.equal(status === 403, !may.has(permission), `POST /${path}: ${status}`);
    }
  });

test("who changes a role that somebody else has changed meanwhile is told in the dialog", async (t) => {
  const [page, staff] = [await dashboard.open(t, "/members"), await dashboard.shop.signIn()];
  const { email } = await dashboard.shop.addStaff("support");
  await page.reload();
  const person = page.getByRole("row", { name: email });
  await person.getByRole("button", { name: "Change role" }).click();
  const dialog = page.getByRole("dialog");
  const stored = async () => {
    const { body } = await staff<{ data: { id: string; email: string; role: string }[] }>("GET", `/members?q=${email}`);
    return body.data[0];
  };
  const { id = "" } = (await stored()) ?? {};
  assert.equal((await staff("PATCH", `/members/${id}`, { role: "finance" })).status, 200);
  await dialog.getByRole("combobox", { name: "Role" }).selectOption("viewer");
  await dialog.getByRole("button", { name: "Change role" }).click();
  await dialog.getByText("Role is now finance; it was support").waitFor();
  assert.equal((await stored())?.role, "finance");
  await dialog.getByRole("button", { name: "Keep my version" }).click();
  await dialog.waitFor({ state: "detached" });
  assert.equal((await stored())?.role, "viewer");
});

test("of two members of staff at one customer the second is told what changed, and keeps what they typed", async (t) => {
  const staff = await dashboard.shop.signIn();
  const made = await staff<{ id: string }>("POST", "/customers", { email: "two@example.com", lastName: "Before" });
  const address = `/customers/${made.body.id}/edit`;
  const [first, second] = [await dashboard.open(t, address), await dashboard.open(t, address, { role: "admin" })];
  const [lastName, phone] = ["Last name", "Phone"].map((name) => (page: Page) => page.getByRole("textbox", { name }));
  assert.ok(lastName && phone);
  const save = (page: Page) => page.getByRole("button", { name: "Save" }).click();
  const edit = async (page: Page, name: string, number: string) => {
    await lastName(page).fill(name);
    await phone(page).fill(number);
    await save(page);
  };
  const stored = async () => {
    const { body } = await staff<{ lastName: string; phone: string }>("GET", `/customers/${made.body.id}`);
    return [body.lastName, body.phone];
  };

  await edit(first, "Dlamini", "");
  await first.getByText("Customer updated").waitFor();
  await edit(second, "Naidoo", "021 555 0100");
  const notice = second.getByRole("alert").filter({ hasText: "Someone else changed this" });
  await notice.getByText("Last name is now Dlamini; it was Before").waitFor();
  await looksRight(second, "what somebody else has changed");
  assert.deepEqual(await stored(), ["Dlamini", null]);
  assert.deepEqual([await lastName(second).inputValue(), await phone(second).inputValue()], ["Naidoo", "021 555 0100"]);
  await notice.getByRole("button", { name: "Use their version" }).click();
  await notice.waitFor({ state: "detached" });
  assert.deepEqual(
    [await lastName(second).inputValue(), await phone(second).inputValue()],
    ["Dlamini", "021 555 0100"],
  );

  await first.goto(`${dashboard.api.baseUrl}/dashboard${address}`);
  await edit(first, "Mokoena", "");
  await first.getByText("Customer updated").waitFor();
  await edit(second, "Naidoo", "021 555 0100");
  await notice.getByRole("button", { name: "Keep my version" }).click();
  await second.getByText("Customer updated").waitFor();
  assert.deepEqual(await stored(), ["Naidoo", "021 555 0100"]);
});
