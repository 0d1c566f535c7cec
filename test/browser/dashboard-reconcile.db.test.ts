import assert from "node:assert/strict";
import { test } from "node:test";
import { looksRight, looksRightAnywhere, setUpDashboardPages } from "../support/dashboard-pages.ts";
import { eventually } from "../support/processes.ts";
import { imported, statementOf } from "../support/reconciliation.ts";

/* Reconcile: the lines that are left, matched one after the other by the keyboard alone. */

const DAY = "2026-11-03";
const dashboard = setUpDashboardPages(async (shop) => {
  const owing = async (company: string, ...prices: number[]) => {
    const customer = await shop.post<{ id: string }>("/customers", { company, email: "t@example.co.za" });
    for (const unitPrice of prices) {
      const lines = [{ description: "Planks", quantity: 1, unitPrice, taxRate: 0 }];
      await shop.post("/invoices", {
        customerId: customer.body.id,
        externalReference: crypto.randomUUID(),
        send: true,
        lines,
      });
    }
  };
  await owing("Nkosi Timber", 1150, 700, 300);
  await owing("Karoo Saws", 90, 45);
  await imported(
    await shop.signIn(),
    statementOf(
      [DAY, "NKOSI INV-000001", 1150],
      [DAY, "PMT INV-000005 SAWS", 45],
      [DAY, "NKOSI TIMBER NOVEMBER", 1000],
      [DAY, "KAROO SAWS PART", 100],
      [DAY, "MONTHLY ACCOUNT FEE", -57],
      [DAY, "TO SAVINGS", -500],
      [DAY, "CASH DEP 4471", 12.34],
    ),
    { periodStart: "2026-11-01", periodEnd: "2026-11-30" },
  );
});

const matchedBy = () =>
  dashboard.api.query<{ description: string; reason: string | null; status: string }>(
    "select description, reason, status from reconciliation_items order by place",
  );

test("lines are matched by the keyboard alone, one after the other, and all exact ones together", async (t) => {
  const page = await dashboard.open(t, "/reconciliation/to-match");
  const lines = page.getByRole("list", { name: "Lines to match" }).getByRole("button");
  await lines.first().waitFor();
  await looksRightAnywhere(page, "lines to match");
  await page.setViewportSize({ width: 1280, height: 800 });
  assert.equal(await lines.count(), 7);
  await page.getByText("7 lines to match: R 2\u00a0307.34 in, R 557.00 out").waitFor();

  // Newest first is the statement's end first.
  const current = page.locator("[aria-current=true]", { hasText: /R/ });
  const isAt = (text: string) => current.filter({ hasText: text }).waitFor();
  await isAt("CASH DEP 4471");
  await page.keyboard.press("ArrowDown");
  await isAt("TO SAVINGS");
  await page.keyboard.press("t");
  await isAt("MONTHLY ACCOUNT FEE");
  await page.keyboard.press("b");
  await isAt("KAROO SAWS PART");
  await page.getByText("Review the proposed rules").waitFor();

  await page.keyboard.press("Shift+A");
  await page.getByText("2 lines matched").waitFor();
  assert.deepEqual(
    (await matchedBy()).map(({ status }) => status),
    ["matched", "matched", "unmatched", "unmatched", "matched", "matched", "unmatched"],
  );

  await page.keyboard.press("ArrowDown");
  await isAt("NKOSI TIMBER NOVEMBER");
  await page.getByRole("button", { name: /^1 Invoices INV-000002, INV-000003 of Nkosi Timber/ }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByText(/matched to Invoices/).waitFor();
  assert.equal(await lines.count(), 2);
  await page.keyboard.press("u");
  await lines.filter({ hasText: "NKOSI TIMBER NOVEMBER" }).waitFor();
  assert.equal((await matchedBy())[2]?.status, "unmatched");
});

test("a line of which a rest is left is split, and one that nothing fits is found by its customer or ignored", async (t) => {
  const page = await dashboard.open(t, "/reconciliation/to-match");
  const lines = page.getByRole("list", { name: "Lines to match" }).getByRole("button");
  await lines.filter({ hasText: "KAROO SAWS PART" }).click();
  await page.keyboard.press("Enter");
  // What was overpaid is proposed as credit of the customer.
  await page.getByText("Fully matched").waitFor();
  await looksRight(page, "a line that is split");
  await page.getByRole("button", { name: "Remove Credit of the customer" }).click();
  await page.getByText("R 10.00 of the line is left.").waitFor();
  await page.getByRole("button", { name: /^Use R.90\.00 of the line/ }).click();
  await page.getByText("Fully matched").waitFor();
  await page.getByRole("button", { name: "Match", exact: true }).click();
  await page.getByText(/R\u00a0100\.00 matched to/).waitFor();

  await lines.filter({ hasText: "CASH DEP 4471" }).click();
  await page.getByText("Nothing fits by itself").first().waitFor();
  await page.keyboard.press("i");
  const dialog = page.getByRole("dialog", { name: "Ignore this line" });
  await dialog.getByRole("textbox", { name: "Reason" }).fill("Private");
  await dialog.getByRole("button", { name: "Ignore" }).click();
  await page.getByText("Line ignored").waitFor();
  await lines.filter({ hasText: "CASH DEP 4471" }).waitFor({ state: "detached" });
});

test("a sale without an invoice gets one by a few keys", async (t) => {
  await imported(await dashboard.shop.signIn(), statementOf([DAY, "SPEEDPOINT 77", 46]));
  const page = await dashboard.open(t, "/reconciliation/to-match");
  const lines = page.getByRole("list", { name: "Lines to match" }).getByRole("button");
  await lines.filter({ hasText: "SPEEDPOINT 77" }).click();
  await page.keyboard.press("s");
  const fields = page.getByRole("group", { name: "Sale without an invoice" });
  await fields.getByRole("combobox", { name: "Customer" }).fill("Cash sales");
  await page.getByRole("option", { name: "Create customer “Cash sales”" }).click();
  await fields.getByRole("textbox", { name: "Description" }).fill("Takings of the day");
  await fields.getByRole("combobox", { name: "Paid by" }).selectOption("card");
  await looksRightAnywhere(page, "a sale without an invoice");
  await fields.getByRole("button", { name: "Add the sale" }).click();
  await page.getByText("Fully matched").waitFor();
  await page.getByRole("button", { name: "Match", exact: true }).click();
  await page.getByText(/R\u00a046\.00 matched to Sale: Takings of the day/).waitFor();
  const made = () =>
    dashboard.api.query<{ status: string; total: number }>(
      "select i.status, i.total_cents::int as total from invoices i join invoice_lines l on l.invoice_id = i.id where l.description = 'Takings of the day'",
    );
  await eventually("the invoice is there", async () => (await made()).length === 1);
  assert.deepEqual(await made(), [{ status: "paid", total: 4600 }]);
});

test("who may not match sees the lines and their suggestions alone", async (t) => {
  const page = await dashboard.open(t, "/reconciliation/to-match", { role: "viewer" });
  await page.getByRole("list", { name: "Lines to match" }).getByRole("button").first().waitFor();
  assert.equal(await page.getByRole("button", { name: /^OK|^Ignore|^Find or split/ }).count(), 0);
  const before = await matchedBy();
  await page.keyboard.press("Enter");
  await page.keyboard.press("t");
  assert.deepEqual(await matchedBy(), before);
});

test("all exact lines of all pages are matched together and undone as one; arrows work after arriving by the menu", async (t) => {
  const staff = await dashboard.shop.signIn();
  const { body: customer } = await dashboard.shop.post<{ id: string }>("/customers", { company: "Tembisa Doors" });
  const numbers: string[] = [];
  for (let at = 0; at < 55; at++) {
    const lines = [{ description: "Door", quantity: 1, unitPrice: 600 + at, taxRate: 0 }];
    const made = await dashboard.shop.post<{ number: string }>("/invoices", {
      customerId: customer.id,
      send: true,
      lines,
    });
    numbers.push(made.body.number);
  }
  await imported(staff, statementOf(...numbers.map((number, at) => [DAY, `DOORS ${number}`, 600 + at] as const)), {
    periodStart: "2026-11-01",
    periodEnd: "2026-11-30",
  });
  const statuses = () =>
    dashboard.api.query<{ status: string; lines: number }>(
      "select status, count(*)::int as lines from reconciliation_items where description like 'DOORS %' group by 1 order by 1",
    );
  // The daily runs of a gateway since then do not hide the bank's statement.
  await dashboard.api.query(
    `insert into reconciliation_runs
      select (jsonb_populate_record(r, jsonb_build_object('id', 'rcn_' || n, 'source', 'statement_feed', 'started_at', now()))).*
        from (select t from reconciliation_runs t limit 1) s(r), generate_series(1, 25) n`,
  );
  const page = await dashboard.open(t, "/");
  await page.getByRole("link", { name: /^(Reconciled with|No bank statement since)/ }).waitFor();
  await page.getByRole("link", { name: /^Reconcile \d/ }).click();
  await page.getByRole("button", { name: "Match all exact" }).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.locator("[aria-current=true]", { hasText: `DOORS ${numbers.at(-2)}` }).waitFor();
  await page.getByRole("button", { name: "Match all exact" }).click();
  await page.getByText("55 lines matched").waitFor();
  assert.deepEqual(await statuses(), [{ status: "matched", lines: 55 }]);
  await page.keyboard.press("u");
  await page.locator("[aria-current=true]", { hasText: /DOORS/ }).waitFor();
  await page.getByRole("button", { name: "Match all exact" }).waitFor();
  for (let left = 600; left > 0 && (await statuses())[0]?.status !== "unmatched"; left--) await page.waitForTimeout(50);
  for (let left = 600; left > 0 && (await statuses()).length > 1; left--) await page.waitForTimeout(50);
  assert.deepEqual(await statuses(), [{ status: "unmatched", lines: 55 }]);
});
