import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { issuePaths, openApi, type Refusal, type TestApi } from "../support/api.ts";
import { type InvoiceAnswer, type Invoicing, openInvoicing } from "../support/invoices.ts";
import { readPdf } from "../support/pdf.ts";
import { closeVerified } from "../support/verified.ts";

/* The deposit of a quote, and of the invoice into which it is converted (interface 2.6). */

interface Quote {
  readonly id: string;
  readonly total: number;
  readonly deposit?: object;
  readonly depositAmount?: number;
}
type Invoice = InvoiceAnswer & { readonly depositAmount?: number };

let api: TestApi;
let shop: Invoicing;
before(async () => {
  api = await openApi();
  shop = await openInvoicing(api);
});
after(() => closeVerified(api));

const LINES = [{ description: "Kitchen", quantity: 1, unitPrice: 1000 }];
const create = <T = Quote>(fields: object) =>
  shop.merchant.post<T>("/quotes", { customerId: shop.customerId, lineItems: LINES, ...fields });
const quoteOf = async (fields: object): Promise<Quote> => {
  const { status, body } = await create(fields);
  assert.equal(status, 201, JSON.stringify(body));
  return body;
};
const patch = <T = Quote>(id: string, body: object) => shop.merchant.call<T>("PATCH", `/quotes/${id}`, { body });
const convert = async (id: string): Promise<Invoice> =>
  (await shop.merchant.post<{ invoice: Invoice }>(`/quotes/${id}/convert`, {})).body.invoice;
const plain = (text: string) => text.replaceAll("\u00a0", " ");

describe("a quote's deposit", () => {
  test("is given in percent or as an amount, and shown with what it comes to, VAT included", async () => {
    for (const [deposit, amount] of [
      [{ percent: 50 }, 575],
      [{ percent: 33.3333 }, 383.33],
      [{ amount: 250 }, 250],
      [{ amount: 1150 }, 1150],
    ] as const) {
      const quote = await quoteOf({ deposit });
      assert.deepEqual([quote.deposit, quote.depositAmount, quote.total], [deposit, amount, 1150]);
    }
    const none = await quoteOf({});
    assert.ok(!("deposit" in none) && !("depositAmount" in none));
  });

  test("is refused above the total, of nothing, or twice given; nothing is written", async () => {
    const count = async () => (await api.query<{ n: number }>("select count(*)::int as n from quotes"))[0]?.n;
    const was = await count();
    for (const [deposit, path] of [
      [{ amount: 1150.01 }, "deposit.amount"],
      [{ amount: 0 }, "deposit.amount"],
      [{ amount: -5 }, "deposit.amount"],
      [{ percent: 101 }, "deposit.percent"],
      [{ percent: 0 }, "deposit.percent"],
      [{ percent: 10, amount: 5 }, "deposit"],
      [{}, "deposit"],
      ["half", "deposit"],
    ] as const) {
      const refused = await create<Refusal>({ deposit });
      assert.deepEqual([refused.status, issuePaths(refused)], [400, [path]], JSON.stringify(deposit));
    }
    assert.equal(await count(), was);
  });

  test("in percent follows the lines, as an amount it stays, and null takes it off", async () => {
    const half = await quoteOf({ deposit: { percent: 50 } });
    const lineItems = [{ ...LINES[0], unitPrice: 400 }];
    assert.equal((await patch(half.id, { lineItems })).body.depositAmount, 230);
    const fixed = await quoteOf({ deposit: { amount: 500 } });
    const refused = await patch<Refusal>(fixed.id, { lineItems });
    assert.deepEqual([refused.status, issuePaths(refused)], [400, ["deposit.amount"]]);
    assert.equal((await patch(fixed.id, { notes: "Paint" })).body.depositAmount, 500);
    assert.ok(!("deposit" in (await patch(fixed.id, { deposit: null, lineItems })).body));
  });

  test("stands on its page, in its mail and on its PDF", async () => {
    const owner = await shop.merchant.signIn("owner");
    const body = { customerId: shop.customerId, lineItems: LINES, deposit: { percent: 50 } };
    const { body: preview } = await owner<{ page: string; mail: { html: string }; pdf: string }>(
      "POST",
      "/quotes/preview",
      body,
    );
    const pdf = readPdf(Buffer.from(preview.pdf, "base64")).text;
    for (const shown of [preview.page, preview.mail.html, pdf])
      assert.match(plain(shown), /Deposit due first.*?R 575\.00/s);
  });
});

describe("the invoice of a quote with a deposit", () => {
  const invoiced = async (deposit: object) => {
    const { id } = await quoteOf({ deposit });
    const draft = await convert(id);
    const { body } = await shop.act<Invoice>(draft.id, "send");
    return body;
  };
  const pageOf = async ({ payUrl }: Invoice) => plain((await api.call("GET", new URL(payUrl ?? "").pathname)).text);

  test("keeps the amount, and its page asks for that first, then for the rest", async () => {
    const invoice = await invoiced({ percent: 50 });
    assert.deepEqual([invoice.depositAmount, invoice.total, invoice.amountDue], [575, 1150, 1150]);
    const first = await pageOf(invoice);
    assert.match(first, /<summary>Pay the deposit<\/summary>/);
    assert.match(first, /value="575\.00" id="amount"/);
    assert.match(first, /Deposit due first/);
    await shop.payOffline(invoice.id, 200);
    assert.match(await pageOf(invoice), /value="375\.00" id="amount"/);
    await shop.payOffline(invoice.id, 375);
    const rest = await pageOf(invoice);
    assert.match(rest, /<summary>Pay a part of it<\/summary>/);
    assert.doesNotMatch(rest, /Deposit due first/);
    assert.match(rest, />Pay R 575\.00<\/button>/);
    assert.equal(((await shop.show(invoice.id)) as Invoice).depositAmount, 575);
  });

  test("whose deposit is all of it asks for the whole", async () => {
    const page = await pageOf(await invoiced({ percent: 100 }));
    assert.match(page, /<summary>Pay a part of it<\/summary>/);
  });

  test("that is changed as a draft asks for no more than it comes to; a duplicate has none", async () => {
    const { id } = await quoteOf({ deposit: { percent: 50 } });
    const draft = await convert(id);
    const body = { lines: [{ description: "Sink", quantity: 1, unitPrice: 100 }] };
    const { body: changed } = await shop.merchant.call<Invoice>("PATCH", `/invoices/${draft.id}`, { body });
    assert.deepEqual([changed.total, changed.depositAmount], [115, 115]);
    const copy = await shop.merchant.post<Invoice>(`/invoices/${draft.id}/duplicate`, undefined);
    assert.ok(!("depositAmount" in copy.body));
  });
});
