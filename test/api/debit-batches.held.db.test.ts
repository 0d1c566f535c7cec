import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Answer } from "../support/api.ts";
import { openApi, type TestApi } from "../support/api.ts";
import {
  atTheGateway,
  batchesOf,
  batchNow,
  debitOf,
  debitReference,
  gather,
  gathered,
  type ShownBatch,
  submit,
} from "../support/debit-batches.ts";
import { addActiveMandate, type MandateShop, openMandateShop, type Shown } from "../support/mandates.ts";
import { closeVerified } from "../support/verified.ts";

/* Debits that staff hold back before their batch is submitted: not sent, not lost. */

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

const hold = (shop: MandateShop, { id }: ShownBatch, references: readonly string[], reason = "They asked to wait.") =>
  shop.staff<ShownBatch>("POST", `/debit-batches/${id}/hold-back`, { references, reason });
const release = (shop: MandateShop, { id }: ShownBatch, references: readonly string[]) =>
  shop.staff<ShownBatch>("POST", `/debit-batches/${id}/release`, { references });
const rowsOf = async (shop: MandateShop, { id }: ShownBatch, query = "") =>
  (await shop.staff<{ data: Shown[] }>("GET", `/debit-batches/${id}/debits${query}`)).body.data;

test("a debit that is held back is not sent, and is collected beside the next one of its mandate", async () => {
  const shop = await openMandateShop(api);
  const waits = await addActiveMandate(shop, { debitDay: 5 });
  const goes = await addActiveMandate(shop, { debitDay: 5, amount: 100 });
  const batch = await gathered(shop, "2027-03-05");
  const reference = debitReference(waits, "20270305");
  const held = await hold(shop, batch, [reference]);
  assert.partialDeepStrictEqual(held.body, { count: 1, amount: 100, heldBack: { count: 1, amount: 350.5 } });
  const [row, ...others] = await rowsOf(shop, batch, "?held=true");
  assert.deepEqual(others, []);
  assert.partialDeepStrictEqual(row, {
    reference,
    status: "pending",
    nextDebitDate: "2027-04-05",
    heldBack: { reason: "They asked to wait." },
  });
  assert.ok((row?.["heldBack"] as { by?: string } | undefined)?.by, "who held it back is kept");
  assert.equal((await rowsOf(shop, batch)).length, 2);
  assert.equal((await hold(shop, batch, [reference], "Another reason.")).status, 200);
  assert.partialDeepStrictEqual(await rowsOf(shop, batch, "?held=true"), [
    { heldBack: { reason: "They asked to wait." } },
  ]);

  await submit(shop, batch);
  await shop.move("2027-03-12T10:00:00Z");
  assert.partialDeepStrictEqual(await debitOf(shop, waits, "20270305"), { status: "cancelled" });
  assert.partialDeepStrictEqual(await debitOf(shop, goes, "20270305"), { status: "complete" });
  assert.partialDeepStrictEqual(await batchNow(shop, batch), {
    status: "submitted",
    results: { collected: 1, unpaid: 0, pending: 0 },
    heldBack: { count: 1, amount: 350.5 },
  });

  await shop.shop.call("PATCH", `/mandates/${waits["id"]}`, { body: { amount: 400 } });
  const next = await gathered(shop, "2027-04-05");
  assert.partialDeepStrictEqual(next, { count: 3, amount: 850.5 });
  const madeUp = (await rowsOf(shop, next)).find(({ heldFrom }) => heldFrom !== null);
  assert.partialDeepStrictEqual(madeUp, {
    heldFrom: reference,
    amount: 350.5,
    reference: `${reference.slice(0, -8)}20270405-2`,
  });
  await submit(shop, next);
  await shop.move("2027-04-15T10:00:00Z");
  assert.partialDeepStrictEqual(await batchNow(shop, next), { results: { collected: 3, unpaid: 0, pending: 0 } });
  assert.partialDeepStrictEqual(await gathered(shop, "2027-05-05"), { count: 2, amount: 500 });
});

test("a debit that is released goes out with its batch, and one that is held back twice is collected once", async () => {
  const shop = await openMandateShop(api);
  const mandate = await addActiveMandate(shop, { debitDay: 5 });
  const batch = await gathered(shop, "2027-03-05");
  const first = debitReference(mandate, "20270305");
  await hold(shop, batch, [first]);
  assert.partialDeepStrictEqual((await release(shop, batch, [first])).body, {
    count: 1,
    heldBack: { count: 0, amount: 0 },
  });
  assert.partialDeepStrictEqual((await release(shop, batch, [first])).body, { count: 1, amount: 350.5 });
  await hold(shop, batch, [first]);
  // Nothing is left to send.
  assert.partialDeepStrictEqual((await submit(shop, batch)).body, { status: "cancelled", count: 0 });
  await shop.move("2027-03-12T10:00:00Z");
  const second = await gathered(shop, "2027-04-05");
  assert.partialDeepStrictEqual(second, { count: 2, amount: 701 });
  const references = (await rowsOf(shop, second)).map(({ reference }) => String(reference));
  await hold(shop, second, references);
  await submit(shop, second);
  await shop.move("2027-04-12T10:00:00Z");
  const third = await gathered(shop, "2027-05-05");
  assert.partialDeepStrictEqual(third, { count: 3, amount: 1051.5 });
  assert.deepEqual(
    (await rowsOf(shop, third)).flatMap(({ heldFrom }) => heldFrom ?? []).toSorted(),
    references.toSorted(),
  );
  await submit(shop, third);
  await shop.move("2027-05-20T10:00:00Z");
  assert.deepEqual(
    (await atTheGateway(shop)).map(({ status, lines }) => [status, lines]),
    Array.from({ length: 3 }, () => ["complete", 1]),
  );
  assert.partialDeepStrictEqual(await gathered(shop, "2027-06-05"), { count: 1 });
});

test("what is held back while its batch is open does not come with the next one, and is not lost", async () => {
  const shop = await openMandateShop(api);
  const mandate = await addActiveMandate(shop, { debitDay: 5 });
  const early = await gathered(shop, "2027-03-05");
  await hold(shop, early, [debitReference(mandate, "20270305")]);
  const next = await gathered(shop, "2027-04-05");
  assert.partialDeepStrictEqual(next, { count: 1, amount: 350.5 });
  await submit(shop, early);
  await shop.move("2027-03-10T10:00:00Z");
  assert.partialDeepStrictEqual(await batchNow(shop, early), { status: "cancelled" });
  assert.partialDeepStrictEqual(await gathered(shop, "2027-05-05"), { count: 2, amount: 701 });
});

test("holding back is refused where the debit would be lost, or its batch is on its way", async () => {
  const shop = await openMandateShop(api);
  const last = await addActiveMandate(shop, { debitDay: 5, endDate: "2027-03-20" });
  const other = await addActiveMandate(shop, { debitDay: 5, amount: 100 });
  const batch = await gathered(shop, "2027-03-05");
  const lastRow = debitReference(last, "20270305");
  const otherRow = debitReference(other, "20270305");
  const refused = async (answer: Promise<Answer<ShownBatch>>, status: number, message: RegExp) => {
    const { status: found, text } = await answer;
    assert.equal(found, status, text);
    assert.match(text, message);
  };
  await refused(hold(shop, batch, [otherRow, lastRow]), 409, /no later debit day/);
  assert.partialDeepStrictEqual(await batchNow(shop, batch), { count: 2, heldBack: { count: 0 } });
  await refused(hold(shop, batch, ["DO0-20270305"]), 400, /has no debit DO0-20270305/);
  await refused(hold(shop, batch, [otherRow], " "), 400, /reason/);
  await refused(hold(shop, { ...batch, id: "dbat_none" }, [otherRow]), 404, /debit batch/);
  await submit(shop, batch);
  await refused(hold(shop, batch, [otherRow]), 409, /before their batch is submitted/);
  await refused(release(shop, batch, [otherRow]), 409, /before their batch is submitted/);
});

test("holding back and submitting at the same moment give one or the other", async () => {
  for (let round = 0; round < 5; round++) {
    const shop = await openMandateShop(api);
    const mandate = await addActiveMandate(shop, { debitDay: 5 });
    await addActiveMandate(shop, { debitDay: 5, amount: 100 });
    const batch = await gathered(shop, "2027-03-05");
    const reference = debitReference(mandate, "20270305");
    const [held, sent, again] = await Promise.all([
      hold(shop, batch, [reference]),
      submit(shop, batch),
      hold(shop, batch, [reference]),
    ]);
    assert.equal(sent.status, 200, sent.text);
    const wasHeld = [held, again].some(({ status }) => status === 200);
    assert.ok([held, again].every(({ status }) => status === 200 || status === 409));
    await shop.move("2027-03-12T10:00:00Z");
    assert.partialDeepStrictEqual(await debitOf(shop, mandate, "20270305"), {
      status: wasHeld ? "cancelled" : "complete",
    });
    assert.partialDeepStrictEqual(await batchNow(shop, batch), { status: "submitted", count: wasHeld ? 1 : 2 });
    assert.partialDeepStrictEqual((await gather(shop, "2027-04-05")).body, { count: wasHeld ? 3 : 2 });
  }
});

test("a batch shows what was expected, what was paid and what came back, by day", async () => {
  const shop = await openMandateShop(api);
  const good = await addActiveMandate(shop, { debitDay: 5 });
  await addActiveMandate(shop, { debitDay: 5, amount: 100 }, { accountNumber: "62900417702" });
  await shop.move("2027-03-20T10:00:00Z");
  const batch = await gathered(shop, "2027-04-05");
  // Each debit is expected to end as the mandate's one of March did; they settle two business days after Monday 5 April.
  assert.partialDeepStrictEqual(batch, {
    forecast: { expectedUnpaid: 1, expectedUnpaidAmount: 100, unpaidPercent: 50, allUnpaidPercent: 50 },
    settlement: [{ day: "2027-04-07", expectedAmount: 350.5, paidAmount: 0, returnedAmount: 0 }],
  });
  const held = await hold(shop, batch, [debitReference(good, "20270405")]);
  assert.partialDeepStrictEqual(held.body, {
    forecast: { expectedUnpaid: 1, unpaidPercent: 66.67, allUnpaidPercent: 50 },
    settlement: [{ day: "2027-04-07", expectedAmount: 0 }],
  });
  await release(shop, batch, [debitReference(good, "20270405")]);
  await submit(shop, batch);
  await shop.move("2027-04-12T10:00:00Z");
  const days = (await batchNow(shop, batch))["settlement"] as Record<string, number>[];
  const sum = (of: string) => days.reduce((all, day) => all + (day[of] ?? 0), 0);
  assert.deepEqual(
    [sum("expectedAmount"), sum("paidAmount"), sum("returnedAmount")],
    [350.5, 350.5, 100],
    JSON.stringify(days),
  );
  const rows = await api.query<{ paid: string; returned: string }>(
    `select coalesce(sum(t.amount_cents) filter (where t.paid_at is not null), 0) as paid,
            coalesce(sum(t.amount_cents) filter (where t.paid_at is null), 0) as returned
       from debits d join transactions t on t.organisation_id = d.organisation_id and t.id = d.transaction_id
      where d.organisation_id = $1 and d.debit_batch_id = $2`,
    shop.shop.organisation.id,
    batch.id,
  );
  assert.deepEqual(
    rows.map(({ paid, returned }) => [Number(paid), Number(returned)]),
    [[35050, 10000]],
  );
  const reference = debitReference(good, "20270405");
  assert.equal((await shop.staff("POST", "/sandbox/notify", { reference, status: "failed" })).status, 200);
  const then = (await batchNow(shop, batch))["settlement"] as Record<string, unknown>[];
  assert.partialDeepStrictEqual(then.at(-1), { day: "2027-04-12", returnedAmount: 350.5 });
  assert.equal((await batchesOf(shop)).length, 2);
});
