import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { EXAMINATIONS } from "../../src/catalogue.ts";
import { verifyOrganisation } from "../../src/flows/verify/verify-organisation.ts";
import type { GatewayAccount } from "../../src/modules/gateway-accounts/types.ts";
import { type ApiMerchant, openApi, type StaffCall, type TestApi } from "../support/api.ts";
import { addTransfers, type EftOrderBody, review } from "../support/eft.ts";

// Effects of an approved transfer: on a link, on an invoice, and when it was paid already (interface 3.10, 16.21).

let api: TestApi;
let shop: ApiMerchant;
let staff: StaffCall;
let bank: GatewayAccount;
before(async () => {
  api = await openApi();
  shop = await api.addMerchant();
  bank = await addTransfers(shop);
  await shop.post("/customers", { externalReference: "C", email: "thandi@example.co.za" });
  staff = await shop.signIn();
});
after(() => api.close());

/** Chooses bank transfer on a pay page; answers the order. */
async function transfer(payUrl: string): Promise<EftOrderBody> {
  const { pathname } = new URL(payUrl);
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const { status, text } = await api.call("POST", pathname, { body: `gateway=${bank.id}`, headers });
  assert.equal(status, 303, text.slice(0, 500));
  return (await shop.get<{ data: EftOrderBody[] }>("/eft-orders?limit=1")).body.data[0] as EftOrderBody;
}

interface InvoiceBody {
  readonly id: string;
  readonly status: string;
  readonly payUrl: string;
}
const addInvoice = async (): Promise<InvoiceBody> => {
  const answer = await shop.post<InvoiceBody>("/invoices", {
    customer: { externalReference: "C" },
    lines: [{ description: "Chairs", quantity: 4, unitPrice: 250, taxRate: 15 }],
    send: true,
  });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
};
const invoice = async (id: string) => (await shop.get<InvoiceBody>(`/invoices/${id}`)).body;
const transactionOf = async (reference: string) => (await shop.get(`/transactions/${reference}`)).body;
const eventsOf = async (...subjects: string[]) =>
  (await api.query<{ type: string }>("select type from events where subject = any($1) order by id", subjects)).map(
    ({ type }) => type,
  );

describe("a payment link", () => {
  test("single-use, is used up by the approval and counts it once", async () => {
    const { body: link } = await shop.post<{ id: string; url: string }>("/payment-links", {
      title: "Deposit",
      amount: 100,
      externalReference: "l-1",
      metadata: { a: "b" },
    });
    const order = await transfer(link.url);
    assert.deepEqual([order.amount, order.externalReference, order.metadata], [100, "l-1", { a: "b" }]);
    assert.equal((await review(staff, order.id, "approve")).status, 200);
    const { body } = await shop.get<{
      paidCount: number;
      active: boolean;
      payments: { reference: string; status: string }[];
    }>(`/payment-links/${link.id}`);
    assert.deepEqual([body.paidCount, body.active], [1, false]);
    assert.deepEqual(
      body.payments.map(({ reference, status }) => [reference, status]),
      [[order.reference, "complete"]],
    );
  });

  test("paid by two transfers: the second is the customer's credit, flagged for staff", async () => {
    const { body: link } = await shop.post<{ id: string; url: string }>("/payment-links", {
      title: "Deposit",
      amount: 100,
      customerEmail: "thandi@example.co.za",
    });
    const first = await transfer(link.url);
    await api.query(
      "update eft_orders set gateway_account_id = $2 where id = $1",
      first.id,
      (await addTransfers(shop)).id,
    );
    await api.query(
      "update transactions set gateway_account_id = (select gateway_account_id from eft_orders where id = $1) where eft_order_id = $1",
      first.id,
    );
    const second = await transfer(link.url);
    assert.notEqual(second.id, first.id);
    await Promise.all([first, second].map(({ id }) => review(staff, id, "approve")));
    const both = await Promise.all([first, second].map(({ reference }) => transactionOf(reference)));
    assert.deepEqual(
      both.map((transaction) => transaction["status"]),
      ["complete", "complete"],
    );
    assert.deepEqual(
      both.flatMap((transaction) => transaction["flags"] as string[]),
      ["overpaid"],
    );
  });
});

describe("an invoice", () => {
  test("is paid in part by hand and the rest by transfer, whose transaction is of type invoice", async () => {
    const made = await addInvoice();
    await shop.post(`/invoices/${made.id}/payments`, { amount: 150, method: "cash" });
    const order = await transfer(made.payUrl);
    assert.equal(order.amount, 1000);
    const pending = await transactionOf(order.reference);
    assert.deepEqual([pending["type"], pending["eftOrderId"]], ["invoice", order.id]);
    assert.equal((pending["invoice"] as { id: string }).id, made.id);
    const { status, text } = await review(staff, order.id, "approve");
    assert.equal(status, 200, text);
    const paid = await invoice(made.id);
    assert.equal(paid.status, "paid");
    assert.deepEqual(await eventsOf(made.id), ["invoice.sent", "invoice.partially_paid", "invoice.paid"]);
    assert.deepEqual(await eventsOf(order.reference), ["payment.complete"]);
  });

  test("part paid in the meantime takes what is open; the rest is the customer's credit", async () => {
    const made = await addInvoice();
    const order = await transfer(made.payUrl);
    assert.equal(order.amount, 1150);
    await shop.post(`/invoices/${made.id}/payments`, { amount: 150, method: "cash" });
    assert.equal((await review(staff, order.id, "approve")).status, 200);
    assert.deepEqual(
      [(await invoice(made.id)).status, (await transactionOf(order.reference))["flags"]],
      ["paid", ["overpaid"]],
    );
  });

  test("cancelled in the meantime: staff may still approve, and the whole amount is credit", async () => {
    const made = await addInvoice();
    const order = await transfer(made.payUrl);
    await shop.post(`/invoices/${made.id}/cancel`, undefined);
    assert.equal((await review(staff, order.id, "approve")).status, 200);
    assert.equal((await invoice(made.id)).status, "cancelled");
    assert.deepEqual((await transactionOf(order.reference))["flags"], ["overpaid"]);
  });

  test("cancelled while its transfer is approved: one order of events, and books that agree", async () => {
    for (let round = 0; round < 6; round++) {
      const made = await addInvoice();
      const order = await transfer(made.payUrl);
      const [approved, cancelled] = await Promise.all([
        review(staff, order.id, "approve"),
        shop.post(`/invoices/${made.id}/cancel`, undefined),
      ]);
      assert.equal(approved.status, 200);
      assert.ok([200, 400].includes(cancelled.status));
      const { status } = await invoice(made.id);
      assert.equal(status, cancelled.status === 200 ? "cancelled" : "paid");
    }
  });
});

test("after all this, what was written agrees with itself", async () => {
  const faults: unknown[] = [];
  for await (const part of verifyOrganisation(api.services, shop.organisation, EXAMINATIONS))
    faults.push(...part.faults);
  assert.deepEqual(faults, []);
});
