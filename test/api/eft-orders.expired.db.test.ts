import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Answer, openApi, type Refusal, type TestApi } from "../support/api.ts";
import { addCard, type CardShop, openCardShop, postForm } from "../support/cards.ts";
import { openCollectingShop } from "../support/collected-subscriptions.ts";
import { openDebitedShop } from "../support/debited-subscriptions.ts";
import { addOrder, addTransfers, type EftOrderBody, review, upload } from "../support/eft.ts";
import { mailsOf } from "../support/mails.ts";
import { closeVerified } from "../support/verified.ts";

/* An order that has expired is no payment under way, although it can still be approved (interface 3.10). Clocks stand at 1 March 2027. */

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

/** Later charges of it are declined. */
const DECLINED = "4000000000000341";
const EXPIRED = "2027-03-10T10:00:00.000Z";

/** Chooses bank transfer on a pay page; answers the order. */
async function transfer({ shop }: CardShop, payUrl: unknown): Promise<EftOrderBody> {
  const account = await addTransfers(shop);
  const page = await postForm(api, String(payUrl), { gateway: account.id });
  assert.equal(page.status, 303, page.text);
  const [order] = (await shop.get<{ data: EftOrderBody[] }>("/eft-orders?limit=1")).body.data;
  assert.ok(order);
  return order;
}

/** Chooses bank transfer on a link for the invoice. */
async function transferFor(stage: CardShop, invoiceId: unknown): Promise<EftOrderBody> {
  await addTransfers(stage.shop);
  const link = await stage.shop.post("/payment-links", { title: "Bill", amount: 100, invoiceId });
  assert.equal(link.status, 201, link.text);
  return transfer(stage, link.body["url"]);
}

/** What happens to an order before its invoice is due on 20 March, and whether it is a payment under way then. */
const ORDERS: Readonly<Record<string, { underWay: boolean; act: (stage: CardShop, id: string) => Promise<void> }>> = {
  "that nobody paid and expired": { underWay: false, act: async () => {} },
  "whose proof was rejected, and that expired": {
    underWay: false,
    async act({ shop, staff }, id) {
      await upload(shop, id);
      assert.equal((await review(staff, id, "reject")).status, 200);
    },
  },
  "whose proof was rejected after its time": {
    underWay: false,
    async act({ shop, staff, move }, id) {
      await upload(shop, id);
      await move(EXPIRED);
      assert.equal((await review(staff, id, "reject")).status, 200);
    },
  },
  "that waits for review": {
    underWay: true,
    async act({ shop }, id) {
      await upload(shop, id);
    },
  },
};

/** A customer with a default card, an invoice of 115.00 that is due on 20 March, and a transfer that was begun for it. */
async function openDue() {
  const stage = await openCardShop(api);
  assert.equal((await stage.staff("PATCH", "/settings", { chargeDefaultCardWhenDue: true })).status, 200);
  await addTransfers(stage.shop);
  await addCard(stage);
  const lines = [{ description: "Atlas", quantity: 1, unitPrice: 115, taxRate: 0 }];
  const body = { customerId: stage.customer, lines, dueDate: "2027-03-20", send: true };
  const invoice = await stage.shop.post<{ id: string; payUrl: string }>("/invoices", body);
  const order = await transfer(stage, invoice.body.payUrl);
  const charges = () =>
    api.query(
      "select 1 from card_charges where organisation_id = $1 and due_invoice_id is not null",
      stage.shop.organisation.id,
    );
  return { ...stage, invoice: invoice.body.id, order, charges };
}

describe("a due invoice", () => {
  for (const [name, { underWay, act }] of Object.entries(ORDERS))
    test(`with a transfer ${name}: ${underWay ? "left alone" : "charged"}`, async () => {
      const stage = await openDue();
      await act(stage, stage.order.id);
      await stage.move("2027-03-25T10:00:00.000Z");
      assert.equal((await stage.charges()).length, underWay ? 0 : 1);
    });

  test("that was charged, and whose transfer is approved then: the transfer is the customer's credit", async () => {
    const stage = await openDue();
    await stage.move("2027-03-25T10:00:00.000Z");
    assert.equal((await stage.shop.get(`/invoices/${stage.invoice}`)).body["status"], "paid");
    await approveLate(stage, stage.order, true);
  });
});

/** Approves an order that has expired; the whole amount becomes credit of the customer. */
async function approveLate({ shop, staff }: CardShop, { id, reference, amount }: EftOrderBody, isCredit: boolean) {
  const approved = await review(staff, id, "approve");
  assert.deepEqual([approved.status, approved.body.status], [200, "paid"], approved.text);
  const { body: payment } = await shop.get(`/transactions/${reference}`);
  assert.deepEqual([payment["status"], payment["flags"]], ["complete", isCredit ? ["overpaid"] : []]);
  const [row] = await api.query<{ cents: string }>(
    "select overpaid_cents as cents from transactions where organisation_id = $1 and reference = $2",
    shop.organisation.id,
    reference,
  );
  assert.equal(Number(row?.cents), isCredit ? amount * 100 : 0);
}

test("a first charge with a transfer that expired ends its subscription; approved then, the transfer is credit", async () => {
  const stage = await openCollectingShop(api);
  const sub = await stage.subscribe();
  const order = await transferFor(stage, sub.lastInvoice?.id);
  await stage.move("2027-04-10T10:00:00.000Z");
  assert.equal((await stage.now(sub.id)).status, "expired");
  await approveLate(stage, order, true);
  assert.equal((await stage.now(sub.id)).status, "expired");
});

test("a first charge that is paid by an expired transfer in time makes its subscription active", async () => {
  const stage = await openCollectingShop(api);
  const sub = await stage.subscribe();
  const order = await transferFor(stage, sub.lastInvoice?.id);
  await stage.move(EXPIRED);
  await approveLate(stage, order, false);
  await stage.move("2027-03-10T11:00:00.000Z");
  assert.equal((await stage.now(sub.id)).status, "active");
});

test("a missed renewal is tried again once the transfer that was begun for it has expired", async () => {
  const stage = await openCollectingShop(api);
  const sub = await stage.subscribe();
  await stage.pay(sub, DECLINED);
  await stage.move("2027-04-05T12:00:00.000Z");
  const order = await transferFor(stage, (await stage.now(sub.id)).lastInvoice?.id);
  const attempts = async () =>
    (await stage.shop.get<{ data: object[] }>(`/customer-subscriptions/${sub.id}/attempts`)).body.data.length;
  await stage.move("2027-04-12T11:00:00.000Z");
  assert.equal(await attempts(), 1);
  await stage.move("2027-04-12T14:00:00.000Z");
  assert.ok((await attempts()) > 1);
  await approveLate(stage, order, false);
});

describe("an invoice that is collected by debit order", () => {
  for (const begun of [false, true])
    test(`is debited on the mandate's day${begun ? ", after a transfer for it expired" : ""}`, async () => {
      const stage = await openDebitedShop(api);
      const order = begun ? await transferFor(stage, stage.sub.lastInvoice?.id) : null;
      await stage.move("2027-04-20T10:00:00.000Z");
      const debits = await stage.debits();
      assert.equal(debits.filter((text) => text.endsWith(" 1")).length, 1, debits.join());
      if (order) await approveLate(stage, order, true);
    });

  test("and that no mandate debits is missed once the transfer that was begun for it has expired", async () => {
    const stage = await openCollectingShop(api);
    const sub = await stage.subscribe({ collectionMethod: "debit_order" });
    await stage.move("2027-03-13T12:00:00.000Z");
    await transferFor(stage, sub.lastInvoice?.id);
    await stage.move("2027-03-16T12:00:00.000Z");
    assert.equal(
      (await stage.now(sub.id)).status,
      "active",
      "its due date has passed, the order is open until the 20th",
    );
    await stage.move("2027-03-21T12:00:00.000Z");
    assert.equal((await stage.now(sub.id)).status, "past_due");
  });
});

describe("a customer whose transfer has expired", () => {
  const erase = ({ staff, customer }: CardShop): Promise<Answer<Refusal>> =>
    staff<Refusal>("POST", `/customers/${customer}/erase`);
  async function ordered() {
    const stage = await openCardShop(api);
    await addTransfers(stage.shop);
    const body = { customer: { id: stage.customer }, description: "Repairs for Qwabe" };
    return { ...stage, order: await addOrder(stage.shop, body) };
  }

  test("is erased; approved then, the transfer completes", async () => {
    const stage = await ordered();
    await stage.move(EXPIRED);
    const erased = await erase(stage);
    assert.equal(erased.status, 200, erased.text);
    await approveLate(stage, stage.order, false);
    await stage.move("2027-03-11T10:00:00.000Z");
    assert.deepEqual(await mailsOf(api.services, stage.shop.organisation, { kind: "receipt" }), []);
  });

  test("is erased; the transfer for an invoice that was paid otherwise is their credit, and paid out", async () => {
    const stage = await openDue();
    const { staff, shop, customer, invoice, order } = stage;
    const paid = await shop.post(`/invoices/${invoice}/payments`, { amount: 114, method: "cash" });
    assert.equal(paid.status, 201, paid.text);
    await stage.move(EXPIRED);
    const erased = await erase(stage);
    assert.equal(erased.status, 200, erased.text);
    await approveLate(stage, order, true);
    const given = await staff("POST", `/customers/${customer}/credit-refunds`, { amount: order.amount });
    assert.equal(given.status, 201, given.text);
  });

  test("is not erased before, nor while a proof waits for review", async () => {
    const stage = await ordered();
    assert.match((await erase(stage)).body.message, /1 payment in progress \(EFT-/);
    await upload(stage.shop, stage.order.id);
    await stage.move(EXPIRED);
    assert.match((await erase(stage)).body.message, /1 payment in progress \(EFT-/);
  });
});
