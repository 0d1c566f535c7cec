import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { gatherDaily } from "../../src/flows/debit-batches/gather-debits.ts";
import type { Tx } from "../../src/platform/database.ts";
import { openApi, type TestApi } from "../support/api.ts";
import { postForm } from "../support/cards.ts";
import { openCollectingShop } from "../support/collected-subscriptions.ts";
import { debitsOf, openDebitedShop, UNPAID_ACCOUNT } from "../support/debited-subscriptions.ts";
import { addActiveMandate } from "../support/mandates.ts";
import { closeVerified } from "../support/verified.ts";

/* What collects the invoices of one subscription at the same moment: two processes, the payer on the page, staff. */

let api: TestApi;
let second: TestApi;
before(async () => {
  api = await openApi();
  second = await openApi(api.environment);
});
after(async () => {
  await second.close();
  await closeVerified(api);
});

const TWENTY = Array.from({ length: 20 }, (_, at) => at);

test("four gatherings at once of twenty subscriptions debit each invoice once", async () => {
  const stage = await openCollectingShop(api);
  for (const _ of TWENTY) {
    const { id } = await stage.subscribe({ collectionMethod: "debit_order" });
    await addActiveMandate(stage, { debitDay: 5, subscriptionId: id });
  }
  const ctx = { ...(await stage.shop.ctx()), now: new Date("2027-03-02T22:00:00Z") as never };
  await Promise.all([api, second, api, second].map(({ services }) => gatherDaily(services, ctx)));
  assert.deepEqual(
    await debitsOf(stage),
    TWENTY.map(() => "20270305 pending 100 1"),
  );
  const { body } = await stage.staff<{ data: { count: number; amount: number }[] }>("GET", "/debit-batches");
  assert.deepEqual(
    body.data.map(({ count, amount }) => [count, amount]),
    [[20, 2000]],
  );
});

test("who makes a batch while what is due changes gets what is due then, once", async () => {
  const stage = await openCollectingShop(api);
  const { id } = await stage.subscribe({ collectionMethod: "debit_order" });
  await addActiveMandate(stage, { debitDay: 5, subscriptionId: id });
  const own = await addActiveMandate(stage, { debitDay: 5 });
  const organisation = stage.shop.organisation.id;
  const make = () => stage.staff<{ id: string }>("POST", "/debit-batches", { actionDate: "2027-03-05" });
  const waiting = async () =>
    (await api.query("select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"))
      .length;
  /** Requests a batch twice, while a transaction has locked the mandate that collects its own amount; `change` ends it. */
  const beside = (change: (tx: Tx) => void) =>
    api.services.db.transaction(organisation, async (tx) => {
      await tx.sql`select from mandates where organisation_id = ${organisation} and id = ${own["id"]} for no key update`;
      const first = make();
      while ((await waiting()) < 1) await sleep(20);
      const second = make();
      while ((await waiting()) < 2) await sleep(20);
      change(tx);
      return { both: Promise.all([first, second]) };
    });
  const postponed = (tx: Tx) =>
    tx.queue`update mandates set next_debit_date = '2027-04-05' where organisation_id = ${organisation} and id = ${own["id"]}`;
  const both = await (await beside(postponed)).both;
  assert.deepEqual(both.map(({ status }) => status).toSorted(), [201, 400]);
  assert.partialDeepStrictEqual(both.find(({ status }) => status === 201)?.body, { count: 1, amount: 100 });
  await api.query("update mandates set next_debit_date = '2027-03-05' where id = $1", own["id"]);
  const [one, other] = await (await beside(() => {})).both;
  assert.deepEqual([one?.status, other?.status], [201, 400], "what was due is in the first one's batch");
  assert.deepEqual(await debitsOf(stage), ["20270305 pending 100 1", "20270305 pending 350"]);
});

test("a payer who pays a missed invoice while it is gathered, and twenty others with them, begin one payment in all or pay on the page alone", async () => {
  const shop = await openDebitedShop(api, { bank: { accountNumber: UNPAID_ACCOUNT } });
  await shop.move("2027-03-09T10:00:00Z");
  const { payment } = await shop.current();
  const ctx = { ...(await shop.shop.ctx()), now: new Date("2027-04-01T00:00:00Z") as never };
  const pays = TWENTY.map(() => postForm(api, String(payment.url), { gateway: shop.account.id }));
  await Promise.all([gatherDaily(second.services, ctx), gatherDaily(api.services, ctx), ...pays]);
  const rows = await api.query<{ type: string }>(
    "select distinct type from transactions where organisation_id = $1 and status = 'pending'",
    shop.shop.organisation.id,
  );
  assert.equal(rows.length, 1, "an invoice is collected by its page or by its mandate, not by both");
});

test("a result that is reported twenty times at once settles the debit once", async () => {
  const shop = await openDebitedShop(api);
  await shop.move("2027-03-04T10:00:00Z");
  const reference = `${shop.mandate["accountReference"]}-20270305`;
  for (const [status, expected] of [
    ["failed", "20270305 failed 100 1"],
    ["complete", "20270305 complete 100 1"],
  ] as const) {
    const answer = await shop.staff("POST", "/sandbox/notify", { reference, status, times: 20 });
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(await shop.debits(), [expected]);
  }
  assert.deepEqual((await shop.told(shop.sub.id)).slice(2), ["subscription.payment_failed", "subscription.past_due"]);
  assert.partialDeepStrictEqual(await shop.attempts(), [{ status: "complete", reason: null }]);
  assert.partialDeepStrictEqual(await shop.mandateNow(), { failureCount: 0, lastCollectedAt: "2027-03-05" });
});

test("twenty who cancel, pause, resume and link mandates at once leave one state that is whole", async () => {
  const shop = await openDebitedShop(api);
  const act = (action: string) => shop.shop.post(`/customer-subscriptions/${shop.sub.id}/${action}`, undefined);
  const answers = await Promise.all(
    TWENTY.map((at) =>
      at % 4 === 3
        ? addActiveMandate(shop, { debitDay: 5, subscriptionId: shop.sub.id })
        : act(at % 4 === 0 ? "pause" : "resume").then(({ status }) => status),
    ),
  );
  assert.deepEqual(
    answers.filter((status) => typeof status === "number" && status !== 200),
    [],
  );
  assert.equal((await act("resume")).status, 200);
  await shop.move("2027-03-10T10:00:00Z");
  assert.deepEqual(await shop.debits(), ["20270305 complete 100 1"]);
});
