import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openApi, type TestApi } from "../support/api.ts";
import { alertsAbout, batchesOf, batchNow, debitOf, debitReference, gather } from "../support/debit-batches.ts";
import { addActiveMandate, addMandate, mandateNow, openMandateShop, type Shown } from "../support/mandates.ts";
import { closeVerified } from "../support/verified.ts";

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

test("a batch holds what is due and may be collected, each mandate once for a date, and says what to expect", async () => {
  const shop = await openMandateShop(api);
  const due = await addActiveMandate(shop, { debitDay: 5 });
  await addActiveMandate(shop, { debitDay: 20 });
  await addMandate(shop, { debitDay: 5 });
  const [made, ...others] = await Promise.all(Array.from({ length: 20 }, () => gather(shop, "2027-03-05")));
  assert.ok(made);
  const answers = [made, ...others];
  assert.equal(
    answers.filter(({ status }) => status === 201).length,
    1,
    JSON.stringify(answers.map(({ status }) => status)),
  );
  const { body } = answers.find(({ status }) => status === 201) ?? made;
  assert.partialDeepStrictEqual(body, { actionDate: "2027-03-05", status: "open", count: 1, amount: 350.5 });
  assert.partialDeepStrictEqual(body["forecast"], { count: 1, expectedUnpaid: 0, unpaidLimitPercent: 10 });
  assert.partialDeepStrictEqual(await debitOf(shop, due, "20270305"), {
    type: "debit_order",
    status: "pending",
    amount: 350.5,
    payerEmail: (due["customer"] as { email: string }).email,
  });
  assert.equal((await mandateNow(shop, due))["nextDebitDate"], "2027-04-05");
});

test("a mandate of which several dates have passed is debited once in a batch, the rest in later ones", async () => {
  const shop = await openMandateShop(api);
  const mandate = await addActiveMandate(shop, { debitDay: 7 });
  const made = await gather(shop, "2027-05-31");
  assert.partialDeepStrictEqual(made.body, { actionDate: "2027-05-31", count: 1, amount: 350.5 });
  assert.equal((await gather(shop, "2027-05-31")).status, 400);
  assert.equal((await mandateNow(shop, mandate))["nextDebitDate"], "2027-04-07");
  const later = await gather(shop, "2027-06-01");
  assert.partialDeepStrictEqual(later.body, { actionDate: "2027-06-01", count: 1 });
  assert.equal((await mandateNow(shop, mandate))["nextDebitDate"], "2027-05-07");
});

test("a mandate in a batch of a later day is debited once in a batch of an earlier one", async () => {
  const shop = await openMandateShop(api);
  const mandate = await addActiveMandate(shop, { debitDay: 7 });
  for (const actionDate of ["2100-12-31", "2100-12-30", "2027-07-29"]) {
    const made = await gather(shop, actionDate);
    assert.partialDeepStrictEqual(made.body, { actionDate, count: 1, amount: 350.5 });
    assert.equal((await gather(shop, actionDate)).status, 400);
  }
  assert.equal((await gather(shop, "2100-12-31")).status, 400);
  assert.equal((await mandateNow(shop, mandate))["nextDebitDate"], "2027-06-07");
});

test("the daily work gathers, submits and settles: collected, unpaid, and collected and then taken back", async () => {
  const shop = await openMandateShop(api);
  const good = await addActiveMandate(shop, { debitDay: 6 });
  const bad = await addActiveMandate(shop, { debitDay: 6 }, { accountNumber: "62900417702" });
  await shop.move("2027-03-12T10:00:00Z");
  const [batch] = await batchesOf(shop);
  assert.ok(batch);
  // 6 March 2027 is a Saturday.
  assert.partialDeepStrictEqual(batch, { actionDate: "2027-03-08", status: "submitted", count: 2 });
  const shown = await batchNow(shop, batch);
  assert.deepEqual(shown["results"], { collected: 1, unpaid: 1, pending: 0 });
  const reason = "Insufficient funds";
  const [unpaid, ...others] = shown["unpaidDebits"] as Record<string, unknown>[];
  assert.deepEqual(others, []);
  assert.partialDeepStrictEqual(unpaid, {
    reference: `${bad["accountReference"]}-20270306`,
    mandateId: bad["id"],
    amount: 350.5,
    reason,
  });
  assert.partialDeepStrictEqual(await debitOf(shop, good, "20270306"), { status: "complete" });
  assert.partialDeepStrictEqual(await debitOf(shop, bad, "20270306"), { status: "failed" });
  assert.partialDeepStrictEqual(await mandateNow(shop, good), { failureCount: 0, lastCollectedAt: "2027-03-06" });
  assert.partialDeepStrictEqual(await mandateNow(shop, bad), { failureCount: 1, lastCollectedAt: null });
  const reference = `${good["accountReference"]}-20270306`;
  const told = await shop.staff("POST", "/sandbox/notify", { reference, status: "failed", times: 3 });
  assert.equal(told.status, 200, told.text);
  const back = await debitOf(shop, good, "20270306");
  assert.equal(back["status"], "complete");
  assert.equal((back["reversals"] as unknown[]).length, 1);
  assert.equal((await mandateNow(shop, good))["failureCount"], 1);
  assert.deepEqual(await alertsAbout(shop, /was paused/), [], "two in a row pause nothing");
  await shop.move("2027-05-20T10:00:00Z");
  assert.partialDeepStrictEqual(await mandateNow(shop, bad), {
    failureCount: 3,
    status: "paused",
    nextDebitDate: null,
  });
});

test("staff are mailed once when the third unpaid debit in a row pauses a mandate, and again after it was resumed", async () => {
  const shop = await openMandateShop(api);
  const bad = await addActiveMandate(shop, { debitDay: 5, description: "Gym" }, { accountNumber: "62900417702" });
  await shop.move("2027-05-03T10:00:00Z");
  assert.deepEqual(await alertsAbout(shop, /was paused/), [], "two in a row pause nothing");
  await shop.move("2027-05-12T10:00:00Z");
  const third = debitReference(bad, "20270505");
  const told = await shop.staff("POST", "/sandbox/notify", { reference: third, status: "failed", times: 5 });
  assert.equal(told.status, 200, told.text);
  await shop.move("2027-05-13T10:00:00Z");
  const [alert, ...others] = await alertsAbout(shop, /was paused/);
  assert.deepEqual(others, []);
  const { email } = (await shop.shop.get(`/customers/${shop.customer}`)).body;
  for (const part of ["Gym", "R 350.50", "Insufficient funds", String(email)])
    assert.ok(alert?.text.replaceAll("\u00a0", " ").includes(part), `${part} is not in ${alert?.text}`);
  const mail = (await shop.staff("GET", `/emails/${(alert as Shown | undefined)?.["id"]}`)).body;
  assert.equal((mail["recipients"] as unknown[] | undefined)?.length, 1, JSON.stringify(mail));
  assert.equal((await shop.shop.call("PATCH", `/mandates/${bad["id"]}`, { body: { status: "active" } })).status, 200);
  await shop.move("2027-08-12T10:00:00Z");
  assert.partialDeepStrictEqual(await mandateNow(shop, bad), { status: "paused", failureCount: 3 });
  assert.equal((await alertsAbout(shop, /was paused/)).length, 2);
});
