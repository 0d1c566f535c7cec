import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { issuePaths, openApi, type Refusal, type TestApi } from "../support/api.ts";
import {
  DUE,
  exempt,
  type InvoiceAnswer,
  type Invoicing,
  ISSUED,
  LINE,
  NOW,
  openInvoicing,
} from "../support/invoices.ts";
import { mailsOf } from "../support/mails.ts";
import { EMOJI, long } from "../support/text.ts";

const line = (fields: object) => [{ ...LINE, ...fields }];

let api: TestApi;
let shop: Invoicing;
before(async () => {
  api = await openApi();
  shop = await openInvoicing(api);
});
after(() => api.close());

const YEN = { rate: 0.12, date: "2027-02-26", source: "SARB" };

describe("201", () => {
  test("a body of the required fields gives the object of interface 2.5, a draft without event and mail", async () => {
    const { status, body } = await shop.create();
    assert.equal(status, 201, JSON.stringify(body));
    const { id, number, payUrl, ...rest } = body;
    assert.match(id, /^inv_[0-9a-z]{26}$/);
    assert.match(number, /^INV-\d{6}$/);
    assert.ok(payUrl?.startsWith(`${api.baseUrl}/pay/`), String(payUrl));
    assert.deepEqual(rest, {
      status: "draft",
      externalReference: null,
      customer: { id: shop.customerId, externalReference: "shop-17", email: "thandi@example.co.za" },
      currency: "ZAR",
      issueDate: ISSUED,
      dueDate: DUE,
      lines: [{ ...LINE, amount: 100, taxRate: 15 }],
      subtotal: 100,
      taxAmount: 15,
      total: 115,
      amountPaid: 0,
      amountDue: 115,
      paidAt: null,
      notes: null,
      metadata: {},
      createdAt: NOW,
      updatedAt: NOW,
    });
    assert.deepEqual(await shop.eventsOf(id), [], "invoice.created is sent by conversion only (interface 4.5)");
    assert.deepEqual(await shop.mailsOf(number), []);
    assert.equal((await fetch(payUrl ?? "")).status, 200);
  });

  test("every field is kept", async () => {
    const given = {
      externalReference: "order 7/A",
      issueDate: "2027-01-31",
      dueDate: "2027-02-28",
      notes: " Thank you.\nPay soon. ",
      metadata: { order: "7", paid: false },
      currency: "zar",
      lines: [
        { description: " Painting ", quantity: 0.125, unitPrice: 1234.567891, taxRate: 14.5 },
        { description: "Rent", quantity: 1, unitPrice: 10, taxRate: 0 },
      ],
    };
    const { body } = await shop.create({ ...given, customerId: undefined, customer: { externalReference: "shop-17" } });
    assert.deepEqual(
      { ...body, id: 0, number: 0, payUrl: 0 },
      {
        ...{ id: 0, number: 0, payUrl: 0, status: "draft", externalReference: "order 7/A" },
        customer: { id: shop.customerId, externalReference: "shop-17", email: "thandi@example.co.za" },
        ...{ currency: "ZAR", issueDate: "2027-01-30T22:00:00.000Z", dueDate: "2027-02-27T22:00:00.000Z" },
        lines: [
          { description: "Painting", quantity: 0.125, unitPrice: 1234.567891, taxRate: 14.5, amount: 154.32 },
          { description: "Rent", quantity: 1, unitPrice: 10, taxRate: 0, amount: 10 },
        ],
        ...{ subtotal: 164.32, taxAmount: 22.38, total: 186.7, amountPaid: 0, amountDue: 186.7, paidAt: null },
        ...{
          notes: " Thank you.\nPay soon. ",
          metadata: { order: "7", paid: "false" },
          createdAt: NOW,
          updatedAt: NOW,
        },
      },
    );
    assert.deepEqual(await shop.show(body.id), body, "read again it is the same");
    const [link] = await api.query<{ external_reference: string; single_use: boolean }>(
      "select external_reference, single_use from payment_links where invoice_id = $1",
      body.id,
    );
    assert.deepEqual(link, { external_reference: "order 7/A", single_use: true });
  });

  /** Fields of the request, and those of the answer. */
  const KEPT: [string, object, object][] = [
    ["customer by id", { customerId: null, customer: { id: "shop" } }, {}],
    [
      "a currency that no gateway takes has no page",
      { currency: "JPY", exchange: YEN },
      { currency: "JPY", payUrl: null, exchange: YEN, taxAmountZar: 1.8, totalZar: 13.8 },
    ],
    ["a leap day", { dueDate: "2028-02-29" }, { dueDate: "2028-02-28T22:00:00.000Z" }],
    ["issued later, due by default", { issueDate: "2027-03-05" }, { dueDate: "2027-03-18T22:00:00.000Z" }],
    [
      "due on the day of issue",
      { issueDate: "2027-03-05", dueDate: "2027-03-05" },
      { dueDate: "2027-03-04T22:00:00.000Z" },
    ],
    ["notes of 4000 emoji", { notes: long(4000, EMOJI) }, { notes: long(4000, EMOJI) }],
    ["an externalReference of 190", { externalReference: long(190, EMOJI) }, { externalReference: long(190, EMOJI) }],
    ["a description of 1000", { lines: line({ description: long(1000, EMOJI) }) }, { total: 115 }],
    ["send null", { send: null }, { status: "draft" }],
    [
      "unknown fields ignored",
      { colour: "red", status: "paid", number: "INV-9", amountPaid: 5 },
      { status: "draft", amountPaid: 0 },
    ],
    ["200 lines", { lines: Array.from({ length: 200 }, () => LINE) }, { subtotal: 20_000, total: 23_000 }],
    ["zero-rated", { lines: line({ taxRate: 0 }) }, { subtotal: 100, taxAmount: 0, total: 100 }],
    ["a rate of 100", { lines: line({ taxRate: 100 }) }, { taxAmount: 100, total: 200 }],
    [
      "rates differ by line, each rounded once",
      { lines: [0, 15.5].map((taxRate) => ({ ...LINE, quantity: 1, unitPrice: 0.1, taxRate })) },
      { subtotal: 0.2, taxAmount: 0.02, total: 0.22 },
    ],
    [
      "a line that rounds to 0 beside one that does not",
      { lines: [LINE, ...line({ quantity: 0.01, unitPrice: 0.01 })] },
      { total: 115 },
    ],
    ["half a cent goes up", { lines: line({ quantity: 0.5, unitPrice: 0.01, taxRate: 0 }) }, { total: 0.01 }],
    ["a unit price of 6 decimals", { lines: line({ quantity: 1000, unitPrice: 0.123456 }) }, { subtotal: 123.46 }],
    [
      "a total above what a page may collect has none",
      { lines: [exempt(10_000_000.01)] },
      { total: 10_000_000.01, payUrl: null },
    ],
    ["a total of a thousand million", { lines: [exempt(1_000_000_000)] }, { total: 1_000_000_000 }],
    ["metadata null", { metadata: null }, { metadata: {} }],
  ];
  for (const [name, given, shown] of KEPT)
    test(name, async () => {
      const customer = "customer" in given ? { customer: { id: shop.customerId } } : {};
      const { status, body } = await shop.create({ ...given, ...customer });
      assert.equal(status, 201, JSON.stringify(body));
      for (const [field, value] of Object.entries(shown)) assert.deepEqual(body[field], value, field);
      assert.deepEqual(await shop.show(body.id), body, "read again it is the same");
    });

  test("defaults are the organisation's: VAT rate, days until it is due, terms", async () => {
    const own = await openInvoicing(api);
    const owner = await own.merchant.signIn();
    await owner("PATCH", "/settings", { vatRate: 12.5, dueDays: 0, invoiceTerms: "Within the day." });
    const { body } = await own.create({ lines: line({ taxRate: undefined }) });
    assert.deepEqual([body.taxAmount, body["dueDate"], body.notes], [12.5, ISSUED, "Within the day."]);
    assert.equal((await own.create({ notes: "Mine." })).body.notes, "Mine.");
  });

  test("send: true gives a sent one, in the books, with one mail that leads to its page", async () => {
    const own = await openInvoicing(api);
    const { body } = await own.create({ send: true });
    assert.equal(body.status, "sent");
    const mails = await own.mailsOf(body.number);
    assert.deepEqual(
      mails.map(({ kind, recipients }) => [kind, recipients]),
      [["invoice", ["thandi@example.co.za"]]],
    );
    assert.ok(body.payUrl && mails[0]?.text.includes(body.payUrl));
    assert.deepEqual(await own.books(), { receivable: 11_500, revenue: -10_000, vat_output: -1_500 });
    const { status, balance, openInvoices } = await own.standing();
    assert.deepEqual([status, balance, openInvoices], ["owing", 115, 1]);
  });

  test("without a gateway there is no page, and the mail is sent", async () => {
    const merchant = await api.addMerchant();
    const { body: customer } = await merchant.post<{ id: string }>("/customers", { email: "sipho@example.co.za" });
    const sent = { customerId: customer.id, lines: [LINE], send: true };
    const { body } = await merchant.post<InvoiceAnswer>("/invoices", sent);
    assert.deepEqual([body.status, body.payUrl], ["sent", null]);
    const mails = await mailsOf(api.services, merchant.organisation, { q: body.number });
    assert.equal(mails.length, 1);
  });

  test("a bank account alone is a way to pay", async () => {
    const merchant = await api.addMerchant();
    const bank = { bankName: "Absa", accountName: "Shop", accountNumber: "4051234567", branchCode: "632005" };
    await merchant.addGateway({ type: "manual_eft", credentials: bank });
    const { body: customer } = await merchant.post<{ id: string }>("/customers", {});
    const { body } = await merchant.post<InvoiceAnswer>("/invoices", { customerId: customer.id, lines: [LINE] });
    assert.notEqual(body.payUrl, null);
  });

  test("a customer without an address gets no mail, and the invoice becomes sent", async () => {
    const { body: customer } = await shop.merchant.post<{ id: string }>("/customers", { firstName: "Sipho" });
    const { body } = await shop.create({ customerId: customer.id, send: true });
    assert.equal(body.status, "sent");
    assert.deepEqual(await shop.mailsOf(body.number), []);
  });
});

describe("400 invalid_request, and nothing is kept:", () => {
  const REFUSED: [string, object, string][] = [
    ["no customer", { customerId: undefined }, ""],
    ["both ways to name one", { customer: { externalReference: "shop-17" } }, ""],
    ["an unknown id", { customerId: "cus_00000000000000000000000000" }, "customerId"],
    ["an unknown reference", { customerId: null, customer: { externalReference: "nobody" } }, "customer"],
    ["a customer named twice", { customerId: null, customer: { id: "x", externalReference: "shop-17" } }, "customer"],
    ["a customer without a name", { customerId: null, customer: {} }, "customer"],
    ["a customer as text", { customerId: null, customer: "shop-17" }, "customer"],
    ["no lines", { lines: undefined }, "lines"],
    ["an empty list of lines", { lines: [] }, "lines"],
    ["201 lines", { lines: Array.from({ length: 201 }, () => LINE) }, "lines"],
    ["a line that is none", { lines: [null] }, "lines.0"],
    ["an empty description", { lines: line({ description: "  " }) }, "lines.0.description"],
    ["a description of 1001", { lines: line({ description: long(1001) }) }, "lines.0.description"],
    ["a description with NUL", { lines: line({ description: "a\0b" }) }, "lines.0.description"],
    ["quantity 0", { lines: line({ quantity: 0 }) }, "lines.0.quantity"],
    ["quantity below 0", { lines: line({ quantity: -1 }) }, "lines.0.quantity"],
    ["quantity as text", { lines: line({ quantity: "2" }) }, "lines.0.quantity"],
    ["quantity of 7 decimals", { lines: line({ quantity: 0.0000001 }) }, "lines.0.quantity"],
    ["quantity of too many digits", { lines: line({ quantity: 1e21 }) }, "lines.0.quantity"],
    ["unit price below 0", { lines: line({ unitPrice: -0.01 }) }, "lines.0.unitPrice"],
    ["unit price of 7 decimals", { lines: line({ unitPrice: 1.0000001 }) }, "lines.0.unitPrice"],
    ["no unit price", { lines: line({ unitPrice: undefined }) }, "lines.0.unitPrice"],
    ["a rate of 101", { lines: line({ taxRate: 101 }) }, "lines.0.taxRate"],
    ["a rate below 0", { lines: line({ taxRate: -1 }) }, "lines.0.taxRate"],
    ["a rate of 5 decimals", { lines: line({ taxRate: 1.00001 }) }, "lines.0.taxRate"],
    ["the second line's fault", { lines: [LINE, { ...LINE, quantity: 0 }] }, "lines.1.quantity"],
    ["a total of 0", { lines: line({ unitPrice: 0 }) }, "lines"],
    ["a total that rounds to 0", { lines: line({ quantity: 0.01, unitPrice: 0.01 }) }, "lines"],
    ["a line of too many digits", { lines: line({ quantity: 1e9, unitPrice: 1e9 }) }, "lines.0"],
    ["a total of too many digits", { lines: Array.from({ length: 200 }, () => exempt(10_000_000)) }, "lines"],
    ["an unknown currency", { currency: "RND" }, "currency"],
    ["a date that does not exist", { issueDate: "2027-02-29" }, "issueDate"],
    ["a month that does not exist", { dueDate: "2027-13-01" }, "dueDate"],
    ["due before it is issued", { issueDate: "2027-03-05", dueDate: "2027-03-04" }, "dueDate"],
    ["due before it is issued, and sent", { issueDate: "2027-03-05", dueDate: "2027-03-04", send: true }, "dueDate"],
    ["due before today, on which it is issued", { dueDate: "2000-01-01" }, "dueDate"],
    ["a year that was mistyped", { issueDate: "0207-03-05" }, "issueDate"],
    ["a timestamp for a date", { dueDate: "2027-03-31T00:00:00Z" }, "dueDate"],
    ["an externalReference of 191", { externalReference: long(191) }, "externalReference"],
    ["an empty externalReference", { externalReference: " " }, "externalReference"],
    ["notes of 4001", { notes: long(4001) }, "notes"],
    ["send as a number", { send: 1 }, "send"],
    ["nested metadata", { metadata: { a: { b: 1 } } }, "metadata"],
    ["a metadata key of 41", { metadata: { [long(41)]: "1" } }, "metadata"],
    [
      "51 metadata keys",
      { metadata: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`k${n}`, "1"])) },
      "metadata",
    ],
    ["a metadata value of 501", { metadata: { a: long(501) } }, "metadata"],
  ];
  for (const [name, given, path] of REFUSED)
    test(name, async () => {
      const newest = async () => (await shop.merchant.get<{ data: { id: string }[] }>("/invoices?limit=1")).text;
      const kept = await newest();
      const answer = await shop.create<Refusal>(given);
      assert.deepEqual([answer.status, answer.body.error], [400, "invalid_request"], answer.text);
      assert.deepEqual([...new Set(issuePaths(answer))], path === "" ? [] : [path], answer.text);
      assert.equal(await newest(), kept);
    });

  test("another organisation's customer, by id or reference", async () => {
    const other = await openInvoicing(api);
    await other.merchant.post("/customers", { externalReference: "theirs" });
    assert.equal((await shop.create({ customerId: other.customerId })).status, 400);
    assert.equal((await shop.create({ customerId: null, customer: { externalReference: "theirs" } })).status, 400);
  });
});

describe("again", () => {
  test("with an externalReference that exists: 200, that invoice unchanged, and no second mail", async () => {
    const { body } = await shop.create({ externalReference: "again-1", send: true });
    await shop.payOffline(body.id, 15);
    const changed = { externalReference: " again-1 ", send: true, lines: [exempt(7)], notes: "other" };
    const again = await shop.create(changed);
    assert.equal(again.status, 200);
    assert.deepEqual(again.body, await shop.show(body.id));
    assert.equal(again.body.amountDue, 100);
    const nobody = await shop.create({ externalReference: "again-1", customerId: "cus_nobody" });
    assert.deepEqual([nobody.status, nobody.body.id], [200, body.id], "the new body is ignored");
    assert.equal((await shop.mailsOf(body.number)).length, 1);
    assert.equal((await (await openInvoicing(api)).create({ externalReference: "again-1" })).status, 201);
  });

  test("twenty at once with one externalReference: one is made, all answer it, one mail", async () => {
    const own = await openInvoicing(api);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => own.create({ externalReference: "rush", send: true })),
    );
    assert.deepEqual(new Set(answers.map(({ body }) => body.id)).size, 1);
    assert.deepEqual(
      answers
        .map(({ status }) => status)
        .toSorted()
        .slice(-2),
      [200, 201],
    );
    const { number } = answers[0]?.body ?? assert.fail();
    assert.deepEqual([number, (await own.mailsOf(number)).length], ["INV-000001", 1]);
    assert.equal((await own.create()).body.number, "INV-000002");
  });

  test("an Idempotency-Key gives the same answer again, and another body 409", async () => {
    const sent = { headers: { "idempotency-key": "invoice-1" } };
    const first = await shop.create({ send: true }, sent);
    const again = await shop.create({ send: true }, sent);
    assert.deepEqual([again.status, again.text, again.headers["idempotent-replayed"]], [201, first.text, "true"]);
    assert.equal((await shop.mailsOf(first.body.number)).length, 1);
    assert.equal((await shop.create({ send: false }, sent)).status, 409);
    const refused = { headers: { "idempotency-key": "invoice-2" } };
    assert.equal((await shop.create({ lines: [] }, refused)).status, 400);
    assert.equal((await shop.create({ lines: [] }, refused)).headers["idempotent-replayed"], "true");
  });
});
