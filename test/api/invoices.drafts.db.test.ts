import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { issuePaths, openApi, type Refusal, type TestApi } from "../support/api.ts";
import { DUE, type InvoiceAnswer, type Invoicing, ISSUED, LINE, openInvoicing } from "../support/invoices.ts";
import { closeVerified } from "../support/verified.ts";

/* Drafts that are changed, and invoices that are duplicated (interface 4.5). */

let api: TestApi;
let shop: Invoicing;
before(async () => {
  api = await openApi();
  shop = await openInvoicing(api);
});
after(() => closeVerified(api));

const patch = <T = InvoiceAnswer>(id: string, body: object) =>
  shop.merchant.call<T>("PATCH", `/invoices/${id}`, { body });
const duplicate = <T = InvoiceAnswer>(id: string) => shop.merchant.post<T>(`/invoices/${id}/duplicate`, undefined);
const linkOf = async (id: string) => {
  const rows = await api.query<{ active: boolean; amount: number; currency: string; reference: string | null }>(
    `select active, amount_cents as amount, currency, external_reference as reference from payment_links
      where invoice_id = $1 order by id`,
    id,
  );
  return rows.map(({ active, amount, currency, reference }) => [active, Number(amount), currency, reference]);
};

describe("PATCH", () => {
  test("changes the given fields, keeps the others, and computes the totals anew", async () => {
    const { body: draft } = await shop.create({ notes: "Thank you", metadata: { order: "7" } });
    const { status, body } = await patch(draft.id, {
      lines: [
        { description: "Painting", quantity: 2, unitPrice: 50, discount: { percent: 10 } },
        { description: "Books", quantity: 1, unitPrice: 10, taxRate: 0 },
      ],
      discount: { amount: 10 },
      issueDate: "2026-06-01",
      dueDate: "2026-06-30",
    });
    assert.equal(status, 200, JSON.stringify(body));
    const { payUrl, updatedAt: _, ...rest } = body;
    const { payUrl: before, updatedAt: __, ...same } = draft;
    assert.notEqual(payUrl, before);
    assert.deepEqual(rest, {
      ...same,
      issueDate: "2026-05-31T22:00:00.000Z",
      dueDate: "2026-06-29T22:00:00.000Z",
      lines: [
        { description: "Painting", quantity: 2, unitPrice: 50, taxRate: 15, discount: { percent: 10 }, amount: 90 },
        { description: "Books", quantity: 1, unitPrice: 10, taxRate: 0, amount: 10 },
      ],
      discount: { amount: 10 },
      discountTotal: 20,
      ...{ subtotal: 90, taxAmount: 12.15, total: 102.15, amountDue: 102.15 },
    });
    assert.deepEqual(await shop.show(draft.id), body);
    assert.deepEqual(await linkOf(draft.id), [
      [false, 115_00, "ZAR", null],
      [true, 102_15, "ZAR", null],
    ]);
    const { body: bare } = await patch(draft.id, { discount: null, notes: null, metadata: null, dueDate: null });
    assert.deepEqual(
      [bare.notes, bare["metadata"], bare["dueDate"], "discount" in bare, bare["discountTotal"]],
      [null, {}, null, false, 10],
    );
    const { body: sent } = await shop.merchant.post<InvoiceAnswer>(`/invoices/${draft.id}/send`, undefined);
    assert.deepEqual([sent.status, sent.total], ["sent", 113.5]);
  });

  test("an empty body changes nothing, and the pay link stays while nothing that it says changes", async () => {
    const { body: draft } = await shop.create();
    const { body } = await patch(draft.id, {});
    assert.deepEqual({ ...body, updatedAt: "" }, { ...draft, updatedAt: "" });
    const { body: noted } = await patch(draft.id, { notes: "Soon" });
    assert.equal(noted.payUrl, draft.payUrl);
    assert.equal((await linkOf(draft.id)).length, 1);
  });

  test("the customer, the currency and the reference may be others; the link follows", async () => {
    const { body: draft } = await shop.create();
    const { body: other } = await shop.merchant.post<{ id: string }>("/customers", { externalReference: "other" });
    const { body } = await patch(draft.id, {
      customer: { externalReference: "other" },
      currency: "USD",
      exchange: { rate: 18.5, date: "2027-02-26", source: "SARB" },
      externalReference: "order-9",
    });
    assert.deepEqual(
      [body["customer"], body["currency"], body["externalReference"]],
      [{ id: other.id, externalReference: "other", email: null }, "USD", "order-9"],
    );
    const { body: back } = await patch(draft.id, { currency: "ZAR", externalReference: null });
    assert.deepEqual([back["currency"], back["externalReference"], back.total], ["ZAR", null, 115]);
    assert.ok(back.payUrl);
    assert.deepEqual((await linkOf(draft.id)).at(-1), [true, 115_00, "ZAR", null]);
    const { body: taken } = await shop.create({ externalReference: "taken" });
    const conflict = await patch<Refusal>(draft.id, { externalReference: "taken" });
    assert.deepEqual([conflict.status, conflict.body.error], [409, "external_reference_conflict"]);
    assert.equal((await patch(taken.id, { externalReference: "taken" })).status, 200);
  });

  test("only drafts are changed; others say what to do instead", async () => {
    const { body: sent } = await shop.create({ send: true });
    for (const [move, message] of [
      [null, /sent, and only a draft can be changed. Cancel it and duplicate it/],
      ["cancel", /cancelled, and only a draft can be changed. Duplicate it/],
    ] as const) {
      if (move) await shop.merchant.post(`/invoices/${sent.id}/${move}`, {});
      const refused = await patch<Refusal>(sent.id, { notes: "x" });
      assert.deepEqual([refused.status, refused.body.error], [400, "invalid_request"]);
      assert.match(refused.body.message, message);
    }
    const { body: part } = await shop.create();
    await shop.merchant.post(`/invoices/${part.id}/payments`, { amount: 1, method: "cash" });
    assert.equal((await patch(part.id, { notes: "x" })).status, 400);
    assert.equal((await patch("inv_00000000000000000000000000", {})).status, 404);
  });

  test("refusals name their fields, and change nothing", async () => {
    const { body: draft } = await shop.create();
    for (const [body, path] of [
      [{ lines: [] }, "lines"],
      [{ lines: [{ ...LINE, unitPrice: -1 }] }, "lines.0.unitPrice"],
      [{ lines: [{ ...LINE, discount: { amount: 100.01 } }] }, "lines.0.discount.amount"],
      [{ lines: [{ ...LINE, discount: { percent: 10, amount: 1 } }] }, "lines.0.discount"],
      [{ lines: [{ ...LINE, discount: {} }] }, "lines.0.discount"],
      [{ lines: [{ ...LINE, discount: { percent: 0 } }] }, "lines.0.discount.percent"],
      [{ lines: [{ ...LINE, discount: { percent: 101 } }] }, "lines.0.discount.percent"],
      [{ lines: [{ ...LINE, periodStart: "2026-01-01" }] }, "lines.0.periodEnd"],
      [{ discount: { percent: 100 } }, "lines"],
      [{ discount: { amount: 100.01 } }, "discount.amount"],
      [{ currency: "ABC" }, "currency"],
      [{ dueDate: "2020-01-01" }, "dueDate"],
      [{ customerId: "cus_none" }, "customerId"],
      [{ customerId: shop.customerId, customer: { id: shop.customerId } }, "customerId"],
    ] as const) {
      const refused = await patch<Refusal>(draft.id, body);
      assert.deepEqual([refused.status, refused.body.error], [400, "invalid_request"], JSON.stringify(body));
      assert.deepEqual(issuePaths(refused), [path], JSON.stringify(body));
    }
    const { body: negative } = await patch<Refusal>(draft.id, { lines: [{ ...LINE, unitPrice: -1 }] });
    assert.match(JSON.stringify(negative.issues), /use discount/);
    assert.deepEqual(await shop.show(draft.id), draft);
  });

  test("a payment that was begun keeps customer and currency", async () => {
    const { body: draft } = await shop.create();
    const begun = await shop.attempt(draft.id, 115);
    const refused = await patch<Refusal>(draft.id, { currency: "USD" });
    assert.deepEqual([refused.status, refused.body.error], [400, "invalid_request"]);
    assert.equal((await patch(draft.id, { lines: [{ ...LINE, quantity: 3 }] })).status, 200);
    await shop.complete(begun, 115);
    const paid = await shop.show(draft.id);
    assert.deepEqual([paid.status, paid.amountDue], ["partially_paid", 57.5]);
  });

  test("two changes at once both hold", async () => {
    const { body: draft } = await shop.create();
    const lines = [{ ...LINE, quantity: 3 }];
    const answers = await Promise.all([patch(draft.id, { lines }), patch(draft.id, { discount: { percent: 10 } })]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    );
    assert.equal((await shop.show(draft.id)).total, 155.25);
  });

  test("a line's details and period are kept, and the draft of a quote differs from it then", async () => {
    const item = { ...LINE, quantity: 1, details: "In March", periodStart: "2026-03-01", periodEnd: "2026-03-31" };
    const { body: quote } = await shop.merchant.post<{ id: string }>("/quotes", {
      ...{ customerId: shop.customerId, taxInclusive: true, discount: { percent: 10 } },
      lineItems: [
        { ...item, unitPrice: 115, discount: { amount: 11.5 } },
        { ...item, unitPrice: 23 },
      ],
    });
    const { body: converted } = await shop.merchant.post<{ invoice: InvoiceAnswer }>(`/quotes/${quote.id}/convert`, {});
    const { invoice } = converted;
    assert.deepEqual([invoice["discount"], invoice["discountTotal"]], [{ percent: 10 }, 21]);
    assert.deepEqual(invoice.lines, [
      { ...item, unitPrice: 100, taxRate: 15, discount: { amount: 10 }, amount: 90 },
      { ...item, unitPrice: 20, taxRate: 15, amount: 20 },
    ]);
    assert.deepEqual([invoice.subtotal, invoice.taxAmount, invoice.total], [99, 14.85, 113.85]);
    const { body: changed } = await patch(invoice.id, { lines: invoice.lines.slice(0, 1) });
    assert.deepEqual(changed.lines, invoice.lines.slice(0, 1));
    assert.deepEqual([changed.subtotal, changed.taxAmount, changed.total], [81, 12.15, 93.15]);
  });
});

test("DELETE is refused: an invoice is cancelled instead", async () => {
  const { body: draft } = await shop.create();
  const refused = await shop.merchant.call<Refusal>("DELETE", `/invoices/${draft.id}`);
  assert.deepEqual([refused.status, refused.body.error], [400, "invalid_request"]);
  assert.match(refused.body.message, /Cancel it instead/);
  assert.equal((await shop.merchant.call("DELETE", "/invoices/inv_00000000000000000000000000")).status, 404);
  assert.equal((await shop.show(draft.id)).status, "draft");
});

describe("duplicate", () => {
  test("is a draft of today with the same customer, lines, discounts, notes and metadata", async () => {
    const { body: sent } = await shop.create({
      lines: [{ ...LINE, discount: { percent: 10 }, details: "By hand" }],
      discount: { amount: 5 },
      ...{ externalReference: "first", issueDate: "2025-01-01", dueDate: "2025-02-01" },
      ...{ notes: "Thank you", metadata: { order: "7" }, send: true },
    });
    await shop.merchant.post(`/invoices/${sent.id}/cancel`, { reason: "A typo" });
    const { status, body: copy } = await duplicate(sent.id);
    assert.equal(status, 201, JSON.stringify(copy));
    assert.notEqual(copy.id, sent.id);
    assert.equal(Number(copy.number.slice(4)), Number(sent.number.slice(4)) + 1);
    assert.ok(copy.payUrl);
    const { id: _id, number: _number, payUrl: _url, createdAt: _made, updatedAt: _at, ...rest } = copy;
    const { id: __id, number: __number, payUrl: __url, createdAt: __made, updatedAt: __at, ...same } = sent;
    assert.deepEqual(rest, { ...same, status: "draft", externalReference: null, issueDate: ISSUED, dueDate: DUE });
    assert.deepEqual(await shop.show(copy.id), copy);
  });

  test("is made once under an Idempotency-Key, and refused for what is not there", async () => {
    const { body: draft } = await shop.create();
    const once = () =>
      shop.merchant.call<InvoiceAnswer>("POST", `/invoices/${draft.id}/duplicate`, {
        headers: { "Idempotency-Key": "twice" },
      });
    const [first, second] = [await once(), await once()];
    assert.deepEqual([first.status, second.body.id], [201, first.body.id]);
    assert.equal((await duplicate("inv_00000000000000000000000000")).status, 404);
  });

  test("needs an active customer", async () => {
    const { body: customer } = await shop.merchant.post<{ id: string }>("/customers", { company: "Away" });
    const { body: draft } = await shop.create({ customerId: customer.id });
    await shop.merchant.call("PATCH", `/customers/${customer.id}`, { body: { active: false } });
    const refused = await duplicate<Refusal>(draft.id);
    assert.deepEqual([refused.status, issuePaths(refused)], [400, ["customerId"]]);
  });
});

test("a credit note of all that is left of a discounted invoice has all its VAT", async () => {
  const { body: invoice } = await shop.create({
    lines: [
      { ...LINE, discount: { percent: 33.33 } },
      { ...LINE, unitPrice: 33.33 },
      { ...LINE, taxRate: 0 },
    ],
    discount: { percent: 12.5 },
    send: true,
  });
  const staff = await shop.merchant.signIn("admin");
  const { status, body: note } = await staff<{ amount: number; lines: { taxAmount: number }[] }>(
    "POST",
    "/credit-notes",
    { invoiceId: invoice.id, amount: invoice.total, reason: "All of it" },
  );
  assert.equal(status, 201, JSON.stringify(note));
  const tax = note.lines.reduce((all, line) => all + Math.round(line.taxAmount * 100), 0);
  assert.deepEqual([note.amount, tax], [invoice.total, Math.round(invoice.taxAmount * 100)]);
});

test("a quote takes discounts, keeps them when it is edited, and loses them by null", async () => {
  const { body: quote } = await shop.merchant.post<Record<string, unknown>>("/quotes", {
    customerId: shop.customerId,
    lineItems: [{ ...LINE, discount: { percent: 10 } }, LINE],
    discount: { amount: 19 },
  });
  assert.deepEqual(
    [quote["discount"], quote["discountTotal"], quote["subtotal"], quote["taxAmount"], quote["total"]],
    [{ amount: 19 }, 29, 171, 25.65, 196.65],
  );
  const edit = (body: object) =>
    shop.merchant.call<Record<string, unknown>>("PATCH", `/quotes/${quote["id"]}`, { body });
  const { body: kept } = await edit({ notes: "x" });
  assert.deepEqual([kept["discount"], kept["total"]], [{ amount: 19 }, 196.65]);
  const { body: bare } = await edit({ discount: null });
  assert.deepEqual(["discount" in bare, bare["discountTotal"], bare["subtotal"]], [false, 10, 190]);
  const { body: none } = await edit({ lineItems: [{ ...LINE, discount: null }] });
  assert.deepEqual(["discountTotal" in none, none["subtotal"]], [false, 100]);
});

describe("a draft that is sent later", () => {
  const OLD = { issueDate: "2027-02-10", dueDate: "2027-02-24" };
  const send = <T = InvoiceAnswer>(id: string, body: object) => shop.act<T>(id, "send", body);
  const preview = async (id: string, query = "") =>
    (await shop.merchant.get<Record<string, unknown>>(`/invoices/${id}/send-preview${query}`)).body;

  test("keeps its dates, and is dated today when that is asked for, its due date as many days later", async () => {
    const kept = (await shop.create(OLD)).body;
    assert.partialDeepStrictEqual((await send(kept.id, {})).body, {
      status: "sent",
      issueDate: kept["issueDate"],
      dueDate: kept["dueDate"],
    });
    const draft = (await shop.create(OLD)).body;
    const told = await preview(draft.id, "?issueToday=true");
    assert.partialDeepStrictEqual(told, { issueDate: ISSUED, dueDate: DUE });
    assert.partialDeepStrictEqual(await preview(draft.id), {
      issueDate: draft["issueDate"],
      dueDate: draft["dueDate"],
    });
    const { status, body } = await send(draft.id, { issueToday: true });
    assert.equal(status, 200);
    assert.partialDeepStrictEqual(body, { status: "sent", issueDate: ISSUED, dueDate: DUE, number: draft.number });
    const undated = (await shop.create({ ...OLD, dueDate: null })).body;
    const today = (await send(undated.id, { issueToday: true })).body;
    // Its due date was counted from the day on which it was made, and that is today.
    assert.deepEqual([today["issueDate"], today["dueDate"]], [ISSUED, undated["dueDate"]]);
  });

  test("is refused where the dates must stay: of an invoice that was sent, and across a change of the VAT rate", async () => {
    const sent = (await shop.create({ send: true })).body;
    const again = await send<Refusal>(sent.id, { issueToday: true });
    assert.deepEqual([again.status, issuePaths(again)], [400, ["issueToday"]]);
    assert.equal((await send<Refusal>(sent.id, { issueToday: "yes" })).status, 400);
    const other = await openInvoicing(api);
    const owner = await other.merchant.signIn();
    const rates = [
      { from: "1991-09-30", rate: 15 },
      { from: "2027-03-01", rate: 16 },
    ];
    const changed = await owner("PATCH", "/settings", { vatRates: rates });
    assert.equal(changed.status, 200, changed.text);
    const draft = (await other.create(OLD)).body;
    const refused = await other.act<Refusal>(draft.id, "send", { issueToday: true });
    assert.deepEqual([refused.status, issuePaths(refused)], [400, ["issueToday"]]);
    assert.match(refused.body.message, /VAT rate was another one on 2027-02-10/);
    assert.equal((await other.act(draft.id, "send")).status, 200);
  });
});
