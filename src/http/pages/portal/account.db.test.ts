import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { EXCHANGE } from "../../../../test/support/invoices.ts";
import { openPages, type PageMerchant, pressSignIn, type TestPages } from "../../../../test/support/pages.ts";
import type { Ctx } from "../../../flows/context.ts";
import { createCreditNote } from "../../../flows/credit-notes/issue-credit-note.ts";
import { upsertCustomer } from "../../../flows/customers/save-customer.ts";
import { cancelInvoice } from "../../../flows/invoices/cancel-invoice.ts";
import { createInvoice } from "../../../flows/invoices/create-invoice.ts";
import { recordOfflinePayment } from "../../../flows/invoices/record-offline-payment.ts";
import { issuePortalLink } from "../../../flows/portal-access/issue-portal-link.ts";
import { createQuote } from "../../../flows/quotes/create-quote.ts";
import { cents } from "../../../kernel/money.ts";
import { addDays, calendarDay, type Instant, instant } from "../../../kernel/time.ts";
import { CreditNoteCreate } from "../../../modules/credit-notes/schema.ts";
import { InvoiceCreate } from "../../../modules/invoices/schema.ts";
import { setClock } from "../../../modules/organisations/store.ts";
import { QuoteCreate } from "../../../modules/quotes/schema.ts";
import type { Tx } from "../../../platform/database.ts";

let pages: TestPages;
let shop: Shop;
before(async () => {
  pages = await openPages();
  shop = await openShop();
});
after(() => pages.close());

interface Shop extends PageMerchant {
  readonly home: string;
  inTx<T>(work: (tx: Tx, ctx: Ctx) => Promise<T>): Promise<T>;
  /** The cookie of a new session, which lasts 12 hours of the clock. */
  signIn(customerId: string): Promise<string>;
  addCustomer(): Promise<{ id: string; cookie: string }>;
  /** Creates an invoice with one line of `rand` without VAT; it is sent unless `body` says otherwise. */
  invoice(customerId: string, rand: number, body?: Record<string, unknown>): Promise<{ id: string; number: string }>;
}

let number = 0;
async function openShop(): Promise<Shop> {
  const merchant = await pages.addMerchant();
  const { id: organisation, slug } = merchant.organisation;
  const home = `/portal/${slug}`;
  const inTx: Shop["inTx"] = async (work) => {
    const ctx = await merchant.ctx();
    return pages.services.db.transaction(organisation, (tx) => work(tx, ctx));
  };
  const signIn: Shop["signIn"] = async (customerId) => {
    const link = await inTx((tx, ctx) => issuePortalLink(tx, ctx, customerId, { email: false }));
    const opened = await pressSignIn(pages, new URL(link?.url ?? "").pathname);
    return (opened.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? "";
  };
  return {
    ...merchant,
    home,
    inTx,
    signIn,
    addCustomer: async () => {
      const email = `c${number++}@example.co.za`;
      const { customer } = await inTx((tx, ctx) => upsertCustomer(tx, ctx, { email, firstName: "Thandi" }));
      return { id: customer.id, cookie: await signIn(customer.id) };
    },
    invoice: async (customerId, rand, body = {}) => {
      const lines = [{ description: "Atlas", quantity: 1, unitPrice: rand }];
      const asked = InvoiceCreate.parse({ customerId, lines, send: true, ...body });
      return (await inTx((tx, ctx) => createInvoice(tx, ctx, asked))).invoice;
    },
  };
}

const creditOf = (merchant: Shop, customerId: string, amount: number, reason: string) =>
  merchant.inTx((tx, ctx) => createCreditNote(tx, ctx, CreditNoteCreate.parse({ customerId, amount, reason })));
const pay = (merchant: Shop, invoice: string, rand: number) =>
  merchant.inTx((tx, ctx) =>
    recordOfflinePayment(tx, ctx, invoice, {
      amount: cents(rand * 100),
      method: "eft",
      reference: null,
      paidAt: null,
    }),
  );
const at = (merchant: Shop, moment: string): Promise<void> =>
  merchant.inTx(async (tx) => setClock(tx, instant(moment) as Instant));

/** The text of the page without its tags. */
const words = (text: string): string =>
  text
    .replace(/<[^>]*>/g, " ")
    .replaceAll("\u00a0", " ")
    .replace(/\s+/g, " ");

describe("a signed-in customer", () => {
  test("sees open invoices by their due date, with what is open, and a way to pay each", async () => {
    const { id, cookie } = await shop.addCustomer();
    const today = calendarDay((await shop.ctx()).now);
    const later = await shop.invoice(id, 200, { dueDate: addDays(today, 30) });
    const late = await shop.invoice(id, 100, { issueDate: addDays(today, -30), dueDate: addDays(today, -1) });
    const draft = await shop.invoice(id, 50, { send: false });
    const stranger = await shop.invoice((await shop.addCustomer()).id, 70);
    await pay(shop, late.id, 15);
    const page = await pages.get(shop.home, { cookie });
    const seen = words(page.text);
    assert.match(
      seen,
      new RegExp(`To pay R 330\\.00 Invoice ${late.number} R 100\\.00 .*Was due .* R 15\\.00 of R 115\\.00 is paid`),
    );
    assert.match(seen, new RegExp(`Invoice ${late.number} .*Invoice ${later.number} R 230\\.00`));
    for (const { number } of [draft, stranger]) assert.ok(!seen.includes(number), number);
    const links = [...page.text.matchAll(/href="([^"]*\/pay\/[^"]*)"/g)].map(([, url]) => url ?? "");
    assert.equal(links.length, 2, "each once, though its link is the customer's too");
    assert.match((await pages.get(links[0] ?? "")).text, new RegExp(late.number));
  });

  test("sees what was paid or cancelled, which is not to pay", async () => {
    const { id, cookie } = await shop.addCustomer();
    const paid = await shop.invoice(id, 100);
    await pay(shop, paid.id, 115);
    const cancelled = await shop.invoice(id, 100);
    const unsent = await shop.invoice(id, 100, { send: false });
    for (const invoice of [cancelled, unsent]) await shop.inTx((tx, ctx) => cancelInvoice(tx, ctx, invoice.id, null));
    const seen = words((await pages.get(shop.home, { cookie })).text);
    assert.match(seen, /Nothing to pay/);
    assert.match(
      seen,
      new RegExp(
        `Past invoices Invoice ${cancelled.number} R 115\\.00 .*Cancelled Invoice ${paid.number} R 115\\.00 .*Paid`,
      ),
    );
    assert.ok(!seen.includes(unsent.number), "nobody sent it");
  });

  test("sees quotes that can be accepted, and gets to them", async () => {
    const { id, cookie } = await shop.addCustomer();
    const lineItems = [{ description: "Atlas", quantity: 1, unitPrice: 100 }];
    const quote = (body: Record<string, unknown>) =>
      shop.inTx((tx, ctx) => createQuote(tx, ctx, QuoteCreate.parse({ customerId: id, lineItems, ...body })));
    const open = await quote({ send: true });
    const draft = await quote({});
    const page = await pages.get(shop.home, { cookie });
    assert.match(words(page.text), new RegExp(`Quotes to answer Quote ${open.number} R 115\\.00`));
    assert.ok(!page.text.includes(draft.number));
    const [, url = ""] = /href="([^"]*\/quote\/[^"]*)"/.exec(page.text) ?? [];
    assert.equal((await pages.get(url)).heading, `Quote ${open.number}`);
  });

  test("sees what is owed in all, also of more invoices than are listed", async () => {
    const { id, cookie } = await shop.addCustomer();
    for (let sent = 0; sent < 101; sent++) await shop.invoice(id, 100);
    const page = await pages.get(shop.home, { cookie });
    assert.match(words(page.text), /To pay R 11 615\.00/);
  });

  test("sees credit, and the notes that made it", async () => {
    const { id, cookie } = await shop.addCustomer();
    const note = await creditOf(shop, id, 50, "A <b>copy</b> was damaged");
    const page = await pages.get(shop.home, { cookie });
    assert.match(words(page.text), new RegExp(`Credit R 50\\.00 .*Credit note ${note.number} R 50\\.00`));
    assert.match(page.text, /A &lt;b&gt;copy&lt;\/b&gt; was damaged/);
    assert.match(page.text, /Not used yet/);
  });
});

describe("documents", () => {
  test("are the customer's own, as attachments", async () => {
    const { id, cookie } = await shop.addCustomer();
    const invoice = await shop.invoice(id, 100);
    const note = await creditOf(shop, id, 10, "Returned");
    const files: readonly (readonly [path: string, name: string])[] = [
      [`/invoices/${invoice.id}/pdf`, invoice.number],
      [`/credit-notes/${note.id}/pdf`, note.number],
      ["/statement.pdf", "statement-.*"],
    ];
    for (const [path, name] of files) {
      const file = await pages.get(shop.home + path, { cookie });
      assert.equal(file.status, 200, path);
      assert.equal(file.headers.get("content-type"), "application/pdf");
      assert.match(file.headers.get("content-disposition") ?? "", new RegExp(`^attachment; filename="${name}\\.pdf"`));
      assert.equal(file.headers.get("cache-control"), "private, no-store");
      assert.match(file.text, /^%PDF-/);
      const signedOut = await pages.get(shop.home + path);
      assert.equal(signedOut.status, 303, path);
      assert.ok(signedOut.location.startsWith(shop.home));
    }
  });

  test("of others, drafts and unknown ones are 404", async () => {
    const { id, cookie } = await shop.addCustomer();
    const stranger = await shop.addCustomer();
    const elsewhere = await openShop();
    const there = await elsewhere.addCustomer();
    const paths = [
      `/invoices/${(await shop.invoice(id, 100, { send: false })).id}/pdf`,
      `/invoices/${(await shop.invoice(stranger.id, 100)).id}/pdf`,
      `/invoices/${(await elsewhere.invoice(there.id, 100)).id}/pdf`,
      `/credit-notes/${(await creditOf(shop, stranger.id, 10, "x")).id}/pdf`,
      "/invoices/inv_none/pdf",
      "/invoices/%00/pdf",
      "/credit-notes/cn_none/pdf",
    ];
    for (const path of paths) assert.equal((await pages.get(shop.home + path, { cookie })).status, 404, path);
    assert.equal(
      (await pages.get(`${elsewhere.home}${paths[2]}`, { cookie })).status,
      303,
      "another organisation's session",
    );
  });
});

describe("a statement", () => {
  test("has what was owed before, each movement with what was owed after it, and what is owed", async () => {
    const merchant = await openShop();
    const { id } = await merchant.addCustomer();
    await merchant.addCustomer().then((stranger) => merchant.invoice(stranger.id, 999));
    await at(merchant, "2027-01-31T21:59:59Z");
    const first = await merchant.invoice(id, 100);
    await at(merchant, "2027-01-31T22:00:00Z");
    const second = await merchant.invoice(id, 200);
    await pay(merchant, first.id, 115);
    await creditOf(merchant, id, 30, "A copy was damaged");
    await at(merchant, "2027-02-28T22:00:00Z");
    await merchant.invoice(id, 400);
    const now = await merchant.signIn(id);
    const page = await pages.get(`${merchant.home}/statement?from=2027-02-01&to=2027-02-28`, { cookie: now });
    assert.deepEqual([page.status, page.heading], [200, "Statement"]);
    const seen = words(page.text);
    assert.match(seen, /Owed before 1 February 2027 R 115\.00/);
    assert.match(seen, new RegExp(`Invoice ${second.number} R 230\\.00 1 February 2027 R 345\\.00`));
    assert.match(
      seen,
      new RegExp(`Payment of invoice ${first.number} \\(eft\\) -R 115\\.00 1 February 2027 R 230\\.00`),
    );
    assert.match(seen, /Credit note \S+: A copy was damaged -R 30\.00 1 February 2027 R 200\.00/);
    assert.doesNotMatch(
      seen,
      /applied to invoice/,
      "what only moves between credit and invoice is nothing owed or paid",
    );
    assert.match(seen, /Owed on 28 February 2027 R 200\.00/);
    const [, pdf = ""] = /href="([^"]*statement\.pdf[^"]*)"/.exec(page.text) ?? [];
    assert.match((await pages.get(pdf.replaceAll("&amp;", "&"), { cookie: now })).text, /^%PDF-/);
  });

  test("of an account in someone's favour says so; days without movements too", async () => {
    const { id, cookie } = await shop.addCustomer();
    await creditOf(shop, id, 50, "Returned");
    const seen = words((await pages.get(`${shop.home}/statement`, { cookie })).text);
    assert.match(seen, /In your favour on .* R 50\.00/);
    const before = words((await pages.get(`${shop.home}/statement?from=2020-01-01&to=2020-01-31`, { cookie })).text);
    assert.match(
      before,
      /Owed before 1 January 2020 R 0\.00 Nothing happened in these days\. Owed on 31 January 2020 R 0\.00/,
    );
  });

  test("is in rand unless another currency is asked for", async () => {
    const { id, cookie } = await shop.addCustomer();
    for (const currency of ["USD", "ZAR", "BWP"])
      await shop.invoice(id, 100, { currency, ...(currency === "ZAR" ? {} : { exchange: EXCHANGE }) });
    const page = await pages.get(`${shop.home}/statement`, { cookie });
    assert.match(words(page.text), /Show these days In BWP In USD .*Owed on .* R 115\.00/);
    const dollars = await pages.get(`${shop.home}/statement?currency=USD`, { cookie });
    assert.match(words(dollars.text), /Owed on .* USD 115\.00/);
  });

  test("of invalid, reversed or too many days shows the form again, in the page and for the PDF", async () => {
    const { cookie } = await shop.addCustomer();
    for (const query of [
      "from=2026-02-30&to=2026-03-31",
      "from=2026-03-01&to=%3Cscript%3E",
      "from=2026-03-02&to=2026-03-01",
      "from=2024-01-01&to=2026-01-01",
      "from=&to=",
    ]) {
      const page = await pages.get(`${shop.home}/statement?${query}`, { cookie });
      assert.equal(page.status, 400, query);
      assert.match(page.text, /aria-invalid="true"/);
      assert.doesNotMatch(page.text, /statement\.pdf|<script>/);
      const pdf = await pages.get(`${shop.home}/statement.pdf?${query}`, { cookie });
      assert.equal(pdf.status, 303, query);
      assert.equal((await pages.get(pdf.location, { cookie })).status, 400);
    }
    const twice = await pages.get(`${shop.home}/statement?from=2026-01-01&from=2026-02-01`, { cookie });
    assert.equal(twice.status, 200);
  });

  test("needs a session", async () => {
    const page = await pages.get(`${shop.home}/statement`);
    assert.deepEqual([page.status, page.location], [303, shop.home]);
    assert.equal((await pages.request("HEAD", `${shop.home}/statement`)).status, 303);
  });
});
