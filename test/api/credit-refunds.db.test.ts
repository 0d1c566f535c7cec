import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Answer, issuePaths, openApi, type Refusal, type StaffCall, type TestApi } from "../support/api.ts";
import { type Invoicing, NOW, openInvoicing } from "../support/invoices.ts";
import { fc } from "../support/property.ts";
import { closeVerified } from "../support/verified.ts";

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

interface Paid {
  readonly id: string;
  readonly amount: number;
  readonly sources: readonly {
    readonly transactionReference: string | null;
    readonly invoiceId: string | null;
    readonly amount: number;
  }[];
  readonly [field: string]: unknown;
}
interface Stage extends Invoicing {
  readonly staff: StaffCall;
  payOut<Body = Paid>(body?: object): Promise<Answer<Body>>;
  credit(): Promise<unknown>;
}

async function open(): Promise<Stage> {
  const shop = await openInvoicing(api);
  const staff = await shop.merchant.signIn("finance");
  return {
    ...shop,
    staff,
    payOut: (body) => staff("POST", `/customers/${shop.customerId}/credit-refunds`, body),
    credit: async () => (await shop.standing())["credit"],
  };
}

describe("credit that is paid out", () => {
  test("of an overpayment: the object, its event, the books, the standing, the list", async () => {
    const shop = await open();
    const invoice = await shop.owe(100);
    const reference = await shop.payOnline(invoice.id, 130);
    const before = await shop.books();
    const payable = (query = "") => shop.staff("GET", `/customers/${shop.customerId}/payable-credit${query}`);
    const { body: told } = await payable();
    assert.deepEqual(told, {
      ...{ object: "payable_credit", customerId: shop.customerId, currency: "ZAR", amount: 30 },
      sources: [{ transactionReference: reference, invoiceId: null, itemId: null, amount: 30 }],
    });
    assert.deepEqual((await payable("?currency=USD")).body["amount"], 0);
    const { status, body, text } = await shop.payOut({ amount: 20, reason: "Asked by phone", method: "manual" });
    assert.equal(status, 201, text);
    const { id, ...rest } = body;
    assert.match(id, /^crf_[0-9a-z]{26}$/);
    assert.deepEqual(rest, {
      ...{ object: "credit_refund", customerId: shop.customerId, amount: 20, currency: "ZAR", method: "manual" },
      reason: "Asked by phone",
      sources: [{ transactionReference: reference, invoiceId: null, itemId: null, amount: 20 }],
      createdAt: NOW,
    });
    assert.deepEqual(await shop.eventsOf(id), [{ type: "customer.credit_refunded", data: body }]);
    const after = await shop.books();
    assert.deepEqual([before["customer_credit"], after["customer_credit"]], [-3000, -1000]);
    assert.deepEqual([before["bank"] ?? 0, after["bank"]], [0, -2000]);
    assert.deepEqual([await shop.credit(), (await payable()).body["amount"]], [10, 10]);
    const listed = await shop.staff<{ data: Paid[] }>("GET", `/customers/${shop.customerId}/credit-refunds`);
    assert.deepEqual(listed.body.data, [body]);
    const rest10 = await shop.payOut();
    assert.deepEqual([rest10.status, rest10.body.amount, await shop.credit()], [201, 10, 0]);
    assert.equal((await shop.payOut()).status, 400);
  });

  test("of cancelled invoices, paid by hand and through a gateway, oldest payment first", async () => {
    const shop = await open();
    const invoice = await shop.owe(100);
    const reference = await shop.payOnline(invoice.id, 40);
    await shop.payOffline(invoice.id, 30);
    await shop.act(invoice.id, "cancel");
    assert.equal(await shop.credit(), 70);
    const { body } = await shop.payOut({ amount: 50 });
    const amounts = new Map(
      body.sources.map((source) => [source.transactionReference ?? source.invoiceId, source.amount]),
    );
    assert.equal(body.sources.length, 2);
    assert.deepEqual([...amounts.keys()].toSorted(), [reference, invoice.id].toSorted());
    assert.equal(
      body.sources.reduce((total, { amount }) => total + amount, 0),
      50,
    );
    assert.equal((await shop.payOut({ amount: 20.01 })).status, 400);
    assert.equal((await shop.payOut({ amount: 20 })).status, 201);
    assert.deepEqual([await shop.credit(), (await shop.books())["customer_credit"]], [0, undefined]);
  });

  test("is refunded no more: the payment gives back what is left of it", async () => {
    const shop = await open();
    const invoice = await shop.owe(100);
    const reference = await shop.payOnline(invoice.id, 130);
    await shop.payOut({ amount: 20 });
    const refund = (amount: number) =>
      shop.staff<Refusal>("POST", `/transactions/${reference}/refunds`, { amount, method: "manual" });
    const refused = await refund(110.01);
    assert.equal(refused.status, 400);
    assert.match(refused.body.message, /110\.00 is left/);
    assert.equal((await refund(110)).status, 201);
    assert.equal(await shop.credit(), 0);
    const { refunds, customer_credit } = await shop.books();
    assert.deepEqual([refunds, customer_credit], [10_000, undefined]);
    assert.equal((await shop.payOut()).status, 400);
  });

  test("is not what a refund that the gateway has not made yet will take", async () => {
    const shop = await open();
    const invoice = await shop.owe(100);
    const reference = await shop.payOnline(invoice.id, 130);
    await api.query(
      `insert into refunds (organisation_id, id, transaction_id, refund_number, amount_cents, currency, method, status, created_at)
       select organisation_id, 'ref_waiting', id, reference || '-R1', 1000, 'ZAR', 'gateway', 'requested', created_at
         from transactions where reference = $1`,
      reference,
    );
    const refused = await shop.payOut<Refusal>({ amount: 20.01 });
    assert.deepEqual([refused.status, issuePaths(refused)], [400, ["amount"]]);
    assert.equal((await shop.payOut({ amount: 20 })).status, 201);
    await api.query("delete from refunds where id = 'ref_waiting'");
  });

  test("is never more than there is, by 20 requests at once, nor beside a refund of the payment", async () => {
    const shop = await open();
    const invoice = await shop.owe(100);
    const reference = await shop.payOnline(invoice.id, 200);
    const asked = [
      ...Array.from({ length: 20 }, () => shop.payOut({ amount: 15 })),
      shop.staff("POST", `/transactions/${reference}/refunds`, { amount: 190, method: "manual" }),
    ];
    const answers = await Promise.all(asked);
    const made = answers.filter(({ status }) => status === 201);
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201, 400]));
    const [row] = await api.query<{ out: string; refunded: string }>(
      `select (select coalesce(sum(amount_cents), 0) from credit_refunds where organisation_id = $1) as out,
              (select coalesce(sum(amount_cents), 0) from refunds where organisation_id = $1) as refunded`,
      shop.merchant.organisation.id,
    );
    const [out, refunded] = [Number(row?.out), Number(row?.refunded)];
    assert.ok(out <= 10_000 && out + refunded <= 20_000, `${out} and ${refunded}`);
    assert.ok(refunded > 0 ? made.length === 1 : out === 9_000, `${out} and ${refunded}`);
  });

  test("of a credit note is none, nor of another currency, nor of another customer", async () => {
    const shop = await open();
    await shop.staff("POST", "/credit-notes", {
      customerId: shop.customerId,
      amount: 50,
      taxRate: 0,
      reason: "Goodwill",
    });
    const dollars = await shop.owe(10, { currency: "USD" });
    await shop.payOffline(dollars.id, 10);
    const refused = await shop.payOut<Refusal>({ amount: 1 });
    assert.deepEqual([refused.status, issuePaths(refused)], [400, ["amount"]]);
    assert.match(refused.body.message, /Credit notes are applied to invoices/);
    assert.equal((await shop.staff("POST", "/customers/cus_none/credit-refunds", { amount: 1 })).status, 404);
    const other = await open();
    assert.equal((await other.staff("POST", `/customers/${shop.customerId}/credit-refunds`, {})).status, 404);
    assert.equal((await other.staff("GET", `/customers/${shop.customerId}/credit-refunds`)).status, 404);
    assert.equal((await other.staff("GET", `/customers/${shop.customerId}/payable-credit`)).status, 404);
  });

  const WRONG: readonly [string, object, string][] = [
    ["an amount of 0", { amount: 0 }, "amount"],
    ["an amount of null", { amount: null }, "amount"],
    ["an amount as text", { amount: "10" }, "amount"],
    ["through a gateway", { method: "gateway" }, "method"],
    ["an unknown currency", { currency: "RND" }, "currency"],
    ["a reason of 501", { reason: "a".repeat(501) }, "reason"],
  ];
  test("what is refused", async () => {
    const shop = await open();
    for (const [name, body, path] of WRONG) {
      const answer = await shop.payOut<Refusal>(body);
      assert.deepEqual([answer.status, answer.body.error, ...issuePaths(answer)], [400, "invalid_request", path], name);
    }
    for (const role of ["support", "viewer"] as const) {
      const staff = await shop.merchant.signIn(role);
      assert.equal((await staff("GET", `/customers/${shop.customerId}/credit-refunds`)).status, 200, role);
      assert.equal((await staff("POST", `/customers/${shop.customerId}/credit-refunds`, {})).status, 403, role);
    }
  });

  test("in any order with payments, refunds and cancellations leaves the books as `verify` computes them", async () => {
    const step = fc.record({
      what: fc.constantFrom("pay", "cash", "refund", "payOut", "cancel"),
      amount: fc.integer({ min: 1, max: 90 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 8 }), async (steps) => {
        const shop = await open();
        const invoice = await shop.owe(60);
        const paid: string[] = [];
        for (const { what, amount } of steps) {
          if (what === "pay") paid.push(await shop.payOnline(invoice.id, amount));
          if (what === "cash") await shop.payOffline(invoice.id, amount);
          if (what === "cancel") await shop.act(invoice.id, "cancel");
          if (what === "payOut") await shop.payOut({ amount });
          const reference = paid[amount % Math.max(1, paid.length)];
          if (what === "refund" && reference)
            await shop.staff("POST", `/transactions/${reference}/refunds`, { amount, method: "manual" });
        }
        assert.ok(((await shop.books())["customer_credit"] ?? 0) <= 0);
      }),
      { numRuns: 12 },
    );
  });
});
