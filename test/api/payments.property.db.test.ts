import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Payment, Refund } from "../../src/gateways/sandbox/wire.ts";
import { addSeconds } from "../../src/kernel/time.ts";
import { PAYMENT_CHECK } from "../../src/modules/payments/declarations.ts";
import { FORWARD } from "../../src/modules/payments/states.ts";
import { findByReference } from "../../src/modules/payments/store/payments.ts";
import { enqueue } from "../../src/platform/due-work.ts";
import { openApi, type TestApi } from "../support/api.ts";
import { type Invoicing, openInvoicing } from "../support/invoices.ts";
import {
  addPayment,
  notify,
  openStandIn,
  refundAnswer,
  reportedPayment,
  reportedReversal,
  type StandIn,
} from "../support/payments.ts";
import { fc } from "../support/property.ts";
import { faultsOf } from "../support/verified.ts";

const RUNS = 12;

let gateway: StandIn;
let api: TestApi;
before(async () => {
  gateway = await openStandIn();
  gateway.replies.set("POST refunds", () => ({ status: 500, json: {} }));
  api = await openApi({ GATEWAY_URL_SANDBOX: gateway.url });
});
after(async () => {
  await api.close();
  await gateway.close();
});

/** A gateway's report: the index of the payment or refund, and its status. `strange`: with a wrong amount. */
interface Report<Word> {
  readonly of: number;
  readonly word: Word;
  readonly strange: boolean;
}
const reports = <Word>(of: number, words: readonly Word[]) =>
  fc
    .array(
      fc.record({
        of: fc.nat(of - 1),
        word: fc.constantFrom(...words),
        strange: fc.boolean(),
      }),
      { minLength: 1, maxLength: 7 },
    )
    .chain((given) =>
      fc.tuple(fc.constant(given), fc.shuffledSubarray(given, { minLength: given.length, maxLength: given.length })),
    );

/** The final state: books by ledger account, standing without its time, statuses. Asserts that `verify` finds no fault. */
async function endOf(shop: Invoicing, references: readonly string[], others: object): Promise<unknown> {
  const payments = await Promise.all(references.map((reference) => shop.merchant.get(`/transactions/${reference}`)));
  const { asOf: _, oldestOverdueAt: __, ...standing } = await shop.standing();
  assert.deepEqual(await faultsOf(api, shop.merchant.organisation), []);
  return {
    books: await shop.books(),
    standing: { ...standing, customerId: null },
    payments: payments.map(({ body }) => [body["status"], body["refundedAmount"]]),
    ...others,
  };
}

async function inEveryOrder<Word>(
  orders: readonly (readonly Report<Word>[])[],
  end: (given: readonly Report<Word>[]) => Promise<unknown>,
): Promise<void> {
  const [first, ...rest] = await Promise.all(orders.map(end));
  for (const other of rest) assert.deepEqual(other, first);
}

/** Enqueues the due work that starting a payment enqueues. */
async function askLater(shop: Invoicing, references: readonly string[]): Promise<void> {
  const ctx = await shop.merchant.ctx();
  await api.services.db.transaction(ctx.organisation.id, async (tx) => {
    for (const reference of references) {
      const payment = await findByReference(tx, reference);
      if (payment) enqueue(tx, PAYMENT_CHECK, payment.id, addSeconds(ctx.now, 60));
    }
  });
}

const notifyOf = async (shop: Invoicing, payment: Payment) =>
  assert.equal((await notify(api, shop.account, { payment })).status, 200);

for (const [name, amounts, fields] of [
  ["two payments of a single-use link", [100, 100], null],
  ["three payments of an invoice, of which two are parts", [100, 60, 30], { lines: 100 }],
] as const)
  test(`${name}: every order of reports ends in the same books`, async () => {
    const property = fc.asyncProperty(reports(amounts.length, FORWARD), (orders) =>
      inEveryOrder(orders, async (given) => {
        const shop = await openInvoicing(api);
        const references: string[] = [];
        const others: (() => Promise<object>)[] = [];
        if (fields) {
          const { id } = await shop.owe(fields.lines);
          for (const amount of amounts) references.push(await shop.attempt(id, amount));
          others.push(async () => {
            const { status, amountPaid } = await shop.show(id);
            return { status, amountPaid };
          });
        } else {
          const body = { title: "Deposit", amount: 100, customerId: shop.customerId };
          const linkId = String((await shop.merchant.post("/payment-links", body)).body["id"]);
          const row = { linkId, customerId: shop.customerId };
          for (const _ of amounts) references.push(await addPayment(api, shop.merchant, shop.account, row));
          others.push(async () => {
            const { body: link } = await shop.merchant.get(`/payment-links/${linkId}`);
            return { paidCount: link["paidCount"], active: link["active"] };
          });
        }
        await askLater(shop, references);
        for (const { of, word, strange } of given) {
          const asked = Math.round((amounts[of] ?? 0) * 100);
          await notifyOf(shop, reportedPayment(references[of] ?? "", word, { amount: strange ? asked + 1 : asked }));
        }
        return endOf(shop, references, Object.assign({}, ...(await Promise.all(others.map((other) => other())))));
      }),
    );
    await fc.assert(property, { numRuns: RUNS });
  });

test("two refunds of a payment that an invoice took in part: every order of reports ends in the same books", async () => {
  const WORDS = ["pending", "processed", "refused"] as const;
  const property = fc.asyncProperty(reports(2, WORDS), (orders) =>
    inEveryOrder(orders, async (given) => {
      const shop = await openInvoicing(api);
      const staff = await shop.merchant.signIn();
      const { id } = await shop.owe(70);
      const reference = await shop.payOnline(id, 100);
      const asked: { refundId: string; reference: string; amount: number }[] = [];
      for (const amount of [20, 45]) {
        assert.equal((await staff("POST", `/transactions/${reference}/refunds`, { amount })).status, 201);
        const [row] = await api.query<{ id: string }>(
          "select id from refunds where organisation_id = $1 order by id desc",
          shop.merchant.organisation.id,
        );
        asked.push({ refundId: row?.id ?? "", reference, amount: amount * 100 });
      }
      for (const { of, word, strange } of given) {
        const request = asked[of];
        assert.ok(request);
        const body = { ...request, amount: strange ? request.amount + 1 : request.amount };
        const { json } = refundAnswer({ method: "POST", path: "", idempotencyKey: undefined, body }, word) as {
          json: Refund;
        };
        assert.equal((await notify(api, shop.account, { refund: json })).status, 200);
        await notifyOf(shop, reportedPayment(reference, "cancelled"));
      }
      return endOf(shop, [reference], { invoice: (await shop.show(id)).status });
    }),
  );
  await fc.assert(property, { numRuns: RUNS });
});

test("payments, refunds and reversals of an invoice: every order of reports ends in the same books", async () => {
  const WORDS = ["complete", "failed", "1", "2", "processed", "refused"] as const;
  const property = fc.asyncProperty(reports(2, WORDS), (orders) =>
    inEveryOrder(orders, async (given) => {
      const shop = await openInvoicing(api);
      const staff = await shop.merchant.signIn();
      const { id } = await shop.owe(70);
      const paid = await shop.payOnline(id, 100);
      assert.equal((await staff("POST", `/transactions/${paid}/refunds`, { amount: 45 })).status, 201);
      const [refund] = await api.query<{ id: string }>(
        "select id from refunds where organisation_id = $1",
        shop.merchant.organisation.id,
      );
      const references = [paid, await shop.attempt((await shop.owe(50)).id, 50)];
      await askLater(shop, references);
      for (const { of, word, strange } of given) {
        const reference = references[of] ?? "";
        const rand = [100, 50][of] ?? 0;
        if (word === "complete" || word === "failed")
          await notifyOf(shop, reportedPayment(reference, word, { amount: rand * 100 }));
        else if (word === "1" || word === "2") {
          const reversal = reportedReversal(reference, { code: word, amount: strange ? rand * 100 + 1 : rand * 60 });
          assert.equal((await notify(api, shop.account, { reversal })).status, 200);
        } else {
          const body = { refundId: refund?.id, reference: paid, amount: 4_500 };
          const { json } = refundAnswer({ method: "POST", path: "", idempotencyKey: undefined, body }, word) as {
            json: Refund;
          };
          assert.equal((await notify(api, shop.account, { refund: json })).status, 200);
        }
      }
      const reversed = await Promise.all(
        references.map(async (reference) => {
          const { body } = await shop.merchant.get<{ reversals?: { amount: number }[] }>(`/transactions/${reference}`);
          return body.reversals?.map(({ amount }) => amount);
        }),
      );
      return endOf(shop, references, { invoice: (await shop.show(id)).status, reversed });
    }),
  );
  await fc.assert(property, { numRuns: RUNS });
});
