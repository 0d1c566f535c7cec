import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import { type InvoiceAnswer, openInvoicing } from "../support/invoices.ts";
import { imported, statementOf } from "../support/reconciliation.ts";
import { closeVerified } from "../support/verified.ts";

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

async function open() {
  const shop = await openInvoicing(api);
  const paymentsOf = async ({ id }: Pick<InvoiceAnswer, "id">) =>
    (await shop.merchant.get<{ data: { id: string; source: string }[] }>(`/invoices/${id}/payments`)).body.data;
  const undo = ({ id }: Pick<InvoiceAnswer, "id">, payment: string | undefined) =>
    shop.merchant.call<InvoiceAnswer & { error: string }>("DELETE", `/invoices/${id}/payments/${payment}`);
  return { ...shop, paymentsOf, undo };
}

test("a payment that was recorded by mistake is undone: the invoice is owed again, the books are as before", async () => {
  const shop = await open();
  const invoice = await shop.owe(100);
  const [books, standing] = [await shop.books(), await shop.standing()];
  assert.equal((await shop.payOffline(invoice.id, 100)).status, 201);
  const [payment] = await shop.paymentsOf(invoice);
  const undone = await shop.undo(invoice, payment?.id);
  assert.deepEqual([undone.status, undone.body.status, undone.body.amountPaid], [200, "sent", 0], undone.text);
  assert.ok(undone.body.payUrl, "it can be paid online again");
  assert.deepEqual([await shop.books(), await shop.standing()], [books, standing]);
  assert.deepEqual(await shop.paymentsOf(invoice), []);
  const told = (await shop.eventsOf(invoice.id)).map(({ type }) => type);
  assert.deepEqual(told.slice(-2), ["invoice.paid", "invoice.payment_undone"]);
  assert.equal((await shop.undo(invoice, payment?.id)).status, 404, "once");
});

test("of two payments the right one is undone", async () => {
  const shop = await open();
  const invoice = await shop.owe(100);
  await shop.payOffline(invoice.id, 30);
  await shop.payOffline(invoice.id, 70);
  const [first] = await shop.paymentsOf(invoice);
  const { body } = await shop.undo(invoice, first?.id);
  assert.deepEqual([body.status, body.amountPaid], ["partially_paid", 70]);
});

test("two at once undo it once", async () => {
  const shop = await open();
  const invoice = await shop.owe(100);
  await shop.payOffline(invoice.id, 40);
  const [payment] = await shop.paymentsOf(invoice);
  const both = await Promise.all([shop.undo(invoice, payment?.id), shop.undo(invoice, payment?.id)]);
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 404]);
  assert.equal((await shop.show(invoice.id)).amountPaid, 0);
});

test("what was not recorded by hand is not undone: gateways' payments, other invoices', cancelled ones'", async () => {
  const shop = await open();
  const [online, recorded] = [await shop.owe(100), await shop.owe(50)];
  await shop.payOnline(online.id, 100);
  await shop.payOffline(recorded.id, 20);
  const [byGateway, byHand] = [(await shop.paymentsOf(online))[0], (await shop.paymentsOf(recorded))[0]];
  assert.equal((await shop.undo(online, byGateway?.id)).status, 404);
  assert.equal((await shop.undo(online, byHand?.id)).status, 404);
  assert.equal((await shop.act(recorded.id, "cancel", {})).status, 200);
  const cancelled = await shop.undo(recorded, byHand?.id);
  assert.deepEqual([cancelled.status, cancelled.body.error], [409, "invalid_state"], cancelled.text);
});

test("a payment that a bank line shows is undone with its match", async () => {
  const shop = await open();
  const staff = await shop.merchant.signIn("finance");
  const invoice = await shop.owe(100);
  await shop.payOffline(invoice.id, 100);
  const [payment] = await shop.paymentsOf(invoice);
  const { items } = await imported(staff, statementOf(["2027-03-01", "EFT Thandi", 100]));
  const [line] = items;
  const matched = await staff("POST", `/reconciliation/items/${line?.id}/match`, {
    allocations: [{ kind: "invoice_payment", invoiceId: invoice.id, paymentId: payment?.id, amount: 100 }],
  });
  assert.equal(matched.status, 200, matched.text);
  const refused = await shop.undo(invoice, payment?.id);
  assert.deepEqual([refused.status, refused.body.error], [409, "invalid_state"], refused.text);
  assert.equal((await staff("POST", `/reconciliation/items/${line?.id}/unmatch`, {})).status, 200);
  assert.equal((await shop.undo(invoice, payment?.id)).status, 200);
});

test("a credit note that found nothing open is applied to the invoice that is open again", async () => {
  const shop = await open();
  const staff = await shop.merchant.signIn("finance");
  const invoice = await shop.owe(165);
  await shop.payOffline(invoice.id, 100);
  await shop.payOffline(invoice.id, 65);
  const note = await staff("POST", "/credit-notes", { invoiceId: invoice.id, amount: 23, taxRate: 0, reason: "Late" });
  assert.equal(note.status, 201, note.text);
  const [first] = await shop.paymentsOf(invoice);
  const { body, text } = await shop.undo(invoice, first?.id);
  assert.deepEqual([body.status, body.amountPaid, body.amountDue], ["partially_paid", 88, 77], text);
});
