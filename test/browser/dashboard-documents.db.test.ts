import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { everyPageLooksRight, setUpDashboardPages } from "../support/dashboard-pages.ts";

/* Invoices and quotes as staff make them: drafts, duplicates, products, discounts. */

const ids = { customer: "", draft: "", quote: "" };
const LINES = [
  { description: "Boardroom, by the day", quantity: 3, unitPrice: 1450, discount: { percent: 10 } },
  { description: "Fruit basket", quantity: 4, unitPrice: 190, taxRate: 0 },
];
const dashboard = setUpDashboardPages(async (shop) => {
  const staff = await shop.signIn("owner");
  const idOf = async (path: string, body: object) => {
    const { status, body: made, text } = await staff<{ id: string }>("POST", path, body);
    assert.equal(status, 201, text);
    return made.id;
  };
  ids.customer = await idOf("/customers", { company: "Mokoena Logistics", email: "a@example.co.za" });
  await idOf("/products", { name: "Parking", amount: 230, taxInclusive: true });
  ids.draft = await idOf("/invoices", { customerId: ids.customer, lines: LINES, discount: { amount: 75 } });
  ids.quote = await idOf("/quotes", { customerId: ids.customer, lineItems: LINES, discount: { percent: 5 } });
});

everyPageLooksRight(dashboard, () => [
  "/invoices/new",
  `/invoices/${ids.draft}`,
  `/invoices/${ids.draft}/edit`,
  `/quotes/${ids.quote}`,
  `/quotes/${ids.quote}/edit`,
]);

const field = (page: Page, name: string) => page.getByRole("textbox", { name, exact: true });
/** The rows of the totals beside the button. */
const totals = async (page: Page) =>
  (await page.locator("output .tefo-sum").allTextContents()).map((text) => text.replaceAll("\u00a0", " "));

test("an invoice with a product, and discounts of its line and the whole; totals are those that it then has", async (t) => {
  const page = await dashboard.open(t, `/invoices/new?customer=${ids.customer}`);
  await page.getByRole("combobox", { name: "Add a product" }).click();
  await page.getByRole("option", { name: /Parking/ }).click();
  assert.equal(await field(page, "Description").inputValue(), "Parking");
  const price = field(page, "Unit price excl. VAT");
  assert.equal(await price.inputValue(), "R 200.00");
  await field(page, "Quantity").fill("2");
  await field(page, "Discount").fill("10");
  await field(page, "Discount on the whole invoice").fill("60");
  await page.getByRole("combobox", { name: /^Discount on the whole invoice: percent/ }).selectOption("R");
  await page.locator("output").getByText("R 345.00").waitFor();
  assert.deepEqual(await totals(page), [
    "Subtotal excl. VAT R 300.00",
    "Includes discount −R 100.00",
    "VAT R 45.00",
    "Total incl. VAT R 345.00",
  ]);
  await page.getByRole("checkbox", { name: "Email it to the customer now" }).uncheck();
  await page.getByRole("button", { name: "Create invoice" }).click();
  const lines = page.getByRole("table", { name: "Lines" });
  await lines.getByText("Discount 10 %").waitFor();
  await page.getByText("Total incl. VAT").waitFor();
  await page.getByText("R 345.00").first().waitFor();
});

test("a customer who is not known yet is created where they are typed", async (t) => {
  const page = await dashboard.open(t, "/invoices/new");
  const customer = page.getByRole("combobox", { name: "Customer" });
  await customer.fill("Bokamoso Bakery");
  await page.getByRole("option", { name: "Create customer “Bokamoso Bakery”" }).click();
  await page.getByLabel("Clear the customer").waitFor();
  await field(page, "Description").fill("Bread");
  await field(page, "Unit price excl. VAT").fill("1,250.00");
  await page.locator("output").getByText("R 1 437.50").waitFor();
  await page.getByRole("button", { name: "Create invoice" }).click();
  await page.getByText(/INV-\d+ saved\. Not emailed: email is off|INV-\d+ sent/).waitFor();
  const [made] = await dashboard.api.query<{ company: string; cents: number }>(
    "select c.company, i.subtotal_cents::int as cents from invoices i join customers c on c.id = i.customer_id order by i.id desc limit 1",
  );
  assert.deepEqual(made, { company: "Bokamoso Bakery", cents: 1250_00 });
});

test("beside the form stands what the customer will get: document, email and page, of the values as they are typed", async (t) => {
  const page = await dashboard.open(t, `/invoices/new?customer=${ids.customer}`);
  const preview = page.getByRole("region", { name: "Preview" });
  await preview.getByText("The invoice appears here as the customer will get it").waitFor();
  await field(page, "Description").fill("Painting of the hall");
  await field(page, "Unit price excl. VAT").fill("100");
  await preview.getByText("Document", { exact: true }).click();
  await preview.getByRole("button", { name: "Download as PDF" }).waitFor();
  await preview.getByText("Email", { exact: true }).click();
  await preview.getByText(/Invoice .* from .*Karoo Books/).waitFor();
  const shown = preview.frameLocator("iframe");
  await shown.getByText("R 115.00").first().waitFor();
  await field(page, "Unit price excl. VAT").fill("200");
  await shown.getByText("R 230.00").first().waitFor();
  await field(page, "Description").fill("");
  await shown.getByText("R 230.00").first().waitFor();
  await preview.getByText("Customer's page", { exact: true }).click();
  const [{ count } = { count: -1 }] = await dashboard.api.query<{ count: number }>(
    "select count(*)::int as count from invoice_lines where description = 'Painting of the hall'",
  );
  assert.equal(count, 0);
});

test("a minus in a price is refused, with a word about discounts", async (t) => {
  const page = await dashboard.open(t, `/invoices/new?customer=${ids.customer}`);
  const price = field(page, "Unit price excl. VAT");
  await field(page, "Description").fill("Painting");
  const told = page.getByText("A price cannot be negative. To take something off, use Discount");
  await price.pressSequentially("-100");
  await told.waitFor();
  assert.match(await price.inputValue(), /^-/);
  await page.getByRole("button", { name: "Create invoice" }).click();
  await told.waitFor();
  assert.equal(new URL(page.url()).pathname, "/dashboard/invoices/new");
});

test("an amount is shown with its cents once it is not typed in any more", async (t) => {
  const page = await dashboard.open(t, "/invoices/new");
  const price = field(page, "Unit price excl. VAT");
  await price.fill("1250.5");
  await price.blur();
  assert.equal(await price.inputValue(), "R 1 250.50");
});

test("a draft is edited: what is wrong is put right, what is not shown stays; then it is duplicated", async (t) => {
  const page = await dashboard.open(t, `/invoices/${ids.draft}`);
  await page.getByRole("link", { name: "Edit", exact: true }).click();
  await field(page, "Description").first().waitFor();
  assert.equal(await field(page, "Discount").first().inputValue(), "10");
  assert.equal(await field(page, "Discount on the whole invoice").inputValue(), "75");
  await field(page, "Description").first().fill("Boardroom, full day");
  await field(page, "Discount").first().fill("");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Invoice updated").waitFor();
  await page.getByText("Boardroom, full day", { exact: true }).waitFor();
  const shown = async (id: string) =>
    (
      await dashboard.api.query<{ subtotal: number; tax: number; notes: string | null }>(
        "select subtotal_cents::int as subtotal, tax_cents::int as tax from invoices where id = $1",
        id,
      )
    )[0];
  // 4 350 and 760 less 75, of which 63.85 is the first line's.
  assert.deepEqual(await shown(ids.draft), { subtotal: 5035_00, tax: 642_92 });
  await page.getByRole("button", { name: "Duplicate" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Duplicate" }).click();
  await page.getByText(/INV-\d+ created/).waitFor();
  await page.locator("main .tefo-status").getByText("Draft", { exact: true }).waitFor();
  const [copy] = await dashboard.api.query<{ id: string }>("select max(id) as id from invoices");
  assert.notEqual(copy?.id, ids.draft);
  assert.deepEqual(await shown(copy?.id ?? ""), { subtotal: 5035_00, tax: 642_92 });
});

test("a quote's discounts are edited, and taken off", async (t) => {
  const page = await dashboard.open(t, `/quotes/${ids.quote}/edit`);
  const whole = field(page, "Discount on the whole quote");
  await whole.waitFor();
  assert.equal(await whole.inputValue(), "5");
  await whole.fill("");
  await page.locator("output").getByText("R 5 262.25").waitFor();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Quote updated").waitFor();
  await page.getByText("R 5 262.25").first().waitFor();
});
