import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type ApiMerchant, openApi, type Refusal, type TestApi } from "../support/api.ts";
import { LINE, openQuoting, type QuoteAnswer, type Quoting } from "../support/quotes.ts";

interface InvoiceAnswer {
  readonly id: string;
  readonly number: string;
  readonly status: string;
  readonly lines: readonly Readonly<Record<string, unknown>>[];
  readonly [field: string]: unknown;
}
interface Converted {
  readonly quote: QuoteAnswer;
  readonly invoice: InvoiceAnswer;
}

let api: TestApi;
let shop: Quoting;
before(async () => {
  api = await openApi();
  shop = await openQuoting(api);
});
after(() => api.close());

const convert = (key: string, body?: object, merchant: ApiMerchant = shop.merchant) =>
  merchant.post<Converted>(`/quotes/${key}/convert`, body);

test("201 with both, linked to each other; quote.invoiced and invoice.created", async () => {
  const period = { periodStart: "2027-04-01", periodEnd: "2027-04-30" };
  const item = { ...LINE, details: "Two coats", ...period };
  const { body: quote } = await shop.create({ lineItems: [item], ...period, notes: "Order 7", send: true });
  const { status, body } = await convert(quote.number);
  assert.equal(status, 201, JSON.stringify(body));
  const { id, number } = body.invoice;
  assert.deepEqual(body.quote, {
    ...quote,
    status: "invoiced",
    invoice: { id, number, status: "draft", externalReference: null },
  });
  const { lines, customer, dueDate, issueDate, subtotal, taxAmount, total, notes, currency, payUrl } = body.invoice;
  assert.deepEqual(
    { lines, customer, dueDate, issueDate, subtotal, taxAmount, total, notes, currency, status: body.invoice.status },
    {
      lines: [{ ...item, taxRate: 15, amount: 100 }],
      customer: quote["customer"],
      issueDate: "2027-02-28T22:00:00.000Z",
      dueDate: "2027-03-14T22:00:00.000Z",
      subtotal: 100,
      taxAmount: 15,
      total: 115,
      notes: "Order 7",
      currency: "ZAR",
      status: "draft",
    },
  );
  assert.deepEqual([body.invoice["periodStart"], body.invoice["periodEnd"]], [period.periodStart, period.periodEnd]);
  assert.match(String(payUrl), new RegExp(`^${api.baseUrl}/pay/`));
  assert.deepEqual((await shop.merchant.get(`/invoices/${id}`)).body, body.invoice);
  assert.deepEqual((await shop.merchant.get(`/quotes/${quote.id}`)).body, body.quote);
  assert.deepEqual((await shop.eventsOf(quote.id)).at(-1), { type: "quote.invoiced", data: body.quote });
  assert.deepEqual(await shop.eventsOf(id), [{ type: "invoice.created", data: body.invoice }]);
});

describe("dueDays", () => {
  for (const [given, dueDate] of [
    [0, "2027-02-28T22:00:00.000Z"],
    [1, "2027-03-01T22:00:00.000Z"],
    [365, "2028-02-28T22:00:00.000Z"],
  ] as const)
    test(`${given}: ${dueDate}`, async () => {
      const { body } = await convert((await shop.create()).body.id, { dueDays: given });
      assert.equal(body.invoice["dueDate"], dueDate);
    });

  test("default: the organisation's", async () => {
    const own = await openQuoting(api);
    const owner = await own.merchant.signIn();
    await owner("PATCH", "/settings", { dueDays: 30, invoiceTerms: "Pay by bank transfer." });
    const { body } = await convert((await own.create()).body.id, undefined, own.merchant);
    assert.deepEqual(
      [body.invoice["dueDate"], body.invoice["notes"]],
      ["2027-03-30T22:00:00.000Z", "Pay by bank transfer."],
    );
  });

  for (const dueDays of [-1, 366, 1.5, "14", 1e21, null])
    test(`400: ${dueDays}`, async () => {
      const { body: quote } = await shop.create();
      const { status, body } = await shop.merchant.post<Refusal>(`/quotes/${quote.id}/convert`, { dueDays });
      assert.deepEqual([status, body.error], [400, "invalid_request"]);
      assert.deepEqual((await shop.merchant.get(`/quotes/${quote.id}`)).body, quote);
    });
});

test("a tax-inclusive quote becomes net lines whose total is its gross to the cent", async () => {
  const lineItems = [
    { description: "a", quantity: 3, unitPrice: 33.33 },
    { description: "b", quantity: 7, unitPrice: 0.99, taxRate: 15.5 },
    { description: "c", quantity: 1, unitPrice: 0.01 },
  ];
  const { body: quote } = await shop.create({ taxInclusive: true, lineItems });
  const { body } = await convert(quote.id);
  const { subtotal, taxAmount, total, lines } = body.invoice;
  assert.deepEqual([subtotal, taxAmount, total], [quote.subtotal, quote.taxAmount, 106.93]);
  assert.equal(total, quote.total);
  const cents = lines.reduce((sum, line) => sum + Math.round(Number(line["amount"]) * 100), 0);
  assert.equal(cents, Math.round(Number(subtotal) * 100));
});

test("no pay link when no gateway takes the currency", async () => {
  const { body } = await convert((await shop.create({ currency: "JPY" })).body.id);
  assert.deepEqual([body.invoice["currency"], body.invoice["payUrl"]], ["JPY", null]);
});

test("the quote shows what becomes of its invoice", async () => {
  const { body } = await convert((await shop.create()).body.id);
  await shop.merchant.post(`/invoices/${body.invoice.id}/send`, undefined);
  const { body: quote } = await shop.merchant.get<QuoteAnswer>(`/quotes/${body.quote.id}`);
  assert.equal(quote.invoice?.["status"], "sent");
});

test("12 conversions at once make one invoice", async () => {
  const { body: quote } = await shop.create({ send: true });
  const answers = await Promise.all(Array.from({ length: 12 }, () => convert(quote.id)));
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, ...Array.from({ length: 11 }, () => 400)]);
  const rows = await api.query("select 1 from invoices where quote_id = $1", quote.id);
  assert.equal(rows.length, 1);
});

test("an Idempotency-Key makes one invoice, and answers it again", async () => {
  const { body: quote } = await shop.create();
  const sent = { headers: { "idempotency-key": "convert-1" } };
  const first = await shop.merchant.post(`/quotes/${quote.id}/convert`, {}, sent);
  const again = await shop.merchant.post(`/quotes/${quote.id}/convert`, {}, sent);
  assert.deepEqual([again.status, again.text], [201, first.text]);
});
