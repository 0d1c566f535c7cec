import assert from "node:assert/strict";
import { test } from "node:test";
import { everyPageLooksRight, looksRight, setUpDashboardPages } from "../support/dashboard-pages.ts";
import { EXCHANGE } from "../support/invoices.ts";

/* What a customer is given back: credit notes, and credit that is paid out. */

const ids = { customer: "", invoice: "", older: "", note: "" };
const dashboard = setUpDashboardPages(async (shop) => {
  const customer = await shop.post<{ id: string }>("/customers", { company: "Nkosi Timber", email: "t@example.co.za" });
  const bill = async (lines: readonly object[]) => {
    const made = await shop.post<{ id: string }>("/invoices", { customerId: customer.body.id, send: true, lines });
    assert.equal(made.status, 201, made.text);
    return made.body.id;
  };
  const older = await bill([{ description: "Saw", quantity: 1, unitPrice: 40, taxRate: 0 }]);
  const invoice = await bill([
    { description: "<b>Planks</b> مرحبا 👋", quantity: 2, unitPrice: 50, taxRate: 15 },
    { description: "Brown bread", quantity: 1, unitPrice: 30, taxRate: 0 },
  ]);
  // What was paid of an invoice that is cancelled is credit that can be paid out.
  const cancelled = await bill([{ description: "Nails", quantity: 1, unitPrice: 100, taxRate: 0 }]);
  await shop.post(`/invoices/${cancelled}/payments`, { amount: 90, method: "eft" });
  assert.equal((await shop.post(`/invoices/${cancelled}/cancel`, {})).status, 200);
  const other = await shop.post<{ id: string }>("/customers", { company: "Somebody without invoices" });
  const staff = await shop.signIn();
  const note = await staff<{ id: string }>("POST", "/credit-notes", {
    customerId: other.body.id,
    reason: "<i>Twice</i> مرحبا 👋",
    lines: [
      { amount: 11.5, taxRate: 15 },
      { amount: 5, taxRate: 0 },
    ],
  });
  assert.equal(note.status, 201, note.text);
  Object.assign(ids, { customer: customer.body.id, invoice, older, note: note.body.id });
});

everyPageLooksRight(dashboard, () => [
  `/credit-notes/new?invoice=${ids.invoice}`,
  `/credit-notes/${ids.note}`,
  `/customers/${ids.customer}`,
]);

test("lines of two VAT rates of an invoice are credited, once, and taken off this invoice, though another is older", async (t) => {
  const page = await dashboard.open(t, `/invoices/${ids.invoice}`);
  await page.getByRole("link", { name: "Credit note", exact: true }).click();
  const amounts = page.getByRole("textbox", { name: "Credit" });
  await page.getByText("Charged R 115.00").waitFor();
  await page.getByRole("button", { name: "Issue credit note" }).click();
  await page.getByText("Say how much is taken back.").waitFor();
  await page.getByText("Say why: it is printed on the credit note.").waitFor();
  await amounts.first().fill("57.50");
  await amounts.nth(1).fill("10");
  await page.getByRole("textbox", { name: "Reason" }).fill("One plank was split");
  await page.getByText("R 67.50 is deducted from INV-000002: R 77.50 is still to pay.").waitFor();
  await page.getByRole("button", { name: "Issue credit note" }).dblclick();
  await page.getByRole("heading", { name: "CN-000002" }).waitFor();
  await page.locator("main .tefo-status").getByText("Applied", { exact: true }).waitFor();
  const taken = page.getByRole("table", { name: "Applied to invoices" });
  await taken.getByText("R 67.50").waitFor();
  const { api } = dashboard;
  assert.deepEqual(
    await api.query(
      `select l.tax_rate::float as rate, l.tax_cents::int as tax, l.amount_cents::int as amount
         from credit_note_lines l join credit_notes n on n.id = l.credit_note_id where n.invoice_id = $1 order by l.line`,
      ids.invoice,
    ),
    [
      { rate: 15, tax: 750, amount: 5750 },
      { rate: 0, tax: 0, amount: 1000 },
    ],
  );
  assert.equal((await api.query("select 1 from credit_notes where invoice_id = $1", ids.invoice)).length, 1);
});

test("more credit than the invoice came to is refused, and what was typed stays", async (t) => {
  const page = await dashboard.open(t, `/credit-notes/new?invoice=${ids.older}`);
  await page.getByRole("textbox", { name: "Credit" }).fill("41");
  await page.getByRole("textbox", { name: "Reason" }).fill("Too much");
  await page.getByRole("button", { name: "Issue credit note" }).click();
  await page.getByRole("alert").getByText("the credit must be at most R 40.00", { exact: false }).waitFor();
  assert.equal(await page.getByRole("textbox", { name: "Reason" }).inputValue(), "Too much");
  assert.equal((await dashboard.api.query("select 1 from credit_notes where invoice_id = $1", ids.older)).length, 0);
});

test("credit is paid out, once, with its reason, and no more than there is", async (t) => {
  const { api } = dashboard;
  const page = await dashboard.open(t, `/customers/${ids.customer}`);
  await page.getByRole("button", { name: "Refund credit" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Amount" }).fill("91");
  await dialog.getByRole("textbox", { name: "Reason" }).fill("Asked by phone");
  await dialog.getByRole("button", { name: "Refund credit" }).click();
  await dialog.getByText("Up to R 90.00.").waitFor();
  await dialog.getByRole("textbox", { name: "Amount" }).fill("50");
  await dialog.getByText("R 40.00 can be paid out later.", { exact: false }).waitFor();
  await dialog.getByRole("button", { name: "Refund credit" }).dblclick();
  await page.getByText("R 50.00 is recorded as paid out.").waitFor();
  await page.getByRole("table", { name: "Credit refunded" }).getByText("Asked by phone").waitFor();
  const refunds = await api.query("select amount_cents::int as cents, reason from credit_refunds");
  assert.deepEqual(refunds, [{ cents: 5000, reason: "Asked by phone" }]);
});

test("credit in several currencies is paid out in each", async (t) => {
  const { shop, api } = dashboard;
  const customer = await shop.post<{ id: string }>("/customers", { company: "Two currencies" });
  for (const currency of ["USD", "EUR"]) {
    const lines = [{ description: "Nails", quantity: 1, unitPrice: 100, taxRate: 0 }];
    const made = await shop.post<{ id: string }>("/invoices", {
      customerId: customer.body.id,
      send: true,
      currency,
      exchange: EXCHANGE,
      lines,
    });
    assert.equal(made.status, 201, made.text);
    await shop.post(`/invoices/${made.body.id}/payments`, { amount: 30, method: "eft" });
    assert.equal((await shop.post(`/invoices/${made.body.id}/cancel`, {})).status, 200);
  }
  const page = await dashboard.open(t, `/customers/${customer.body.id}`);
  await page.getByRole("button", { name: "Refund credit in EUR" }).waitFor();
  await page.getByRole("button", { name: "Refund credit in USD" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Reason" }).fill("Moves abroad");
  await dialog.getByRole("button", { name: "Refund credit in USD" }).click();
  await page.getByRole("table", { name: "Credit refunded" }).getByText("USD 30.00").waitFor();
  await page.getByRole("button", { name: "Refund credit in USD" }).waitFor({ state: "detached" });
  const refunds = await api.query(
    "select currency, amount_cents::int as cents from credit_refunds where customer_id = $1",
    customer.body.id,
  );
  assert.deepEqual(refunds, [{ currency: "USD", cents: 3000 }]);
});

test("who may only look sees credit notes and payouts, and no button that makes them", async (t) => {
  const page = await dashboard.open(t, `/customers/${ids.customer}`, { role: "viewer" });
  await page.getByRole("region", { name: "Credit refunded" }).waitFor();
  await page.getByRole("region", { name: "Credit notes" }).waitFor();
  assert.equal(await page.getByRole("button", { name: "Refund credit" }).count(), 0);
  assert.equal(await page.getByRole("link", { name: "New credit note" }).count(), 0);
});

test("an owner changes bank details: a notice says so wherever money is paid to or out, and no credit is paid out", async (t) => {
  const credentials = { bankName: "Karoo Bank", accountName: "Karoo Books", accountNumber: "62001234567" };
  const staff = await dashboard.shop.signIn();
  const body = { type: "manual_eft", name: "Cheque account", credentials: { ...credentials, branchCode: "250655" } };
  const account = await staff<{ id: string }>("POST", "/gateways", body);
  const transfer = await staff<{ id: string }>("POST", "/eft-orders", { amount: 75, notifyPayer: false });
  assert.equal(transfer.status, 201, transfer.text);
  const page = await dashboard.open(t, `/gateways/${account.body.id}/edit`);
  const notice = page.getByRole("status").filter({ hasText: "Bank details were changed" });
  await page.getByRole("textbox", { name: "Account number" }).fill("4055550001");
  await page.getByRole("button", { name: "Save" }).dblclick();
  await notice
    .getByText(/Cheque account was changed by owner, .*: account number\. Before: Karoo Bank ••••4567/)
    .waitFor();
  assert.equal((await dashboard.api.query("select 1 from emails where kind = 'bank_details_changed'")).length, 2);
  await looksRight(page, "a gateway account");
  await page.setViewportSize({ width: 320, height: 640 });
  for (const address of ["/", "/gateways", `/eft-orders/${transfer.body.id}`, `/customers/${ids.customer}`]) {
    await page.goto(`${dashboard.api.baseUrl}/dashboard${address}`);
    await notice.getByText("Now: Karoo Bank ••••0001, Karoo Books.", { exact: false }).waitFor();
    await looksRight(page, address);
  }
  await page.getByRole("region", { name: "Credit refunded" }).getByText("Asked by phone").waitFor();
  assert.equal(await page.getByRole("button", { name: "Refund credit" }).count(), 0);
});

test("credit pays another invoice in part, from its page, once", async (t) => {
  const { shop } = dashboard;
  const customer = await shop.post<{ id: string }>("/customers", { company: "Paid too much" });
  const lines = [{ description: "Nails", quantity: 1, unitPrice: 100, taxRate: 0 }];
  const bill = async () => {
    const made = await shop.post<{ id: string }>("/invoices", { customerId: customer.body.id, send: true, lines });
    return made.body.id;
  };
  const [first, second] = [await bill(), await bill()];
  await shop.post(`/invoices/${first}/payments`, { amount: 60, method: "eft" });
  await shop.post(`/invoices/${first}/cancel`, {});
  const page = await dashboard.open(t, `/invoices/${second}`);
  await page.getByRole("button", { name: "Apply credit" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("The customer has R 60.00 of credit", { exact: false }).waitFor();
  await dialog.getByRole("textbox", { name: "Amount" }).fill("60.01");
  await dialog.getByRole("button", { name: "Apply credit" }).click();
  await dialog.getByText("Enter an amount of up to R 60.00").waitFor();
  await dialog.getByRole("textbox", { name: "Amount" }).fill("45");
  await dialog.getByRole("button", { name: "Apply credit" }).dblclick();
  await page.getByText("Credit applied. R 55.00 of", { exact: false }).waitFor();
  await page.getByRole("table", { name: "Payments" }).getByText("Customer's credit").waitFor();
  const [used] = await dashboard.api.query("select sum(amount_cents)::int as cents from credit_applications");
  assert.deepEqual(used, { cents: 4500 });
});

test("a draft of an earlier day is dated today as it is sent, unless that is unticked", async (t) => {
  const { shop, api } = dashboard;
  const lines = [{ description: "Nails", quantity: 1, unitPrice: 100, taxRate: 0 }];
  const draft = async () => {
    const body = { customerId: ids.customer, lines, issueDate: "2020-01-10", dueDate: "2020-01-24" };
    return (await shop.post<{ id: string }>("/invoices", body)).body.id;
  };
  const days = (id: string) =>
    api.query<{ issued: string; days: number }>(
      "select issue_date::text as issued, due_date - issue_date as days from invoices where id = $1",
      id,
    );
  for (const moves of [true, false]) {
    const id = await draft();
    const page = await dashboard.open(t, `/invoices/${id}`);
    await page.getByRole("button", { name: "Send", exact: true }).click();
    const dialog = page.getByRole("dialog");
    const today = dialog.getByRole("checkbox", { name: "Date it today" });
    assert.equal(await today.isChecked(), true);
    await dialog.getByText("It is dated", { exact: false }).last().waitFor();
    if (!moves) {
      await today.uncheck();
      await dialog.getByText("so it is overdue at once", { exact: false }).waitFor();
    }
    await dialog.getByRole("button", { name: "Send", exact: true }).dblclick();
    await dialog.waitFor({ state: "hidden" });
    const [row] = await days(id);
    assert.deepEqual([row?.days, row?.issued === "2020-01-10"], [14, !moves]);
  }
});

test("drafts that are sent together are dated today where they are of an earlier day", async (t) => {
  const { shop, api } = dashboard;
  const lines = [{ description: "Screws", quantity: 1, unitPrice: 60, taxRate: 0 }];
  const of = { customerId: ids.customer, lines };
  for (const dates of [{}, { issueDate: "2020-01-10", dueDate: "2020-01-24" }])
    assert.equal(
      (await shop.post("/invoices", { ...of, ...dates, externalReference: `many-${Object.keys(dates).length}` }))
        .status,
      201,
    );
  const page = await dashboard.open(t, "/invoices?status=draft");
  await page.getByRole("checkbox", { name: "Select all of this page" }).check();
  await page.getByRole("button", { name: "Send", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog
    .getByText("Drafts are dated today, and their due dates leave as long to pay.", { exact: false })
    .waitFor();
  assert.equal(await dialog.getByRole("checkbox", { name: "Date drafts of days gone by today" }).isChecked(), true);
  await dialog.getByRole("button", { name: "Send", exact: true }).click();
  await dialog.getByText("2 records done").waitFor();
  const sent = await api.query(
    "select issue_date > '2026-01-01' as today, due_date - issue_date as days from invoices where external_reference = 'many-2' and status = 'sent'",
  );
  assert.deepEqual(sent, [{ today: true, days: 14 }]);
});
