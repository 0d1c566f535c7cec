import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openApi, type TestApi } from "../../../test/support/api.ts";
import { closeVerified } from "../../../test/support/verified.ts";
import { liveThroughAMonth } from "../examples/month.ts";
import { Tefo } from "../src/index.ts";

let api: TestApi;
before(async () => {
  api = await openApi({ PROCESS: "all" });
});
after(() => closeVerified(api));

test("a shop lives through a month by its key alone, and is then as it was", async () => {
  const shop = await api.addMerchant();
  await shop.addGateway();
  const tefo = new Tefo({ apiKey: shop.key, baseUrl: api.baseUrl });
  const month = await liveThroughAMonth(tefo, () => {});
  const { events, exported, vat, ...rest } = month;
  const paid = { status: "paid", total: 1150, amountPaid: 1150 };
  assert.deepEqual(rest, {
    // Cash 650, links 345 and 230, one debit 199, and the bank's 1150.
    received: { gross: 2574, refunded: 115, reversed: 0 },
    closing: 0,
    dispute: "won",
    debit: "2 debits, the first unpaid",
    invoices: [
      { number: "INV-000001", ...paid },
      { number: "INV-000002", ...paid },
    ],
  });
  assert.ok(vat > 150, "output tax");
  assert.deepEqual(exported["transactions"], 4);
  assert.ok((exported["journal"] ?? 0) > 20);
  for (const [type, count] of Object.entries({
    "payment.complete": 3,
    "refund.processed": 1,
    "dispute.opened": 1,
    "dispute.closed": 1,
    "mandate.debit_unpaid": 1,
    "mandate.debit_collected": 1,
    "subscription.renewed": 1,
    "credit_note.applied": 1,
    "reconciliation.completed": 1,
  }))
    assert.equal(events[type], count, type);
  for (const list of [
    tefo.customers.list(),
    tefo.invoices.list(),
    tefo.paymentLinks.list(),
    tefo.webhookEndpoints.list(),
  ])
    assert.deepEqual((await list).data, [], "nothing is left");
});
