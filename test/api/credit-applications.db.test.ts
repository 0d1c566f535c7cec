import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Answer, issuePaths, openApi, type Refusal, type StaffCall, type TestApi } from "../support/api.ts";
import { EXCHANGE, type InvoiceAnswer, type Invoicing, openInvoicing } from "../support/invoices.ts";
import { notify, reportedReversal } from "../support/payments.ts";
import { fc } from "../support/property.ts";
import { closeVerified } from "../support/verified.ts";

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

interface Stage extends Invoicing {
  readonly staff: StaffCall;
  /** Of the customer, to be applied or paid out. */
  credit(): Promise<number>;
  use<Body = InvoiceAnswer>(id: string, amount?: number): Promise<Answer<Body>>;
  /** An invoice of `owed`, with a payment of `paid` by its link; answers its reference. */
  overpay(owed: number, paid: number): Promise<string>;
  takeBack(reference: string, rand: number, code?: string): Promise<void>;
  due(id: string): Promise<[string, number]>;
}

async function open(): Promise<Stage> {
  const shop = await openInvoicing(api);
  const staff = await shop.merchant.signIn("finance");
  return {
    ...shop,
    staff,
    credit: async () =>
      (await staff<{ amount: number }>("GET", `/customers/${shop.customerId}/payable-credit`)).body.amount,
    use: (id, amount) => shop.act(id, "credit-applications", amount === undefined ? undefined : { amount }),
    overpay: async (owed, paid) => shop.payOnline((await shop.owe(owed)).id, paid),
    async takeBack(reference, rand, code = "02") {
      const reversal = reportedReversal(reference, { amount: rand * 100, code });
      assert.equal((await notify(api, shop.account, { reversal })).status, 200);
    },
    async due(id) {
      const { status, amountDue } = await shop.show(id);
      return [status, amountDue];
    },
  };
}

describe("credit of a customer that is applied to an invoice", () => {
  test("in part, then all that is due: the invoice, its payments and events, the books, the credit", async () => {
    const shop = await open();
    const reference = await shop.overpay(100, 150);
    const { id } = await shop.owe(40);
    const before = await shop.books();
    const first = await shop.use(id, 15);
    assert.equal(first.status, 201, first.text);
    assert.partialDeepStrictEqual(first.body, { id, status: "partially_paid", amountPaid: 15, amountDue: 25 });
    assert.equal(await shop.credit(), 35);
    const rest = await shop.use(id);
    assert.partialDeepStrictEqual(rest.body, { status: "paid", amountDue: 0 });
    assert.equal(await shop.credit(), 10);
    const after = await shop.books();
    assert.deepEqual([before["customer_credit"], after["customer_credit"]], [-5000, -1000]);
    assert.deepEqual([before["receivable"], after["receivable"]], [4000, undefined]);
    assert.deepEqual([before["bank"], before["revenue"]], [after["bank"], after["revenue"]]);
    const { body } = await shop.merchant.get<{ data: { source: string; amount: number }[] }>(
      `/invoices/${id}/payments`,
    );
    assert.deepEqual(
      body.data.map(({ source, amount }) => [source, amount]),
      [
        ["credit", 15],
        ["credit", 25],
      ],
    );
    const types = (await shop.eventsOf(id)).map(({ type }) => type);
    assert.deepEqual(types.slice(-2), ["invoice.partially_paid", "invoice.paid"]);
    // What was applied is refunded no more.
    const refund = await shop.staff<Refusal>("POST", `/transactions/${reference}/refunds`, { amount: 111 });
    assert.match(refund.body.message, /110\.00 is left/);
    const payOut = await shop.staff("POST", `/customers/${shop.customerId}/credit-refunds`, { amount: 10.01 });
    assert.equal(payOut.status, 400);
  });

  test("is not applied by itself when an invoice is sent", async () => {
    const shop = await open();
    await shop.overpay(100, 150);
    const { body } = await shop.create();
    assert.equal(
      (await shop.staff<{ creditUsed: number }>("GET", `/invoices/${body.id}/send-preview`)).body.creditUsed,
      0,
    );
    assert.partialDeepStrictEqual((await shop.act(body.id, "send")).body, { status: "sent", amountPaid: 0 });
    assert.equal(await shop.credit(), 50);
  });

  test("what is refused", async () => {
    const shop = await open();
    const { id } = await shop.owe(40);
    const none = await shop.use<Refusal>(id);
    assert.equal(none.status, 400);
    assert.match(none.body.message, /no credit to apply/);
    await shop.overpay(100, 130);
    const draft = (await shop.create()).body.id;
    const dollars = await shop.owe(10, { currency: "USD", exchange: EXCHANGE });
    const paid = await shop.owe(10);
    await shop.payOffline(paid.id, 10);
    for (const [name, invoice, amount, path] of [
      ["more than the credit", id, 30.01, "amount"],
      ["more than is due", id, 40.01, "amount"],
      ["nothing", id, 0, "amount"],
      ["a draft", draft, 1, undefined],
      ["a paid invoice", paid.id, 1, undefined],
      ["another currency", dollars.id, 1, undefined],
    ] as const) {
      const answer = await shop.use<Refusal>(invoice, amount);
      assert.deepEqual([answer.status, answer.body.error], [400, "invalid_request"], name);
      assert.equal(issuePaths(answer)[0], path, name);
    }
    assert.equal((await shop.use("inv_none")).status, 404);
    const other = await open();
    assert.equal((await other.use(id, 1)).status, 404);
    const support = await shop.merchant.signIn("support");
    assert.equal((await support("POST", `/invoices/${id}/credit-applications`, {})).status, 403);
    assert.equal(await shop.credit(), 30);
  });

  test("of several payments, oldest first; of a cancelled invoice that credit had paid, it is credit again", async () => {
    const shop = await open();
    await shop.overpay(10, 30);
    await shop.overpay(10, 40);
    const invoice = await shop.owe(60);
    assert.deepEqual((await shop.use(invoice.id)).body.amountDue, 10);
    assert.equal(await shop.credit(), 0);
    await shop.act(invoice.id, "cancel", {});
    assert.equal(await shop.credit(), 50);
    const next = await shop.owe(45);
    assert.equal((await shop.use(next.id)).body.status, "paid");
    assert.equal(await shop.credit(), 5);
    assert.equal((await shop.staff("POST", `/customers/${shop.customerId}/credit-refunds`, {})).status, 201);
    assert.deepEqual([await shop.credit(), (await shop.books())["customer_credit"]], [0, undefined]);
  });

  test("is undone as a payment that was recorded: the invoice is owed, the credit is there, once", async () => {
    const shop = await open();
    const reference = await shop.overpay(100, 150);
    const { id } = await shop.owe(40);
    await shop.use(id, 15);
    await shop.use(id);
    const { body } = await shop.merchant.get<{ data: { id: string; amount: number }[] }>(`/invoices/${id}/payments`);
    const undo = (place: number) => shop.merchant.call("DELETE", `/invoices/${id}/payments/${body.data[place]?.id}`);
    const answers = await Promise.all([undo(1), undo(1), undo(1)]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409]);
    assert.deepEqual([await shop.due(id), await shop.credit()], [["partially_paid", 25], 35]);
    assert.equal((await undo(0)).status, 200);
    assert.deepEqual([await shop.due(id), await shop.credit()], [["sent", 40], 50]);
    await shop.takeBack(reference, 150);
    assert.deepEqual([await shop.due(id), await shop.credit()], [["sent", 40], 0]);
  });

  test("is never used twice, by 12 requests at once beside a payout", async () => {
    const shop = await open();
    await shop.overpay(100, 150);
    const invoices = await Promise.all(Array.from({ length: 4 }, () => shop.owe(30)));
    const answers = await Promise.all([
      ...invoices.flatMap(({ id }) => [10, 20, 30].map((amount) => shop.use<unknown>(id, amount))),
      shop.staff("POST", `/customers/${shop.customerId}/credit-refunds`, { amount: 15 }),
    ]);
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201, 400]));
    const [row] = await api.query<{ used: string }>(
      `select (select coalesce(sum(amount_cents), 0) from credit_applications where organisation_id = $1)
            + (select coalesce(sum(amount_cents), 0) from credit_refunds where organisation_id = $1) as used`,
      shop.merchant.organisation.id,
    );
    assert.ok(Number(row?.used) <= 5000 && Number(row?.used) > 2000, `${row?.used}`);
    assert.equal((await shop.credit()) * 100, 5000 - Number(row?.used));
  });

  test("by the same Idempotency-Key it is applied once", async () => {
    const shop = await open();
    await shop.overpay(100, 150);
    const { id } = await shop.owe(40);
    const again = () => shop.act(id, "credit-applications", { amount: 10 }, { headers: { "idempotency-key": "once" } });
    const answers = await Promise.all([again(), again(), again()]);
    assert.deepEqual(new Set(answers.map(({ text }) => text)).size, 1);
    assert.equal(await shop.credit(), 40);
  });
});

describe("a bank that takes back a payment whose credit pays another invoice", () => {
  test("takes what the payment has not left: both invoices are owed again", async () => {
    const shop = await open();
    const reference = await shop.overpay(100, 150);
    const { id } = await shop.owe(30);
    await shop.use(id);
    await shop.takeBack(reference, 35);
    // 20.00 was left as credit.
    assert.deepEqual([await shop.due(id), await shop.credit()], [["partially_paid", 15], 0]);
    await shop.takeBack(reference, 115, "04");
    assert.deepEqual(await shop.due(id), ["sent", 30]);
    const books = await shop.books();
    assert.deepEqual([books["customer_credit"], books["receivable"], books["refunds"]], [undefined, 13_000, undefined]);
    const types = (await shop.eventsOf(id)).map(({ type }) => type);
    assert.equal(types.filter((type) => type === "invoice.payment_undone").length, 2);
  });

  test("takes what was returned from an invoice that was cancelled", async () => {
    const shop = await open();
    const reference = await shop.overpay(100, 150);
    const { id } = await shop.owe(80);
    await shop.use(id);
    await shop.act(id, "cancel", {});
    await shop.takeBack(reference, 150);
    assert.deepEqual([await shop.credit(), (await shop.books())["refunds"]], [0, undefined]);
  });

  test("gives it back when the dispute is won, and the invoice is paid again", async () => {
    const shop = await open();
    const reference = await shop.overpay(100, 150);
    const { id } = await shop.owe(30);
    await shop.use(id);
    const respondBy = "2027-03-08T10:00:00.000Z";
    const reversal = reportedReversal(reference, {
      amount: 15_000,
      code: "disputed",
      dispute: { id: "d1", respondBy },
    });
    assert.equal((await notify(api, shop.account, { reversal })).status, 200);
    assert.deepEqual(await shop.due(id), ["sent", 30]);
    const { paymentId, amount, reason, code } = reversal;
    const dispute = {
      id: "d1",
      paymentId,
      reference,
      amount,
      reason,
      code,
      status: "won",
      occurredAt: respondBy,
    } as const;
    const told = await notify(api, shop.account, { dispute });
    assert.equal(told.status, 200, told.text);
    assert.deepEqual([await shop.due(id), await shop.credit()], [["paid", 0], 20]);
  });
});

test("in any order with payments, refunds, reversals and cancellations the books are as `verify` computes them", async () => {
  const step = fc.record({
    what: fc.constantFrom("pay", "use", "use", "undo", "refund", "payOut", "takeBack", "cancel", "cash"),
    amount: fc.integer({ min: 1, max: 90 }),
    which: fc.nat(2),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 10 }), async (steps) => {
      const shop = await open();
      const invoices = await Promise.all([shop.owe(30), shop.owe(60), shop.owe(45)]);
      const paid: string[] = [await shop.payOnline(invoices[0]?.id ?? "", 90)];
      for (const [place, { what, amount, which }] of steps.entries()) {
        const id = invoices[which]?.id ?? "";
        const reference = paid[amount % paid.length] ?? "";
        if (what === "pay") paid.push(await shop.payOnline(id, amount));
        if (what === "cash") await shop.payOffline(id, amount);
        if (what === "use") await shop.use(id, which === 1 ? undefined : amount);
        if (what === "cancel") await shop.act(id, "cancel", {});
        if (what === "undo") {
          const { body } = await shop.merchant.get<{ data: { id: string }[] }>(`/invoices/${id}/payments`);
          const payment = body.data[amount % Math.max(1, body.data.length)]?.id;
          if (payment) await shop.merchant.call("DELETE", `/invoices/${id}/payments/${payment}`);
        }
        if (what === "payOut") await shop.staff("POST", `/customers/${shop.customerId}/credit-refunds`, { amount });
        if (what === "takeBack") await shop.takeBack(reference, amount, `c${place}`);
        if (what === "refund")
          await shop.staff("POST", `/transactions/${reference}/refunds`, { amount, method: "manual" });
      }
      assert.equal(Math.round((await shop.credit()) * 100) + ((await shop.books())["customer_credit"] ?? 0), 0);
    }),
    { numRuns: 25 },
  );
});

test("on the payments basis the credit counts when it is applied, and what a bank takes back of it no more", async () => {
  const shop = await open();
  const output = async () => {
    const { body } = await shop.staff<{ figures: { field: string; amount: number }[] }>(
      "GET",
      "/accounting/vat201/2027-03?basis=payments",
    );
    return Object.fromEntries(body.figures.map(({ field, amount }) => [field, amount]));
  };
  const reference = await shop.overpay(100, 215);
  const overpaid = await output();
  const { id } = (await shop.create({ send: true })).body;
  assert.deepEqual(await output(), overpaid);
  assert.equal((await shop.use(id, 57.5)).status, 201);
  const half = await output();
  assert.deepEqual([(half["1"] ?? 0) - (overpaid["1"] ?? 0), (half["4"] ?? 0) - (overpaid["4"] ?? 0)], [57.5, 7.5]);
  assert.equal((await shop.use(id)).status, 201);
  const whole = await output();
  assert.deepEqual([(whole["1"] ?? 0) - (overpaid["1"] ?? 0), (whole["4"] ?? 0) - (overpaid["4"] ?? 0)], [115, 15]);
  await shop.takeBack(reference, 115);
  assert.deepEqual(await shop.due(id), ["sent", 115]);
  // As with a payment that is reversed, the VAT is taken off in field 18.
  const back = await output();
  assert.deepEqual([back["18"], back["20"]], [15, overpaid["20"]]);
});
