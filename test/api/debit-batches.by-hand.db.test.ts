import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { beginBatches } from "../../src/flows/debit-batches/change-batch.ts";
import { applyFacts } from "../../src/flows/payments/apply-facts.ts";
import { internalFact, type PaidFact } from "../../src/gateways/facts.ts";
import { cents } from "../../src/kernel/money.ts";
import type { CalendarDay } from "../../src/kernel/time.ts";
import { openApi, type TestApi } from "../support/api.ts";
import { copyMandate } from "../support/debit-batches.ts";
import { mailsOf } from "../support/mails.ts";
import { addActiveMandate, type MandateShop, openMandateShop, type Shown } from "../support/mandates.ts";
import { closeVerified, faultsOf } from "../support/verified.ts";

let api: TestApi;
before(async () => {
  api = await openApi();
});
after(() => closeVerified(api));

type Batch = Shown & { id: string; batches: Shown[] };
const DAY = "2027-03-05";
const make = (shop: MandateShop, headers: Record<string, string> = {}) =>
  shop.staff<Batch>("POST", "/debit-batches", { actionDate: DAY }, headers);
const debitsOf = ({ shop }: MandateShop) =>
  api.query<{ mandate_id: string }>("select mandate_id from debits where organisation_id = $1", shop.organisation.id);

test("a batch of more mandates than one transaction takes holds each once, and repeats with its key", async () => {
  const shop = await openMandateShop(api);
  const mandate = await addActiveMandate(shop, { debitDay: 5 });
  await copyMandate(shop, mandate, 1_200);
  const headers = { "idempotency-key": "march" };
  const [made, again] = await Promise.all([make(shop, headers), make(shop, headers)]);
  assert.equal(made.status, 201, made.text);
  assert.partialDeepStrictEqual(made.body, { actionDate: DAY, status: "open", count: 1_201, amount: 420_950.5 });
  assert.deepEqual(again.body, made.body);
  assert.deepEqual((await make(shop, headers)).body, made.body);
  assert.equal((await make(shop)).status, 400);
  const debits = await debitsOf(shop);
  assert.deepEqual([debits.length, new Set(debits.map(({ mandate_id }) => mandate_id)).size], [1_201, 1_201]);
  const worked = "select from due_work where organisation_id = $1 and kind = 'debit_batch.gather_by'";
  assert.deepEqual(await api.query(worked, shop.shop.organisation.id), []);
});

test("a key with another body is refused, and gathers nothing; a refusal is repeated with its key", async () => {
  const shop = await openMandateShop(api);
  const headers = { "idempotency-key": "april" };
  const refused = await make(shop, headers);
  assert.equal(refused.status, 400, refused.text);
  await addActiveMandate(shop, { debitDay: 5 });
  const replayed = await make(shop, headers);
  assert.deepEqual([replayed.status, replayed.headers["idempotent-replayed"]], [400, "true"]);
  const made = await make(shop, { "idempotency-key": "may" });
  assert.equal(made.status, 201, made.text);
  await addActiveMandate(shop, { debitDay: 8 });
  const other = await shop.staff("POST", "/debit-batches", { actionDate: "2027-03-08" }, { "idempotency-key": "may" });
  assert.deepEqual([other.status, other.body["error"]], [409, "idempotency_conflict"]);
  assert.equal((await debitsOf(shop)).length, 1);
});

test("what a request that ended early left is gathered by due work", async () => {
  const shop = await openMandateShop(api);
  await copyMandate(shop, await addActiveMandate(shop, { debitDay: 5 }), 700);
  const ctx = await shop.shop.ctx();
  await api.services.db.transaction(ctx.organisation.id, (tx) => beginBatches(tx, ctx, DAY as CalendarDay));
  assert.equal((await debitsOf(shop)).length, 500);
  await shop.move("2027-03-01T10:02:00Z");
  assert.equal((await debitsOf(shop)).length, 701);
});

test("the debits of a batch and of a mandate are listed in pages, newest first, with how each ended", async () => {
  const shop = await openMandateShop(api);
  const mandate = await addActiveMandate(shop, { debitDay: 5 });
  await copyMandate(shop, mandate, 4);
  const { id } = (await make(shop)).body;
  type Page = { data: Shown[]; hasMore: boolean; nextCursor: string | null };
  const seen: Shown[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const from: string = cursor === "" ? "" : `&startingAfter=${cursor}`;
    const { body } = await shop.staff<Page>("GET", `/debit-batches/${id}/debits?limit=2${from}`);
    seen.push(...body.data);
    assert.equal(body.hasMore, seen.length < 5);
    cursor = body.nextCursor;
  }
  assert.deepEqual([seen.length, new Set(seen.map(({ mandateId }) => mandateId)).size], [5, 5]);
  const own = await shop.staff<Page>("GET", `/mandates/${mandate["id"]}/debits`);
  assert.deepEqual(
    own.body.data,
    seen.filter(({ mandateId }) => mandateId === mandate["id"]),
  );
  assert.partialDeepStrictEqual(own.body.data, [
    { debitBatchId: id, debitDate: DAY, status: "pending", amount: 350.5, currency: "ZAR", unpaidReason: null },
  ]);
  const named = await shop.staff<Page>("GET", `/debit-batches/${id}/debits?q=${own.body.data[0]?.["reference"]}`);
  assert.deepEqual(named.body.data, own.body.data);
  assert.deepEqual((await shop.staff<Page>("GET", `/debit-batches/${id}/debits?q=%25`)).body.data, []);
  const other = await openMandateShop(api);
  for (const path of [`/debit-batches/${id}/debits`, `/mandates/${mandate["id"]}/debits`])
    assert.equal((await other.staff("GET", path)).status, 404, path);
});

test("each gateway account has a batch of its own, and the answer names all of them", async () => {
  const shop = await openMandateShop(api);
  await addActiveMandate(shop, { debitDay: 5 });
  const other = await shop.shop.addGateway();
  await addActiveMandate(shop, { debitDay: 5, providerId: other.id });
  await addActiveMandate(shop, { debitDay: 5, providerId: other.id });
  const made = await make(shop);
  assert.equal(made.status, 201, made.text);
  const { id, batches } = made.body;
  assert.deepEqual(
    batches.map(({ gateway, count }) => [gateway, count]).toSorted(),
    [
      [shop.account.id, 1],
      [other.id, 2],
    ].toSorted(),
  );
  assert.ok(batches.some((batch) => batch["id"] === id));
});

test("a gateway that never decides is asked for two weeks; then staff are told, and a later result still counts", async () => {
  const shop = await openMandateShop(api);
  const mandate = await addActiveMandate(shop, { debitDay: 5 });
  const { body: batch } = await make(shop);
  const work = (kind: string) =>
    api.query("select from due_work where organisation_id = $1 and kind = $2", shop.shop.organisation.id, kind);
  await shop.move("2027-03-02T10:00:00Z");
  // The gateway does not settle within these weeks.
  await api.query(
    "update due_work set due_at = '2029-01-01' where organisation_id = $1 and kind = 'sandbox.debit'",
    shop.shop.organisation.id,
  );
  const read = async () => (await shop.staff<Batch>("GET", `/debit-batches/${batch.id}`)).body;
  await shop.move("2027-03-22T10:00:00Z");
  assert.partialDeepStrictEqual(await read(), { status: "submitted", problem: null, results: { pending: 1 } });
  assert.equal((await work("debit_batch.results")).length, 1);
  await shop.move("2027-03-26T10:00:00Z");
  const problem = "One debit has no result two weeks after they were due. Ask the gateway.";
  assert.partialDeepStrictEqual(await read(), { status: "submitted", problem, results: { pending: 1 } });
  assert.equal((await work("debit_batch.results")).length, 0);
  const mails = await mailsOf(api.services, shop.shop.organisation);
  assert.deepEqual(mails.filter(({ text }) => text?.includes("no result two weeks")).length, 1);
  assert.deepEqual(await faultsOf(api), []);
  const late: PaidFact = {
    ...internalFact(`${mandate["accountReference"]}-20270305`, "paid"),
    kind: "paid",
    amount: cents(35_050),
    currency: "ZAR",
    fee: null,
  };
  await applyFacts(api.services, await shop.shop.ctx(), { accountId: shop.account.id, source: "notification" }, [late]);
  assert.partialDeepStrictEqual(await read(), { results: { collected: 1, pending: 0 } });
});
