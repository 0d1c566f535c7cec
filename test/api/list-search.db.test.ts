import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openApi, type StaffCall, type TestApi } from "../support/api.ts";
import { addOrder, addTransfers } from "../support/eft.ts";
import { EXCHANGE } from "../support/invoices.ts";

/* The search of lists, and exports of what a list shows. */

let api: TestApi;
let staff: StaffCall;
const customers = { zanele: "", other: "" };
before(async () => {
  api = await openApi();
  const shop = await api.addMerchant();
  staff = await shop.signIn("owner");
  await addTransfers(shop);
  const add = async (fields: object) => (await shop.post<{ id: string }>("/customers", fields)).body.id;
  customers.zanele = await add({
    firstName: "Zanele",
    lastName: "Qwabe",
    email: "zq@example.co.za",
    phone: "+27 82 555 0199",
  });
  customers.other = await add({ company: "Karoo Saws", email: "saws@example.co.za" });
  for (const [customerId, unitPrice] of [
    [customers.zanele, 1234.5],
    [customers.other, 77],
  ] as const) {
    const line = { description: "Work", quantity: 1, unitPrice, taxRate: 0 };
    const bill = await shop.post<{ id: string }>("/invoices", { customerId, lines: [line], send: true });
    assert.equal(bill.status, 201, bill.text);
    assert.equal((await shop.post("/quotes", { customerId, lineItems: [line] })).status, 201);
    const credit = { customerId, amount: unitPrice, taxRate: 0, reason: "Goodwill" };
    assert.equal((await staff("POST", "/credit-notes", credit)).status, 201);
    await addOrder(shop, { amount: unitPrice, customer: { id: customerId } });
  }
  const link = { title: "Work", amount: 55.5, customerId: customers.zanele };
  assert.equal((await shop.post("/payment-links", link)).status, 201);
});
after(() => api.close());

const LISTS = ["/invoices", "/quotes", "/credit-notes", "/eft-orders"];
const count = async (path: string, q: string) => {
  const { status, body } = await staff<{ data: unknown[] }>("GET", `${path}?q=${encodeURIComponent(q)}`);
  assert.equal(status, 200);
  return body.data.length;
};

for (const [what, q, found] of [
  ["a name, however it is written", "qwabe ZANELE", 1],
  ["how a name begins", "Zan", 1],
  ["an e-mail address", "zq@example.co.za", 1],
  ["a telephone number, in digits alone", "0825550199", 1],
  ["a telephone number with its country", "+27825550199", 1],
  ["a telephone number as it was written", "+27 82 555 0199", 1],
  ["an amount as people write it", "R 1 234,50", 1],
  ["an amount that none has", "1234.51", 0],
  ["a name that nobody has", "Nobodyhasthis", 0],
  ["a sign of patterns", "%", 0],
  ["a quotation mark", "'", 0],
] as const)
  test(`lists are searched by ${what}`, async () => {
    for (const path of LISTS) assert.equal(await count(path, q), found, path);
  });

test("payment links and payments are found by amount and by the customer", async () => {
  assert.equal(await count("/payment-links", "55.50"), 1);
  // An EFT order is a payment that is awaited.
  for (const q of ["zanele", "1234.50"]) assert.equal(await count("/transactions", q), 1, q);
  assert.equal(await count("/transactions", "qwabe karoo"), 0);
});

test("an export has what its list shows, whatever filters are chosen", async () => {
  const rows = async (path: string) => (await staff("GET", `/exports/${path}`)).text.trim().split("\r\n").length - 1;
  for (const [path, expected] of [
    ["invoices.csv", 2],
    ["invoices.csv?q=zanele", 1],
    ["invoices.csv?q=77", 1],
    [`invoices.csv?customerId=${customers.other}`, 1],
    ["invoices.csv?owing=open", 0],
    ["invoices.csv?status=paid", 2],
    ["invoices.csv?status=paid&q=nobody", 0],
    ["customers.csv?q=karoo", 1],
    ["customers.csv?email=ZQ@example.co.za", 1],
    ["transactions.csv?risk=at_risk", 0],
    [`transactions.csv?customerId=${customers.other}&q=77`, 1],
    [`transactions.csv?customerId=${customers.other}&q=zanele`, 0],
  ] as const)
    assert.equal(await rows(path), expected, path);
});

test("records of a currency are found, and what is owed page by page, newest first", async () => {
  type Page = { data: { id: string; currency: string; status: string }[]; hasMore: boolean };
  const list = async (query: string) => (await staff<Page>("GET", `/invoices?${query}`)).body.data;
  const line = { description: "Work", quantity: 1, unitPrice: 9, taxRate: 0 };
  const make = async (fields: object) => {
    const bill = { customerId: customers.other, lines: [line], send: true, ...fields };
    return (await staff<{ id: string }>("POST", "/invoices", bill)).body.id;
  };
  const foreign = await make({ currency: "USD", exchange: EXCHANGE });
  const part = await make({});
  const paid = await staff("POST", `/invoices/${part}/payments`, { amount: 4, method: "cash" });
  assert.equal(paid.status, 201, paid.text);
  await make({ send: false });
  const [all, rand] = await Promise.all([list(""), list("currency=ZAR")]);
  assert.deepEqual(
    (await list("currency=USD")).map(({ id }) => id),
    [foreign],
  );
  assert.deepEqual(
    rand,
    all.filter(({ currency }) => currency === "ZAR"),
  );
  const owed = all.filter(({ status }) => status === "sent" || status === "partially_paid").map(({ id }) => id);
  const states = new Set(all.map(({ status }) => status));
  assert.ok(["draft", "sent", "partially_paid"].every((status) => states.has(status)));
  const pages: string[] = [];
  for (let last = ""; ; last = `&startingAfter=${pages.at(-1)}`) {
    const page = await list(`owing=open&limit=1${last}`);
    if (page.length === 0) break;
    pages.push(...page.map(({ id }) => id));
  }
  assert.deepEqual(pages, owed);
  assert.deepEqual(await list("owing=overdue"), []);
});
