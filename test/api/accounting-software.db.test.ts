import assert from "node:assert/strict";
import { text } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { parse } from "csv-parse";
import { documentsFile } from "../../src/flows/accounting/software-files.ts";
import type { CalendarDay } from "../../src/kernel/time.ts";
import { FILED_ACCOUNTS, SOFTWARE, type Software } from "../../src/modules/accounting-software/types.ts";
import { openApi, type Refusal, type TestApi } from "../support/api.ts";
import { exempt, type Invoicing, openInvoicing } from "../support/invoices.ts";
import { fc } from "../support/property.ts";
import { closeVerified } from "../support/verified.ts";

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

type Row = Readonly<Record<string, string>>;
type Staff = Awaited<ReturnType<Invoicing["merchant"]["signIn"]>>;

/** A shop whose clock stands on 2027-03-01, with staff who look after its books and call each account by its own code. */
async function open() {
  const shop = await openInvoicing(api);
  const finance = await shop.merchant.signIn("finance");
  const accounts = Object.fromEntries(FILED_ACCOUNTS.map((account) => [account, `of ${account}`]));
  for (const software of SOFTWARE) {
    const { status, text: answer } = await finance("PATCH", `/accounting/software/${software}`, { accounts });
    assert.equal(status, 200, answer);
  }
  return { ...shop, finance };
}

const MARCH = "from=2027-03-01&to=2027-03-31";
async function rowsOf(staff: Staff, path: string): Promise<Row[]> {
  const { status, text: file } = await staff("GET", `/exports/${path}`);
  assert.equal(status, 200, file);
  const rows: Row[] = [];
  for await (const row of parse(file, { columns: true }) as AsyncIterable<Row>) rows.push(row);
  return rows;
}

const centsOf = (decimal: string | number | undefined): number => Math.round(Number(decimal || 0) * 100);
/**
 * What a document's line says it comes to without VAT, and its VAT; and of a journal's line the account, the journal,
 * and a debit less a credit.
 */
const DOCUMENT: Readonly<Record<Software, (row: Row) => [net: number, tax: number]>> = {
  xero: (row) => [centsOf(row["*UnitAmount"]), centsOf(row["TaxAmount"])],
  sage: (row) => [centsOf(row["Net"]), centsOf(row["VAT"])],
  quickbooks: (row) => [centsOf(row["*ItemAmount"]), centsOf(row["ItemTaxAmount"])],
};
const JOURNAL: Readonly<Record<Software, (row: Row) => [code: string, journal: string, amount: number]>> = {
  xero: (row) => [row["*AccountCode"] ?? "", `${row["*Narration"]} ${row["*Date"]}`, centsOf(row["*Amount"])],
  sage: (row) => [
    row["Ledger Account Number"] ?? "",
    row["Reference"] ?? "",
    centsOf(row["Debit"]) - centsOf(row["Credit"]),
  ],
  quickbooks: (row) => [
    row["*AccountName"] ?? "",
    row["*JournalNo"] ?? "",
    centsOf(row["*Debits"]) - centsOf(row["*Credits"]),
  ],
};

type Sums = Record<string, number>;
const add = (sums: Sums, name: string, amount: number) => {
  sums[name] = (sums[name] ?? 0) + amount;
  if (sums[name] === 0) delete sums[name];
};

function addJournal(sums: Sums, software: Software, rows: readonly Row[]): void {
  const journals: Sums = {};
  for (const row of rows) {
    const [code, journal, amount] = JOURNAL[software](row);
    add(sums, code, amount);
    add(journals, journal, amount);
  }
  assert.deepEqual(journals, {}, "each journal balances");
}

/** What importing a software's files of the month adds to its accounts. */
async function imported(staff: Staff, software: Software): Promise<Sums> {
  const sums: Sums = {};
  for (const [what, sign] of [
    ["invoices", 1],
    ["credit-notes", software === "xero" ? 1 : -1],
  ] as const)
    for (const row of await rowsOf(staff, `${software}/${what}.csv?${MARCH}`)) {
      const [net, tax] = DOCUMENT[software](row);
      add(sums, "of revenue", -sign * net);
      add(sums, "of vat_output", -sign * tax);
      add(sums, "of receivable", sign * (net + tax));
    }
  addJournal(sums, software, await rowsOf(staff, `${software}/journal.csv?${MARCH}`));
  return sums;
}

/** The same of the ledger accounts, by the totals of the month. */
async function booked(staff: Staff): Promise<Sums> {
  type Month = { totals: { account: string; debit: number; credit: number }[] };
  const sums: Sums = {};
  for (const { account, debit, credit } of (await staff<Month>("GET", "/accounting/months/2027-03")).body.totals)
    add(sums, `of ${account === "bank_reconciled" ? "bank" : account}`, centsOf(debit) - centsOf(credit));
  return sums;
}

interface LedgerPage {
  readonly data: readonly { id: string; debit: number; credit: number }[];
  readonly hasMore: boolean;
  readonly nextCursor: string | null;
}

/** The records of each ledger account, read three at a time and as a file, add up to its totals. */
async function assertRecords(staff: Staff): Promise<void> {
  type Month = { totals: { account: string; debit: number; credit: number }[] };
  for (const { account, ...total } of (await staff<Month>("GET", "/accounting/months/2027-03")).body.totals) {
    const expected = [centsOf(total.debit), centsOf(total.credit)];
    const sums = [0, 0];
    const seen = new Set<string>();
    for (let after: string | null = ""; after !== null; ) {
      const path = `/accounting/months/2027-03/records?account=${account}&currency=ZAR&limit=3&startingAfter=${after}`;
      const page: LedgerPage = (await staff<LedgerPage>("GET", path)).body;
      for (const { id, debit, credit } of page.data) {
        assert.ok(!seen.has(id));
        seen.add(id);
        sums[0] = (sums[0] ?? 0) + centsOf(debit);
        sums[1] = (sums[1] ?? 0) + centsOf(credit);
      }
      after = page.nextCursor;
    }
    assert.deepEqual(sums, expected, account);
    const rows = await rowsOf(staff, `ledger.csv?${MARCH}&account=${account}`);
    const column = (name: string) => rows.reduce((sum, row) => sum + centsOf(row[name]), 0);
    assert.deepEqual([column("debit"), column("credit")], expected, `${account} as a file`);
  }
}

test("the files of a month add up to the books, account by account, and every journal balances", async () => {
  const line = fc.record({
    unitPrice: fc.integer({ min: 1, max: 9_999 }).map((of) => of / 100),
    taxRate: fc.constantFrom(0, 15, 14.5),
  });
  const step = fc.record({
    lines: fc.array(line, { minLength: 1, maxLength: 3 }),
    taxInclusive: fc.boolean(),
    paid: fc.constantFrom("bank", "gateway", "too much", "no"),
    after: fc.constantFrom("cancel", "credit", "refund", "nothing"),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 4 }), async (steps) => {
      const shop = await open();
      for (const { lines, taxInclusive, paid, after: then } of steps) {
        const asked = lines.map((one) => ({ description: "Work", quantity: 1, ...one }));
        const { body: invoice } = await shop.create({ lines: asked, taxInclusive, send: true });
        const total = Number(invoice.total);
        if (paid === "bank") await shop.payOffline(invoice.id, total);
        if (paid === "gateway" || paid === "too much") {
          const reference = await shop.payOnline(invoice.id, paid === "gateway" ? total : total + 0.25);
          if (then === "refund") await shop.finance("POST", `/transactions/${reference}/refunds`, { method: "manual" });
        }
        if (then === "cancel") await shop.act(invoice.id, "cancel", {});
        if (then === "credit") {
          const parts = [
            { description: "Work", amount: 1.15, taxRate: 15 },
            { description: "Work", amount: 0.5, taxRate: 0 },
          ];
          const body = { customerId: shop.customerId, reason: "Wrong", lines: parts };
          assert.equal((await shop.finance("POST", "/credit-notes", body)).status, 201);
          await shop.finance("POST", "/credit-notes", { customerId: shop.customerId, reason: "Late", amount: 2 });
        }
      }
      const books = await booked(shop.finance);
      assert.ok(Object.keys(books).length > 1);
      await assertRecords(shop.finance);
      for (const software of SOFTWARE) {
        assert.deepEqual(await imported(shop.finance, software), books, software);
        for (const by of ["day", "month"]) {
          const whole: Sums = {};
          const path = `${software}/journal.csv?${MARCH}&documents=included&by=${by}`;
          addJournal(whole, software, await rowsOf(shop.finance, path));
          assert.deepEqual(whole, books, `${software} by ${by}`);
        }
      }
    }),
    { numRuns: 4 },
  );
});

test("files have the columns of each software's template, its codes, and no formula", async () => {
  const shop = await openInvoicing(api);
  const finance = await shop.merchant.signIn("finance");
  const { body: customer } = await shop.merchant.post<{ id: string; accountCode: string }>("/customers", {
    company: '=HYPERLINK("x") كتب 📚',
    email: "books@example.co.za",
  });
  const lines = [
    { description: "Work, two hours", quantity: 2, unitPrice: 50 },
    { description: "Tea", quantity: 1, unitPrice: 7, taxRate: 0 },
    { description: "Old rate", quantity: 1, unitPrice: 10, taxRate: 14 },
  ];
  const { body: invoice } = await shop.create({ customerId: customer.id, lines, send: true, dueDate: "2027-03-20" });
  const noted = await finance("POST", "/credit-notes", {
    invoiceId: invoice.id,
    customerId: customer.id,
    reason: "Tea",
    amount: 7,
  });
  assert.equal(noted.status, 201, noted.text);
  const changed = await finance<{ accounts: object; taxCodes: object }>("PATCH", "/accounting/software/xero", {
    accounts: { revenue: "4000/001", bank: null },
    taxCodes: { standard: "Standard Rate Sales (15%)" },
  });
  assert.equal(changed.status, 200, changed.text);
  const head = async (path: string) => (await finance("GET", `/exports/${path}?${MARCH}`)).text.split("\r\n")[0];
  assert.equal(
    await head("xero/invoices.csv"),
    "*ContactName,EmailAddress,POAddressLine1,POAddressLine2,POAddressLine3,POAddressLine4,POCity,PORegion,POPostalCode,POCountry,*InvoiceNumber,Reference,*InvoiceDate,*DueDate,Total,InventoryItemCode,*Description,*Quantity,*UnitAmount,Discount,*AccountCode,*TaxType,TaxAmount,TrackingName1,TrackingOption1,TrackingName2,TrackingOption2,Currency,BrandingTheme",
  );
  assert.equal(
    await head("xero/journal.csv"),
    "*Narration,*Date,Description,*AccountCode,*TaxRate,*Amount,TrackingName1,TrackingOption1,TrackingName2,TrackingOption2",
  );
  assert.equal(
    await head("sage/invoices.csv"),
    "Type,Customer Reference,Date,Customer Name,Reference,Ledger Account,Details,Net,VAT Rate,VAT,Total,Analysis Type 1,Analysis Type 2,Analysis Type 3",
  );
  assert.equal(
    await head("sage/journal.csv"),
    "Reference,Date,Description,Ledger Account Number,Details,Analysis Type 1,Analysis Type 2,Analysis Type 3,Include on Tax Return,Debit,Credit,Exchange rate",
  );
  assert.equal(
    await head("quickbooks/invoices.csv"),
    "*InvoiceNo,*Customer,*InvoiceDate,*DueDate,Memo,Item(Product/Service),ItemDescription,ItemQuantity,ItemRate,*ItemAmount,*ItemTaxCode,ItemTaxAmount,Currency",
  );
  assert.equal(
    await head("quickbooks/journal.csv"),
    "*JournalNo,*JournalDate,*AccountName,*Debits,*Credits,Description,Name,Currency,Location,Class",
  );
  const xero = await rowsOf(finance, `xero/invoices.csv?${MARCH}`);
  assert.deepEqual(
    xero.map((row) =>
      ["*InvoiceDate", "*DueDate", "*UnitAmount", "TaxAmount", "*AccountCode", "*TaxType"].map((name) => row[name]),
    ),
    [
      ["01/03/2027", "20/03/2027", "100.00", "15.00", "4000/001", "Standard Rate Sales (15%)"],
      ["01/03/2027", "20/03/2027", "7.00", "0.00", "4000/001", "Zero Rate Sales"],
      ["01/03/2027", "20/03/2027", "10.00", "1.40", "4000/001", "VAT 14%"],
    ],
  );
  assert.equal(xero[0]?.["*ContactName"], `'=HYPERLINK("x") كتب 📚`);
  assert.equal((await rowsOf(finance, `sage/invoices.csv?${MARCH}`))[0]?.["Customer Reference"], customer.accountCode);
  // Of 7.00 without a rate, 6.03 fall on the 15 % of the invoice: 5.24 without VAT.
  const [note] = await rowsOf(finance, `xero/credit-notes.csv?${MARCH}`);
  assert.deepEqual([note?.["*UnitAmount"], note?.["Reference"]], ["-5.24", invoice.number]);
  const [sageNote] = await rowsOf(finance, `sage/credit-notes.csv?${MARCH}`);
  assert.deepEqual([sageNote?.["Type"], sageNote?.["Net"]], ["Cr Note", "5.24"]);
  assert.deepEqual(await rowsOf(finance, "xero/invoices.csv?from=2027-02-01&to=2027-02-28"), []);
  assert.deepEqual(await rowsOf(finance, `xero/invoices.csv?${MARCH}&currency=USD`), []);
});

test("a file of more documents than are read at once has each of them once", async () => {
  const shop = await openInvoicing(api);
  for (const amount of [1, 2, 3, 4, 5]) await shop.owe(amount, { lines: [exempt(amount), exempt(1)] });
  const days = { from: "2027-03-01" as CalendarDay, to: "2027-03-31" as CalendarDay, currency: "ZAR" };
  const ctx = await shop.merchant.ctx();
  const file = (atOnce: number) => documentsFile(api.services, ctx, "xero", "invoice", days, atOnce).then(text);
  const whole = await file(500);
  assert.equal(whole.split("\r\n").length, 12);
  for (const atOnce of [1, 2, 5]) assert.equal(await file(atOnce), whole, String(atOnce));
});

test("codes are changed one by one and restored; bad input is refused, and nothing is written", async () => {
  const shop = await open();
  type Listed = { data: { software: string; accounts: Row; taxCodes: Row }[] };
  const list = async () => (await shop.finance<Listed>("GET", "/accounting/software")).body.data;
  const [xero] = await list();
  assert.deepEqual([xero?.software, xero?.accounts["bank"]], ["xero", "of bank"]);
  const change = (body: object) => shop.finance<Refusal>("PATCH", "/accounting/software/xero", body);
  for (const body of [
    { accounts: { bank: "=1" } },
    { accounts: { bank: "" } },
    { accounts: { bank: 5 } },
    { accounts: [] },
    { taxCodes: { zero: "a\nb" } },
    { taxCodes: { standard: "x".repeat(151) } },
  ])
    assert.equal((await change(body)).status, 400, JSON.stringify(body));
  assert.deepEqual((await list())[0], xero);
  await Promise.all([change({ accounts: { bank: null } }), change({ taxCodes: { zero: "Z" } })]);
  const [changed] = await list();
  assert.deepEqual(
    [changed?.accounts["bank"], changed?.accounts["revenue"], changed?.taxCodes["zero"]],
    ["613", "of revenue", "Z"],
  );
  assert.equal((await shop.finance("PATCH", "/accounting/software/pastel", {})).status, 404);
  for (const [path, status] of [
    [`pastel/journal.csv?${MARCH}`, 404],
    ["xero/journal.csv", 400],
    ["xero/journal.csv?from=2027-03-01", 400],
    ["xero/journal.csv?from=2027-03-02&to=2027-03-01", 400],
    ["xero/invoices.csv?from=2024-03-01&to=2027-03-01", 400],
    [`xero/journal.csv?${MARCH}&by=year`, 400],
    [`xero/invoices.csv?${MARCH}&currency=rand`, 400],
    [`ledger.csv?${MARCH}`, 400],
    [`ledger.csv?${MARCH}&account=cash`, 400],
  ] as const)
    assert.equal((await shop.finance("GET", `/exports/${path}`)).status, status, path);
  const viewer = await shop.merchant.signIn("viewer");
  assert.equal((await viewer("GET", `/exports/xero/invoices.csv?${MARCH}`)).status, 403);
  assert.equal((await viewer("PATCH", "/accounting/software/xero", {})).status, 403);
});
