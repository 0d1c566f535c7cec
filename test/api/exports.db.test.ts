import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import pg from "pg";
import { contextFor, SYSTEM } from "../../src/flows/context.ts";
import { accountingMonthEndpoints } from "../../src/http/resources/accounting-months.ts";
import { creditNoteEndpoints } from "../../src/http/resources/credit-notes.ts";
import { customerSubscriptionEndpoints } from "../../src/http/resources/customer-subscriptions.ts";
import { customerEndpoints, customersCsv } from "../../src/http/resources/customers.ts";
import { eftOrderEndpoints } from "../../src/http/resources/eft-orders.ts";
import { gatewayEndpoints } from "../../src/http/resources/gateways.ts";
import { invoiceEndpoints } from "../../src/http/resources/invoices.ts";
import { mandateEndpoints } from "../../src/http/resources/mandates.ts";
import { paymentLinkEndpoints } from "../../src/http/resources/payment-links.ts";
import { quoteEndpoints } from "../../src/http/resources/quotes.ts";
import { transactionEndpoints } from "../../src/http/resources/transactions.ts";
import type { Decimal } from "../../src/kernel/decimal.ts";
import type { CustomerId, GatewayAccountId } from "../../src/kernel/ids.ts";
import { priceLines } from "../../src/kernel/lines.ts";
import { cents, ZERO } from "../../src/kernel/money.ts";
import { type CalendarDay, instant } from "../../src/kernel/time.ts";
import { postEntry } from "../../src/modules/books/store.ts";
import { insertInvoices } from "../../src/modules/invoices/store/invoices.ts";
import type { Invoice } from "../../src/modules/invoices/types.ts";
import { newTransaction } from "../../src/modules/payments/rules.ts";
import { insertTransaction } from "../../src/modules/payments/store/payments.ts";
import type { Transaction } from "../../src/modules/payments/types.ts";
import type { Database } from "../../src/platform/database.ts";
import { newId } from "../../src/platform/new-id.ts";
import { addMerchant, issuePath, type Merchant, openMerchant } from "../support/merchant.ts";

let shop: Merchant;
before(async () => {
  shop = await openMerchant(
    [
      ...accountingMonthEndpoints,
      ...customerSubscriptionEndpoints,
      ...mandateEndpoints,
      ...eftOrderEndpoints,
      ...paymentLinkEndpoints,
      ...creditNoteEndpoints,
      ...customerEndpoints,
      ...gatewayEndpoints,
      ...invoiceEndpoints,
      ...quoteEndpoints,
      ...transactionEndpoints,
    ],
    {
      sandbox: true,
    },
  );
});
after(() => shop.close());

const another = () => addMerchant(shop.dashboard, { sandbox: true });

/** The file's rows by column. No cell of these tests has a comma, a quote or a line break in it. */
async function rowsOf(merchant: Merchant, path: string): Promise<Record<string, string>[]> {
  const { status, text } = await merchant.call("GET", `/exports/${path}`);
  assert.equal(status, 200, text);
  const [header = "", ...lines] = text.split("\r\n").slice(0, -1);
  const names = header.split(",");
  return lines.map((line) => Object.fromEntries(line.split(",").map((cell, at) => [names[at], cell])));
}

const KINDS = ["invoices", "transactions", "customers", "journal"] as const;

describe("an export", () => {
  test("is an attachment with a dated name, its columns named as the API's fields", async () => {
    const merchant = await another();
    const headers = {
      invoices:
        "id,number,status,externalReference,customerId,customerExternalReference,customerEmail,currency,issueDate,dueDate,subtotal,taxAmount,total,amountPaid,amountDue,sentAt,paidAt,createdAt,exchangeRate,exchangeDate,exchangeSource,taxAmountZar,totalZar",
      transactions:
        "reference,status,type,amount,fee,net,refundedAmount,currency,gateway,description,providerRef,payerEmail,customerId,externalReference,paymentLinkId,invoiceId,eftOrderId,flags,paidAt,createdAt",
      customers:
        "id,accountCode,externalReference,email,firstName,lastName,company,vatNumber,phone,address,active,standing,createdAt,updatedAt",
      journal: "entryId,occurredAt,kind,subject,description,line,account,customerId,amount,currency",
    };
    for (const kind of KINDS) {
      const answer = await merchant.call("GET", `/exports/${kind}.csv`);
      assert.equal(answer.status, 200);
      assert.equal(answer.text, `${headers[kind]}\r\n`);
      assert.equal(answer.headers["content-type"], "text/csv; charset=utf-8");
      assert.match(
        String(answer.headers["content-disposition"]),
        new RegExp(`^attachment; filename="${kind}-20\\d\\d-\\d\\d-\\d\\d\\.csv"`),
      );
      assert.equal(answer.headers["cache-control"], "private, no-store");
      assert.equal(answer.headers["x-content-type-options"], "nosniff");
    }
  });

  test("is for owner, admin and finance", async () => {
    for (const kind of KINDS) {
      for (const role of ["owner", "admin", "finance"] as const)
        assert.equal((await shop.call("GET", `/exports/${kind}.csv`, undefined, role)).status, 200, role);
      for (const role of ["support", "viewer"] as const) {
        const { status, body } = await shop.call("GET", `/exports/${kind}.csv`, undefined, role);
        assert.deepEqual([status, body["error"]], [403, "permission_required"], role);
      }
    }
  });

  test("of invalid days, or of an unknown status, is refused", async () => {
    for (const [query, path] of [
      ["from=2026-02-30", "from"],
      ["to=yesterday", "to"],
      ["from=", "from"],
    ] as const) {
      const answer = await shop.call("GET", `/exports/journal.csv?${query}`);
      assert.deepEqual([answer.status, issuePath(answer)], [400, [path]], query);
    }
    const answer = await shop.call("GET", "/exports/transactions.csv?status=lost");
    assert.deepEqual([answer.status, issuePath(answer)], [400, ["status"]]);
    assert.equal((await shop.call("GET", "/exports/passwords.csv")).status, 404);
  });

  test("never has another organisation's rows", async () => {
    const [one, two] = [await another(), await another()];
    for (const merchant of [one, two]) {
      await merchant.call("POST", "/customers", { email: `customer@${merchant.organisation.slug}.example` });
      await addPayment(merchant, {});
      await addInvoice(merchant, { externalReference: merchant.organisation.slug });
    }
    for (const kind of KINDS) {
      const { text } = await one.call("GET", `/exports/${kind}.csv`);
      assert.equal(text.includes(two.organisation.slug), false, kind);
      assert.equal(text.includes(one.organisation.slug), true, kind);
    }
  });
});

describe("an export of a list", () => {
  test("is newest first, has every filter of the list and no other record, for who may export", async () => {
    const [merchant, other] = [await another(), await another()];
    const quote = async (of: Merchant, email: string) => {
      const customer = await of.call("POST", "/customers", { email });
      const lineItems = [{ description: "Planks", quantity: 2, unitPrice: 50, taxRate: 0 }];
      const made = await of.call("POST", "/quotes", { customerId: customer.body["id"], lineItems });
      assert.equal(made.status, 201, made.text);
      return { customer: String(customer.body["id"]), id: made.body["id"] };
    };
    const [first, second] = [await quote(merchant, "a@example.com"), await quote(merchant, "b@example.com")];
    await quote(other, "a@example.com");
    const ids = async (query: string) => (await rowsOf(merchant, `quotes.csv${query}`)).map(({ id }) => id);
    assert.deepEqual(await ids(""), [second.id, first.id]);
    assert.deepEqual(await ids(`?customerId=${first.customer}`), [first.id]);
    assert.deepEqual(await ids("?q=b@example.com"), [second.id]);
    assert.deepEqual(await ids("?status=sent"), []);
    const [row] = await rowsOf(merchant, "quotes.csv");
    assert.deepEqual([row?.["number"], row?.["status"], row?.["total"]], ["QUO-000002", "draft", "100.00"]);
    assert.equal((await merchant.call("GET", "/exports/quotes.csv", undefined, "viewer")).status, 403);
  });

  const HEADERS = {
    "credit-notes": "id,number,status,customerId,",
    "payment-links": "id,title,description,active,amount,",
    "eft-orders": "id,reference,status,amount,",
    mandates: "id,accountReference,status,stage,",
    "customer-subscriptions": "id,status,customerId,",
  };
  for (const [kind, header] of Object.entries(HEADERS))
    test(`of ${kind} has columns named as the API's fields, also where a filter finds nothing`, async () => {
      const merchant = await another();
      for (const query of ["", "?q=nobody"]) {
        const { status, text } = await merchant.call("GET", `/exports/${kind}.csv${query}`);
        assert.equal(status, 200, text);
        assert.ok(text.startsWith(header) && text.endsWith("createdAt\r\n"), text);
      }
    });
});

test("customers' names stay text, in every script, and are no formula", async () => {
  const merchant = await another();
  await merchant.call("POST", "/customers", {
    firstName: '=HYPERLINK("https://evil.example";"Open")',
    lastName: "كتب 📚",
    company: 'Nkosi, "Sons" & Daughters',
    address: "12 Church Street\nPrince Albert",
    phone: "+27 82 123 4567",
    email: "thandi@example.co.za",
  });
  const { text } = await merchant.call("GET", "/exports/customers.csv");
  assert.ok(
    text.includes(
      `,,thandi@example.co.za,"'=HYPERLINK(""https://evil.example"";""Open"")",كتب 📚,"Nkosi, ""Sons"" & Daughters",,'+27 82 123 4567,"12 Church Street\nPrince Albert",true,good,`,
    ),
    text,
  );
});

/** Inserts a payment with its journal entry; its description names the organisation. */
async function addPayment(merchant: Merchant, facts: Partial<Transaction>): Promise<Transaction> {
  const { body } = await merchant.call("POST", "/gateways", { type: "sandbox", name: newId("gw") });
  const id = newId("txn");
  const transaction = newTransaction({
    id,
    reference: id.toUpperCase(),
    amount: cents(123450),
    currency: "ZAR",
    type: "once",
    gatewayAccountId: body["id"] as GatewayAccountId,
    gatewayType: "sandbox",
    sandbox: true,
    description: merchant.organisation.slug,
    createdAt: instant("2026-11-20T10:00:00Z"),
    ...facts,
  });
  await merchant.dashboard.services.db.transaction(merchant.organisation.id, async (tx) => {
    insertTransaction(tx, transaction);
    postEntry(tx, {
      kind: "payment",
      subject: transaction.reference,
      occurredAt: transaction.createdAt,
      description: merchant.organisation.slug,
      currency: "ZAR",
      postings: [
        { account: "gateway_clearing", amount: cents(123450), customerId: null },
        { account: "revenue", amount: cents(-123450), customerId: null },
      ],
    });
  });
  return transaction;
}

/** Inserts a draft invoice of R 115.00 for a new customer. */
async function addInvoice(merchant: Merchant, facts: Partial<Invoice>): Promise<void> {
  const { body } = await merchant.call("POST", "/customers", { email: `${newId("cus")}@example.co.za` });
  const id = newId("inv");
  const at = instant("2026-11-20T10:00:00Z");
  const item = {
    description: "Atlas",
    details: null,
    quantity: "1" as Decimal,
    unitPrice: "100" as Decimal,
    taxRate: "15" as Decimal,
    periodStart: null,
    periodEnd: null,
  };
  const invoice: Invoice = {
    ...priceLines([item], false, "lines"),
    id,
    number: `INV-${id.slice(-6)}`,
    status: "draft",
    deposit: ZERO,
    externalReference: null,
    customer: { id: body["id"] as CustomerId, externalReference: null, email: null },
    currency: "ZAR",
    exchange: null,
    awaitsExchange: false,
    issueDate: "2026-11-20" as CalendarDay,
    dueDate: null,
    taxInclusive: false,
    paid: ZERO,
    notes: null,
    metadata: {},
    periodStart: null,
    periodEnd: null,
    charge: null,
    cycle: null,
    quoteId: null,
    payLinkId: null,
    issuedAt: null,
    editedAt: null,
    sentAt: null,
    paidAt: null,
    cancelledAt: null,
    createdAt: at,
    updatedAt: at,
    ...facts,
  };
  await merchant.dashboard.services.db.transaction(merchant.organisation.id, async (tx) =>
    insertInvoices(tx, [invoice]),
  );
}

test("money is decimal text, below zero too; times are ISO", async () => {
  const merchant = await another();
  const { reference } = await addPayment(merchant, { externalReference: "-order" });
  const [payment, ...none] = await rowsOf(merchant, "transactions.csv");
  assert.deepEqual(none, []);
  const { amount, fee, net, refundedAmount, externalReference, createdAt } = payment ?? {};
  assert.deepEqual([amount, fee, net, refundedAmount, externalReference], ["1234.50", "", "", "0.00", "'-order"]);
  assert.equal(createdAt, "2026-11-20T10:00:00.000Z");
  const journal = await rowsOf(merchant, "journal.csv");
  assert.deepEqual(
    journal.map(({ kind, subject, line, account, amount, currency, occurredAt }) => [
      kind,
      subject,
      line,
      account,
      amount,
      currency,
      occurredAt,
    ]),
    [
      ["payment", reference, "1", "gateway_clearing", "1234.50", "ZAR", "2026-11-20T10:00:00.000Z"],
      ["payment", reference, "2", "revenue", "-1234.50", "ZAR", "2026-11-20T10:00:00.000Z"],
    ],
  );
});

test("days are South African and both included; a status is one of its own", async () => {
  const merchant = await another();
  const begun = {
    before: "2026-10-31T21:59:59.999Z",
    first: "2026-10-31T22:00:00Z",
    last: "2026-11-30T21:59:59.999Z",
    after: "2026-11-30T22:00:00Z",
  };
  for (const [name, at] of Object.entries(begun))
    await addPayment(merchant, { externalReference: name, createdAt: instant(at) });
  const found = async (query: string) =>
    (await rowsOf(merchant, `transactions.csv?${query}`)).map(({ externalReference }) => externalReference);
  assert.deepEqual(await found("from=2026-11-01&to=2026-11-30"), ["first", "last"]);
  assert.deepEqual(await found("from=2026-11-01"), ["first", "last", "after"]);
  assert.deepEqual(await found("to=2026-10-31"), ["before"]);
  assert.deepEqual(await found("from=2026-11-30&to=2026-11-01"), []);
  assert.deepEqual(await found("status=pending&to=2026-10-31"), ["before"]);
  assert.deepEqual(await found("status=complete"), []);
  assert.equal((await rowsOf(merchant, "journal.csv?from=2026-11-01&to=2026-11-30")).length, 4);
  assert.equal((await rowsOf(merchant, "customers.csv?to=2026-11-01")).length, 0);
});

test("invoices are told by their issue date, with what is paid and what is due", async () => {
  const merchant = await another();
  const days = ["2026-10-31", "2026-11-01", "2026-11-30", "2026-12-01"] as CalendarDay[];
  for (const issueDate of days) await addInvoice(merchant, { externalReference: issueDate, issueDate });
  const rows = await rowsOf(merchant, "invoices.csv?from=2026-11-01&to=2026-11-30&status=draft");
  assert.deepEqual(
    rows.map(({ issueDate }) => issueDate),
    ["2026-11-01", "2026-11-30"],
  );
  assert.deepEqual(await rowsOf(merchant, "invoices.csv?status=paid"), []);
  const { id, number, customerId, customerEmail, createdAt, ...rest } = rows[0] ?? {};
  assert.match(`${id} ${number} ${customerId}`, /^inv_\w+ INV-\w+ cus_\w+$/);
  assert.match(`${customerEmail} ${createdAt}`, /^\S+@\S+ 2026-11-20T10:00:00\.000Z$/);
  assert.deepEqual(rest, {
    status: "draft",
    externalReference: "2026-11-01",
    customerExternalReference: "",
    currency: "ZAR",
    issueDate: "2026-11-01",
    dueDate: "",
    subtotal: "100.00",
    taxAmount: "15.00",
    total: "115.00",
    amountPaid: "0.00",
    amountDue: "115.00",
    sentAt: "",
    paidAt: "",
    exchangeRate: "",
    exchangeDate: "",
    exchangeSource: "",
    taxAmountZar: "",
    totalZar: "",
  });
});

test("20 000 rows are sent as the client reads them, each once and in order", async () => {
  const merchant = await another();
  const admin = new pg.Client({ connectionString: merchant.dashboard.databaseUrl });
  await admin.connect();
  await admin.query(
    `insert into customers (organisation_id, id, account_code, email, active, metadata, standing, created_at, updated_at)
     select $1, 'cus_' || lpad(n::text, 26, '0'), 'C' || n, 'n' || n || '@example.co.za', true, '{}', 'good', now(), now()
       from generate_series(1, 20000) n`,
    [merchant.organisation.id],
  );
  await admin.end();
  let reads = 0;
  const { db } = merchant.dashboard.services;
  const counting: Database = {
    ...db,
    read: (organisation, work) => {
      reads += 1;
      return db.read(organisation, work);
    },
  };
  const csv = await customersCsv(
    { db: counting },
    contextFor(merchant.dashboard.services, merchant.organisation, SYSTEM),
    {},
  );
  let text = "";
  for await (const chunk of csv) {
    text += String(chunk);
    const taken = text.split("\r\n").length - 2;
    assert.ok(reads * 500 <= taken + 1500, `${reads} batches were read when ${taken} rows were taken`);
  }
  const emails = text
    .split("\r\n")
    .slice(1, -1)
    .map((line) => line.split(",")[3]);
  assert.deepEqual(
    emails,
    Array.from({ length: 20_000 }, (_, n) => `n${n + 1}@example.co.za`),
  );
  const { text: overHttp } = await merchant.call("GET", "/exports/customers.csv");
  assert.equal(overHttp, text);
});
