import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { DebitOrderAbility } from "../../src/gateways/contract.ts";
import { GatewayUnclear } from "../../src/gateways/http.ts";
import { sandbox } from "../../src/gateways/sandbox/adapter.ts";
import { openApi, type TestApi } from "../support/api.ts";
import {
  alertsAbout,
  atTheGateway,
  batchesOf,
  batchNow,
  debitOf,
  debitReference,
  gather,
  gathered,
  mandateIs,
} from "../support/debit-batches.ts";
import { addActiveMandate, type MandateShop, openMandateShop } from "../support/mandates.ts";
import { faultsOf } from "../support/verified.ts";

/* Batches that are sent late or are too large for one, and dates that passed while a mandate could not be collected. */

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(async () => {
  try {
    assert.deepEqual(await faultsOf(api), []);
  } finally {
    await api.close();
  }
});

const gateway: DebitOrderAbility = sandbox.debitOrders ?? assert.fail("the sandbox gateway collects debit orders");

/** The action dates with which batches arrived at the gateway, in their order. */
const actionDates = async ({ shop }: MandateShop): Promise<string[]> => {
  const rows = await api.query<{ action_date: string }>(
    "select action_date::text from sandbox_debit_batches where organisation_id = $1 and status = 'submitted' order by action_date",
    shop.organisation.id,
  );
  return rows.map(({ action_date }) => action_date);
};

/** The work that sends batches is not done before an instant, as when no worker runs. */
const sentFrom = ({ shop }: MandateShop, at: string) =>
  api.query(
    "update due_work set due_at = $2 where organisation_id = $1 and kind = 'debit_batch.submit'",
    shop.organisation.id,
    at,
  );

describe("a batch that is not sent by its action date", () => {
  test("goes out on the next business day; its debit keeps its date and reference", async () => {
    const shop = await openMandateShop(api);
    const mandate = await addActiveMandate(shop, { debitDay: 5 });
    const batch = await gathered(shop, "2027-03-05");
    assert.partialDeepStrictEqual(batch, { actionDate: "2027-03-05", movedFrom: null });
    // 6 March 2027 is a Saturday.
    await sentFrom(shop, "2027-03-06T10:00:00Z");
    await shop.move("2027-03-06T10:00:00Z");
    const moved = { status: "submitted", actionDate: "2027-03-08", movedFrom: "2027-03-05" };
    assert.partialDeepStrictEqual(await batchNow(shop, batch), moved);
    assert.partialDeepStrictEqual((await batchesOf(shop))[0], moved);
    assert.deepEqual(await actionDates(shop), ["2027-03-08"]);
    await shop.move("2027-03-10T12:00:00Z");
    assert.equal((await debitOf(shop, mandate, "20270305"))["status"], "complete");
    await mandateIs(shop, mandate, { lastCollectedAt: "2027-03-05", nextDebitDate: "2027-04-05" });
    assert.deepEqual(await faultsOf(api), []);
  });

  test("of which a mandate is debited for another date on the next business day, goes out on the day after", async () => {
    const shop = await openMandateShop(api);
    await addActiveMandate(shop, { debitDay: 5 });
    await shop.move("2027-04-06T10:00:00Z");
    const batches = await batchesOf(shop);
    assert.deepEqual(
      batches.map(({ actionDate }) => actionDate),
      ["2027-04-05", "2027-03-05"],
    );
    await gathered(shop, "2027-05-05");
    await sentFrom(shop, "2027-06-07T10:00:00Z");
    // The next date goes into a batch of the day to which the late one would be moved.
    await gathered(shop, "2027-06-07");
    await sentFrom(shop, "2027-06-07T10:00:00Z");
    await shop.move("2027-06-07T10:00:00Z");
    assert.deepEqual(await actionDates(shop), ["2027-03-05", "2027-04-05", "2027-06-07", "2027-06-08"]);
  });

  test("and of which the gateway has some lines is sent with the later date", async (t) => {
    const shop = await openMandateShop(api);
    const mandate = await addActiveMandate(shop, { debitDay: 5 });
    const batch = await gathered(shop, "2027-03-05");
    const original = gateway.submit;
    const broken = t.mock.method(gateway, "submit", async (...[request, call]: Parameters<typeof original>) => {
      async function* breaking() {
        yield* request.lines;
        throw new GatewayUnclear("no answer");
      }
      return original({ ...request, lines: breaking() }, call);
    });
    await sentFrom(shop, "2027-03-05T21:30:00Z");
    await shop.move("2027-03-05T23:00:00Z");
    assert.partialDeepStrictEqual(await batchNow(shop, batch), { status: "submitting", movedFrom: "2027-03-05" });
    assert.equal((await alertsAbout(shop, /batch of debit orders/)).length, 1);
    broken.mock.restore();
    await shop.move("2027-03-09T10:00:00Z");
    assert.partialDeepStrictEqual(await batchNow(shop, batch), {
      status: "submitted",
      problem: null,
      movedFrom: "2027-03-05",
    });
    assert.deepEqual(
      (await atTheGateway(shop)).map(({ reference, lines }) => [reference, lines]),
      [[debitReference(mandate, "20270305"), 1]],
    );
    await shop.move("2027-03-20T10:00:00Z");
    assert.equal((await debitOf(shop, mandate, "20270305"))["status"], "complete");
  });
});

test("a batch made for today after 06:00 goes out some minutes later, for today", async () => {
  const shop = await openMandateShop(api);
  await addActiveMandate(shop, { debitDay: 5 });
  await shop.staff("PATCH", "/settings", { debitOrders: { cutOffDays: 0 } });
  await shop.move("2027-03-04T21:00:00Z");
  const late = await addActiveMandate(shop, { debitDay: 5 });
  await shop.move("2027-03-05T10:00:00Z");
  const another = await addActiveMandate(shop, { debitDay: 5, startDate: "2027-03-05" });
  const batch = await gathered(shop, "2027-03-05");
  assert.partialDeepStrictEqual(batch, { status: "open", count: 1 });
  await shop.move("2027-03-05T10:05:00Z");
  assert.partialDeepStrictEqual(await batchNow(shop, batch), {
    status: "submitted",
    actionDate: "2027-03-05",
    movedFrom: null,
  });
  assert.equal((await debitOf(shop, another, "20270305"))["status"], "pending");
  assert.equal((await debitOf(shop, late, "20270305"))["status"], "pending");
});

test("more debits than the gateway takes in one batch go out in several, each full but the last", async (t) => {
  const shop = await openMandateShop(api);
  const most = gateway.most;
  Object.assign(gateway, { most: 3 });
  t.after(() => Object.assign(gateway, { most }));
  const references = new Set<string>();
  for (let n = 0; n < 7; n++) references.add(debitReference(await addActiveMandate(shop, { debitDay: 5 }), "20270305"));
  const made = await gather(shop, "2027-03-05");
  assert.equal(made.status, 201, made.text);
  const batches = made.body["batches"] as { id: string; count: number }[];
  assert.deepEqual(batches.map(({ count }) => count).toSorted(), [1, 3, 3]);
  // What becomes due later joins the one that is not full.
  references.add(debitReference(await addActiveMandate(shop, { debitDay: 5 }), "20270305"));
  await gathered(shop, "2027-03-05");
  assert.deepEqual((await batchesOf(shop)).map(({ count }) => count).toSorted(), [2, 3, 3]);
  await shop.move("2027-03-20T10:00:00Z");
  for (const batch of await batchesOf(shop)) assert.equal(batch.status, "submitted");
  const lines = await atTheGateway(shop);
  assert.deepEqual(new Set(lines.map(({ reference }) => reference)), references);
  assert.ok(lines.every(({ status, lines: times }) => status === "complete" && times === 1));
});

test("dates that passed while only signed mandates were collected are not made up for when that ends", async () => {
  const shop = await openMandateShop(api);
  await shop.staff("PATCH", "/settings", { debitOrders: { requireSignedAgreement: true } });
  const mandate = await addActiveMandate(shop, { debitDay: 5 });
  await shop.move("2027-06-10T10:00:00Z");
  assert.deepEqual(await batchesOf(shop), []);
  await mandateIs(shop, mandate, { status: "active", nextDebitDate: "2027-07-05" });
  await shop.staff("PATCH", "/settings", { debitOrders: { requireSignedAgreement: false } });
  await shop.move("2027-07-20T10:00:00Z");
  assert.deepEqual(
    (await atTheGateway(shop)).map(({ reference }) => reference),
    [debitReference(mandate, "20270705")],
  );
});
