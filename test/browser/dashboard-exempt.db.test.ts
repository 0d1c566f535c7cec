import assert from "node:assert/strict";
import { test } from "node:test";
import { everyPageLooksRight, setUpDashboardPages } from "../support/dashboard-pages.ts";

/* What is exempt from VAT: how staff mark it, and where they see it. */

const ids = { customer: "", product: "", package: "", plan: "", quote: "", invoice: "", note: "" };
const LINES = [
  { description: "Rent", quantity: 1, unitPrice: 200, taxExempt: true },
  { description: "Bread", quantity: 1, unitPrice: 30, taxRate: 0 },
];
const dashboard = setUpDashboardPages(async (shop) => {
  const staff = await shop.signIn("owner");
  const idOf = async (path: string, body: object) => {
    const { status, body: made, text } = await staff<{ id: string }>("POST", path, body);
    assert.equal(status, 201, text);
    return made.id;
  };
  ids.customer = await idOf("/customers", { company: "Nkosi Timber", email: "t@example.co.za" });
  ids.product = await idOf("/products", { name: "Room", amount: 50, taxExempt: true });
  ids.package = await idOf("/packages", { name: "School" });
  ids.plan = await idOf(`/packages/${ids.package}/plans`, {
    ...{ name: "Term", amount: 500, frequency: "quarterly" },
    ...{ taxExempt: true, taxInclusive: true },
  });
  ids.quote = await idOf("/quotes", { customerId: ids.customer, lineItems: LINES });
  ids.invoice = await idOf("/invoices", { customerId: ids.customer, lines: LINES, send: true });
  ids.note = await idOf("/credit-notes", { customerId: ids.customer, reason: "Moved", amount: 5, taxExempt: true });
});

everyPageLooksRight(dashboard, () => [
  "/invoices/new",
  `/invoices/${ids.invoice}`,
  `/quotes/${ids.quote}`,
  `/quotes/${ids.quote}/edit`,
  `/credit-notes/new?invoice=${ids.invoice}`,
  `/credit-notes/${ids.note}`,
  `/products/${ids.product}`,
  `/products/${ids.product}/edit`,
  `/packages/${ids.package}`,
  `/packages/${ids.package}/plans/${ids.plan}`,
]);

/** The lines of a table, each with its rate and its mark. */
const linesOf = (table: string, document: string, id: string) =>
  dashboard.api.query(
    `select tax_rate::float as rate, tax_exempt as exempt from ${table} where ${document} = $1 order by line`,
    id,
  );

test("the VAT of a line is chosen: standard, zero-rated or exempt", async (t) => {
  const page = await dashboard.open(t, `/invoices/new?customer=${ids.customer}`);
  await page.getByRole("textbox", { name: "Description" }).fill("Rent");
  await page.getByRole("textbox", { name: "Unit price excl. VAT" }).fill("100");
  const totals = page.locator("output");
  await totals.getByText("R 115.00").waitFor();
  const vat = page.getByRole("combobox", { name: "VAT", exact: true });
  assert.deepEqual(await vat.locator("option").allTextContents(), ["Standard 15 %", "Zero-rated", "Exempt"]);
  await vat.selectOption("Exempt");
  await totals.getByText("R 0.00").waitFor();
  await vat.selectOption("Standard 15 %");
  await totals.getByText("R 115.00").waitFor();
  await vat.selectOption("Exempt");
  await page.getByRole("button", { name: "Add a line" }).click();
  await page.getByRole("textbox", { name: "Description" }).nth(1).fill("Bread");
  await page.getByRole("textbox", { name: "Unit price excl. VAT" }).nth(1).fill("10");
  await vat.nth(1).selectOption("Zero-rated");
  await page.getByRole("button", { name: "Create invoice" }).click();
  const lines = page.getByRole("table", { name: "Lines" });
  await lines.getByText("Exempt").waitFor();
  await lines.getByText("0 %").waitFor();
  const [made] = await dashboard.api.query<{ id: string }>("select max(id) as id from invoices");
  assert.deepEqual(await linesOf("invoice_lines", "invoice_id", made?.id ?? ""), [
    { rate: 0, exempt: true },
    { rate: 0, exempt: false },
  ]);
});

test("a quote that is changed keeps its marks, and one can be taken off", async (t) => {
  const page = await dashboard.open(t, `/quotes/${ids.quote}/edit`);
  const vat = page.getByRole("combobox", { name: "VAT", exact: true });
  await vat.first().waitFor();
  assert.deepEqual([await vat.first().inputValue(), await vat.nth(1).inputValue()], ["exempt", "0"]);
  await page.getByRole("textbox", { name: "Notes" }).fill("As agreed");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Quote updated").waitFor();
  assert.deepEqual(await linesOf("quote_lines", "quote_id", ids.quote), [
    { rate: 0, exempt: true },
    { rate: 0, exempt: false },
  ]);
  await page.goto(`${dashboard.api.baseUrl}/dashboard/quotes/${ids.quote}/edit`);
  await vat.first().selectOption("Zero-rated");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Quote updated").waitFor();
  assert.deepEqual((await linesOf("quote_lines", "quote_id", ids.quote))[0], { rate: 0, exempt: false });
});

test("a correction of an invoice takes the marks of its lines", async (t) => {
  const page = await dashboard.open(t, `/credit-notes/new?invoice=${ids.invoice}`);
  await page.getByRole("textbox", { name: "Credit" }).first().fill("20");
  await page.getByRole("textbox", { name: "Credit" }).nth(1).fill("3");
  await page.getByRole("textbox", { name: "Reason" }).fill("Too much");
  await page.getByRole("button", { name: "Issue credit note" }).click();
  await page.getByRole("table", { name: "Lines" }).getByText("Exempt").waitFor();
  const [made] = await dashboard.api.query<{ id: string }>("select max(id) as id from credit_notes");
  assert.deepEqual(await linesOf("credit_note_lines", "credit_note_id", made?.id ?? ""), [
    { rate: 0, exempt: true },
    { rate: 0, exempt: false },
  ]);
});

test("a product and a plan are marked and unmarked; who does not touch the mark leaves what another has set", async (t) => {
  const { api } = dashboard;
  const markOf = async () =>
    (
      await api.query("select tax_rate::float as rate, tax_exempt as exempt from products where id = $1", ids.product)
    )[0];
  const page = await dashboard.open(t, `/products/${ids.product}/edit`);
  await page.getByRole("checkbox", { name: "Exempt from VAT" }).uncheck();
  await page.getByLabel("VAT", { exact: true }).fill("15");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("15 %, added").waitFor();
  assert.deepEqual(await markOf(), { rate: 15, exempt: false });
  await page.getByRole("link", { name: "Edit", exact: true }).click();
  await page.getByRole("checkbox", { name: "Exempt from VAT" }).check();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Exempt", { exact: true }).waitFor();
  assert.deepEqual(await markOf(), { rate: 0, exempt: true });
  await page.getByRole("link", { name: "Edit", exact: true }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("Room 2");
  await api.query("update products set tax_exempt = false where id = $1", ids.product);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: "Room 2" }).waitFor();
  assert.deepEqual(await markOf(), { rate: 0, exempt: false });

  await page.goto(`${api.baseUrl}/dashboard/packages/${ids.package}`);
  await page.getByRole("table").getByText("Exempt", { exact: true }).waitFor();
  await page.getByRole("link", { name: "Term" }).click();
  await page.getByRole("checkbox", { name: "Exempt from VAT" }).uncheck();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("0 %, included").waitFor();
});

test("the VAT that a payment link and a mandate include is chosen, and their pages say it", async (t) => {
  const page = await dashboard.open(t, "/payment-links/new");
  await page.getByRole("textbox", { name: "Title" }).fill("Lesson");
  await page.getByRole("textbox", { name: "Amount" }).fill("115");
  const vat = page.getByRole("combobox", { name: "VAT included" });
  assert.deepEqual(await vat.locator("option").allTextContents(), [
    "As in Settings: none",
    "Standard 15 %",
    "Zero-rated",
    "Exempt",
  ]);
  await vat.selectOption("Standard 15 %");
  await page.getByRole("button", { name: "Create link" }).click();
  await page.getByText("15 %, included").waitFor();
  await page.goto(`${dashboard.api.baseUrl}/dashboard/mandates/new?customer=${ids.customer}`);
  await vat.selectOption("Exempt");
  await page.getByRole("textbox", { name: "Amount" }).fill("200");
  await page.getByRole("textbox", { name: "Account holder" }).fill("T Nkosi");
  await page.getByRole("textbox", { name: "Branch code" }).fill("250655");
  await page.getByRole("textbox", { name: "Account number" }).fill("62900417701");
  await page.getByRole("button", { name: "Create mandate" }).click();
  await page.getByText("Exempt", { exact: true }).waitFor();
});

test("a payment that was recorded by mistake is undone from its invoice", async (t) => {
  const page = await dashboard.open(t, `/invoices/${ids.invoice}`);
  await page.getByRole("button", { name: "Record payment" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: /^Record/ }).click();
  const payments = page.getByRole("table", { name: "Payments" });
  await payments.getByRole("button", { name: "Undo" }).click();
  await dialog.getByText(/is owed on invoice .* again/).waitFor();
  await dialog.getByRole("button", { name: /^Undo/ }).click();
  await page.getByText("No payments yet").waitFor();
});

test("on a phone a record of a list takes two lines: who and how much, below it details and its status", async (t) => {
  const page = await dashboard.open(t, "/invoices", { viewport: { width: 360, height: 740 } });
  const row = page.getByRole("row").filter({ hasText: "Nkosi Timber" }).first();
  const { height = 0 } = (await row.boundingBox()) ?? {};
  assert.ok(height > 0 && height < 90, `${height} px high`);
});
