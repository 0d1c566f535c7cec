import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openDisputeTotals } from "../../src/modules/disputes/store.ts";
import { type ApiMerchant, openApi, type TestApi } from "../support/api.ts";
import { begin, type CardShop, choiceOf, choose, openCardShop, type Shown, VISA } from "../support/cards.ts";
import { debitReference } from "../support/debit-batches.ts";
import { addActiveMandate, openMandateShop } from "../support/mandates.ts";
import { formOf, type Part, pdfOf, pngOf } from "../support/uploads.ts";
import { closeVerified } from "../support/verified.ts";

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

/** A payment by card of an invoice of 115, with the invoice's id. */
async function paid(shop: CardShop): Promise<{ reference: string; invoice: string }> {
  const made = await shop.shop.post("/invoices", {
    ...{ customerId: shop.customer, send: true },
    lines: [{ description: "Desk", quantity: 1, unitPrice: 100 }],
  });
  assert.equal(made.status, 201, made.text);
  const { reference, gatewayUrl } = await begin(shop, String(made.body["payUrl"]));
  await choose(shop, gatewayUrl, choiceOf(VISA));
  return { reference, invoice: String(made.body["id"]) };
}

const notify = (shop: CardShop, reference: string, status: string, times = 1) =>
  shop.staff("POST", "/sandbox/notify", { reference, status, times });
const disputesOf = async ({ shop }: CardShop, query: string): Promise<Shown[]> =>
  (await shop.get<{ data: Shown[] }>(`/disputes?${query}`)).body.data;
async function disputeOf(shop: CardShop, reference: string): Promise<Shown> {
  const [dispute, ...others] = await disputesOf(shop, `transactionReference=${reference}`);
  assert.ok(dispute);
  assert.deepEqual(others, []);
  return dispute;
}
const eventsOf = async (shop: CardShop, id: unknown) =>
  (
    await api.query<{ type: string; status: string }>(
      "select type, data ->> 'status' as status from events where organisation_id = $1 and subject = $2 order by id",
      shop.shop.organisation.id,
      id,
    )
  ).map(({ type, status }) => `${type} ${status}`);
const alertsOf = async (shop: CardShop) =>
  (await shop.staff<{ data: Shown[] }>("GET", "/emails?limit=100")).body.data
    .filter(({ kind }) => kind === "staff_alert")
    .map(({ subject }) => String(subject).replaceAll("\u00a0", " "));
async function attach(shop: ApiMerchant, id: unknown, part: Part) {
  const { body, headers } = await formOf(part);
  return shop.call<Shown>("POST", `/disputes/${id}/evidence`, { body, headers });
}

test("a disputed payment is taken back; the dispute is answered with evidence, and won: the money is there again", async () => {
  const shop = await openCardShop(api);
  const { reference, invoice } = await paid(shop);
  assert.equal((await notify(shop, reference, "disputed", 3)).status, 200);
  assert.equal((await notify(shop, reference, "disputed")).status, 200, "the same dispute again");
  const dispute = await disputeOf(shop, reference);
  const { id } = dispute;
  assert.partialDeepStrictEqual(dispute, {
    object: "dispute",
    transactionReference: reference,
    amount: 115,
    currency: "ZAR",
    reason: "The payer disputed the payment at the bank.",
    code: "disputed",
    status: "open",
    openedAt: "2027-03-01T10:00:00.000Z",
    respondBy: "2027-03-08T10:00:00.000Z",
    closedAt: null,
    evidence: [],
    answeredBy: "api",
  });
  assert.partialDeepStrictEqual((await shop.shop.get(`/invoices/${invoice}`)).body, { amountPaid: 0 });
  const refund = await shop.staff("POST", `/transactions/${reference}/refunds`, { amount: 1 });
  assert.equal(refund.status, 400, "nothing is left to refund");
  const alerts = await alertsOf(shop);
  assert.equal(alerts.filter((subject) => subject.includes("a customer disputes R 115.00")).length, 1, alerts.join());

  assert.equal((await shop.shop.call("POST", `/disputes/${id}/submit`)).status, 400, "there is no evidence");
  const file = { field: "file", name: "slip.pdf", bytes: pdfOf("signed") };
  for (const part of [file, file, { field: "file", name: "photo.png", bytes: pngOf() }])
    assert.equal((await attach(shop.shop, id, part)).status, 200);
  assert.equal((await attach(shop.shop, id, { field: "file", name: "a.pdf", bytes: Buffer.from("text") })).status, 400);
  const sent = await shop.shop.call("POST", `/disputes/${id}/submit`);
  assert.equal(sent.status, 200, sent.text);
  assert.deepEqual(
    (sent.body["evidence"] as Shown[]).map(({ fileName, contentType }) => [fileName, contentType]),
    [
      ["slip.pdf", "application/pdf"],
      ["photo.png", "image/png"],
    ],
  );
  assert.equal(sent.body["submittedAt"], "2027-03-01T10:00:00.000Z");

  assert.equal((await notify(shop, reference, "won", 3)).status, 200);
  assert.partialDeepStrictEqual((await shop.shop.get(`/disputes/${id}`)).body, {
    status: "won",
    closedAt: "2027-03-01T10:00:00.000Z",
  });
  const { body } = await shop.shop.get(`/transactions/${reference}`);
  assert.deepEqual([body["status"], body["reversals"]], ["complete", undefined]);
  assert.partialDeepStrictEqual((await shop.shop.get(`/invoices/${invoice}`)).body, {
    status: "paid",
    amountPaid: 115,
  });
  assert.deepEqual(await eventsOf(shop, id), ["dispute.opened open", "dispute.closed won"]);
  const overview = await shop.staff<{
    received: { thisMonth: Readonly<Record<"gross" | "reversed" | "net", number>> };
  }>("GET", "/overview");
  const { reversed, gross, net } = overview.body.received.thisMonth;
  assert.deepEqual([reversed, net], [0, gross], "what came back is received again on its day");
  assert.equal((await shop.staff("POST", `/transactions/${reference}/refunds`, { amount: 1 })).status, 201);
  for (const action of ["submit", "accept"])
    assert.equal((await shop.shop.call("POST", `/disputes/${id}/${action}`)).status, 409, action);
  assert.equal((await attach(shop.shop, id, file)).status, 409);
});

test("a dispute is lost, or accepted, once: the money stays taken", async () => {
  const shop = await openCardShop(api);
  const lost = await paid(shop);
  const accepted = await paid(shop);
  for (const { reference } of [lost, accepted]) await notify(shop, reference, "disputed");
  assert.deepEqual((await disputesOf(shop, "status=open")).length, 2);
  const totals = await api.services.db.read(shop.shop.organisation.id, (tx) => openDisputeTotals(tx));
  assert.partialDeepStrictEqual(totals, [{ currency: "ZAR", amount: 23_000, count: 2 }]);
  await notify(shop, lost.reference, "lost", 2);
  assert.equal((await notify(shop, lost.reference, "won")).status, 400);
  const { id } = await disputeOf(shop, accepted.reference);
  const closed = await shop.shop.call("POST", `/disputes/${id}/accept`);
  assert.deepEqual([closed.status, closed.body["status"]], [200, "accepted"]);
  await notify(shop, accepted.reference, "won");
  assert.equal((await disputeOf(shop, accepted.reference))["status"], "accepted", "what is closed stays closed");
  const ofLost = await disputeOf(shop, lost.reference);
  assert.deepEqual(await eventsOf(shop, ofLost["id"]), ["dispute.opened open", "dispute.closed lost"]);
  for (const { reference } of [lost, accepted])
    assert.equal(((await shop.shop.get(`/transactions/${reference}`)).body["reversals"] as unknown[]).length, 1);
  type Listed = { data: Shown[]; hasMore: boolean; nextCursor: string };
  const page = (await shop.staff<Listed>("GET", "/disputes?limit=1")).body;
  assert.deepEqual([page.data.length, page.hasMore], [1, true]);
  const next = (await shop.staff<Listed>("GET", `/disputes?limit=1&startingAfter=${page.nextCursor}`)).body;
  assert.deepEqual([next.data.length, next.hasMore], [1, false]);
});

test("a dispute that is won after its invoice was paid in another way is left to a person", async () => {
  const shop = await openCardShop(api);
  const { reference, invoice } = await paid(shop);
  await notify(shop, reference, "disputed");
  const offline = { amount: 115, method: "eft", reference: "again" };
  const again = await shop.shop.post(`/invoices/${invoice}/payments`, offline);
  assert.ok(again.status < 300, again.text);
  await notify(shop, reference, "won");
  assert.equal((await disputeOf(shop, reference))["status"], "won");
  const alerts = await alertsOf(shop);
  assert.ok(
    alerts.some((subject) => subject.includes("of a disputed payment is yours again")),
    alerts.join(),
  );
  assert.partialDeepStrictEqual((await shop.shop.get(`/invoices/${invoice}`)).body, {
    status: "paid",
    amountPaid: 115,
  });
});

test("a collected debit that comes back disputed is lost at once", async () => {
  const shop = await openMandateShop(api);
  const mandate = await addActiveMandate(shop, { debitDay: 6 });
  await shop.move("2027-03-12T10:00:00Z");
  const reference = debitReference(mandate, "20270306");
  assert.equal((await notify(shop, reference, "disputed", 2)).status, 200);
  const dispute = await disputeOf(shop, reference);
  assert.partialDeepStrictEqual(dispute, { status: "lost", amount: 350.5, respondBy: null });
  assert.deepEqual(await eventsOf(shop, dispute["id"]), ["dispute.opened open", "dispute.closed lost"]);
  assert.equal((await notify(shop, reference, "won")).status, 400);
});
