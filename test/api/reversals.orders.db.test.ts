import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { StaffCall } from "../support/api.ts";
import { openApi, type TestApi } from "../support/api.ts";
import { type Invoicing, openInvoicing } from "../support/invoices.ts";
import {
  notify,
  openStandIn,
  refundAnswer,
  reportedPayment,
  reportedReversal,
  type StandIn,
} from "../support/payments.ts";
import { fc } from "../support/property.ts";
import { closeVerified } from "../support/verified.ts";

/* Reversals of a payment before, between and after refunds, credit and other reports of the payment, in every order. */

let gateway: StandIn;
let api: TestApi;
before(async () => {
  gateway = await openStandIn();
  api = await openApi({ GATEWAY_URL_SANDBOX: gateway.url });
});
after(async () => {
  await closeVerified(api).finally(gateway.close);
});

interface Case {
  readonly shop: Invoicing;
  readonly staff: StaffCall;
  /** Of the invoice, and of its payment. */
  readonly id: string;
  readonly reference: string;
}
/** An invoice with one payment of 100. */
async function paid(owed: number): Promise<Case> {
  const shop = await openInvoicing(api);
  const staff = await shop.merchant.signIn();
  const { id } = await shop.owe(owed);
  return { shop, staff, id, reference: await shop.payOnline(id, 100) };
}

const takeBack = async ({ shop, reference }: Case, rand: number, code = "02") => {
  const reversal = reportedReversal(reference, { amount: rand * 100, code });
  assert.equal((await notify(api, shop.account, { reversal })).status, 200);
};
const askForRefund = ({ staff, reference }: Case, amount: number, method = "manual") =>
  staff("POST", `/transactions/${reference}/refunds`, { amount, method });
const askForPayout = ({ shop, staff }: Case, amount: number) =>
  staff("POST", `/customers/${shop.customerId}/credit-refunds`, { amount });
const refund = async (it: Case, amount: number) => assert.equal((await askForRefund(it, amount)).status, 201);
const payOut = async (it: Case, amount: number) => assert.equal((await askForPayout(it, amount)).status, 201);
const cancel = async ({ shop, id }: Case) => assert.equal((await shop.act(id, "cancel", {})).status, 200);

/** The payment's status, what was taken back, status and balance of the invoice, and the books in rand. */
async function outcome({ shop, id, reference }: Case) {
  const payment = (await shop.merchant.get(`/transactions/${reference}`)).body;
  const reversals = (payment["reversals"] ?? []) as { amount: number }[];
  const invoice = await shop.show(id);
  const books = Object.entries(await shop.books()).map(([account, cents]) => [account, cents / 100]);
  return {
    payment: payment["status"],
    reversed: reversals.map(({ amount }) => amount),
    invoice: [invoice.status, invoice.amountDue],
    books: Object.fromEntries(books),
  };
}

// What is owed, what happens after a payment of 100, and what there is then. The gateway's fee is 3.90.
const TABLE: [string, number, (it: Case) => Promise<void>, Awaited<ReturnType<typeof outcome>>][] = [
  [
    "taken back as a whole, and once more by another code",
    100,
    async (it) => {
      await takeBack(it, 100, "1");
      await takeBack(it, 100, "2");
    },
    {
      payment: "complete",
      reversed: [100],
      invoice: ["sent", 100],
      books: { gateway_clearing: -3.9, gateway_fees: 3.9, receivable: 100, revenue: -100 },
    },
  ],
  [
    "refunded as a whole, then taken back: the refund is lost",
    100,
    async (it) => {
      await refund(it, 100);
      await takeBack(it, 100);
    },
    {
      payment: "refunded",
      reversed: [100],
      invoice: ["sent", 100],
      books: { bank: -100, gateway_clearing: -3.9, gateway_fees: 3.9, receivable: 100, refunds: 100, revenue: -100 },
    },
  ],
  [
    "refunded in part, then taken back as a whole",
    100,
    async (it) => {
      await refund(it, 40);
      await takeBack(it, 100);
    },
    {
      payment: "partially_refunded",
      reversed: [100],
      invoice: ["sent", 100],
      books: { bank: -40, gateway_clearing: -3.9, gateway_fees: 3.9, receivable: 100, refunds: 40, revenue: -100 },
    },
  ],
  [
    "taken back in part, the rest refunded",
    100,
    async (it) => {
      await takeBack(it, 60);
      await refund(it, 40);
    },
    {
      payment: "partially_refunded",
      reversed: [60],
      invoice: ["partially_paid", 60],
      books: {
        bank: -40,
        gateway_clearing: 36.1,
        gateway_fees: 3.9,
        receivable: 60,
        refunds: 40,
        revenue: -100,
      },
    },
  ],
  [
    "overpaid, its credit there still: the credit goes first",
    70,
    (it) => takeBack(it, 30),
    {
      payment: "complete",
      reversed: [30],
      invoice: ["paid", 0],
      books: { gateway_clearing: 66.1, gateway_fees: 3.9, revenue: -70 },
    },
  ],
  [
    "overpaid, its credit refunded, then taken back as a whole: the refund is lost",
    70,
    async (it) => {
      await refund(it, 30);
      await takeBack(it, 100);
    },
    {
      payment: "partially_refunded",
      reversed: [100],
      invoice: ["sent", 70],
      books: { bank: -30, gateway_clearing: -3.9, gateway_fees: 3.9, receivable: 70, refunds: 30, revenue: -70 },
    },
  ],
  [
    "its invoice cancelled, then taken back: the credit goes, and the balance owes nothing",
    150,
    async (it) => {
      await cancel(it);
      await takeBack(it, 100);
    },
    {
      payment: "complete",
      reversed: [100],
      invoice: ["cancelled", 50],
      books: { gateway_clearing: -3.9, gateway_fees: 3.9 },
    },
  ],
  [
    "overpaid, its credit paid out, taken back as a whole, its invoice cancelled: what was paid out is lost",
    40,
    async (it) => {
      await payOut(it, 60);
      await takeBack(it, 100);
      await cancel(it);
    },
    {
      payment: "complete",
      reversed: [100],
      invoice: ["cancelled", 40],
      books: { bank: -60, gateway_clearing: -3.9, gateway_fees: 3.9, refunds: 60 },
    },
  ],
];
describe("a payment", () => {
  for (const [what, owed, happens, expected] of TABLE)
    test(what, async () => {
      const it = await paid(owed);
      await happens(it);
      assert.deepEqual(await outcome(it), expected);
    });
});

/** What happens to a payment, by its name; what is not possible then is refused. */
function happenings(it: Case) {
  const made: { refundId: unknown; amount: number }[] = [];
  gateway.replies.set("POST refunds", (call) => {
    made.push({ refundId: call.body["refundId"], amount: Number(call.body["amount"]) });
    return refundAnswer(call, "processed");
  });
  return {
    refund: (amount: number) => askForRefund(it, amount),
    refundByGateway: (amount: number) => askForRefund(it, amount, "gateway"),
    refundFails() {
      const last = made.pop();
      if (!last) return;
      const { refundId, amount } = last;
      const refund = { id: `sbr_${refundId}`, refundId: String(refundId), reference: it.reference, amount };
      return notify(api, it.shop.account, {
        refund: { ...refund, status: "refused", reason: "Closed account.", occurredAt: "2027-01-02T00:00:00.000Z" },
      });
    },
    payOut: (amount: number) => askForPayout(it, amount),
    takeBack: (amount: number, at: number) => takeBack(it, amount, String(at)),
    cancel: () => it.shop.act(it.id, "cancel", {}),
  };
}

test("in any order, when the invoice is cancelled in the end: a loss is what left above the payment", async () => {
  const names = ["refund", "refundByGateway", "refundFails", "payOut", "takeBack", "cancel"] as const;
  const step = fc.record({ name: fc.constantFrom(...names), amount: fc.constantFrom(10, 20, 30, 50, 70, 100) });
  const steps = fc.array(step, { minLength: 2, maxLength: 7 });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(40, 70, 150), steps, async (owed, happened) => {
      const it = await paid(owed);
      const happens = happenings(it);
      for (const [at, { name, amount }] of happened.entries()) await happens[name](amount, at);
      await happens.cancel();
      fc.pre((await it.shop.show(it.id)).status === "cancelled");
      const books = await it.shop.books();
      const of = (account: string) => books[account] ?? 0;
      const left = of("bank") + of("gateway_clearing") + of("gateway_fees");
      assert.deepEqual(
        {
          credit: -of("customer_credit") + 0,
          loss: of("refunds"),
          receivable: of("receivable"),
          revenue: of("revenue"),
        },
        { credit: Math.max(0, left), loss: Math.max(0, -left), receivable: 0, revenue: 0 },
      );
    }),
    { numRuns: 100 },
  );
  const failed = await api.query("select from journal_entries where kind = 'refund_reversal'");
  assert.ok(failed.length > 0, "some refunds failed after they were made");
});

describe("every order of four notifications", () => {
  const NEWS = {
    complete: ({ shop, reference }: Case) =>
      notify(api, shop.account, { payment: reportedPayment(reference, "complete") }),
    failed: ({ shop, reference }: Case) => notify(api, shop.account, { payment: reportedPayment(reference, "failed") }),
    part: (it: Case) => takeBack(it, 40, "1"),
    rest: (it: Case) => takeBack(it, 80, "2"),
  };
  type Name = keyof typeof NEWS;
  const orders = (names: readonly Name[]): Name[][] =>
    names.length === 0
      ? [[]]
      : names.flatMap((first) => orders(names.filter((name) => name !== first)).map((others) => [first, ...others]));
  for (const order of orders(["complete", "failed", "part", "rest"]))
    test(`${order.join(", ")}: one payment, taken back as a whole`, async () => {
      const shop = await openInvoicing(api);
      const { id } = await shop.owe(100);
      const it = { shop, staff: await shop.merchant.signIn(), id, reference: await shop.attempt(id, 100) };
      for (const name of order) {
        await NEWS[name](it);
        await NEWS[name](it);
      }
      const { reversed, ...then } = await outcome(it);
      assert.deepEqual(then, {
        payment: "complete",
        invoice: ["sent", 100],
        books: { gateway_clearing: -3.9, gateway_fees: 3.9, receivable: 100, revenue: -100 },
      });
      assert.deepEqual([reversed.length, reversed.reduce((total, amount) => total + amount, 0)], [2, 100]);
      const events = (await shop.eventsOf(it.reference)).map(({ type }) => type);
      const failedFirst = order.indexOf("failed") < order.indexOf("complete");
      assert.deepEqual(events, [
        ...(failedFirst ? ["payment.failed"] : []),
        "payment.complete",
        "payment.reversed",
        "payment.reversed",
      ]);
    });
});
