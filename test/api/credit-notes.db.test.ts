import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Answer, issuePaths, openApi, type Refusal, type StaffCall, type TestApi } from "../support/api.ts";
import { type CreditNoteAnswer, EXCHANGE, exempt, type Invoicing, NOW, openInvoicing } from "../support/invoices.ts";
import { closeVerified } from "../support/verified.ts";

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

type Crediting = Invoicing & {
  staff: StaffCall;
  credit<Body = CreditNoteAnswer>(fields: object): Promise<Answer<Body>>;
  note(id: string): Promise<CreditNoteAnswer>;
};
async function open(): Promise<Crediting> {
  const shop = await openInvoicing(api);
  const staff = await shop.merchant.signIn("finance");
  return {
    ...shop,
    staff,
    credit: (fields) => staff("POST", "/credit-notes", { taxRate: 0, reason: "A mistake", ...fields }),
    note: async (id) => (await shop.merchant.get<CreditNoteAnswer>(`/credit-notes/${id}`)).body,
  };
}
const tell = ({ type, data }: { type: string; data: { status: string } }) => [type, data.status];

test("issued without an invoice to take it: the object of interface 2.14, told twice, in the books with its VAT", async () => {
  const shop = await open();
  const { status, body } = await shop.credit({ customerId: shop.customerId, amount: 115, taxRate: undefined });
  assert.equal(status, 201, JSON.stringify(body));
  const { id, ...rest } = body;
  assert.match(id, /^cn_[0-9a-z]{26}$/);
  assert.deepEqual(rest, {
    ...{ object: "credit_note", number: "CN-000001", status: "issued", customerId: shop.customerId, amount: 115 },
    ...{ remaining: 115, currency: "ZAR", reason: "A mistake", transactionReference: null, applications: [] },
    createdAt: NOW,
  });
  assert.deepEqual(await shop.note(id), body);
  assert.deepEqual((await shop.merchant.get("/credit-notes")).body["data"], [body]);
  assert.deepEqual(await shop.eventsOf(id), [
    { type: "credit_note.created", data: body },
    { type: "credit_note.issued", data: body },
  ]);
  assert.deepEqual(await shop.books(), { revenue: 10_000, vat_output: 1_500, customer_credit: -11_500 });
  assert.equal((await shop.standing())["credit"], 115);
});

test("is applied to the oldest open invoice first, by issue date, and what is left to the next that is issued", async () => {
  const shop = await open();
  const newer = await shop.owe(100);
  const older = await shop.owe(40, { issueDate: "2027-02-01" });
  const foreign = await shop.owe(40, { currency: "USD", exchange: EXCHANGE, issueDate: "2027-01-01" });
  const draft = (await shop.create({ lines: [exempt(25)], issueDate: "2027-01-01" })).body;
  const { body } = await shop.credit({ customerId: shop.customerId, amount: 150 });
  const took = (invoiceId: string, amount: number) => ({ invoiceId, amount, appliedAt: NOW });
  assert.deepEqual(
    [body.status, body.remaining, body.applications.map(({ invoiceId }) => invoiceId).toSorted()],
    ["partially_applied", 10, [newer.id, older.id].toSorted()],
  );
  const statuses = await Promise.all(
    [newer, older, foreign, draft].map(async ({ id }) => (await shop.show(id)).status),
  );
  assert.deepEqual(statuses, ["paid", "paid", "sent", "draft"]);
  assert.deepEqual((await shop.eventsOf(older.id)).map(tell), [
    ["invoice.sent", "sent"],
    ["invoice.paid", "paid"],
  ]);
  const sent = (await shop.act(draft.id, "send")).body;
  assert.deepEqual([sent.status, sent.amountPaid, sent.amountDue], ["partially_paid", 10, 15]);
  const after = await shop.note(body.id);
  assert.deepEqual([after.status, after.remaining], ["applied", 0]);
  assert.deepEqual(
    after.applications.find(({ invoiceId }) => invoiceId === draft.id),
    took(draft.id, 10),
  );
  assert.deepEqual((await shop.eventsOf(body.id)).map(tell), [
    ["credit_note.created", "issued"],
    ["credit_note.issued", "issued"],
    ["credit_note.applied", "partially_applied"],
    ["credit_note.applied", "partially_applied"],
    ["credit_note.applied", "applied"],
  ]);
});

test("that corrects an invoice is taken off this one first, then off the oldest", async () => {
  const shop = await open();
  const older = await shop.owe(40, { issueDate: "2027-02-01" });
  const corrected = await shop.owe(100);
  await shop.staff("POST", `/invoices/${corrected.id}/payments`, { amount: 75, method: "eft" });
  const { body } = await shop.credit({ invoiceId: corrected.id, amount: 30 });
  assert.deepEqual(
    new Map(body.applications.map(({ invoiceId, amount }) => [invoiceId, amount])),
    new Map([
      [corrected.id, 25],
      [older.id, 5],
    ]),
  );
  const { body: next } = await shop.credit({ invoiceId: corrected.id, amount: 10 });
  assert.deepEqual(
    next.applications.map(({ invoiceId, amount }) => [invoiceId, amount]),
    [[older.id, 10]],
    "of one that is paid the oldest open one is next",
  );
});

test("covers a whole invoice that is created as sent: paid at once, and its mail asks for nothing", async () => {
  const shop = await open();
  await shop.credit({ customerId: shop.customerId, amount: 100 });
  await shop.credit({ customerId: shop.customerId, amount: 100 });
  const paid = await shop.owe(150);
  assert.deepEqual([paid.status, paid.amountDue, paid.payUrl], ["paid", 0, null]);
  const [mail] = await shop.mailsOf(paid.number);
  assert.match(mail?.text ?? "", /credit covers it/);
  const { data } = (await shop.merchant.get<{ data: CreditNoteAnswer[] }>("/credit-notes")).body;
  assert.deepEqual(
    data.map(({ status, remaining }) => [status, remaining]),
    [
      ["partially_applied", 50],
      ["applied", 0],
    ],
  );
});

test("is the newly issued invoice's too when a first payment issues it", async () => {
  const shop = await open();
  await shop.credit({ customerId: shop.customerId, amount: 30 });
  const { body } = await shop.create({ lines: [exempt(100)] });
  const { body: paid } = await shop.payOffline(body.id, 50);
  assert.deepEqual([paid.status, paid.amountPaid, paid.amountDue], ["partially_paid", 80, 20]);
  await shop.payOnline(body.id, 20);
  assert.equal((await shop.show(body.id)).status, "paid");
});

test("cancelling an invoice gives its credit back, to the next open one first", async () => {
  const shop = await open();
  const first = await shop.owe(100, { issueDate: "2027-02-01" });
  const { body } = await shop.credit({ customerId: shop.customerId, amount: 70 });
  const second = await shop.owe(50);
  const { body: cancelled } = await shop.act(first.id, "cancel");
  assert.deepEqual([cancelled.amountPaid, cancelled.amountDue], [0, 100]);
  assert.equal((await shop.show(second.id)).status, "paid");
  const note = await shop.note(body.id);
  assert.deepEqual(
    [note.status, note.remaining, note.applications.map(({ invoiceId, amount }) => [invoiceId, amount])],
    ["partially_applied", 20, [[second.id, 50]]],
  );
  const { balance, credit } = await shop.standing();
  assert.deepEqual([balance, credit], [0, 20]);
});

describe("a correction of an invoice", () => {
  test("takes its rate from the lines, and may come to no more than the invoice, together with those before", async () => {
    const shop = await open();
    const { body: invoice } = await shop.create({ send: true });
    const { body } = await shop.credit({ invoiceId: invoice.id, amount: 57.5, taxRate: undefined });
    assert.equal(body["customerId"], shop.customerId);
    const vat = await api.query<{ cents: string }>(
      "select l.amount_cents as cents from journal_entries e join journal_lines l on l.organisation_id = e.organisation_id and l.entry_id = e.id where e.subject = $1 and l.account = 'vat_output'",
      body.id,
    );
    assert.deepEqual(vat, [{ cents: "750" }]);
    for (const amount of [115, 57.51]) {
      const refused = await shop.credit<Refusal>({ invoiceId: invoice.id, amount });
      assert.deepEqual([refused.status, refused.body.error, issuePaths(refused)], [400, "invalid_request", ["amount"]]);
      assert.match(refused.text, /at most R\s57\.50/);
    }
    assert.equal((await shop.credit({ invoiceId: invoice.id, amount: 57.5 })).status, 400, "not at 0 %");
    assert.equal((await shop.credit({ invoiceId: invoice.id, amount: 57.5, taxRate: undefined })).status, 201);
    assert.equal((await shop.credit({ invoiceId: invoice.id, amount: 0.01, taxRate: undefined })).status, 400);
    assert.equal((await shop.show(invoice.id)).status, "paid");
  });

  test("of several VAT rates has a line for each: amounts with VAT, the books and the PDF by rate", async () => {
    const shop = await open();
    const lines = [
      { description: "Painting", quantity: 1, unitPrice: 100 },
      { description: "Books", quantity: 1, unitPrice: 50, taxRate: 0 },
    ];
    const { body: invoice } = await shop.create({ lines, send: true });
    const { status, body, text } = await shop.credit({
      invoiceId: invoice.id,
      taxRate: undefined,
      lines: [
        { description: "One wall less", amount: 23 },
        { amount: 10, taxRate: 0 },
      ],
    });
    assert.equal(status, 201, text);
    assert.deepEqual(
      [body.amount, body["lines"]],
      [
        33,
        [
          { description: "One wall less", taxRate: 15, taxAmount: 3, amount: 23 },
          { description: "A mistake", taxRate: 0, taxAmount: 0, amount: 10 },
        ],
      ],
    );
    assert.deepEqual((await shop.note(body.id))["lines"], body["lines"]);
    const { revenue, vat_output } = await shop.books();
    assert.deepEqual([revenue, vat_output], [-15_000 + 3_000, -1_500 + 300]);
    assert.equal((await shop.show(invoice.id)).amountDue, 132);
    const pdf = await shop.merchant.get(`/credit-notes/${body.id}/pdf`);
    assert.equal(pdf.status, 200);
    const refused = await shop.credit<Refusal>({ invoiceId: invoice.id, lines: [{ amount: 100 }, { amount: 32.01 }] });
    assert.deepEqual([refused.status, issuePaths(refused)], [400, ["lines"]]);
  });

  test("without lines is spread over the rates of the invoice by what is left of each, and takes back no more VAT than was charged", async () => {
    const shop = await open();
    const lines = [
      { description: "Painting", quantity: 1, unitPrice: 100 },
      { description: "Books", quantity: 1, unitPrice: 50, taxRate: 0 },
    ];
    const noted = async (fields: object) => {
      const { body: invoice } = await shop.create({ lines, send: true });
      const { status, body, text } = await shop.credit({ invoiceId: invoice.id, taxRate: undefined, ...fields });
      assert.equal(status, 201, text);
      return { invoice, body };
    };
    const shown = (body: object) =>
      (body as { lines: { taxRate: number; taxAmount: number; amount: number }[] }).lines.map(
        ({ taxRate, taxAmount, amount }) => [taxRate, taxAmount, amount],
      );
    assert.deepEqual(shown((await noted({ amount: 165 })).body), [
      [15, 15, 115],
      [0, 0, 50],
    ]);
    const { invoice, body } = await noted({ amount: 33 });
    assert.deepEqual(shown(body), [
      [15, 3, 23],
      [0, 0, 10],
    ]);
    const at = (fields: object) => shop.credit<Refusal>({ invoiceId: invoice.id, taxRate: undefined, ...fields });
    for (const [fields, path] of [
      [{ amount: 10, taxRate: 16 }, ["taxRate"]],
      [{ amount: 10, taxExempt: true }, ["taxRate"]],
      [{ amount: 92.01, taxRate: 15 }, ["amount"]],
      [{ lines: [{ amount: 10, taxRate: 14 }] }, ["lines.0.taxRate"]],
      [{ lines: [{ amount: 60 }, { amount: 32.01, taxRate: 15 }] }, ["lines.1.amount"]],
    ] as const) {
      const refused = await at(fields);
      assert.deepEqual([refused.status, issuePaths(refused)], [400, path], JSON.stringify(fields));
    }
    assert.equal((await at({ amount: 40, taxRate: 0 })).status, 201);
    assert.equal((await at({ amount: 92 })).status, 201, "what is left is all at one rate");
    const [vat] = await api.query<{ vat: string }>(
      "select sum(tax_cents)::text as vat from credit_notes where invoice_id = $1",
      invoice.id,
    );
    assert.equal(vat?.vat, "1500");
  });

  test("a refund gives back what the note has not given as credit: 60 paid of 100, a note of 70, and a refund", async () => {
    const shop = await open();
    const invoice = await shop.owe(100);
    await shop.payOnline(invoice.id, 60);
    await shop.credit({ invoiceId: invoice.id, amount: 70 });
    assert.deepEqual([(await shop.show(invoice.id)).status, (await shop.standing())["credit"]], ["paid", 30]);
    const [paid] = await api.query<{ reference: string }>(
      "select reference from transactions where invoice_id = $1",
      invoice.id,
    );
    const refund = (amount: number) =>
      shop.staff("POST", `/transactions/${paid?.reference}/refunds`, { amount, method: "manual" }) as Promise<{
        status: number;
        text: string;
      }>;
    assert.equal((await refund(60.01)).status, 400);
    assert.equal((await refund(30)).status, 201);
    assert.equal((await shop.standing())["credit"], 0, "it is the money that the note had credited");
    assert.equal((await refund(30)).status, 201);
  });

  /** A paid invoice of 230 with VAT, its payment's reference, and refunds of it. */
  const paid = async () => {
    const shop = await open();
    const { body: invoice } = await shop.create({
      lines: [{ description: "Work", quantity: 1, unitPrice: 200 }],
      send: true,
    });
    await shop.payOnline(invoice.id, invoice.total);
    const [payment] = await api.query<{ reference: string }>(
      "select reference from transactions where invoice_id = $1",
      invoice.id,
    );
    const refund = (amount: number) =>
      shop.staff("POST", `/transactions/${payment?.reference}/refunds`, { amount, method: "manual" }) as Promise<{
        status: number;
        text: string;
      }>;
    const noted = (amount: number) => shop.credit({ invoiceId: invoice.id, amount, taxRate: undefined });
    const credit = async () => (await shop.standing())["credit"];
    const limits = async () => {
      const path = `/transactions/${payment?.reference}/refund-limits`;
      const { body } = await shop.staff<{ limit: number; limitElsewhere: number; why: string | null }>("GET", path);
      return body;
    };
    return { shop, invoice, refund, limits, noted, credit };
  };

  test("a note and then a refund of the same money: the refund settles the note", async () => {
    const { shop, refund, noted, credit } = await paid();
    const { body } = await noted(230);
    assert.equal(await credit(), 230);
    assert.equal((await refund(100)).status, 201);
    assert.equal(await credit(), 130);
    assert.equal((await refund(130)).status, 201);
    const { status, remaining, applications } = await shop.note(body.id);
    assert.deepEqual([await credit(), status, remaining, applications], [0, "applied", 0, []]);
    const { revenue, vat_output, customer_credit = 0, refunds = 0 } = await shop.books();
    assert.deepEqual(
      [revenue, vat_output, customer_credit, refunds].map((one) => one ?? 0),
      [0, 0, 0, 0],
    );
  });

  test("a refund and then a note of it: the note corrects VAT, and is no credit beside the money", async () => {
    const { shop, refund, limits, noted, credit } = await paid();
    assert.deepEqual(await limits(), { limit: 230, limitElsewhere: 230, why: null });
    assert.equal((await refund(150)).status, 201);
    const { body } = await noted(230);
    assert.deepEqual([body.remaining, await credit()], [80, 80]);
    const next = await shop.owe(50);
    assert.deepEqual([next.status, await credit()], ["paid", 30]);
    const { why, ...most } = await limits();
    assert.deepEqual(most, { limit: 30, limitElsewhere: 80 });
    assert.match(why ?? "", /At most R\s30\.00 is left to refund/);
    const refused = await refund(30.01);
    assert.equal(refused.status, 400);
    assert.match(refused.text, /At most R\s30\.00 is left to refund: R\s50\.00 of the invoice's credit notes/);
    assert.equal((await refund(30)).status, 201);
    assert.equal(await credit(), 0);
    assert.equal((await limits()).limit, 0);
  });

  test("of many at once, no more pass than fit", async () => {
    const shop = await open();
    const { id } = await shop.owe(100);
    const answers = await Promise.all(Array.from({ length: 8 }, () => shop.credit({ invoiceId: id, amount: 30 })));
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, 201, 201, 400, 400, 400, 400, 400]);
    const [last] = await api.query<{ last_number: string }>(
      "select last_number from document_numbers where organisation_id = $1 and kind = 'credit_note'",
      shop.merchant.organisation.id,
    );
    assert.equal(Number(last?.last_number), 3);
  });
});

describe("400 invalid_request", () => {
  let shop: Crediting;
  let ids: Record<"owed" | "draft" | "cancelled" | "foreign", string>;
  before(async () => {
    shop = await open();
    const cancelled = await shop.owe(10);
    await shop.act(cancelled.id, "cancel");
    ids = {
      owed: (await shop.owe(100)).id,
      draft: (await shop.create()).body.id,
      cancelled: cancelled.id,
      foreign: (await shop.owe(100, { currency: "USD", exchange: EXCHANGE })).id,
    };
  });
  const other = async () => (await shop.merchant.post<{ id: string }>("/customers", {})).body.id;
  const CASES: [string, () => object | Promise<object>, string][] = [
    ["nobody named", () => ({ amount: 1 }), ""],
    ["an unknown customer", () => ({ customerId: "cus_nobody", amount: 1 }), "customerId"],
    ["an unknown invoice", () => ({ invoiceId: "inv_nobody", amount: 1 }), "invoiceId"],
    ["a draft", () => ({ invoiceId: ids.draft, amount: 1 }), "invoiceId"],
    ["a cancelled invoice", () => ({ invoiceId: ids.cancelled, amount: 1 }), "invoiceId"],
    [
      "another customer's invoice",
      async () => ({ invoiceId: ids.owed, customerId: await other(), amount: 1 }),
      "customerId",
    ],
    ["another currency", () => ({ invoiceId: ids.foreign, currency: "ZAR", amount: 1 }), "currency"],
    ["amount 0", () => ({ customerId: shop.customerId, amount: 0 }), "amount"],
    ["an amount below 0", () => ({ customerId: shop.customerId, amount: -5 }), "amount"],
    ["an amount above 100 000 000", () => ({ customerId: shop.customerId, amount: 100_000_001 }), "amount"],
    ["neither amount nor lines", () => ({ customerId: shop.customerId }), "amount"],
    ["no lines", () => ({ customerId: shop.customerId, lines: [] }), "lines"],
    ["a line of 0", () => ({ customerId: shop.customerId, lines: [{ amount: 0 }] }), "lines.0.amount"],
    [
      "an amount that is not the lines'",
      () => ({ customerId: shop.customerId, amount: 2, lines: [{ amount: 1 }] }),
      "amount",
    ],
    ["no reason", () => ({ customerId: shop.customerId, amount: 1, reason: " " }), "reason"],
    ["a reason of 501", () => ({ customerId: shop.customerId, amount: 1, reason: "a".repeat(501) }), "reason"],
    ["a rate of 101", () => ({ customerId: shop.customerId, amount: 1, taxRate: 101 }), "taxRate"],
    ["an unknown currency", () => ({ customerId: shop.customerId, amount: 1, currency: "RND" }), "currency"],
  ];
  for (const [name, body, path] of CASES)
    test(name, async () => {
      const answer = await shop.credit<Refusal>(await body());
      assert.deepEqual([answer.status, answer.body.error], [400, "invalid_request"], answer.text);
      assert.deepEqual(issuePaths(answer), path === "" ? [] : [path]);
    });
});

test("support and viewers may read and not issue; keys need their scope; others' notes are 404", async () => {
  const shop = await open();
  const { body } = await shop.credit({ customerId: shop.customerId, amount: 1 });
  for (const role of ["support", "viewer"] as const) {
    const staff = await shop.merchant.signIn(role);
    assert.equal((await staff("GET", `/credit-notes/${body.id}`)).status, 200);
    const sent = { customerId: shop.customerId, amount: 1, reason: "No" };
    assert.equal((await staff("POST", "/credit-notes", sent)).status, 403);
  }
  const reader = await shop.merchant.addKey([], { scopes: ["credit_notes:read"] });
  const sent = { customerId: shop.customerId, amount: 1, reason: "Late" };
  assert.equal((await shop.merchant.post("/credit-notes", sent, reader)).status, 403);
  assert.equal((await shop.merchant.post("/credit-notes", sent)).status, 201);
  assert.equal((await (await open()).merchant.get(`/credit-notes/${body.id}`)).status, 404);
});

test("the preview of sending names the credit that is used first, and writes nothing", async () => {
  const shop = await open();
  const { body: draft } = await shop.create({ lines: [exempt(100)] });
  await shop.credit({ customerId: shop.customerId, amount: 30 });
  const owner = await shop.merchant.signIn("owner");
  const preview = () => owner("GET", `/invoices/${draft.id}/send-preview`);
  const expected = { mailEnabled: false, total: 100, creditUsed: 30, amountDue: 70, canBePaidOnline: true };
  for (let again = 0; again < 2; again++) assert.partialDeepStrictEqual((await preview()).body, expected);
  assert.partialDeepStrictEqual(await shop.show(draft.id), { status: "draft", amountDue: 100 });
  assert.deepEqual(await shop.mailsOf(draft.number), []);
  const { body: sent } = await shop.act(draft.id, "send");
  assert.partialDeepStrictEqual(sent, { status: "partially_paid", amountDue: 70 });
  await shop.act(draft.id, "cancel", {});
  assert.equal((await preview()).status, 400);
  assert.equal((await owner("GET", "/invoices/inv_00000000000000000000000000/send-preview")).status, 404);
});
