import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { everyPageLooksRight, setUpDashboardPages } from "../support/dashboard-pages.ts";
import { addOrder, addTransfers } from "../support/eft.ts";
import { temporaryFolder } from "../support/processes.ts";
import { imported, importFile, statementOf } from "../support/reconciliation.ts";

/* The pages of who keeps the books: a statement is imported and matched by hand, a month is closed. */

const DAY = "2026-11-03";
const ids = { run: "", line: "", month: "" };
const dashboard = setUpDashboardPages(async (shop) => {
  const customer = await shop.post<{ id: string }>("/customers", { company: "Nkosi Timber", email: "t@example.co.za" });
  for (const [unitPrice, externalReference] of [
    [100, "first"],
    [60, "second"],
  ] as const) {
    const lines = [{ description: "Planks", quantity: 1, unitPrice, taxRate: 0 }];
    await shop.post("/invoices", { customerId: customer.body.id, externalReference, send: true, lines });
  }
  const year = { description: "Storage", quantity: 1, unitPrice: 365, taxRate: 0 };
  const period = { periodStart: "2026-01-01", periodEnd: "2030-12-31" };
  const lineItems = [{ ...year, ...period }];
  const staff = await shop.signIn();
  const exchangeRates = [{ currency: "USD", rate: 18.5, date: "2026-06-30", source: "SARB" }];
  assert.equal((await staff("PATCH", "/settings", { exchangeRates })).status, 200);
  const quote = await shop.post("/quotes", { customerId: customer.body.id, lineItems, send: true, currency: "USD" });
  const made = await shop.post<{ invoice: { id: string } }>(`/quotes/${quote.body["id"]}/convert`, {});
  assert.equal((await staff("POST", `/invoices/${made.body.invoice.id}/send`)).status, 200);
  await addTransfers(shop);
  const order = await addOrder(shop, { customer: { id: customer.body.id } });
  assert.equal((await staff("POST", `/eft-orders/${order.id}/approve`)).status, 200);
  // A month can be closed when it is over.
  const months = await staff<{ data: [{ month: string }] }>("GET", "/accounting/months");
  const { month } = months.body.data[0];
  const later = new Date(`${month}-20T08:00:00Z`);
  later.setUTCDate(later.getUTCDate() + 20);
  assert.equal((await staff("POST", "/test-clock", { now: later.toISOString() })).status, 200);
  const run = await imported(
    staff,
    statementOf([DAY, "<b>NKOSI</b> مرحبا 👋 DEPOSIT", 155], [DAY, "MONTHLY ACCOUNT FEE", -57]),
    { periodStart: `${month}-01`, periodEnd: later.toISOString().slice(0, 10) },
  );
  Object.assign(ids, { run: run.id, line: run.items[0]?.id, month });
});

everyPageLooksRight(dashboard, () => [
  "/reconciliation/to-match",
  "/reconciliation/items",
  `/reconciliation/items/${ids.line}`,
  "/reconciliation/runs",
  "/reconciliation/runs/new",
  `/reconciliation/runs/${ids.run}`,
  "/reconciliation/awaited",
  "/reconciliation/rules",
  "/accounting/months",
  `/accounting/months/${ids.month}`,
  "/accounting/aged-debtors",
  "/accounting/software",
  "/accounting/software/quickbooks",
  "/accounting/software/pastel",
]);

test("a line is matched by hand with two invoices and a fee, once, and the match is undone", async (t) => {
  const page = await dashboard.open(t, `/reconciliation/runs/${ids.run}`);
  await page.getByRole("link", { name: /NKOSI/ }).click();
  await page.getByRole("searchbox", { name: "Search a customer" }).fill("Nkosi");
  await page.getByRole("button", { name: /^Take Invoice INV-000001/ }).click();
  await page.getByText("R 55.00 of the line is left.").waitFor();
  await page.getByRole("button", { name: /^Take Invoice INV-000002/ }).click();
  await page.getByText("−R 5.00 of the line is left.").waitFor();
  assert.equal(await page.getByRole("button", { name: "Match", exact: true }).isDisabled(), true);
  await page.getByRole("combobox", { name: "Add" }).selectOption("bank_fee");
  await page.getByText("Fully matched").waitFor();
  await page.getByRole("button", { name: "Match", exact: true }).dblclick();
  await page.locator("main .tefo-status").getByText("Matched", { exact: true }).waitFor();
  await page.locator("dl").getByText("Matched by hand", { exact: true }).waitFor();
  for (const name of ["INV-000001", "INV-000002"])
    await page.getByRole("region", { name: "What it is" }).getByRole("link", { name }).waitFor();
  const { api } = dashboard;
  const paid = "select number from invoices where status = 'paid' order by number";
  assert.deepEqual(await api.query(paid), [{ number: "INV-000001" }, { number: "INV-000002" }]);
  const parts =
    "select amount_cents::int as cents from reconciliation_allocations where undone_at is null order by place";
  assert.deepEqual(await api.query(parts), [{ cents: 10000 }, { cents: 6000 }, { cents: -500 }]);
  await page.getByRole("button", { name: "Unmatch" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Unmatch" }).click();
  await page.getByText("Match undone").waitFor();
  await page.getByRole("searchbox", { name: "Search a customer" }).waitFor();
  assert.deepEqual([await api.query(paid), await api.query(parts)], [[], []]);
});

test("money that was approved and never arrived is listed with its customer and the way to its payment", async (t) => {
  const page = await dashboard.open(t, "/reconciliation/awaited");
  await page.getByRole("link", { name: "Nkosi Timber" }).waitFor();
  await page.goto(`${dashboard.api.baseUrl}/dashboard/reconciliation/runs/${ids.run}`);
  await page.getByRole("link", { name: /^EFT-/ }).click();
  await page.getByRole("heading", { name: /^EFT-/ }).waitFor();
});

test("a statement that could not be read is listed with its file and the reason", async (t) => {
  const refused = await importFile(await dashboard.shop.signIn(), "date,amount\n2026-11-03,=1+1\n", {
    account: "Torn",
  });
  assert.equal(refused.status, 400);
  const page = await dashboard.open(t, "/reconciliation/runs?q=Torn");
  await page.getByRole("link", { name: "Torn" }).click();
  await page.getByRole("heading", { name: "Torn, statement.csv" }).waitFor();
  await page.locator("dl").getByText("Line 2, column amount: =1+1 is not an amount").waitFor();
});

test("a file whose columns nobody knows is mapped, previewed and imported", async (t) => {
  const page = await dashboard.open(t, "/reconciliation/runs/new");
  const csv = "Tag;Wer;Wieviel\n13.11.2026;Own money;12,50\n14.11.2026;Fee;-3,00\n";
  await page
    .getByRole("textbox", { name: "Account" })
    .or(page.getByRole("combobox", { name: "Account" }))
    .fill("Savings");
  await page
    .locator("input[type=file]")
    .setInputFiles({ name: "a.csv", mimeType: "text/csv", buffer: Buffer.from(csv) });
  await page.getByText("It cannot be imported yet").waitFor();
  await page.getByRole("combobox", { name: "Description", exact: true }).selectOption("Wer");
  await page.getByRole("combobox", { name: "Amount", exact: true }).selectOption("Wieviel");
  await page.getByRole("textbox", { name: "From" }).fill("2026-11-01");
  await page.getByRole("textbox", { name: "To", exact: true }).fill("2026-11-30");
  await page.getByRole("textbox", { name: "Currency" }).fill("usd");
  await page.getByRole("button", { name: "Import 2 lines" }).click();
  await page.getByText("2 lines: 0 matched.").waitFor();
  await page.getByRole("heading", { name: /^Savings, / }).waitFor();
  const { api } = dashboard;
  const read =
    "select currency, period_start::text, period_end::text from reconciliation_runs where account = 'Savings'";
  assert.deepEqual(await api.query(read), [{ currency: "USD", period_start: "2026-11-01", period_end: "2026-11-30" }]);
  await page.getByRole("link", { name: "Own money" }).click();
  await page.getByRole("button", { name: "Ignore", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Reason" }).fill("Private");
  await dialog.getByRole("button", { name: "Ignore", exact: true }).click();
  await page.locator("main .tefo-status").getByText("Ignored", { exact: true }).waitFor();
  await page.locator("dl").getByText("Private", { exact: true }).waitFor();
  await page.goBack();
  await page.getByRole("link", { name: /^Imported before or ignored 1/ }).click();
  await page.getByRole("link", { name: "Own money" }).click();
  await page.getByRole("button", { name: "Stop ignoring" }).click();
  await dialog.getByRole("button", { name: "Stop ignoring" }).click();
  await page.getByText("Line to match again").waitFor();
  await page.getByRole("button", { name: "Ignore", exact: true }).waitFor();
});

test("a month is saved as the file that the chosen software imports", async (t) => {
  const page = await dashboard.open(t, `/accounting/months/${ids.month}`);
  await page.getByRole("combobox", { name: "Accounting software" }).selectOption("sage");
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Invoices", exact: true }).click();
  const file = await saved;
  assert.match(file.suggestedFilename(), new RegExp(`^sage-invoices-${ids.month}-01-${ids.month}-\\d\\d\\.csv$`));
  const kept = join(await temporaryFolder(t), "invoices.csv");
  // The browser may run on another machine, which a path would lie on.
  await file.saveAs(kept);
  const text = await readFile(kept, "utf8");
  assert.equal(text.split("\r\n").filter((line) => line.startsWith("Invoice,")).length, 2, text);
});

test("codes of accounting software are changed, and are in its files of a chosen month", async (t) => {
  const page = await dashboard.open(t, "/accounting/software");
  await page.getByRole("link", { name: "Change Xero" }).click();
  const revenue = page.getByRole("textbox", { name: "Revenue" });
  await revenue.fill("=1");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText(/^must not begin with =/).waitFor();
  await revenue.fill("4000/001");
  await page.getByRole("textbox", { name: "0 %" }).fill("Zero rated");
  await page.getByRole("button", { name: "Save" }).dblclick();
  await page.getByText("Codes of Xero updated").waitFor();
  await page.getByRole("table", { name: "Codes of ledger accounts" }).getByText("4000/001").waitFor();
  await page.getByRole("combobox", { name: "Month" }).selectOption(ids.month);
  const saved = page.waitForEvent("download");
  await page.getByRole("button", { name: "Invoices", exact: true }).click();
  const kept = join(await temporaryFolder(t), "invoices.csv");
  await (await saved).saveAs(kept);
  assert.match(await readFile(kept, "utf8"), /,4000\/001,Zero rated,/);
  const changes = "select 1 from audit_log where subject = 'xero'";
  assert.equal((await dashboard.api.query(changes)).length, 1, "the second click changed nothing");
  await page.getByRole("link", { name: "Change Xero" }).click();
  await revenue.fill(" ");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("table", { name: "Codes of ledger accounts" }).getByText("200", { exact: true }).waitFor();

  const viewer = await dashboard.open(t, "/accounting/software", { role: "viewer" });
  await viewer.getByRole("table", { name: "Names of VAT rates" }).getByText("Zero rated").waitFor();
  assert.equal(await viewer.getByRole("link", { name: /^Change / }).count(), 0);
  assert.equal(await viewer.getByRole("combobox", { name: "Month" }).count(), 0);
});

test("aged debtors of a day lead to the customer, whose statement is a file", async (t) => {
  const page = await dashboard.open(t, "/accounting/aged-debtors");
  const all = page.getByRole("region", { name: "All customers" });
  await all.getByRole("img", { name: /^What customers owe by days past due/ }).waitFor();
  await all.getByText("View as table").click();
  const total = await all.getByRole("row").filter({ hasText: "Owed" }).getByRole("cell").last().textContent();
  const { total: owed } = (await dashboard.shop.get<{ total: number }>("/accounting/aged-debtors")).body;
  assert.equal(Number(total?.replaceAll(/[^\d.]/g, "")), owed);
  await page.getByRole("link", { name: "Nkosi Timber" }).click();
  const statement = page.getByRole("table", { name: "Statement" });
  await statement.getByText("Closing balance").waitFor();
  const from = new Date(Date.parse(`${ids.month}-01`) - 90 * 86_400_000).toISOString().slice(0, 10);
  await page.getByLabel("From", { exact: true }).fill(from);
  await statement.getByText("Invoice INV-000001").first().waitFor();
  const section = page.locator("section").filter({ has: statement });
  await section.getByLabel("Currency of the statement").selectOption("USD");
  await statement
    .getByText(/^(USD|US\$)/)
    .first()
    .waitFor();
  await section.getByLabel("Currency of the statement").selectOption("ZAR");
  const kept = page.waitForEvent("download");
  await section.getByRole("button", { name: "CSV" }).click();
  assert.match((await kept).suggestedFilename(), new RegExp(`^statement-${from}-to-.*\\.csv$`));
});

test("a ledger account of a month opens to its records", async (t) => {
  const page = await dashboard.open(t, `/accounting/months/${ids.month}`);
  await page.getByRole("table", { name: "General ledger" }).getByText("Revenue", { exact: true }).last().click();
  const records = page.getByRole("table", { name: "Records of Revenue" });
  await records.getByText("R 60.00").waitFor();
  await records.getByRole("link").nth(2).waitFor();
  const named = await records.getByRole("link").allTextContents();
  assert.equal(named.length, 3);
  assert.ok(named.includes("INV-000001"), named.join());
});

test("a month's VAT return opens to its records; the month is closed once and reopened", async (t) => {
  const page = await dashboard.open(t, `/accounting/months/${ids.month}`);
  await page.getByText("Zero rate, without exported goods").click();
  await page.getByRole("table", { name: "Records of field 2" }).getByText("R 60.00").waitFor();
  await page.getByLabel("Supplies at 0% that are not marked as exempt").selectOption("exempt");
  await page.getByLabel("Basis").selectOption("payments");
  await page.getByText("Other: credit notes, refunds").waitFor();
  await page.getByRole("button", { name: "Close month" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Close month" }).dblclick();
  await page.getByRole("button", { name: "Reopen month" }).waitFor();
  const closed = async () =>
    (await dashboard.api.query("select from accounting_months where month = $1", `${ids.month}-01`)).length;
  assert.equal(await closed(), 1);
  await page.getByRole("button", { name: "Reopen month" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Reopen month" }).click();
  await page.getByRole("button", { name: "Close month" }).waitFor();
  assert.equal(await closed(), 0);
});

test("deferred revenue is chosen in a currency in which the month posted nothing", async (t) => {
  const page = await dashboard.open(t, "/accounting/months/2026-02");
  const currency = page.getByLabel("Currency of deferred revenue");
  await currency.selectOption("USD");
  await currency.selectOption("ZAR");
  await currency.selectOption("USD");
});

test("deferred revenue of a month opens to its invoices and their lines, and is a file", async (t) => {
  const page = await dashboard.open(t, `/accounting/months/${ids.month}`);
  await page.getByLabel("Currency of deferred revenue").selectOption("USD");
  const section = page.locator("section").filter({ has: page.getByRole("heading", { name: "Deferred revenue" }) });
  await section.getByText("1 invoice", { exact: true }).click();
  const invoices = section.getByRole("table", { name: "Invoices with deferred revenue" });
  await invoices.getByLabel(/^Lines of INV-/).click();
  await invoices.getByText("Storage").waitFor();
  await invoices.getByRole("link", { name: "Nkosi Timber" }).waitFor();
  const saved = page.waitForEvent("download");
  await section.getByRole("button", { name: "CSV" }).click();
  assert.equal((await saved).suggestedFilename(), `deferred-revenue-${ids.month}.csv`);
});

test("chosen bank lines are ignored and transfers cancelled together, with a reason", async (t) => {
  const { api, shop } = dashboard;
  const order = await addOrder(shop, { amount: 33 });
  const page = await dashboard.open(t, "/reconciliation/items?status=unmatched");
  const dialog = page.getByRole("dialog");
  const lines = "select distinct ignored_because from reconciliation_items where status = 'ignored'";
  const before = await api.query<{ n: number }>(
    "select count(*)::int as n from reconciliation_items where status = 'unmatched'",
  );
  for (const [path, label, done, query, row] of [
    ["/reconciliation/items?status=unmatched", "Ignore", before[0]?.n, lines, { ignored_because: "Private" }],
    [
      "/eft-orders",
      "Cancel transfers",
      1,
      `select status from eft_orders where id = '${order.id}'`,
      { status: "cancelled" },
    ],
  ] as const) {
    await page.goto(`${api.baseUrl}/dashboard${path}`);
    await page.getByRole("checkbox", { name: "Select all of this page" }).check();
    await page.getByRole("button", { name: label, exact: true }).click();
    await dialog.getByRole("textbox", { name: "Reason" }).fill("Private");
    await dialog.getByRole("button", { name: label, exact: true }).click();
    await dialog.getByText(`${done} record${done === 1 ? "" : "s"} done`).waitFor();
    assert.deepEqual(await api.query(query), [row]);
  }
});

test("chosen matching rules are accepted and declined together", async (t) => {
  const { api, shop } = dashboard;
  for (const [end, fragment] of [
    ["1", "SERVICE FEE"],
    ["2", "CASH FEE"],
  ])
    await api.query(
      `insert into reconciliation_rules (organisation_id, id, account, fragment, direction, kind, status, item_id, created_at)
       values ($1, 'rcr_0000000000000000000000000' || $2, 'Cheque', $3, 'out', 'bank_fee', 'proposed', $4, now())`,
      shop.organisation.id,
      end,
      fragment,
      ids.line,
    );
  const page = await dashboard.open(t, "/reconciliation/rules?q=fee");
  const dialog = page.getByRole("dialog");
  const bar = page.locator(".tefo-bulk");
  for (const [label, what, status] of [
    ["Accept", "are matched by 2 rules, without a person", "accepted"],
    ["Decline", "the words of 2 rules are left to a person", "declined"],
  ] as const) {
    await page.getByRole("checkbox", { name: "Select all of this page" }).check();
    await bar.getByRole("button", { name: label, exact: true }).click();
    await dialog.getByText(what).waitFor();
    await dialog.getByRole("button", { name: label, exact: true }).click();
    await dialog.getByText("2 records done").waitFor();
    await dialog.getByRole("button", { name: "Close" }).last().click();
    assert.deepEqual(await api.query("select distinct status from reconciliation_rules where fragment like '% FEE'"), [
      { status },
    ]);
  }
});

test("a statement with a gap in its balances says so, and is withdrawn", async (t) => {
  const page = await dashboard.open(t, "/reconciliation/runs/new");
  const csv = `Date,Description,Amount,Balance
2026-11-10,Card sales,100.00,1100.00
2026-11-11,More sales,10.00,1117.00
`;
  await page
    .getByRole("textbox", { name: "Account" })
    .or(page.getByRole("combobox", { name: "Account" }))
    .fill("Withdrawn");
  await page
    .locator("input[type=file]")
    .setInputFiles({ name: "gap.csv", mimeType: "text/csv", buffer: Buffer.from(csv) });
  const gap = page.getByText("Line 3: the balance is 1117.00, but 1110.00 follows", { exact: false });
  await gap.first().waitFor();
  await page.getByRole("button", { name: "Import 2 lines" }).click();
  await page.getByRole("heading", { name: /^Withdrawn, / }).waitFor();
  await gap.first().waitFor();
  await page.getByRole("region", { name: "To match" }).getByRole("link", { name: "More sales" }).waitFor();
  await page.getByRole("button", { name: "Withdraw" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Withdraw" }).dblclick();
  await page.getByText("Its lines count as never imported.", { exact: false }).first().waitFor();
  await page.getByRole("region", { name: "To match" }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Withdraw" }).waitFor({ state: "detached" });
  const left =
    "select 1 from reconciliation_items i join reconciliation_runs r on r.id = i.run_id where r.account = 'Withdrawn' and i.status = 'unmatched'";
  assert.deepEqual(await dashboard.api.query(left), []);
});
