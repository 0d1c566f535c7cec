import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import { alertsAbout, batchesOf, batchNow, debitReference } from "../support/debit-batches.ts";
import { addActiveMandate, type MandateShop, openMandateShop, type Shown } from "../support/mandates.ts";
import { closeVerified } from "../support/verified.ts";

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

const BAD = { accountNumber: "62900417702" };

/** The types of the events about a record, oldest first, with the data of each. */
const eventsOf = (shop: MandateShop, subject: unknown) =>
  api.query<{ type: string; data: Shown }>(
    "select type, data from events where organisation_id = $1 and subject = $2 order by id",
    shop.shop.organisation.id,
    subject,
  );
const typesOf = async (shop: MandateShop, subject: unknown) => (await eventsOf(shop, subject)).map(({ type }) => type);
const unpaidOf = async (shop: MandateShop, query = "") =>
  (await shop.staff<{ data: Shown[] }>("GET", `/unpaid-debits${query}`)).body.data;
const mailsOf = async (shop: MandateShop, kind: string) =>
  (await shop.staff<{ data: Shown[] }>("GET", "/emails?limit=100")).body.data.filter((mail) => mail["kind"] === kind);

test("a mandate's life is told: created, signed or not, active, paused, active again, cancelled", async () => {
  const shop = await openMandateShop(api);
  const mandate = await addActiveMandate(shop, { debitDay: 20 });
  for (const status of ["paused", "active", "cancelled"])
    assert.equal((await shop.shop.call("PATCH", `/mandates/${mandate["id"]}`, { body: { status } })).status, 200);
  const types = await typesOf(shop, mandate["id"]);
  assert.deepEqual(types, [
    "mandate.created",
    ...(types.includes("mandate.signed") ? ["mandate.signed"] : []),
    "mandate.activated",
    "mandate.paused",
    "mandate.activated",
    "mandate.cancelled",
  ]);
});

test("an unpaid debit is owed: event, link, mail, alert, portal's sum, timelines; a collected one is told", async () => {
  const shop = await openMandateShop(api);
  const good = await addActiveMandate(shop, { debitDay: 6 });
  const bad = await addActiveMandate(shop, { debitDay: 6, description: "Gym" }, BAD);
  await shop.move("2027-03-12T10:00:00Z");
  const reference = debitReference(bad, "20270306");

  const told = (await eventsOf(shop, bad["id"])).filter(({ type }) => type === "mandate.debit_unpaid");
  assert.deepEqual(
    told.map(({ data }) => data["debit"]),
    [
      {
        transactionReference: reference,
        amount: 350.5,
        actionDate: "2027-03-08",
        code: "02",
        reason: "Insufficient funds",
      },
    ],
  );
  assert.equal(told[0]?.data["failureCount"], 1);
  const [collected] = (await eventsOf(shop, good["id"])).filter(({ type }) => type === "mandate.debit_collected");
  assert.partialDeepStrictEqual(collected?.data["debit"], { amount: 350.5, code: null, reason: null });

  const [row, ...others] = await unpaidOf(shop, "?open=true");
  assert.deepEqual(others, []);
  assert.partialDeepStrictEqual(row, { reference, mandateId: bad["id"], amount: 350.5, code: "02", settled: false });
  assert.deepEqual(await unpaidOf(shop, "?open=false"), []);
  const [mail, ...more] = await mailsOf(shop, "debit_unpaid");
  assert.deepEqual(more, []);
  assert.match(String(mail?.["text"]), /Insufficient funds/);
  assert.ok(String(mail?.["text"]).includes(String(row?.["payUrl"])));
  const [alert, ...again] = await alertsAbout(shop, /came back unpaid/);
  assert.deepEqual(again, []);
  assert.match(String(alert?.text).replaceAll("\u00a0", " "), /R 350\.50: Insufficient funds/);
  const statement = await shop.staff<Shown>("GET", `/customers/${shop.customer}/statement?to=2027-03-12`);
  assert.deepEqual(statement.body["unpaidDebits"], [
    { date: "2027-03-08", description: "Debit order of 8 March 2027, returned unpaid", amount: 350.5 },
  ]);

  const [batch] = await batchesOf(shop);
  assert.ok(batch);
  assert.deepEqual(await typesOf(shop, batch.id), ["debit_batch.submitted", "debit_batch.completed"]);
  assert.ok((await batchNow(shop, batch))["completedAt"]);
  const entries = async (subject: unknown) =>
    (await shop.staff<{ data: Shown[] }>("GET", `/timeline?subject=${subject}`)).body.data
      .filter(({ kind }) => kind === "event")
      .map(({ type, detail }) => [type, detail]);
  const unpaid = ["mandate.debit_unpaid", "Insufficient funds (code 02)"];
  assert.ok((await entries(bad["id"])).some((entry) => entry.join() === unpaid.join()));
  const ofBatch = await entries(batch.id);
  assert.ok(ofBatch.some((entry) => entry.join() === unpaid.join()));
  assert.ok(ofBatch.some((entry) => entry.join() === "debit_batch.completed,1 collected, 1 unpaid"));
  const { body } = await shop.staff<{ data: Shown[] }>("GET", `/debit-batches/${batch.id}/debits`);
  assert.partialDeepStrictEqual(
    body.data.find((debit) => debit["mandateId"] === bad["id"]),
    { unpaidInARow: 1, lastResult: null, unpaidCode: "02" },
  );

  const id = String(row?.["paymentLinkId"]);
  assert.equal((await shop.staff("POST", `/payment-links/${id}/deactivate`)).status, 200);
  assert.equal((await unpaidOf(shop, "?open=true")).length, 0);
  assert.equal((await unpaidOf(shop, "?open=false")).length, 1);
});

test("a debit that comes back after it was collected is owed again, once; one that succeeds after all is not", async () => {
  const shop = await openMandateShop(api);
  const back = await addActiveMandate(shop, { debitDay: 6 });
  const late = await addActiveMandate(shop, { debitDay: 6 }, BAD);
  await shop.move("2027-03-12T10:00:00Z");
  const notify = (mandate: Shown, status: string) =>
    shop.staff("POST", "/sandbox/notify", { reference: debitReference(mandate, "20270306"), status, times: 3 });
  assert.equal((await notify(back, "failed")).status, 200);
  assert.equal((await notify(late, "complete")).status, 200);
  const open = await unpaidOf(shop, "?open=true");
  assert.deepEqual(
    open.map(({ mandateId }) => mandateId),
    [back["id"]],
  );
  assert.equal((await mailsOf(shop, "debit_unpaid")).length, 2);
  const types = await typesOf(shop, late["id"]);
  assert.deepEqual(types.slice(-2), ["mandate.debit_unpaid", "mandate.debit_collected"]);
});
